"""Argument parsing and nothing else: what each command takes, and the way from a request to its answer and exit status.

Each command's answer is a module of `symroof.answers`, loaded when it is asked for, so that help costs nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from symroof import __version__
from symroof.errors import RequestError, SymroofError, did_you_mean, nearest

if TYPE_CHECKING:
    from symroof.answers.answer import Answer

DONE, WRONG, INTERRUPTED, PIPE_CLOSED = 0, 2, 130, 141
# A message repeats what was asked for, however long that was.
LONGEST_MESSAGE = 500


class Command(NamedTuple):
    """A command: what it answers, an example, and the function that declares its arguments."""

    says: str
    example: str
    arguments: Callable[[argparse.ArgumentParser], object]


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one short message instead of a page of usage."""

    def error(self, message: str) -> NoReturn:
        """Refuse the request.

        Raises:
            RequestError: always.
        """
        required = "the following arguments are required: "
        if message.startswith(required):
            raise RequestError(f"{self.command} needs {message.removeprefix(required)}, as in `{COMMANDS[self.command].example}`")
        raise RequestError(f"{self.command}: {message.removeprefix('argument ')}")

    @property
    def command(self) -> str:
        """The name of the command whose arguments are parsed."""
        return self.prog.removeprefix("symroof ")


def _why(parser: argparse.ArgumentParser) -> None:
    _name(parser)
    parser.add_argument("--depth", metavar="N", type=_depth, help="how many levels to unfold; all by default")


