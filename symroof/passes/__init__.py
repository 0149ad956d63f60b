"""One question, one file: each pass is a function of a book or of a point of it, and changes neither."""
