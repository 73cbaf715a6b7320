"""NumPy's and SciPy's tests of linear algebra have the same outcome without the interposer and with it; then it handles
every call. Skipped if no Python has these packages and pytest over the system's LAPACK (Debian: python3-numpy,
python3-scipy, python3-pytest, python3-hypothesis)."""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import collections
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import tester

# Module, and the names of the tests for the quick run
SUITES = {
    "numpy": (("numpy.linalg", "test_xerbla_override or TestQR or TestLstsq"),),
    "scipy": (("scipy.linalg.tests.test_lapack", "gtsv or gttr or ptsv or pttr or geqrf or ormqr or orgqr"),
              ("scipy.linalg.tests.test_decomp", "TestQR and simple")),
}
CALLS = "import numpy.linalg, {0}.linalg, pytest, hypothesis; {0}.linalg.qr(numpy.eye(2) + 1)"


def run(command, scratch, **environment):
    settings = {name: value for name, value in os.environ.items() if not name.startswith("XBATCH_LAPACK_")}
    return subprocess.run(command, env={**settings, **environment}, cwd=scratch, check=False, capture_output=True,
                          text=True, timeout=1200)


def preloaded(library, counts):
    return {**tester.preload(library), "XBATCH_LAPACK_ALL": "0", "XBATCH_LAPACK_COUNTS": counts}


def calls_in(counts):
    """Calls handled and forwarded, of all names"""
    if not os.path.exists(counts):
        return 0, 0
    with open(counts, encoding="ascii") as file:
        calls = tester.COUNTS.findall(file.read())
    return sum(int(handled) for _, handled, _, _ in calls), sum(int(forwarded) for *_, forwarded in calls)


def python_with(package, library):
    """A Python whose `package` calls a replaceable LAPACK; wheels contain their own."""
    for python in (sys.executable, "/usr/bin/python3"):
        with tempfile.TemporaryDirectory() as scratch:
            counts = f"{scratch}/counts"
            if os.path.exists(python):
                run([python, "-c", CALLS.format(package)], scratch, **preloaded(library, counts))
            if calls_in(counts)[0] > 0:
                return python
    return None


def outcomes(python, module, names, **environment):
    """The outcome of each test by its name"""
    with tempfile.TemporaryDirectory() as scratch:
        report = f"{scratch}/report.xml"
        chosen = ["-k", names] if names else []
        result = run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *chosen,
                    "--pyargs", module], scratch, **environment)
        assert os.path.exists(report), result.stdout + result.stderr
        cases = xml.etree.ElementTree.parse(report).iter("testcase")
        found = {}
        for case in cases:
            marks = [child.get("type") or child.tag for child in case if child.tag in ("failure", "error", "skipped")]
            found[f"{case.get('classname')}.{case.get('name')}"] = " ".join(marks) or "passed"
    return found


def compare(python, library, module, names):
    alone = outcomes(python, module, names)
    with tempfile.TemporaryDirectory() as scratch:
        counts = f"{scratch}/counts"
        with_ours = outcomes(python, module, names, **preloaded(library, counts))
        handled, forwarded = calls_in(counts)
    changed = [f"{test}: {alone.get(test)} without the interposer, {with_ours.get(test)} with it"
               for test in sorted({*alone, *with_ours}) if alone.get(test) != with_ours.get(test)]
    assert not changed, "\n".join(changed)
    assert handled > 0 and "passed" in alone.values(), f"{module}: {handled} calls, {len(alone)} tests"
    counted = ", ".join(f"{count} {outcome}" for outcome, count in collections.Counter(alone.values()).most_common())
    print(f"{module}: {counted}, with the interposer and without; {handled} calls handled, {forwarded} forwarded")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("--quick", action="store_true", help="only some of the tests")
    arguments = parser.parse_args()
    library = os.path.abspath(arguments.library)
    missing = []
    for package, modules in SUITES.items():
        python = python_with(package, library)
        if not python:
            missing.append(package)
            continue
        for module, names in modules:
            compare(python, library, module, names if arguments.quick else None)
    if missing:
        print(f"not found over the system's LAPACK, with pytest and hypothesis: {', '.join(missing)}")
    return tester.SKIPPED if len(missing) == len(SUITES) else 0


if __name__ == "__main__":
    sys.exit(main())
