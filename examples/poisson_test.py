"""poisson_mp on 1, 2 and 5 ranks: it converges, to the same bits. Arguments: mpiexec, its flag for the number of ranks, the
program and its arguments.
SPDX-License-Identifier: BSD-3-Clause"""

import re
import subprocess
import sys

MPIEXEC, FLAG, *COMMAND = sys.argv[1:]


def run(ranks):
    """The checksum of the solution."""
    result = subprocess.run([MPIEXEC, FLAG, str(ranks), *COMMAND], capture_output=True, text=True,
                            timeout=100)
    print(result.stdout, result.stderr)
    assert result.returncode == 0, f"{ranks} ranks: exit status {result.returncode}"
    return re.search(r"checksum (\w+)", result.stdout)[1]


checksums = [run(ranks) for ranks in (1, 2, 5)]
assert len(set(checksums)) == 1, f"the bits differ: {checksums}"
