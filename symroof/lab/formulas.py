"""How does a formula look on the page? MathML with one character for each name, filled there with symbols or with values.

A name is a character of the private use area: 0xE000 and its slot, or 0xE800 and its slot where only its symbol may stand,
as inside a sum. Frequent tags are single characters too, so that a thousand formulas are light.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from symroof.errors import SymroofError
from symroof.passes.substitute import chosen
from symroof.point import Point
from symroof.report.latex import formula_latex
from symroof.report.mathml import mathml
from symroof.term import At, Choose, Largest, RangeSum, Ref, Term, Total, children, rebuild, walk, without_units
from symroof.text import formula_text

if TYPE_CHECKING:
    from symroof.book import Book

VALUED, NAMED, TAGS = 0xE000, 0xE800, 0xF000
# The width in ems at which a formula is broken into lines.
_WIDTH = 34.0
_TEXT = re.compile(r"<mtext>([\ue000-\uefff])</mtext>")
_TAG = re.compile(r"<[^>]+>")
_CELLS = re.compile(r' style="[^"]*"')
_MARK = "@"


def holes(term: Term) -> Iterator[At]:
    """The quantities at other arguments that stand in a formula outside of sums: each has a value of its own."""
    if isinstance(term, At):
        yield term
    elif not isinstance(term, Total | RangeSum):
        for part in children(term):
            yield from holes(part)


def hole_name(term: At) -> str:
    """What a quantity at other arguments is called among all that is asked for."""
    return f"{_MARK}{formula_text(term)}"


def choices_of(term: Term, book: Book) -> dict[str, tuple[str, ...]]:
    """The conventions that a formula chooses by, each with its choices, in the order of the book."""
    named = {t.convention for t in walk(term) if isinstance(t, Choose)}
    return {n: tuple(c.choices) for n, c in book.conventions.items() if n in named}


class Formulas:
    """The formulas of the page, each once, in MathML with characters for names."""

    def __init__(self, slot: Callable[[str], int]) -> None:
        self._slot = slot
        self.texts: dict[str, int] = {}
        self._printed: dict[tuple[Term, tuple[tuple[str, int], ...]], int] = {}
        # A book of which the printer sees only symbols.
        self._symbols: Any = _Symbols()

    def choices(self, term: Term, book: Book, asked: Mapping[str, int]) -> object:
        """A formula under every choice of its conventions: a number, or the conventions with a number for each combination."""
        known = choices_of(term, book)
        point = Point(book, "", {}, {n: c.default for n, c in book.conventions.items()})
        if not known:
            return self.number(without_units(term), asked)
        found = [
            self.number(chosen(Point(book, "", {}, {**point.choices, **dict(zip(known, some, strict=True))}), term), asked)
            for some in itertools.product(*known.values())
        ]
        return found[0] if len({*found}) == 1 else [[*known], found]

    def number(self, term: Term, asked: Mapping[str, int]) -> int:
        """The number of a formula that has no choices."""
        held = tuple(dict.fromkeys((hole_name(h), asked[hole_name(h)]) for h in holes(term)))
        if (term, held) not in self._printed:
            self._printed[term, held] = self._intern(self._markup(_placed(term, dict(held), self._slot)))
        return self._printed[term, held]

    def symbol(self, tex: str) -> int:
        """The number of a symbol."""
        return self._intern(_shortened(mathml(tex)))

    def hole(self, term: At) -> int:
        """The number of the symbol of a quantity at other arguments."""
        return self._intern(self._markup(_named(term, self._slot)))

    def _markup(self, term: Term) -> str:
        return _shortened(mathml(formula_latex(term, self._symbols, width=_WIDTH), True))

    def _intern(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    @property
    def packed(self) -> tuple[list[str], list[str]]:
        """The tags that have characters, in the order of these, and all formulas."""
        counts: dict[str, int] = {}
        for text in self.texts:
            for tag in _TAG.findall(text):
                counts[tag] = counts.get(tag, 0) + len(tag)
        tags = sorted(counts, key=lambda t: (-counts[t], t))[:200]
        characters = {tag: chr(TAGS + i) for i, tag in enumerate(tags)}
        return tags, [_TAG.sub(lambda m: characters.get(m[0], m[0]), text) for text in self.texts]


def _shortened(markup: str) -> str:
    """MathML without its outermost element, without styles that the page has, and with bare characters for names."""
    inner = re.sub(r"^<math[^>]*>|</math>$", "", markup)
    return _CELLS.sub("", _TEXT.sub(lambda m: m[1], inner))


def _placed(term: Term, held: Mapping[str, int], slot: Callable[[str], int]) -> Term:
    """A formula whose names are slots: those that may become values, and in sums those that may not."""
    match term:
        case Ref(name):
            return Ref(f"#{slot(name)}")
        case At():
            return Ref(f"#{held[hole_name(term)]}")
        case Total() | RangeSum() | Largest():
            return _named(term, slot)
    return rebuild(term, lambda t: _placed(t, held, slot))


def _named(term: Term, slot: Callable[[str], int], bound: frozenset[str] = frozenset()) -> Term:
    """The same, with all names as symbols only; the indices of sums are no names of the book."""
    match term:
        case Ref(name):
            return term if name in bound else Ref(f"={slot(name)}")
        case At(name, pairs):
            return At(f"={slot(name)}", tuple((f"={slot(k)}", _named(t, slot, bound)) for k, t in pairs))
        case Largest(names):
            return Largest(tuple(f"={slot(n)}" for n in names))
        case Total(over, variable, body):
            return Total(f"={slot(over)}", variable, _named(body, slot, bound | {variable}))
        case RangeSum(variable, start, stop, body):
            ends = (_named(start, slot, bound), _named(stop, slot, bound))
            return RangeSum(variable, *ends, _named(body, slot, bound | {variable}))
    return rebuild(term, lambda t: _named(t, slot, bound))


class _Symbols:
    """Stands for a book where a printer looks up symbols: each is the character of its slot."""

    @property
    def declared(self) -> _Symbols:
        """The declarations, which are looked up one by one."""
        return self

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def get(self, name: str) -> object:
        """A declaration of which only the symbol is there; None for an index."""
        if name[:1] not in "#=":
            return None
        slot = int(name[1:])
        if slot >= NAMED - VALUED:
            raise SymroofError(f"the formulas of the page have characters for {NAMED - VALUED:,} names, and the book has more")
        return SimpleNamespace(latex=rf"\text{{{chr((VALUED if name[0] == '#' else NAMED) + slot)}}}")
