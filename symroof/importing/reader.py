"""What does a published configuration say, by the rules of its kind of model? Its blocks and values, each with its key.

A value's rule is the key that has it, or one of

    { key = "head_dim", absent = RULE, same = "other_key" }    absent: what the model's code does where there is no key
    { quotient = ["hidden_size", "num_attention_heads"] }      of two keys, whole or refused
    { product = ["n_shared_experts", "moe_intermediate_size"] }
    { count = "attention", of = "windowed" }                   layers of a kind, in a pattern
    { period = "attention", of = "mla" }                       every how many layers one is of a kind
    { is = 2, because = "one norm before attention, one before the FFN" }

and may have a `note`. A block's rule is `true`, or one of

    { flag = "attention_bias", absent = false }                a true or false
    { given = "q_lora_rank" }, { missing = "q_lora_rank" }     the key is there and not null, or it is not
    { positive = "n_shared_experts", absent = false }          a number above zero
    { among = "ffn", of = "moe" }                              a pattern has a layer of that kind
    { choice = "topk_method", yes = ["noaux_tc"], no = ["greedy"], absent = true }
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symroof.errors import BookError
from symroof.importing.config import LARGEST_NUMBER, Config, shown_value
from symroof.importing.pattern import Pattern, read_pattern
from symroof.importing.rules import ModelType

if TYPE_CHECKING:
    from symroof.book import Book


@dataclass(frozen=True, slots=True)
class Found:
    """A number, which keys of the file it came from, and what was derived and how; where no key has it, what decides it."""

    value: int
    says: str
    note: str = ""
    keyed: bool = True


@dataclass
class Reader:
    """Reads one configuration by the rules of one kind of model."""

    config: Config
    rules: ModelType
    book: Book
    _patterns: dict[str, Pattern] = field(default_factory=dict)

    def blocks(self) -> dict[str, str]:
        """The blocks that the model has, each with the reason.

        Raises:
            ConfigError: a key is missing, or says what cannot be.
        """
        self._refuse_what_must_not_be()
        reasons = {name: self._reason(rule) for name, rule in self.rules.blocks.items()}
        return {name: reason for name in self.book.whole.blocks if (reason := reasons.get(name)) is not None}

    def values(self, blocks: Mapping[str, str]) -> dict[str, Found]:
        """The values of the model's symbols, in the book's order; what belongs to a block that it lacks is not asked for.

        Raises:
            ConfigError: a key is missing, or says what cannot be.
        """
        symbols = self.book.whole.symbols
        wanted = [n for n, s in symbols.items() if n in self.rules.values and (s.block is None or s.block in blocks)]
        found = {name: self._found(self.rules.values[name]) for name in wanted}
        for name, value in found.items():
            if not symbols[name].domain.admits(Fraction(value.value)):
                raise self.config.error(f"{value.says} = {value.value:,}: {name} must be {symbols[name].domain.says}")
        return found

    def _refuse_what_must_not_be(self) -> None:
        for key, allowed in self.rules.must.items():
            value = self.config.get(key)
            entries = value if isinstance(value, list) else [] if value is None else [value]
            for entry in entries:
                if not any(type(entry) is type(a) and entry == a for a in allowed):
                    known = f"with {' or '.join(map(shown_value, allowed))} only" if allowed else "without it"
                    says = f"{self.config.shown(key)} = {shown_value(entry)}"
                    raise self.config.error(f"{says}: the book describes {self.rules.says} {known}")

    def _found(self, rule: Any) -> Found:
        if isinstance(rule, str):
            return Found(self.config.whole(rule), self.config.shown(self.config.spelling(rule)))
        for kind, read in _VALUES.items():
            if kind in rule:
                found = read(self, rule)
                notes = [n for n in (found.note, rule.get("note", "")) if n]
                return replace(found, note="; ".join(notes))
        raise BookError(f"imports.toml: a value is one of {', '.join(_VALUES)}, not {rule}")

    def _key(self, rule: Mapping[str, Any]) -> Found:
        key = rule["key"]
        if not self.config.has(key) and "absent" in rule:
            found = self._found(rule["absent"])
            return replace(found, note="; ".join(n for n in (f"{self.config.shown(key)} is not given", found.note) if n))
        found = self._found(key)
        if "same" in rule and (other := self.config.whole(rule["same"])) != found.value:
            both = f"{found.says} = {found.value:,} and {self.config.shown(rule['same'])} = {other:,}"
            raise self.config.error(f"{both}: the book describes {self.rules.says} with one width for both")
        return found

    def _quotient(self, rule: Mapping[str, Any]) -> Found:
        one, other = (self._found(key) for key in rule["quotient"])
        if other.value == 0 or one.value % other.value:
            raise self.config.error(f"{one.says} / {other.says} = {one.value:,} / {other.value:,} is no whole number")
        says = f"{one.says} / {other.says}"
        return Found(one.value // other.value, says, f"{one.value} / {other.value}, as {self.rules.code} does")

    def _product(self, rule: Mapping[str, Any]) -> Found:
        one, other = (self._found(key) for key in rule["product"])
        if one.value * other.value > LARGEST_NUMBER:
            raise self.config.error(f"{one.says} * {other.says} = {one.value:,} * {other.value:,} is more than any model has")
        return Found(one.value * other.value, f"{one.says} * {other.says}", f"{one.value} * {other.value}")

    def _constant(self, rule: Mapping[str, Any]) -> Found:
        return Found(rule["is"], rule.get("because", self.rules.code), keyed=False)

    def _count(self, rule: Mapping[str, Any]) -> Found:
        pattern = self._pattern(rule["count"])
        count = pattern.count(rule["of"])
        return Found(count, pattern.says, f"{count} of {len(pattern.kinds)} layers are {rule['of']}", pattern.keyed)

    def _period(self, rule: Mapping[str, Any]) -> Found:
        pattern = self._pattern(rule["period"])
        period = pattern.period(rule["of"])
        if not period:
            raise self.config.error(f"{pattern.says}: {rule['of']} layers do not come at equal distances")
        return Found(period, pattern.says, f"one {rule['of']} layer in {period}", pattern.keyed)

    def _pattern(self, name: str) -> Pattern:
        if name not in self._patterns:
            layers = self.config.whole(self.rules.layers)
            self._patterns[name] = read_pattern(self.config, self.rules.patterns[name], layers, self._number)
        return self._patterns[name]

    def _number(self, rule: Any) -> tuple[int, str]:
        found = self._found(rule)
        return found.value, found.says

    def _reason(self, rule: Any) -> str | None:
        """Why the model has a block; None where it has not."""
        if isinstance(rule, bool):
            return f"every {self.rules.says} has it" if rule else None
        for kind, decide in _REASONS.items():
            if kind in rule:
                return decide(self, rule)
        raise BookError(f"imports.toml: a block is true or one of {', '.join(_REASONS)}, not {rule}")

    def _silent(self, key: str, rule: Mapping[str, Any]) -> str | None:
        """What is decided where the file does not have a key, by the code that builds the model."""
        if "absent" not in rule:
            raise self.config.missing(key)
        return (
            f"{self.config.shown(key)} is not given: {rule.get('because', self.rules.code)} has it so" if rule["absent"] else None
        )

    def _flag(self, rule: Mapping[str, Any]) -> str | None:
        key = rule["flag"]
        value = self.config.get(key)
        if value is None:
            return self._silent(key, rule)
        if not isinstance(value, bool):
            raise self.config.error(f"{self.config.shown(key)} = {shown_value(value)} is neither true nor false")
        return f"{self.config.shown(key)} = true" if value else None

    def _given(self, rule: Mapping[str, Any]) -> str | None:
        return f"{self.config.shown(rule['given'])} is given" if self.config.has(rule["given"]) else None

    def _missing(self, rule: Mapping[str, Any]) -> str | None:
        return None if self.config.has(rule["missing"]) else f"{self.config.shown(rule['missing'])} is not given"

    def _positive(self, rule: Mapping[str, Any]) -> str | None:
        key = rule["positive"]
        if not self.config.has(key):
            return self._silent(key, rule)
        found = self._found(key)
        return f"{found.says} = {found.value}" if found.value > 0 else None

    def _among(self, rule: Mapping[str, Any]) -> str | None:
        pattern = self._pattern(rule["among"])
        count = pattern.count(rule["of"])
        return f"{count} of {len(pattern.kinds)} layers, by {pattern.says}" if count else None

    def _choice(self, rule: Mapping[str, Any]) -> str | None:
        key = rule["choice"]
        value = self.config.get(key)
        if value is None:
            return self._silent(key, rule)
        says = f"{self.config.shown(key)} = {shown_value(value)}"
        if value in rule["yes"]:
            return says
        if value in rule["no"]:
            return None
        raise self.config.error(f"{says} is none of {', '.join([*rule['yes'], *rule['no']])}")


_VALUES: Mapping[str, Callable[[Reader, Mapping[str, Any]], Found]] = {
    "key": Reader._key,
    "quotient": Reader._quotient,
    "product": Reader._product,
    "count": Reader._count,
    "period": Reader._period,
    "is": Reader._constant,
}
_REASONS: Mapping[str, Callable[[Reader, Mapping[str, Any]], str | None]] = {
    "flag": Reader._flag,
    "given": Reader._given,
    "missing": Reader._missing,
    "positive": Reader._positive,
    "among": Reader._among,
    "choice": Reader._choice,
}
