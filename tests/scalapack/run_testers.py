#!/usr/bin/env python3
"""ScaLAPACK's own testers of tridiagonal systems compute with libxbatch_scalapack: no residual fails, and every process
of a grid has the calls computed by it.

    run_testers.py FOLDER LIBRARY SCRATCH MPIRUN...

SPDX-License-Identifier: BSD-3-Clause"""

import os
import pathlib
import re
import subprocess
import sys

SIZES = (2, 3, 5, 17, 28, 37, 121, 1023)
PROCESSES = 4
INPUT = """'ScaLAPACK, banded linear systems'
'MPI machine'
''
6                       device out
'{option}'              transposed, or the triangle
{count}                 number of sizes
{sizes}
1                       number of bandwidths
1
{upper}1                number of block sizes
-1
1                       number of right-hand sides
4
1                       ignored
1
{grids}                 number of grids
{columns}
3.0                     threshold
"""


def run(tester, option, library, scratch, mpirun):
    """The faults of one tester."""
    is_positive = tester.name.endswith("ptllt")
    text = INPUT.format(option=option, count=len(SIZES), sizes=" ".join(map(str, SIZES)),
                        upper="" if is_positive else "1\n", grids=PROCESSES,
                        columns=" ".join(str(k + 1) for k in range(PROCESSES)))
    (scratch / ("BLLT.dat" if is_positive else "BLU.dat")).write_text(text, encoding="utf-8")
    command = [*mpirun, str(PROCESSES), "env", f"LD_PRELOAD={library}", "XBATCH_SCALAPACK_COUNTS=1", str(tester)]
    result = subprocess.run(command, cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                            timeout=60, check=False)
    counts = {word: int(number) for number, word in
              re.findall(r"(\d+) tests (completed and passed|completed and failed|skipped)", result.stdout)}
    name = tester.name[1:-2] if not is_positive else tester.name[1] + "pt"
    handled = [int(k) for k in re.findall(rf"xbatch_scalapack: p{name}trs_ handled (\d+)", result.stdout)]
    expected = len(SIZES) * PROCESSES
    wanted = {"completed and passed": expected, "completed and failed": 0, "skipped": 0}
    is_right = result.returncode == 0 and counts == wanted
    if is_right and sorted(handled) == [len(SIZES) * (k + 1) for k in range(PROCESSES)]:
        return []
    return [f"{tester.name} '{option}': exit status {result.returncode}, {counts}, handled {handled}\n{result.stdout}"]


def main():
    folder, library, scratch = map(pathlib.Path, sys.argv[1:4])
    scratch.mkdir(parents=True, exist_ok=True)
    os.environ["OMP_NUM_THREADS"] = "1"
    faults = []
    for letter in "sdcz":
        transposed = "T" if letter in "sd" else "C"
        for stem, options in (("dtlu", ("N", transposed)), ("ptllt", ("U", "L") if letter in "cz" else ("U",))):
            for option in options:
                faults += run(folder / f"x{letter}{stem}", option, library, scratch, sys.argv[4:])
    print("\n".join(faults) or "all residuals are small, all calls were computed by the library")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
