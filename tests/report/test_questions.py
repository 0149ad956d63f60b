"""Questions of a book's own: answered in its report, refused where they cannot be read."""

from __future__ import annotations

import pytest

import symroof
from symroof.errors import BookError
from symroof.report.questions import questions

BOOK = symroof.load()


class Asking:
    """The real book with other questions."""

    def __init__(self, *tables: dict) -> None:
        self.book = BOOK.at().book
        self.about = {"questions": tables}

    def __enter__(self) -> symroof.Point:
        self._before = self.book.about
        self.book.about = {**self._before, **self.about}
        return self.book.at()

    def __exit__(self, *_: object) -> None:
        self.book.about = self._before


def test_the_books_questions_have_answers() -> None:
    answered = questions(BOOK.at())
    assert len(answered) >= 8
    assert all(q.rows and q.command.startswith(("symroof ", "point[")) for q in answered)
    assert answered[0].rows[0][0].text == "M"


def test_what_appears_from_nothing_is_shown() -> None:
    (found,) = (q for q in questions(BOOK.at()) if q.title.startswith("EP 32"))
    rows = {row[0].text: [part.text for part in row] for row in found.rows}
    assert rows["expert_FSDP"][1:4] == ["1 rank", "2 rank", "x 2"]
    assert rows["routed_weight_all_gather_bytes"][1:4] == ["0 byte", "10.336 GiB", "from 0"]
    assert rows["payload_bytes"][3] == "x 0.9841"


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"solve": "MFU >= 0.4", "for": "M"}, "needs a title and one of"),
        ({"title": "t"}, "needs a title and one of"),
        ({"title": "t", "solve": "MFU >= 0.4", "regimes": "step_time"}, "needs a title and one of"),
        ({"title": "t", "solve": "MFU >= 0.4", "fro": "M"}, "unknown key 'fro'; did you mean for?"),
        ({"title": "t", "regimes": "step_time"}, "no over"),
    ],
)
def test_questions_that_cannot_be_read(table: dict, says: str) -> None:
    with Asking(table) as point, pytest.raises(BookError) as raised:
        questions(point)
    assert says in str(raised.value)


def test_a_question_without_an_answer_says_why() -> None:
    with Asking({"title": "t", "whatif": {"EP": 48}}) as point:
        (found,) = questions(point)
    assert found.rows == ()
    assert found.notes == ("no answer at this point: EP = 48 does not divide experts = 896; nearest valid: 32, 64",)
