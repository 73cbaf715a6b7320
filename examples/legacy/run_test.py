"""A program that was built for LAPACK alone gives the same answers with the interposer preloaded, which does compute."""
# SPDX-License-Identifier: BSD-3-Clause
import os
import subprocess
import sys
import tempfile

PROGRAM, LIBRARY = sys.argv[1:3]


def run(**environment):
    result = subprocess.run([PROGRAM], env={**os.environ, **environment}, check=True, capture_output=True, text=True,
                            timeout=100)
    return result.stdout, result.stderr


def main():
    answers, times = run()
    with tempfile.TemporaryDirectory() as scratch:
        counts = f"{scratch}/counts"
        preloaded_answers, preloaded_times = run(LD_PRELOAD=LIBRARY, XBATCH_LAPACK_COUNTS=counts)
        with open(counts, encoding="ascii") as file:
            calls = file.read()
    print(f"{answers}LAPACK\n{times}with the interposer\n{preloaded_times}{calls}", end="")
    assert "BOTH AGREE      T" in answers
    assert answers == preloaded_answers
    assert "dgtsv_ handled 40" in calls and "dpttrs_ handled 40" in calls
    assert "dgels_ handled 0 on a GPU 0 forwarded 1" in calls


if __name__ == "__main__":
    main()
