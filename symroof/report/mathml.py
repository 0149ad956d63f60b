r"""LaTeX as MathML Core, which browsers set without help: upright words whole, and the names of the book marked where they stand.

The converter is math-core: it knows `aligned` and `cases`, keeps an upright word in one element, and its MathML is the part
that every browser sets alike. What it does not know is that `90{,}194` is one number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from html import unescape
from typing import Any
from xml.etree import ElementTree

from symroof.errors import SymroofError

# Groups of digits between `{,}`; other commas have no attribute, or no digits around them.
_GROUPED = re.compile(r'<mn>(\d{1,3})</mn>((?:<mo rspace="0">,</mo><mn>\d{3}(?:\.\d+)?</mn>)+)')
# Entities that HTML has and XML has not.
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\w+);)\w+;")
_TAG = re.compile(r"<[^>]+>")
# The attribute that a marked name has in HTML.
NAME = "data-n"


@lru_cache(maxsize=8192)
def mathml(tex: str, display: bool = False) -> str:
    """A formula as a `<math>` element, well-formed XML without a namespace, as HTML wants it.

    Args:
        tex: LaTeX as `symroof.report.latex` prints it, or a symbol as an author declares it.
        display: on a line of its own, with fractions and limits at full size.

    Raises:
        SymroofError: math-core is not installed, or cannot read the formula.
    """
    converter, error = _converter()
    try:
        markup: str = converter.convert_with_local_state(tex, displaystyle=display)
    except error as found:
        raise SymroofError(f"no MathML for {tex!r}: {found}") from None
    markup = _ENTITY.sub(lambda m: unescape(m[0]), markup)
    return _GROUPED.sub(lambda m: f"<mn>{m[1]}{_TAG.sub('', m[2])}</mn>", markup)


@cache
def _converter() -> tuple[Any, type[Exception]]:
    try:
        from math_core import LatexError, LatexToMathML
    except ImportError:
        raise SymroofError("HTML needs math-core, which is not installed: pip install 'symroof[html]'") from None
    return LatexToMathML(fancy_error=False), LatexError


class Marker:
    """Marks the symbols of names in formulas: the element that is a name's whole symbol gets the attribute `data-n`."""

    def __init__(self, symbols: Mapping[str, str]) -> None:
        """A marker of names, each with its symbol in LaTeX; a name whose symbol is several elements is not marked."""
        self._names: dict[str, list[str]] = {}
        for name, tex in symbols.items():
            parts = list(ElementTree.fromstring(mathml(tex)))
            if len(parts) == 1:
                self._names.setdefault(_canonical(parts[0]), []).append(name)

    def mark(self, markup: str, first: Iterable[str] = ()) -> str:
        """The formula with its names marked; where two names have one symbol, the one among `first` is meant."""
        root = ElementTree.fromstring(markup)
        chosen = frozenset(first)
        for index, child in enumerate(list(root)):
            root[index] = self._marked(child, chosen)
        return ElementTree.tostring(root, encoding="unicode")

    def _marked(self, element: ElementTree.Element, first: frozenset[str]) -> ElementTree.Element:
        name = self._name(element, first)
        if name is not None:
            element.set(NAME, name)
            return element
        if element.tag == "msubsup":
            element = self._power(element, first)
        # The letter of a subscripted symbol that nobody declared is no name of its own.
        if element.tag not in ("msub", "msubsup"):
            for index, child in enumerate(list(element)):
                element[index] = self._marked(child, first)
        return element

    def _power(self, element: ElementTree.Element, first: frozenset[str]) -> ElementTree.Element:
        """A power of a subscripted name, with the name as the base of its own; else the element as it is."""
        base = ElementTree.Element("msub")
        base.extend(element[:2])
        if self._name(base, first) is None:
            return element
        power = ElementTree.Element("msup")
        power.tail = element.tail
        power.extend([base, element[2]])
        return power

    def _name(self, element: ElementTree.Element, first: frozenset[str]) -> str | None:
        names = self._names.get(_canonical(element), ())
        return next((n for n in names if n in first), names[0] if names else None)


def _canonical(element: ElementTree.Element) -> str:
    """An element's markup without what follows it and without the room around its operators, which depends on where it stands."""
    text = ElementTree.tostring(element, encoding="unicode").removesuffix(element.tail or "")
    return re.sub(r' (?:lspace|rspace|stretchy)="[^"]*"', "", text)
