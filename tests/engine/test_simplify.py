"""Shorter forms: equal to what they shorten, by rules that are on record."""

from __future__ import annotations

import pytest
import sympy as sp

import symroof
from symroof.passes.expand import expand
from symroof.passes.simplify import LARGEST, RULES, simplify

x, y, z = sp.symbols("x y z", positive=True)
FORMS = [
    (x**2 - y**2) / (x - y),
    x / y + x / z,
    1 / x + 1 / y,
    x * y + x * z,
    (x + y) ** 2 - x**2 - 2 * x * y,
    sp.Max(x, y, evaluate=False) * (x * y + x * z),
    sp.ceiling(x / y) * x + sp.ceiling(x / y) * z,
    sp.sqrt(x) * sp.sqrt(y) * x,
    sp.Piecewise((x * y + x * z, x > 1), (0, True)),
    x,
    sp.Integer(7),
]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_shorter_form_is_equal_and_its_history_goes_down(form: sp.Expr) -> None:
    shorter, values = simplify(form), {x: sp.Rational(7, 2), y: sp.Rational(5, 3), z: 11}
    assert sp.simplify(shorter.expression.subs(values) - form.subs(values)) == 0
    sizes = [int(sp.count_ops(form))]
    for step in shorter.history:
        assert step.rule in RULES
        assert sizes[-1] == step.before > step.after
        sizes.append(step.after)
    assert sizes[-1] == sp.count_ops(shorter.expression)


def test_rules_are_chosen_by_name() -> None:
    form = (x**2 - y**2) / (x - y)
    assert simplify(form, ("together",)).expression == form
    assert [s.rule for s in simplify(form).history] == ["cancel"]
    with pytest.raises(KeyError):
        simplify(form, ("simplify",))


def test_a_form_that_nobody_reads_comes_back_as_it_is() -> None:
    long = sum((x + n) ** n / (y + n) for n in range(2, 60))
    assert sp.count_ops(long) > LARGEST
    assert (simplify(long).expression, simplify(long).history) == (long, ())


def test_every_quantity_of_a_book_shortens_to_an_equal(town: symroof.Point) -> None:
    for name in town.book.quantities:
        form = expand(town.set(hop=2), name)
        shorter = simplify(form).expression
        values = {s: sp.Integer(n + 12) for n, s in enumerate(sorted(form.free_symbols, key=str))}
        left, right = form.subs(values), shorter.subs(values)
        assert left == right or sp.nsimplify(left - right) == 0, name
