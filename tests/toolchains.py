"""Printed code in its own language: a C compiler and Node.js, each a program that answers a line of numbers with a line."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

GCC, NODE = shutil.which("gcc"), shutil.which("node")
needs_c = pytest.mark.skipif(GCC is None, reason="no gcc on this machine")
needs_node = pytest.mark.skipif(NODE is None, reason="no Node.js on this machine")
needs_tex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on this machine")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow", "-Wconversion")


class Running:
    """A program that stays, asked line by line."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line: str) -> str:
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def close(self) -> None:
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def compiled(folder: Path, source: str, main: str = "int main(void) { return 0; }\n") -> Path:
    """The program that a C file and a main function give, under every warning there is."""
    (folder / "exported.c").write_text(source)
    (folder / "main.c").write_text(f'#include <stdio.h>\n#include "exported.c"\n{main}')
    program = folder / "program"
    command = [GCC, *STRICT, str(folder / "main.c"), "-o", str(program), "-lm"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, ""), found.stderr
    return program


def c_values(folder: Path, source: str, main: str) -> str:
    """What a C program prints."""
    program = compiled(folder, source, main)
    return subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout


class CFunction:
    """`compute` of a C file, asked from here."""

    def __init__(
        self, folder: Path, source: str, inputs: Sequence[str], outputs: Mapping[str, bool], spelled: Callable[[str], str]
    ) -> None:
        """A running program.

        Args:
            inputs: the names of the arguments, in the function's order.
            outputs: the names of results; true where one is a string.
            spelled: a name as C has it.
        """
        self._inputs, self._outputs = inputs, outputs
        prints = "".join(f'printf("%{"s" if text else "a"}\\t", r.{spelled(n)});' for n, text in outputs.items())
        reads = "".join(f'if (scanf("%la", &v[{i}]) != 1) return 0;' for i in range(len(inputs)))
        passed = ", ".join(f"v[{i}]" for i in range(len(inputs)))
        body = f'for (;;) {{ {reads} struct results r = compute({passed}); {prints} printf("\\n"); fflush(stdout); }}'
        main = f"int main(void) {{ double v[{len(inputs)}]; {body} }}\n"
        self._running = Running([str(compiled(folder, source, main))])

    def __call__(self, **values: float) -> dict[str, float | str]:
        answer = self._running.ask(" ".join(float(values[n]).hex() for n in self._inputs)).rstrip("\t\n").split("\t")
        found = zip(self._outputs.items(), answer, strict=True)
        return {name: got if text else float.fromhex(got) for (name, text), got in found}

    def close(self) -> None:
        self._running.close()


_DRIVER = """
import { createInterface } from "node:readline";
import * as exported from "./exported.mjs";
for await (const line of createInterface({ input: process.stdin })) {
    const [name, args] = JSON.parse(line);
    let found;
    try { found = exported[name](...args); } catch (error) { found = { error: `${error.name}: ${error.message}` }; }
    const texts = typeof found === "object" ? Object.entries(found) : [["", found]];
    console.log(JSON.stringify(Object.fromEntries(texts.map(([n, v]) => [n, typeof v === "number" ? String(v) : [v]]))));
}
"""


class JsModule:
    """The functions of an ES module, asked from here."""

    def __init__(self, folder: Path, source: str) -> None:
        (folder / "exported.mjs").write_text(source)
        (folder / "driver.mjs").write_text(_DRIVER)
        self._running = Running([NODE, str(folder / "driver.mjs")])

    def __call__(self, name: str, *args: object) -> dict[str, float | str | bool] | float | str:
        found = json.loads(self._running.ask(json.dumps([name, args])))
        values = {n: float(v.replace("Infinity", "inf")) if isinstance(v, str) else v[0] for n, v in found.items()}
        return values[""] if list(values) == [""] else values

    def close(self) -> None:
        self._running.close()
