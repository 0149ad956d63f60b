"""The templates of reports, and how Jinja2 reads them whatever the format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from symroof.errors import SymroofError

TEMPLATES = Path(__file__).parent / "templates"


def environment(**options: Any) -> Any:
    """A Jinja2 environment over the templates, in which a name that a template should not have is an error.

    Raises:
        SymroofError: Jinja2 is not installed.
    """
    try:
        import jinja2
    except ImportError:
        raise SymroofError("a report needs Jinja2, which is not installed: pip install jinja2") from None
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **options,
    )
