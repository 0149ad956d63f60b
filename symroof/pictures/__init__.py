"""Pictures of a book at a point, declared in its book.toml: every length and label in them is a value that the book derives.

    >>> from symroof.pictures import draw, pictures_of
    >>> point = symroof.load().at()
    >>> pictures_of(point)
    >>> draw(point, "roofline").svg()

What is drawn is gathered from the passes and is plain data; Matplotlib comes in where a picture becomes SVG or PDF.
"""

from symroof.pictures.declare import draw, pictures_of
from symroof.pictures.picture import Picture

__all__ = ["Picture", "draw", "pictures_of"]
