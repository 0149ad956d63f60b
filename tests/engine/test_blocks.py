"""A model is composed of blocks: what it lacks is in none of its formulas, and what is left is right."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import symroof
from symroof.errors import DefinitionError, PresetError, SymroofError, UnknownNameError
from symroof.passes.sets import unchecked
from symroof.passes.settle import Settler
from symroof.term import Add, At, Call, Choose, Div, Mul, Neg, Num, Ref, Rel, Term, Where
from symroof.text import formula_text

SYMBOLS = """
    from symroof import COUNT, TALLY, block, symbol
    wheels = block("wheels")
    sails = block("sails")
    brake = block("a brake on wheels")
    n = symbol("1", "things")
    spokes = symbol("1", "spokes", block="wheels")
    cloth = symbol("1", "cloth", block="sails")
    rim = symbol("1", "rim", block="wheels", otherwise=lambda n: n)
"""
CHAPTER = """
    "Vehicles"
    style = convention("how one counts", default="plain", ref="r", plain="as it is", double="twice", mistaken=("double",))
    sails_only = convention("about sails", default="one", ref="r", one="one", two="two")
    tools = named_sets("who counts", ours=("we", {}), theirs=("they", {"style": "double", "sails_only": "two"}))

    @quantity("1", ref="r")
    def hub(spokes, n):
        "Says."
        return spokes * n

    @quantity("1", ref="r")
    def sheet(cloth, sails_only):
        "Says."
        return sails_only.choose(one=cloth, two=2 * cloth)

    @quantity("1", ref="r")
    def whole(n, hub, sheet, style, brake):
        "Says."
        return n + hub + style.choose(plain=0, double=hub) + sheet + brake.only(7 * n)

    @quantity("1", ref="r")
    def shaft(rim, wheels):
        "Says."
        return wheels.either(rim + 1, 2 * rim)

    @quantity("1", ref="r", block="sails")
    def mast(n):
        "Says."
        return n

    @argument("1", ref="r")
    def width(cloth):
        "Says."
        return cloth

    @quantity("1", ref="r")
    def area(width, n):
        "Says."
        return width * n

    @constraint
    def spokes_even(spokes, wheels):
        "Spokes come in pairs."
        return wheels.only(divides(2, spokes))
