"""Plain text as Markdown and as LaTeX: everything escaped, and the names of the book set as code, linked to their entries."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass

_CODE = re.compile(r"`([^`\n]+)`|\b([A-Za-z]\w*_\w+)\b")
_LIST = re.compile(r"^(\d*)([-+.)])(?= )")
_SPACE = re.compile(r"\s+")
# Everything but what TeX prints as it is; two hyphens or commas would become one sign.
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9 ,.:;()\[\]=+*!?-]|-(?=-)|,(?=,)")
_VERT = r"\vert "
_MARKDOWN = re.compile(r"([\\`*_<>\[\]|~$#])")
_TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}",
    "-": "-{}", ",": ",{}", "_": r"\_\allowbreak{}", "/": r"/\allowbreak{}", "@": r"@\allowbreak{}",
    "\N{MINUS SIGN}": "$-$", "\N{EN DASH}": "--", "\N{EM DASH}": "---", "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{MIDDLE DOT}": r"$\cdot$", "\N{PLUS-MINUS SIGN}": r"$\pm$",
    "\N{DEGREE SIGN}": r"\textdegree{}", "\N{MICRO SIGN}": r"\textmu{}",
    "\N{LEFT SINGLE QUOTATION MARK}": "`", "\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{LEFT DOUBLE QUOTATION MARK}": "``",
    "\N{RIGHT DOUBLE QUOTATION MARK}": "''", "\N{HORIZONTAL ELLIPSIS}": r"\dots{}", "\N{NO-BREAK SPACE}": "~",
    "≤": r"$\le$", "≥": r"$\ge$", "≈": r"$\approx$", "≠": r"$\ne$", "→": r"$\to$", "∞": r"$\infty$", "√": r"$\surd$",
    "½": "1/2", "²": r"$^{2}$", "³": r"$^{3}$",
}  # fmt: skip
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma",
    "τ": "tau", "υ": "upsilon", "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ":
    "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega"
}  # fmt: skip


def markdown_text(text: str) -> str:
    """Text that GitHub shows as it is: no emphasis, no list, no link, no HTML, no mathematics."""
    escaped = _MARKDOWN.sub(r"\\\1", _one_line(text)).replace("&", "&amp;")
    return _LIST.sub(r"\1\\\2", escaped)


def markdown_math(tex: str) -> str:
    """Mathematics in a line of text or in the cell of a table."""
    return f"$`{tex.replace('|', _VERT)}`$"


def latex_text(text: str) -> str:
    """Text for pdflatex: no character is a command, what the fonts lack is spelt, and long names may break."""
    return _NOT_PLAIN.sub(lambda found: _tex(found[0]), _one_line(text))


def bookmark(text: str) -> str:
    """Text for the outline of a PDF, which takes no commands: letters, digits and plain punctuation."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return _one_line(re.sub(r"[^\w\s,.:;()\[\]-]|_", " ", plain)).strip()


def _one_line(text: str) -> str:
    spaced = _SPACE.sub(" ", text)
    return spaced if spaced.isprintable() else "".join(c for c in spaced if c.isprintable())


def _tex(character: str) -> str:
    if character in _TEX:
        return _TEX[character]
    if character in _GREEK:
        return rf"$\{_GREEK[character]}$"
    if character.isalpha() and "À" <= character <= "ž":
        return character
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return "".join(_TEX.get(c, c) for c in plain) or f"[U+{ord(character):04X}]"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a format escapes text and sets code, and how it links a name that has an entry of its own."""

    text: Callable[[str], str]
    code: Callable[[str], str]
    link: Callable[[str], str]


MARKDOWN = Dialect(markdown_text, lambda t: f"`{t.replace('|', chr(92) + '|')}`", lambda n: f"[`{n}`](#{n})")
LATEX = Dialect(
    latex_text,
    lambda t: rf"\texttt{{{latex_text(t)}}}",
    lambda n: rf"\hyperref[{n}]{{\texttt{{{latex_text(n)}}}}}",
)


class Prose:
    """The filters of a report in one format: running text, and single names."""

    def __init__(self, dialect: Dialect, names: Collection[str]) -> None:
        """Filters that link the given names."""
        self._dialect, self._names = dialect, names

    def name(self, name: str) -> str:
        """A name of the book, linked to its entry where the report has it."""
        return self._dialect.link(name) if name in self._names else self._dialect.code(name)

    def clause(self, text: str) -> str:
        """Running text that the report itself ends with a full stop."""
        return self.prose(text.rstrip(". "))

    def prose(self, text: str) -> str:
        """Running text, escaped; what is between backticks and what is spelt like a name of the book is set as code."""
        parts: list[str] = []
        end = 0
        for match in _CODE.finditer(text):
            word = match[1] or match[2]
            if match[1] is None and word not in self._names:
                continue
            parts += [self._dialect.text(text[end : match.start()]), self.name(word)]
            end = match.end()
        return "".join([*parts, self._dialect.text(text[end:])])
