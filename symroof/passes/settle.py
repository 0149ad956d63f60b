"""What is left of a formula in a model that lacks some blocks? What belongs to such a block leaves every formula that names it.

A lacking term is a zero that was never written: it leaves a sum or a Max, and it takes a product, a quotient, a Min, a power or a
rounding with it. A sum of which numbers alone are left, such as `EP - 1` without EP, speaks of nothing any more and is lacking
too. What a formula says of either case (`block.either`) is chosen here, and so is what takes a symbol's place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from symroof.definition import LACKING, THERE
from symroof.term import Add, At, Call, Choose, Largest, Logic, Num, Ref, Term, Where, children, rebuild, references

ZERO = Num(Fraction(0))


@dataclass(frozen=True)
class Settler:
    """Settles the formulas of a book for one model.

    Attributes:
        has: for each block whether the model has it.
        lacks: whether a name is lacking.
        otherwise: what takes the place of a lacking symbol.
    """

    has: Mapping[str, bool]
    lacks: Callable[[str], bool]
    otherwise: Mapping[str, Term]

    def settle(self, term: Term) -> Term | None:
        """The formula without what is lacking; None where nothing is left. A formula that lacks nothing is returned itself."""
        match term:
            case Ref(name):
                return self._name(term, name)
            case Add(parts):
                return self._joined(term, parts, Add)
            case Logic(op, parts):
                return self._joined(term, parts, lambda kept: Logic(op, kept))
            case Call("Max", parts):
                return self._joined(term, parts, lambda kept: Call("Max", kept))
            case Choose(name, pairs):
                return self._chosen(term, name, pairs)
            case Where(condition, then, otherwise):
                return self._where(term, condition, then, otherwise)
            case At(name, bindings):
                return self._at(term, name, bindings)
            case Largest(names):
                kept = tuple(n for n in names if not self.lacks(n))
                return None if not kept else term if kept == names else Largest(kept)
        return self._whole(term)

    def _name(self, term: Term, name: str) -> Term | None:
        if name in self.otherwise:
            return self.settle(self.otherwise[name])
        return None if self.lacks(name) else term

    def _whole(self, term: Term) -> Term | None:
        """A node that needs all of its parts."""
        parts = children(term)
        settled: dict[int, Term] = {}
        for part in parts:
            left = self.settle(part)
            if left is None:
                return None
            settled[id(part)] = left
        if all(settled[id(p)] is p for p in parts):
            return term
        return rebuild(term, lambda p: settled[id(p)])

    def _joined(self, term: Term, parts: Iterable[Term], join: Callable[[tuple[Term, ...]], Term]) -> Term | None:
        """A node that goes on with the parts that are left."""
        parts = tuple(parts)
        kept = tuple(s for p in parts if (s := self.settle(p)) is not None)
        if len(kept) == len(parts) and all(a is b for a, b in zip(kept, parts, strict=True)):
            return term
        return None if not any(references(k) for k in kept) else kept[0] if len(kept) == 1 else join(kept)

    def _chosen(self, term: Term, name: str, pairs: tuple[tuple[str, Term], ...]) -> Term | None:
        if name in self.has:
            option = dict(pairs).get(THERE if self.has[name] else LACKING)
            return None if option is None else self.settle(option)
        settled = [(choice, self.settle(t)) for choice, t in pairs]
        if all(s is t for (_, s), (_, t) in zip(settled, pairs, strict=True)):
            return term
        options = tuple((choice, ZERO if s is None else s) for choice, s in settled)
        first = options[0][1]
        if any(t != first for _, t in options):
            return Choose(name, options)
        # What is the same under every choice is no matter of the convention any more.
        return None if first == ZERO else first

    def _where(self, term: Term, condition: Term, then: Term, otherwise: Term) -> Term | None:
        when, one, other = (self.settle(t) for t in (condition, then, otherwise))
        if when is condition and one is then and other is otherwise:
            return term
        if when is None or (one in (None, ZERO) and other in (None, ZERO)):
            return None
        return Where(when, ZERO if one is None else one, ZERO if other is None else other)

    def _at(self, term: Term, name: str, bindings: tuple[tuple[str, Term], ...]) -> Term | None:
        """A quantity at other arguments: none at one that is lacking; an input that it does not have any more is not given."""
        settled = [(k, self.settle(t)) for k, t in bindings if not self.lacks(k)]
        kept = tuple((k, t) for k, t in settled if t is not None)
        if self.lacks(name) or len(kept) < len(settled):
            return None
        if len(kept) == len(bindings) and all(a[1] is b[1] for a, b in zip(kept, bindings, strict=True)):
            return term
        return At(name, kept) if kept else Ref(name)
