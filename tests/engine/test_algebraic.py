"""Signs at irrational numbers: exact, where no number of digits would tell."""

from __future__ import annotations

import pytest
import sympy as sp

from symroof.errors import UnsolvableError
from symroof.passes.algebraic import sign_at

x = sp.Symbol("x", positive=True)
GOLDEN = (sp.sqrt(5) - 1) / 2
QUINTIC = sp.real_roots(sp.Poly(x**5 - x - 1, x))[0]


def large(kind: type, *args: object) -> object:
    return kind(*args, evaluate=False)


@pytest.mark.parametrize(
    ("form", "root", "sign"),
    [
        (x**2 + x - 1, GOLDEN, 0),
        (x**2 + x - 1 + sp.Rational(1, 10**60), GOLDEN, 1),
        (1 / (x**2 + x - 1), GOLDEN, None),
        (large(sp.Max, x**2 + x - 1, 1 - x - x**2), GOLDEN, 0),
        (large(sp.Min, x - 1, 1 - x**2 - x), GOLDEN, -1),
        (sp.Piecewise((5, x**2 < 1 - x), (x, True)), GOLDEN, 1),
        (sp.Piecewise((5, x**2 < 1 - x), (x**3 + x**2 - x, True)), GOLDEN, 0),
        (large(sp.floor, 10 * x) - 6, GOLDEN, 0),
        (large(sp.ceiling, x**2 + x) - 1, GOLDEN, 0),
        (large(sp.floor, -x) + 1, GOLDEN, 0),
        (x**5 - x - 1, QUINTIC, 0),
        (x**10 - x**2 - 2 * x - 1, QUINTIC, 0),
        (x**10 - x**2 - 2 * x - 2, QUINTIC, -1),
        (2 * x - 1, sp.Rational(1, 2), 0),
        (sp.binomial(x + 2, 2, evaluate=False) * 2 - x**2 - 3 * x - 2, GOLDEN, 0),
    ],
    ids=str,
)
def test_the_sign_is_the_exact_one(form: object, root: object, sign: int | None) -> None:
    assert sign_at(form, x, root) == sign


def test_what_is_not_algebraic_is_refused() -> None:
    with pytest.raises(UnsolvableError, match="Pow of x is no algebraic number"):
        sign_at(2**x, x, GOLDEN)
    with pytest.raises(UnsolvableError, match="a condition in x is no comparison"):
        sign_at(sp.Piecewise((1, sp.Eq(sp.Mod(x, 2), 0)), (2, True)), x, GOLDEN)
