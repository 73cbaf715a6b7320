"""LAPACK's own tester (Debian: liblapack-test) over the interposer: every test and every error exit must pass, and
their numbers must be those without it. The tester's exit status is meaningless; its output is checked."""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
HANDLED_PATHS = ("GT", "PT")
OTHER_PATHS = ("QR", "LS", "TS")
COUNTS = re.compile(r"xbatch_lapack: (\w+) handled (\d+) on a GPU (\d+) forwarded (\d+)")
COMPLAINT = re.compile(r"fail|error messages recorded|\*\*\*|illegal|[Nn]ot detected|xbatch_lapack: no")


def folder():
    found = glob.glob("/usr/lib/*/lapack/xlintstd")
    return os.path.dirname(found[0]) if found else None


def tester_input(where, letter, paths):
    """The standard input, cut to `paths`. Drivers use only the first number of right-hand sides, so 15 is put first."""
    with open(f"{where}/{letter}test.in", encoding="ascii") as file:
        lines = file.read().splitlines()
    header = [re.sub(r"^1 2 15 ", "15 1 2 ", line) for line in lines[:16]]
    chosen = [line for line in lines[16:] if line[1:3] in paths]
    assert len(chosen) == len(paths), f"{letter}test.in lacks one of {paths}"
    return "\n".join(header + chosen) + "\n"


def run(where, letter, paths, environment):
    text = tester_input(where, letter, paths)
    result = subprocess.run([f"{where}/xlintst{letter}"], input=text, capture_output=True, text=True, check=False,
                            env={**os.environ, **environment}, timeout=300)
    return result.stdout + result.stderr


def verdict(output):
    """Messages of success, with their numbers, and all messages of failure."""
    passed = sorted(re.findall(r"^ *(?:All tests for )?(\w+ (?:routines|drivers) *passed .*)$", output, re.M))
    complaints = [line for line in output.splitlines() if COMPLAINT.search(line)]
    return passed, complaints


def preload(*libraries):
    return {"LD_PRELOAD": ":".join(libraries)}


def tests_in(passed):
    return sum(int(n) for message in passed for n in re.findall(r"\( *(\d+) tests run\)", message))


def is_tridiagonal(name):
    return name[1:3] in ("gt", "pt")


def compare(where, letter, library, cuda):
    """Checks which library computed the calls. Returns False if a GPU was required and there is none."""
    paths = HANDLED_PATHS + OTHER_PATHS
    expected, complaints = verdict(run(where, letter, paths, {}))
    assert expected and not complaints, f"the tester fails without the library: {complaints}"
    with tempfile.TemporaryDirectory() as scratch:
        counts = f"{scratch}/counts"
        settings = {**preload(library), "XBATCH_LAPACK_ALL": "0", "XBATCH_LAPACK_COUNTS": counts,
                    "XBATCH_LAPACK_CUDA": "0" if cuda else "never"}
        output = run(where, letter, paths, settings)
        with open(counts, encoding="ascii") as file:
            calls = COUNTS.findall(file.read())
    passed, complaints = verdict(output)
    assert not complaints, "\n".join(complaints)
    assert passed == expected, f"expected {expected}\ngot {passed}"
    handled = {name: int(count) for name, count, _, _ in calls}
    on_device = sum(int(count) for _, _, count, _ in calls)
    if cuda:  # all QRs, and the few small tridiagonal systems whose recurrences converge
        for name, count, there, _ in calls:
            assert is_tridiagonal(name) or on_device == 0 or there == count, f"{name}: {there} of {count} on the GPU"
        print(f"{letter}: {tests_in(passed)} tests, {on_device} calls on the GPU")
        return on_device > 0
    assert on_device == 0
    tridiagonal = [family + kind for family in ("gt", "pt") for kind in ("sv", "trf", "trs", "con", "rfs", "svx")]
    unitary = "or" if letter in "sd" else "un"
    for stem in [*tridiagonal, "geqrf", f"{unitary}mqr", f"{unitary}gqr", "geqr", "gemqr"]:
        assert handled.get(f"{letter}{stem}_", 0) > 0, f"{letter}{stem} was never called"
    for name, _, _, forwarded in calls:
        # Calls with a wrong argument are forwarded, and one of gemqr with a T of two blocks.
        most = {"gels_": int(forwarded)}.get(name[1:], 12)
        assert int(forwarded) <= most, f"{name} was forwarded {forwarded} times"
    print(f"{letter}: {tests_in(passed)} tests, {sum(handled.values())} calls handled, "
          f"{sum(int(forwarded) for _, _, _, forwarded in calls)} forwarded")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("letters", nargs="*", default=list("sdcz"))
    parser.add_argument("--cuda", action="store_true", help="as many calls as possible on a GPU")
    arguments = parser.parse_args()
    where = folder()
    if where is None:
        print("LAPACK's tester is not installed (Debian: liblapack-test)")
        return SKIPPED
    for letter in arguments.letters:
        if not compare(where, letter, os.path.abspath(arguments.library), arguments.cuda):
            print("no GPU")
            return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
