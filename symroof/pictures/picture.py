"""A picture: what it shows as plain data, with a title, a caption and a text alternative; SVG and PDF on demand."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from symroof.errors import RequestError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The family that Matplotlib carries, and others of its proportions or at hand, for readers who do not have it.
_FAMILIES = "'DejaVu Sans', Verdana, Geneva, 'Helvetica Neue', Arial, sans-serif"
_FAMILY = re.compile(r"'?DejaVu Sans'?(?:, ?sans-serif)?")
# Coordinates are exact to a thousandth of a point, which nobody sees; the rest of their digits is most of a file.
_PLACED = re.compile(r'\b(?:d|transform|x|y)="[^"]*"')
_DIGITS = re.compile(r"(\.\d{3})\d+")
_NAMED = re.compile(r'\b(id="|url\(#|href="#)')


class Scene(Protocol):
    """What a picture shows: plain data that can paint itself."""

    @property
    def height(self) -> float:
        """Inches that it needs below the title."""

    def paint(self, figure: Figure) -> None:
        """Draw it into a figure of `style.WIDTH` by `height` inches and the title's room."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a kind of picture makes of its table: the scene, and what it shows in words, short and with the main values."""

    scene: Scene
    says: str
    alt: str


@dataclass(frozen=True)
class Picture:
    """A picture of a point. Shows itself in a notebook.

    Attributes:
        name: its name in book.toml.
        title: what stands above it.
        caption: a sentence or two on what one sees, with the settings.
        alt: the text alternative, with the main values.
        chapter: the chapter that it belongs to; empty for the page that sums up.
        scene: what is drawn.
        painted: the forms that it has been painted in already, `svg` and `pdf`, as bytes.
    """

    name: str
    title: str
    caption: str
    alt: str
    chapter: str
    scene: Scene
    painted: Mapping[str, bytes] = field(default_factory=dict, compare=False, repr=False)

    def svg(self) -> str:
        """The picture as one `<svg>` element with its text as text, for a file or inline in HTML; always the same bytes.

        Raises:
            RequestError: Matplotlib is not installed.
        """
        return self.forms(("svg",))["svg"].decode()

    def pdf(self) -> bytes:
        """The picture as a page of PDF with its text as text; always the same bytes.

        Raises:
            RequestError: Matplotlib is not installed.
        """
        return self.forms(("pdf",))["pdf"]

    def forms(self, forms: Sequence[str]) -> dict[str, bytes]:
        """The picture in some forms at once, of `svg` and `pdf`, as the bytes of files.

        Raises:
            RequestError: Matplotlib is not installed.
        """
        missing = [form for form in forms if form not in self.painted]
        return {form: self.painted[form] for form in forms if form in self.painted} | (self._paint(missing) if missing else {})

    @property
    def digest(self) -> str:
        """What tells a picture from another one: all that is drawn, and the versions of what draws it."""
        drawn = repr((self.name, self.title, self.alt, self.scene, *_painters()))
        return hashlib.blake2b(drawn.encode(), digest_size=8).hexdigest()

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<{self.title}: {self.alt}>"

    def _paint(self, forms: Sequence[str]) -> dict[str, bytes]:
        check_drawable()
        from symroof.pictures.style import saved

        found = saved(self.scene, self.title, forms)
        return {form: self._tidied(data.decode()).encode() if form == "svg" else data for form, data in found.items()}

    def _tidied(self, drawn: str) -> str:
        """Matplotlib's SVG as one element that may stand in a page beside others, with its title and its text alternative."""
        start = drawn.index("<svg ")
        body = _NAMED.sub(rf"\g<1>{self.name}-", drawn[drawn.index(">", start) + 1 :])
        # A rule for everything would reach the page around an inline picture.
        body = body.replace('<style type="text/css">*{', '<style type="text/css">svg.picture *{')
        body = _FAMILY.sub(_FAMILIES, body)
        body = _PLACED.sub(lambda found: _DIGITS.sub(r"\1", found[0]), body)
        head = re.sub(r"\s+", " ", drawn[start : drawn.index(">", start)])
        label = f'class="picture" role="img" aria-labelledby="{self.name}-title {self.name}-desc"'
        title = f'<title id="{self.name}-title">{escape(self.title)}</title>'
        desc = f'<desc id="{self.name}-desc">{escape(self.alt)}</desc>'
        return f"{head} {label}>\n {title}\n {desc}{body}"


@lru_cache(1)
def _painters() -> tuple[str, str]:
    """The versions of what paints: Matplotlib's, and the code of this package itself."""
    code = b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
    return importlib.metadata.version("matplotlib"), hashlib.blake2b(code).hexdigest()


def mark(form: str, *digests: str) -> bytes:
    """The line that a picture's file ends with, which says what it shows and which viewers do not see."""
    said = " ".join(digests)
    return (f"%symroof {said}\n" if form == "pdf" else f"<!-- symroof {said} -->\n").encode()


def marked(picture: Picture, form: str, data: bytes) -> bytes:
    """The file of a picture that was painted, so marked that `standing` knows it again, and knows it to be whole."""
    return data + mark(form, picture.digest, hashlib.blake2b(data, digest_size=8).hexdigest())


def standing(picture: Picture, form: str, folder: Path | None) -> bytes | None:
    """What would be painted of a picture, where its file stands in a folder just so; None where it has to be painted."""
    try:
        data = b"" if folder is None else (folder / f"{picture.name}.{form}").read_bytes()
    except OSError:
        return None
    painted = data[: -len(mark(form, picture.digest, picture.digest))]
    return painted if painted and marked(picture, form, painted) == data else None


def drawable() -> bool:
    """True where Matplotlib is installed; it is not imported to find out."""
    return importlib.util.find_spec("matplotlib") is not None


def check_drawable() -> None:
    """Refuse a picture where it cannot be drawn.

    Raises:
        RequestError: Matplotlib is not installed.
    """
    if not drawable():
        raise RequestError("a picture needs Matplotlib, which is not installed: pip install 'symroof[plot]'")
