"""Files that are no configuration: each refused with one short message, in bounded memory."""

import json
import os
import resource

import pytest

from symroof.importing.config import LARGEST_FILE, ConfigError, Inexact, parse_config, read_config


def refusal(data):
    with pytest.raises(ConfigError) as error:
        parse_config(data, "config.json")
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "config.json:1: not JSON: expecting value"),
        (b'{"a": 1', "config.json:1: not JSON: expecting ',' delimiter"),
        (b'{\n"a": 1,}', "config.json:2: not JSON: "),
        (b'{"a": 1} x', "config.json:1: not JSON: extra data"),
        (b"[1, 2]", "config.json: no configuration: it holds a list of 2 instead of keys with values"),
        (b"null", "config.json: no configuration: it holds null instead of keys with values"),
        (b'{"a": NaN}', "config.json: not JSON: NaN is no number"),
        (b'{"a": -Infinity}', "config.json: not JSON: -Infinity is no number"),
        (b'{"a": 1, "a": 1}', 'config.json: key "a" is given twice in one table'),
        (b'{"t": {"a": 1, "a": 2}}', 'config.json: key "a" is given twice in one table'),
        (b'{"a": "\xff"}', "config.json: not UTF-8, at byte 7"),
        ('{"a": 1}'.encode("utf-16"), "config.json: not UTF-8, at byte 0"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a number of 5,000 digits"),
        (b'{"a":' * 100_000, "nested too deep"),
    ],
)
def test_what_is_no_configuration_is_refused_with_the_reason(data, says):
    assert says in refusal(data)


def test_a_byte_order_mark_is_passed_over():
    assert parse_config(b"\xef\xbb\xbf" + b'{"a": 1}', "config.json") == {"a": 1}


def test_a_number_with_a_point_or_an_exponent_stays_a_text():
    assert parse_config(b'{"a": 1e999999999999, "b": 2.0}', "f") == {"a": Inexact("1e999999999999"), "b": Inexact("2.0")}


def test_a_file_that_is_not_there_or_a_folder_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read: no such file"):
        read_config(tmp_path / "none.json")
    with pytest.raises(ConfigError, match="cannot be read: is a directory"):
        read_config(tmp_path)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_config("a\0b")


def test_a_file_of_a_gigabyte_is_refused_without_reading_it(tmp_path):
    file = tmp_path / "config.json"
    with file.open("wb") as handle:
        os.truncate(handle.fileno(), 2**30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ConfigError, match="larger than any configuration: at most 4,194,304 bytes"):
        read_config(file)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


def test_the_largest_file_that_is_read_may_be_of_any_content(tmp_path):
    file = tmp_path / "config.json"
    data = b'{"a": [' + b"[]," * (LARGEST_FILE // 3 - 10) + b"[]]}"
    file.write_bytes(data)
    assert len(read_config(file)["a"]) > 1_000_000
    assert len(json.dumps(str(refusal(data[:-1])))) < 500
