"""A model's published configuration becomes a preset; what its keys mean is the book's to say, in imports.toml."""
