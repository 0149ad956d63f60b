"""Formulas and numbers kept true inside other people's documents: markers are found, filled, checked and written whole.

`request.py` is what a marker may ask for; `marker.py` what a marker is; `markdown.py`, `rest.py`, `latex.py`, `html.py` and
`notebook.py` find markers in a format; `dialect.py` sets answers in it; `fill.py` asks the book; `document.py` puts the two
together; `files.py` reads documents and replaces them whole. No code of a document is ever run.
"""