"""
MODELS = {
    "presets/models/cart.toml": 'source = "s"\nblocks = ["wheels"]\n[values]\nspokes = 8\nrim = 5\n',
    "presets/models/boat.toml": 'source = "s"\nblocks = ["sails"]\nusual_run = "lake"\n[values]\ncloth = 3\n',
    "presets/models/raft.toml": 'source = "s"\nblocks = []\nusual_run = "lake"\n[values]\n',
    "presets/machines/one.toml": 'source = "s"\n[values]\n',
    "presets/runs/lake.toml": 'source = "s"\n[values]\nn = 2\n',
    "presets/usual.toml": 'model = "cart"\nmachine = "one"\nrun = "plain"\n',
}


@pytest.fixture
def vehicles(write_book) -> symroof.Book:
    return symroof.load(write_book(symbols=SYMBOLS, values="n = 6", files=MODELS, ch01=CHAPTER))


def text(point: symroof.Point, name: str) -> str:
    formula = point[name].formula
    assert formula is not None
    return formula_text(formula)


def test_a_model_has_the_formulas_of_its_blocks_alone(vehicles: symroof.Book) -> None:
    cart, boat, raft = vehicles.at(), vehicles.at("boat"), vehicles.at("raft")
    assert text(cart, "whole") == "n + hub"
    assert text(boat, "whole") == "n + sheet"
    assert text(raft, "whole") == "n"
    assert (cart["whole"].value, boat["whole"].value, raft["whole"].value) == (54, 5, 2)
    assert [c.names for c in raft.book.numbered] == [("tools", "whole", "shaft", "width", "area")]


def test_what_a_model_lacks_is_refused_with_the_block(vehicles: symroof.Book) -> None:
    boat = vehicles.at("boat")
    for ask in (lambda: boat["hub"], lambda: boat.set(spokes=4)):
        with pytest.raises(UnknownNameError, match=r"is nothing that this model has: it lacks wheels \(block wheels\)"):
            ask()
    assert "hub" not in boat.book.quantities
    assert "hub" in vehicles.quantities


def test_a_symbol_of_a_lacking_block_is_replaced_where_something_takes_its_place(vehicles: symroof.Book) -> None:
    assert text(vehicles.at(), "shaft") == "rim + 1"
    assert text(vehicles.at("boat"), "shaft") == "2*n"


def test_an_argument_without_its_default_is_an_input(vehicles: symroof.Book) -> None:
    cart = vehicles.at()
    with pytest.raises(SymroofError, match=r"width .* has no value"):
        _ = cart["area"].value
    assert cart.set(width=4)["area"].value == 24
    assert vehicles.at("boat")["area"].value == 6


def test_a_constraint_is_about_models_that_have_what_it_says(vehicles: symroof.Book) -> None:
    with pytest.raises(SymroofError, match="2 does not divide spokes = 7; nearest valid: 6, 8"):
        vehicles.at().set(spokes=7)
    assert not vehicles.at("boat").book.conditions


def test_a_model_without_the_default_run_has_its_usual_one(vehicles: symroof.Book) -> None:
    assert vehicles.at("boat").parts == ("boat", "one", "lake")
    assert vehicles.at("boat+plain")["n"].value == 6
    assert vehicles.at("cart").parts == ("cart", "one", "plain")


def test_a_named_set_makes_its_choices_and_takes_back_those_of_another(vehicles: symroof.Book) -> None:
    cart = vehicles.at()
    theirs = cart.set(tools="theirs")
    assert theirs.choices == {"style": "double"}
    assert theirs["whole"].value == 102
    assert theirs.set(tools="ours").choices == {"style": "plain"}
    assert cart.set(style="plain", tools="theirs").choices == {"style": "plain"}
    assert cart.set(tools="theirs", style="plain").choices == {"style": "plain"}
    assert vehicles.at("boat", tools="theirs")["sheet"].value == 6


def test_a_set_that_is_none_is_refused_with_those_that_are(vehicles: symroof.Book) -> None:
    with pytest.raises(UnknownNameError, match=r"tools has no .their.; did you mean theirs.* it has ours, theirs"):
        vehicles.at().set(tools="their")
    with pytest.raises(UnknownNameError, match="convention sails_only is about what this model lacks"):
        vehicles.at().set(sails_only="two")


def test_another_model_is_a_change_like_any_other(vehicles: symroof.Book) -> None:
    found = vehicles.at().whatif(model="boat", run="lake")
    assert (found["whole"].before, found["whole"].after) == (54, 5)
    assert (found["hub"].before, found["hub"].after) == (48, None)
    assert (found["sheet"].before, found["sheet"].after) == (None, 3)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("models/boat.toml", 'source = "s"\nblocks = ["sail"]\n', "boat.toml:2: no block 'sail'; did you mean sails?"),
        ("models/boat.toml", 'source = "s"\nblocks = "sails"\n', "boat.toml:2: blocks is a list of names, of wheels, sails"),
        ("models/boat.toml", 'source = "s"\n[values]\ncloth = 3\n', "its model says no blocks; write blocks"),
        ("models/boat.toml", 'blocks = []\nusual_run = "sea"\n', "boat.toml:2: no run 'sea'"),
        ("machines/one.toml", "blocks = []\n", "one.toml:1: a machine has no blocks"),
        ("runs/lake.toml", 'usual_run = "lake"\n', "lake.toml:1: a run has no usual run"),
    ],
)
def test_a_broken_model_is_refused_with_its_line(write_book, file: str, content: str, message: str) -> None:
    book = symroof.load(write_book(symbols=SYMBOLS, values="n = 6", files={**MODELS, f"presets/{file}": content}, ch01=CHAPTER))
    name = file.split("/")[1].removesuffix(".toml")
    with pytest.raises(PresetError) as raised:
        book.at("boat" if name == "boat" else f"boat+{name}")
    assert message in str(raised.value)


# Who counts otherwise for models with sails, and was looked at with carts.
TOOLS = (
    'theirs=("they", {"style": "double", "sails_only": "two"})',
    'theirs=rules("they", {"style": "double"}, having={"sails": {"style": "plain", "sails_only": "two"}}, '
    'kinds="things on wheels", checked=("car*",))',
)


@pytest.fixture
def toolbox(write_book) -> symroof.Book:
    """The same book, with a set that does not choose the same for every model."""
    chapter = CHAPTER.replace(*TOOLS)
    assert chapter != CHAPTER
    files = {
        **MODELS,
        "presets/sailing.toml": 'model = "boat"\nrun = "lake"\n[conventions]\ntools = "theirs"\n',
        "presets/rolling.toml": 'model = "cart"\n[conventions]\ntools = "theirs"\nsails_only = "one"\n',
        "presets/plainly.toml": 'base = "rolling"\n[conventions]\nstyle = "plain"\n',
        "presets/again.toml": 'base = "plainly"\n[conventions]\ntools = "theirs"\n',
    }
    return symroof.load(write_book(symbols=SYMBOLS, values="n = 6", files=files, ch01=chapter))


def test_a_set_chooses_by_the_blocks_of_the_model(toolbox: symroof.Book) -> None:
    assert toolbox.at().set(tools="theirs").choices == {"style": "double"}
    assert toolbox.at("boat", tools="theirs").choices["sails_only"] == "two"
    assert toolbox.at("boat", tools="theirs").choices.get("style", "plain") == "plain"
    assert toolbox.at("boat", tools="ours").choices["sails_only"] == "one"


def test_a_preset_that_names_a_set_has_it_as_it_is_for_its_model(toolbox: symroof.Book) -> None:
    assert toolbox.at("sailing").choices["sails_only"] == "two"
    assert toolbox.at("rolling").choices == {"style": "double"}
    assert toolbox.at("plainly").choices == {"style": "plain"}
    # A set takes back what was said under it.
    assert toolbox.at("again").choices == {"style": "double"}


def test_a_set_is_made_anew_for_another_model(toolbox: symroof.Book) -> None:
    after = toolbox.at(tools="theirs").whatif(model="boat", run="lake").after
    assert after.choices["sails_only"] == "two"
    assert after.overrides["tools"] == "theirs"


def test_where_a_set_was_not_checked_is_said(toolbox: symroof.Book) -> None:
    assert unchecked(toolbox.at(), "tools", "theirs") is None
    assert unchecked(toolbox.at(), "tools", "ours") is None
    said = "tools = theirs has the rules for things on wheels; it was not checked for boat"
    assert unchecked(toolbox.at("boat"), "tools", "theirs") == said


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            't = named_sets("t", a=rules("s", {}, having={"sail": {}}, kinds="k", checked=("b",)))',
            "t: a: no block 'sail'; did you mean sails?",
        ),
        (
            't = named_sets("t", a=rules("s", {}, having={"sails": {"styl": "a"}}, kinds="k", checked=("b",)))\n'
            'style = convention("s", default="plain", ref="r", plain="p")',
            "a: no convention 'styl'; did you mean style?",
        ),
        ('x = symbol("1", "x", block="wheel")', "no block 'wheel'; did you mean wheels?"),
        ('x = symbol("1", "x", otherwise=lambda n: n)', "otherwise is for a symbol of a block"),
        (
            't = named_sets("t", a=("s", {"styl": "plain"}))\nstyle = convention("s", default="plain", ref="r", plain="p")',
            "a: no convention 'styl'; did you mean style?",
        ),
        (
            't = named_sets("t", a=("s", {"style": "plan"}))\nstyle = convention("s", default="plain", ref="r", plain="p")',
            "a: convention style has no choice 'plan'; did you mean plain?",
        ),
        (
            'style = convention("s", default="plain", ref="r", mistaken=("other",), plain="p")',
            "the mistaken choice 'other' is none of the choices plain",
        ),
        (
            '@quantity("1", ref="r")\ndef q(n, wheels):\n    "Says."\n    return n if wheels else 2 * n',
            "wheels is no condition while a formula is derived: write wheels.either(there, lacking)",
        ),
    ],
)
def test_a_declaration_about_no_block_is_refused(write_book, line: str, message: str) -> None:
    folder: Path = write_book(symbols=SYMBOLS, files=MODELS)
    (folder / "ch01.py").write_text(f"from symroof import *\n{line}\n", encoding="utf-8")
    with pytest.raises(DefinitionError) as raised:
        symroof.load(folder)
    assert message in str(raised.value)


X, Y, GONE, ONE = Ref("x"), Ref("y"), Ref("gone"), Num(Fraction(1))


@pytest.mark.parametrize(
    ("term", "left"),
    [
        (Add((X, GONE)), X),
        (Add((X, Neg(GONE), Y)), Add((X, Y))),
        (Add((GONE, ONE)), None),
        (Mul((X, GONE)), None),
        (Div(X, GONE), None),
        (Add((ONE, Neg(Div(ONE, GONE)))), None),
        (Call("Max", (X, GONE)), X),
        (Call("Max", (ONE, GONE)), None),
        (Call("Min", (X, GONE)), None),
        (Call("ceiling", (GONE,)), None),
        (Where(Rel("<", X, Y), GONE, X), Where(Rel("<", X, Y), Num(Fraction(0)), X)),
        (Where(Rel("<", X, GONE), X, Y), None),
        (Choose("c", (("a", X), ("b", GONE))), Choose("c", (("a", X), ("b", Num(Fraction(0)))))),
        (Choose("c", (("a", Add((X, GONE))), ("b", X))), X),
        (At("x", (("y", GONE),)), None),
        (At("x", (("gone", Y),)), X),
        (At("gone", (("y", X),)), None),
        (Add((X, Y)), Add((X, Y))),
    ],
)
def test_what_is_lacking_is_a_zero_that_was_never_written(term: Term, left: Term | None) -> None:
    settler = Settler({}, lambda name: name == "gone", {})
    assert settler.settle(term) == left
    if left == term:
        assert settler.settle(term) is term
