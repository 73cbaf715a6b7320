"""The shadow checker finds no error of the interposer; it or LAPACK's tester detects each planted fault."""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import os
import re
import subprocess
import sys
import tempfile

import tester

FAULTS = ("no_pivoting", "one_right_hand_side", "wrong_info", "no_info", "nan", "padding", "factors", "unrepeatable",
          "tiny_error", "pttrf_info", "rcond", "berr")
QR_FAULTS = ("tau", "vectors", "r_sign", "qr_padding", "q_one_right_hand_side", "q_op", "q_column", "geqr_blocks")
TESTER_ONLY = ("rcond", "berr")  # no other program here calls the expert drivers


def shadowed(command, libraries, text=None, **environment):
    """The calls and complaints that the shadow checker reports, and its report."""
    with tempfile.TemporaryDirectory() as scratch:
        path = f"{scratch}/report"
        settings = {**os.environ, **tester.preload(*libraries), "XBATCH_LAPACK_ALL": "0", "SHADOW_REPORT": path,
                    **environment}
        subprocess.run(command, env=settings, check=True, input=text, capture_output=True, text=True, timeout=300)
        with open(path, encoding="ascii") as file:
            report = file.read()
    calls, complaints = map(int, re.search(r"shadow: (\d+) calls, (\d+) complaints", report).groups())
    return calls, complaints, report


def clean(arguments, where):
    libraries = (arguments.shadow, arguments.library)
    total = 0
    runs = [([arguments.calls], None)]
    if where:
        runs += [([f"{where}/xlintst{letter}"], tester.tester_input(where, letter, tester.HANDLED_PATHS))
                 for letter in "sdcz"]
    for command, text in runs:
        calls, complaints, report = shadowed(command, libraries, text)
        assert calls > 0 and complaints == 0, report
        total += calls
    print(f"{total} calls made three times, no complaint" + ("" if where else "; LAPACK's tester is not installed"))


def faults(arguments, where):
    for fault in FAULTS + QR_FAULTS:
        paths = tester.HANDLED_PATHS if fault in FAULTS else ("QR", "TS")
        libraries = (arguments.shadow, arguments.faults, arguments.library)
        _, complaints, _ = shadowed([arguments.calls, "d", "small"], libraries, FAULT=fault)
        if where and not complaints:
            _, complaints, _ = shadowed([f"{where}/xlintstd"], libraries,
                                        tester.tester_input(where, "d", paths), FAULT=fault)
        detectors = ["shadow checker"] if complaints else []
        if where:
            environment = {**tester.preload(arguments.faults, arguments.library), "XBATCH_LAPACK_ALL": "0",
                           "FAULT": fault}
            _, failed = tester.verdict(tester.run(where, "d", paths, environment))
            detectors += ["LAPACK's tester"] if failed else []
        if fault in TESTER_ONLY and not where:
            continue
        assert detectors, f"the fault {fault} was not detected"
        print(f"{fault}: detected by the {' and '.join(detectors)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("clean", "faults"))
    for name in ("library", "shadow", "faults", "calls"):
        parser.add_argument(name)
    arguments = parser.parse_args()
    where = tester.folder()
    (clean if arguments.kind == "clean" else faults)(arguments, where)


if __name__ == "__main__":
    sys.exit(main())