def _depth(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise RequestError(f"--depth {text!r} is no number of levels: write 0, 1, 2, ...")
    return int(text)


def _names(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="+", help="quantities and symbols")


def _name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a quantity or a symbol")


def _show(parser: argparse.ArgumentParser) -> None:
    _name(parser)
    parser.add_argument("--expand", action="store_true", help="print the closed form however long it is")
    parser.add_argument("--in", dest="free", metavar="A,B", help="the closed form in these symbols, with numbers for all others")


def _list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--chapter", metavar="C", help="one chapter, by its name or number")


def _report(parser: argparse.ArgumentParser) -> None:
    says = "md, tex, html, pdf (default md,tex; with --check those that are there)"
    parser.add_argument("--format", dest="formats", metavar="F,G", help=says)
    parser.add_argument("-o", "--output", metavar="DIR", default="reports", help="where to write (default reports)")
    parser.add_argument("--chapters", metavar="A,B", help="these chapters only, by name or number")
    parser.add_argument("--check", action="store_true", help="write nothing; print what has changed, and exit 1 if anything has")


def _hold(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hold", metavar="NAME", help="a quantity that keeps its value")
    parser.add_argument("--by", metavar="SYMBOL", help="the symbol that gives way for it")


def _whatif(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("changes", metavar="NAME=VALUE", nargs="+", help="a symbol, a convention, model, machine, run or preset")
    parser.add_argument("--of", metavar="A,B", help="these quantities only")
    _hold(parser)
    parser.add_argument("--symbolic", action="store_true", help="the forms with what was changed fixed and all else free")
    parser.add_argument(
        "--format", choices=("text", "markdown", "latex"), default="text", help="how it is printed (default text)"
    )


def _sensitivity(parser: argparse.ArgumentParser) -> None:
    _name(parser)
    parser.add_argument("--to", metavar="A,B", help="these symbols; by default all that the quantity depends on, ranked")
    _hold(parser)


def _solve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("condition", metavar="CONDITION", help='a relation between two values, such as "MFU >= 40%%"')
    parser.add_argument("--for", dest="symbol", metavar="SYMBOL", required=True, help="the symbol to solve for")


def _crossover(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("one", metavar="A", help="a quantity")
    parser.add_argument("other", metavar="B", help="another of the same unit")
    parser.add_argument("--over", metavar="SYMBOL", required=True, help="the symbol along which they meet")


def _regimes(parser: argparse.ArgumentParser) -> None:
    _name(parser)
    says = "a symbol, and perhaps its values (8,16 or 8:128:8 or 2^3:2^7); twice for a map"
    parser.add_argument("--over", metavar="SYMBOL[=VALUES]", action="append", required=True, help=says)


def _sweep(parser: argparse.ArgumentParser) -> None:
    says = "values of a symbol (8,16 or 8:128:8 or 2^3:2^7) or choices of a convention; the last axis varies fastest"
    parser.add_argument("--over", metavar="NAME=VALUES", action="append", nargs="+", required=True, help=says)
    parser.add_argument("--of", metavar="A,B", help="the quantities to compute")
    parser.add_argument("--where", metavar="CONDITION", help='only rows that meet it, such as "bubble_overhead <= 5%%"')
    parser.add_argument("--minimize", metavar="NAME", help="only the rows with its least values, best first")
    parser.add_argument("--maximize", metavar="NAME", help="only the rows with its greatest values, best first")
    parser.add_argument("--top", metavar="K", help="how many of the best (default 10)")
    parser.add_argument("--pareto", metavar="A,B", help="only rows that none beats in both; max:B where more is better")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where to write all rows: .csv, .parquet, or a plot: .png, .svg, .pdf"
    )


def _export(parser: argparse.ArgumentParser) -> None:
    _names(parser)
    says = "python, numpy, c, js, latex, json (default python)"
    parser.add_argument("--format", dest="formats", metavar="F,G", default="python", help=says)
    parser.add_argument("--free", metavar="A,B", help="the arguments; by default every symbol that the quantities depend on")
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write it; one format")


def _embed(parser: argparse.ArgumentParser) -> None:
    says = "documents: Markdown, MyST, reStructuredText, LaTeX, HTML, notebooks"
    parser.add_argument("files", metavar="FILE", nargs="+", help=says)
    parser.add_argument("--check", action="store_true", help="write nothing; print what has changed, and exit 1 if anything has")
    parser.add_argument("--diff", action="store_true", help="write nothing; print what would change")
    parser.add_argument("--force", action="store_true", help="fill also what somebody edited by hand")


def _model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", metavar="import", choices=("import",), help="make a preset of a published configuration")
    parser.add_argument("file", metavar="CONFIG_JSON", help="a config.json of a known architecture")
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write the preset; by default it is printed")


def _explain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("value", metavar="VALUE", help="the number as it was printed: 192856412160, '192.86 GFLOP', 2.4B, 17.5%%")
    parser.add_argument("--of", dest="name", metavar="NAME", required=True, help="the quantity that it is of")


def _diff(parser: argparse.ArgumentParser) -> None:
    _name(parser)
    says = "two choices of a convention, or two named sets; one is set beside what is in force; none: all of them"
    parser.add_argument("choices", metavar="CHOICE", nargs="*", help=says)
    parser.add_argument("--convention", metavar="C", help="the convention, or the kind of named sets, that they are of")


def _plot(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="*", help="pictures; none: a list of those that there are")
    says = "where to write: one picture to a .svg or .pdf, several to a folder as NAME.svg (default here)"
    parser.add_argument("-o", "--output", metavar="FILE", help=says)


def _lab(parser: argparse.ArgumentParser) -> None:
    says = "where to write the page (default reports/lab.html)"
    parser.add_argument("-o", "--output", metavar="FILE", default="reports/lab.html", help=says)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file is not the page of the book")


def _none(parser: argparse.ArgumentParser) -> None:
    """A command without arguments of its own."""


COMMANDS = {
    "list": Command("every quantity: name, symbol, unit, chapter, one line", "symroof list --chapter 2", _list),
    "show": Command("a quantity: formula, closed form, numbers, value, source", "symroof show remote_copies --in EP", _show),
    "why": Command("its derivation as a tree, down to the preset's values", "symroof why remote_copies --depth 2", _why),
    "eval": Command("values of quantities and symbols", "symroof eval remote_copies local_tokens --set EP=32 --json", _names),
    "check": Command("every claim, every unit, every constraint, every domain", "symroof check --json", _none),
    "presets": Command("models, machines, runs, with values and sources", "symroof presets -p kimi-k3", _none),
    "report": Command("write the reports, or check that they are current", "symroof report --format md,tex -o reports", _report),
    "whatif": Command("what a change moves, before and after", "symroof whatif EP=32", _whatif),
    "sensitivity": Command(
        "derivatives, elasticities, steps, doublings", "symroof sensitivity step_time --to M,EP", _sensitivity
    ),
    "solve": Command("how much a condition needs, and the check", 'symroof solve "bubble_overhead <= 5%" --for M', _solve),
    "crossover": Command(
        "where two quantities meet", "symroof crossover nvlink_time compute_time --over nvlink_bandwidth", _crossover
    ),
    "regimes": Command("which branch binds where", "symroof regimes step_time --over nvlink_bandwidth", _regimes),
    "sweep": Command(
        "a grid of configurations, or the best of it", "symroof sweep --over EP=8:64:8 M=32,64 --of step_time,MFU", _sweep
    ),
    "model": Command("a model preset from a published config.json", "symroof model import config.json -o mine.toml", _model),
    "diff": Command(
        "the terms in which two conventions differ", "symroof diff model_flops_per_token torchtitan megatron_lm", _diff
    ),
    "explain": Command(
        "which conventions give a printed number", "symroof explain 645209985600 --of model_flops_per_token", _explain
    ),
    "embed": Command("formulas and numbers inside documents", "symroof embed docs/design.md --check", _embed),
    "plot": Command("pictures of a run, listed or written", "symroof plot roofline --set EP=32 -o roofline.svg", _plot),
    "lab": Command("the interactive page, one file that needs nothing else", "symroof lab -o lab.html", _lab),
    "export": Command("code or formula to use elsewhere", "symroof export step_time --format numpy -o step.py", _export),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; the exit status: 0 done, 1 a check did not hold, 2 the request was wrong."""
    # An exact value has as many digits as it has; Python's limit is for servers that read numbers from strangers.
    sys.set_int_max_str_digits(0)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a Greek letter gets its name, not a fault.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _run(list(sys.argv[1:] if argv is None else argv))
        if sys.stdout is not None:
            sys.stdout.flush()
    except SymroofError as error:
        return _refuse(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_output()
        return PIPE_CLOSED
    except OSError as error:
        if error.filename is not None:
            return _refuse(f"{error.filename}: {error.strerror}")
        _forget_output()
        return _refuse(f"the answer cannot be written: {error.strerror or error}")
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        return _refuse(f"a fault of symroof itself: {type(error).__name__}: {error} (traceback: python -X dev -m symroof ...)")
    return status


def _run(arguments: list[str]) -> int:
    if not arguments:
        print(_help())
        return WRONG
    command, *rest = arguments
    if command in ("-h", "--help"):
        print(_help())
    elif command in ("-V", "--version"):
        print(f"symroof {__version__}")
    elif command.startswith("-"):
        raise RequestError(f"options follow the command, as in `{COMMANDS['eval'].example}`")
    elif command not in COMMANDS:
        hint = did_you_mean(command, COMMANDS) or f"; commands are {', '.join(COMMANDS)}"
        raise RequestError(f"no command {command!r}{hint}")
    else:
        return _answer(command, rest)
    return DONE


def _answer(command: str, rest: list[str]) -> int:
    parser = command_parser(command)
    if "-h" in rest or "--help" in rest:
        print(parser.format_help(), end="")
        return DONE
    options, unknown = parser.parse_known_intermixed_args(rest)
    if unknown:
        raise RequestError(_unknown(parser, unknown[0]))
    answer: Answer = importlib.import_module(f"symroof.answers.{command}").answer(options)
    for note in answer.notes:
        _say(note)
    print(json.dumps(answer.data, indent=2) if options.json else answer.text())
    return answer.status


def command_parser(command: str) -> Parser:
    """The parser of one command: its own arguments, then those that every command takes."""
    found = COMMANDS[command]
    parser = Parser(f"symroof {command}", description=f"{found.says}.", epilog=f"example: {found.example}", allow_abbrev=False)
    found.arguments(parser)
    parser.add_argument("-p", "--preset", metavar="NAME", help="an alias, a part, parts joined by +, or a TOML file")
    parser.add_argument(
        "--set", dest="settings", metavar="NAME=VALUE", action="append", default=[], help="a value, or a convention's choice"
    )
    parser.add_argument("--book", metavar="DIR", help="another folder of derivations; loading it runs its Python code")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")
    return parser


def _unknown(parser: Parser, argument: str) -> str:
    if not argument.startswith("-"):
        return f"{parser.command}: one argument too many: {argument!r}"
    option = argument.split("=")[0]
    # Without their dashes, which every option has and which would make all of them alike.
    near = nearest(option.lstrip("-"), [name[2:] for name in parser._option_string_actions if name.startswith("--")])
    return f"{parser.command}: no option {option!r}{f'; did you mean --{near[0]}?' if near else ''}"


def _help() -> str:
    rows = "\n".join(f"  {name:<9} {command.says}" for name, command in COMMANDS.items())
    return (
        "symroof derives training rooflines symbolically.\n\n"
        "usage: symroof COMMAND [NAME...] [-p PRESET] [--set NAME=VALUE]... [--book DIR] [--json]\n\n"
        f"{rows}\n\n"
        "`symroof COMMAND --help` has a command's options and an example."
    )


def _refuse(message: str) -> int:
    _say(message if len(message) <= LONGEST_MESSAGE else f"{message[:LONGEST_MESSAGE]}...")
    return WRONG


def _say(message: str) -> None:
    if sys.stderr is not None:
        print(f"symroof: {message}", file=sys.stderr)


def _forget_output() -> None:
    """Let the interpreter's last flush go nowhere, so that it does not complain of a reader that has left."""
    if sys.stdout is not None:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
