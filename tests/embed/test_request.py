"""What a marker may ask for, and what is said where it asks for something else."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.embed.request import (
    Closed,
    Define,
    Formula,
    Plot,
    Request,
    Substituted,
    Table,
    Value,
    WhatIf,
    Where,
    read_header,
    read_request,
)
from symroof.errors import RequestError, SymroofError


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("step_time", Request(Value("step_time"))),
        ("value of step_time", Request(Value("step_time"))),
        ("step_time in ms", Request(Value("step_time", "ms"))),
        ("step_time in ms to 3 digits", Request(Value("step_time", "ms", 3))),
        ("step_time to 1 digit", Request(Value("step_time", None, 1))),
        ("payload_bytes exactly", Request(Value("payload_bytes", exactly=True))),
        ("payload_bytes in MiB exactly without unit", Request(Value("payload_bytes", "MiB", exactly=True, bare=True))),
        ("bandwidth in GB / s without unit", Request(Value("bandwidth", "GB / s", bare=True))),
        ("step_time at EP=32", Request(Value("step_time"), Where(None, (("EP", "32"),)))),
        ("step_time at k3-gb200-4k", Request(Value("step_time"), Where("k3-gb200-4k"))),
        (
            "step_time at 64k EP=32 nvlink_bandwidth=50 GB/s",
            Request(Value("step_time"), Where("64k", (("EP", "32"), ("nvlink_bandwidth", "50 GB/s")))),
        ),
        ("formula  step_time", Request(Formula("step_time"))),
        ("closed form step_time", Request(Closed("step_time"))),
        ("closed form step_time in EP, M at PP=4", Request(Closed("step_time", ("EP", "M")), Where(None, (("PP", "4"),)))),
        ("substituted step_time", Request(Substituted("step_time"))),
        ("table a in ms,\n   b", Request(Table((Value("a", "ms"), Value("b"))))),
        ("what if EP=32 M=8 of a, b in s", Request(WhatIf((("EP", "32"), ("M", "8")), (Value("a"), Value("b", "s"))))),
        ("plot three-roofs", Request(Plot("three-roofs"))),
        (r"define \a = x in ms; |b| = y", Request(Define(((r"\a", Request(Value("x", "ms"))), ("|b|", Request(Value("y"))))))),
    ],
)
def test_a_request_reads_as_it_sounds(text, request_) -> None:
    assert read_request(text) == request_


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a marker asks for a quantity"),
        ("show me the step time", "cannot read 'show me the step time': a marker asks for a quantity"),
        ("step-time", "cannot read 'step-time'"),
        ("formula", "`formula` takes one name of the book, not none"),
        ("formula a b", "`formula` takes one name of the book, not 'a b'"),
        ("closed form a, b", "a closed form is of one quantity"),
        ("table a,, b", "a marker asks for a quantity"),
        ("what if EP of a", "'EP' is no setting: write NAME=VALUE"),
        ("what if EP=32", "write `what if EP=32 of step_time, MFU`"),
        ("a to 0 digits", "a to 0 digits: write a number from 1 to 30"),
        ("a to 3 digits exactly", "exactly and to 3 digits"),
        ("a at", "`at` names a preset or settings"),
        ("a at EP=32 EP=16", "EP is set twice: 32 and 16"),
        ("a at EP= 32", "'EP=' is no setting: write NAME=VALUE without spaces around ="),
        ("a at run word", "'word' is no setting"),
        ("plot ../picture", "`plot` takes one name of the book"),
        ("define x = y", r"'x = y' defines nothing: write \name = step_time in LaTeX, |name| = step_time in reST"),
        (r"define \x = table a", r"\x stands for a value or a formula"),
        ("a" * 3000, "a request has at most 2,000 characters"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(text, says) -> None:
    with pytest.raises(RequestError) as error:
        read_request(text)
    assert says in str(error.value)
    assert len(str(error.value)) < 500


def test_a_header_names_a_preset_or_settings() -> None:
    assert read_header("document at k3-gb200-4k EP=32") == Where("k3-gb200-4k", (("EP", "32"),))
    assert read_header("document at EP=32") == Where(None, (("EP", "32"),))
    assert read_header("documents") is None
    with pytest.raises(RequestError, match="a header is `document at PRESET NAME=VALUE`"):
        read_header("document preset=k3")


def test_settings_join_those_around_them_and_a_preset_starts_anew() -> None:
    around = Where("64k", (("EP", "32"), ("M", "8")))
    assert Where(None, (("EP", "16"),)).over(around) == Where("64k", (("EP", "16"), ("M", "8")))
    assert Where("2k-rows", (("M", "4"),)).over(around) == Where("2k-rows", (("M", "4"),))
    assert Where().over(around) == around


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text) -> None:
    with contextlib.suppress(SymroofError):
        read_request(text)
    with contextlib.suppress(SymroofError):
        read_header(text)
