"""What a command line gave."""

from __future__ import annotations

import json
from typing import NamedTuple


class Ran(NamedTuple):
    """Exit status, standard output and standard error of a command line."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        return json.loads(self.out)
