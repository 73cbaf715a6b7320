#!/usr/bin/env python3
"""Every fenced block of a page is what it claims to be: programs in C, C++, CUDA and Fortran compile without a warning,
run with exit status 0, and print the block of text that follows in their section; functions compile; commands for the
shell name only what exists, and those marked `run` run.

    test_blocks.py ROOT PAGE SCRATCH

The environment says how to compile: CC, CXX, FC, NVCC with their flags, LIBS; without FC or NVCC such blocks are skipped.
PREFIX is an installed library for the commands that run, which are skipped without it. A fragment is not compiled.
SPDX-License-Identifier: BSD-3-Clause"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/doxygen"))

from pages import blocks

COMPILERS = {"c": ("CC", ".c"), "cpp": ("CXX", ".cpp"), "cuda": ("NVCC", ".cu"), "fortran": ("FC", ".f90")}
SHELL = ("sh", "bash", "shell", "console")
PASSIVE = ("text", "cmake", "make", "csv", "json", "python", "yaml")  # read by people, or files for commands that run
FRAGMENTS = 4  # of a page at most
TIME = 300  # seconds for a command


class Failure(Exception):
    """What is wrong with a block."""


def run(command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=TIME,
                            check=False, **options)
    if result.returncode:
        shown = command if isinstance(command, str) else shlex.join(command)
        raise Failure(f"exit status {result.returncode} of\n{shown}\n{result.stdout}")
    return result.stdout


def has_device():
    return os.path.exists("/dev/nvidiactl")


def test_program(block, folder):
    """Compile and run; return what was skipped."""
    variable, suffix = COMPILERS[block.language]
    compiler = os.environ.get(variable)
    if not compiler:
        return "not compiled: no compiler"
    source, program = folder / f"line{block.line}{suffix}", folder / f"line{block.line}"
    source.write_text(block.text, encoding="utf-8")
    if not re.search(r"^program \w+" if block.language == "fortran" else r"\bmain\(", block.text, re.MULTILINE):
        run(shlex.split(compiler) + ["-c", str(source), "-o", f"{program}.o"], cwd=folder)
        return "compiled, not run: no main program"
    run(shlex.split(compiler) + [str(source), "-o", str(program)] + shlex.split(os.environ["LIBS"]))
    if block.language == "cuda" and not has_device():
        return "compiled, not run: no device"
    printed = run([str(program)], cwd=folder)
    if block.output and printed != block.output:
        raise Failure(f"prints\n{printed}\nthe page says\n{block.output}")
    return ""


def sources(root, *patterns):
    return "\n".join(file.read_text(encoding="utf-8") for pattern in patterns for file in sorted(root.glob(pattern))
                     if "build" not in file.relative_to(root).parts[:1])


class Commands:
    """What commands for the shell may name."""

    def __init__(self, root):
        self.root = root
        self.cmake = sources(root, "CMakeLists.txt", "*/CMakeLists.txt", "*/**/CMakeLists.txt", "src/cmake/*.cmake")
        self.code = self.cmake + sources(root, "src/**/*.[ch]pp", "examples/*.c", "tests/**/*.cpp")
        self.presets = set(re.findall(r'"name": "(\w+)"', sources(root, "CMakePresets.json")))
        usage = sources(root, "quickstart")
        self.quickstart = set(re.findall(r"\./quickstart (?:\[\w+\] )?(\w+)", usage) + re.findall(r"--\w+", usage))

    def wrong(self, text):
        """What does not exist of all that the commands name."""
        for options, name in re.findall(r"\./quickstart((?: +--\S+)*)(?: +(\w+))?", text):
            for word in re.findall(r"--\w+", options) + [name] * bool(name):
                if word not in self.quickstart:
                    yield f"quickstart has no command {word}"
        for name in re.findall(r"--preset[ =](\w+)", text):
            if name not in self.presets:
                yield f"CMakePresets.json has no preset {name}"
        for name in re.findall(r"(?:\b|-D)(XBATCH_[A-Z_]+)", text):
            if not name.startswith("XBATCH_LAPACK_") and not re.search(rf"\b{name}\b", self.code):
                yield f"no source and no CMakeLists.txt knows {name}"
        for name in re.findall(r"--target[ =]([\w]+)", text):
            if not re.search(rf"\b{name}\b", self.cmake):
                yield f"no CMakeLists.txt has the target {name}"
        for path in re.findall(r"(?<![\w./$~-])((?:\.ci|benchmarks|docs|examples|fortran|src|tests)/[\w./-]+)", text):
            if not (self.root / path).exists():
                yield f"{path} does not exist"
        for preset, name in re.findall(r"(?<![\w/])build/(\w+)/(?:[\w.-]+/)+([\w-]+)(?![\w./*])", text):
            if preset not in self.presets or not re.search(rf"\b{re.sub('^test_', '', name)}\b", self.cmake):
                yield f"build/{preset}/…/{name} is not built"


def test_shell(block, folder, commands):
    """Check the commands, run them if they are marked so; return what was skipped."""
    run(["bash", "-n", "-c", block.text])
    wrong = list(commands.wrong(block.text))
    if wrong:
        raise Failure("\n".join(wrong))
    if "run" not in block.marks:
        return "not run"
    if not os.environ.get("PREFIX"):
        return "not run: there is no installed library"
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    with tempfile.TemporaryDirectory(dir=folder) as home:
        (pathlib.Path(home) / ".local").symlink_to(os.environ["PREFIX"], target_is_directory=True)
        printed = run(["bash", "-euo", "pipefail", "-c", block.text], cwd=folder, env={**environment, "HOME": home})
    if block.output and block.output not in printed:
        raise Failure(f"prints\n{printed}\nthe page says\n{block.output}")
    return ""


def test_block(block, folder, commands):
    unknown = [mark for mark in block.marks if mark not in ("fragment", "run") and not mark.startswith("file=")]
    if unknown:
        raise Failure("unknown mark " + ", ".join(unknown))
    if block.file:
        (folder / block.file).write_text(block.text, encoding="utf-8")
    if "fragment" in block.marks:
        return "a fragment"
    if block.language in COMPILERS:
        return test_program(block, folder)
    if block.language in SHELL:
        return test_shell(block, folder, commands)
    if block.language not in PASSIVE:
        raise Failure("unknown language; use " + ", ".join([*COMPILERS, *SHELL, *PASSIVE]))
    return "no program"


def main():
    root, page, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    found = blocks(page, (root / page).read_text(encoding="utf-8"))
    commands, failures = Commands(root), 0
    for block in found:
        try:
            print(f"{block}: {test_block(block, folder, commands) or 'right'}", flush=True)
        except (Failure, subprocess.TimeoutExpired) as failure:
            failures += 1
            print(f"{block}: WRONG: {failure}", flush=True)
    fragments = sum("fragment" in block.marks for block in found)
    if fragments > FRAGMENTS:
        failures += 1
        print(f"{page}: WRONG: {fragments} fragments, at most {FRAGMENTS}: show whole programs")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
