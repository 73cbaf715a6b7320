"""Which library computes a call, by its size and by the settings; a process without calls prints nothing."""
# SPDX-License-Identifier: BSD-3-Clause
import os
import subprocess
import sys
import tempfile

import tester

LIBRARY, CALLS, TUNED = sys.argv[1:4]
SETTINGS = [name for name in os.environ if name.startswith("XBATCH_LAPACK_")]


def counts(command=(CALLS, "d", "small"), **environment):
    """Calls handled and forwarded for each name, and the output"""
    with tempfile.TemporaryDirectory() as scratch:
        path = f"{scratch}/counts"
        settings = {name: value for name, value in os.environ.items() if name not in SETTINGS}
        settings |= {**tester.preload(LIBRARY), "XBATCH_LAPACK_COUNTS": path, **environment}
        result = subprocess.run(command, env=settings, check=True, capture_output=True, text=True, timeout=100)
        report = open(path, encoding="ascii").read() if os.path.exists(path) else ""
    calls = {name: (int(handled), int(forwarded)) for name, handled, _, forwarded in tester.COUNTS.findall(report)}
    return calls, result.stdout + result.stderr


def main():
    calls, _ = counts()
    handled, forwarded = calls["dgtsv_"]
    assert handled > 0 and forwarded > 0, "both large and small calls"
    everything = handled + forwarded
    assert counts(XBATCH_LAPACK_ALL="0")[0]["dgtsv_"] == (everything, 0)
    assert counts(XBATCH_LAPACK_ALL="never")[0]["dgtsv_"] == (0, everything)
    calls, _ = counts(XBATCH_LAPACK_ALL="never", XBATCH_LAPACK_GTSV="0")
    assert calls["dgtsv_"] == (everything, 0) and calls["dgttrf_"][0] == 0, "a routine's own setting has priority"
    calls, output = counts(XBATCH_LAPACK_ALL="many")
    assert calls["dgtsv_"] == (handled, forwarded) and "neither a size nor" in output
    calls, _ = counts(XBATCH_LAPACK_ALL="never", XBATCH_LAPACK_FALLBACK="liblapack.so.3")
    assert calls["dgtsv_"] == (0, everything)
    calls, output = counts(XBATCH_LAPACK_ALL="never", XBATCH_LAPACK_FALLBACK="/nowhere/lapack.so")
    assert calls["dgtsv_"] == (0, everything) and "/nowhere/lapack.so" in output, "the next LAPACK, and a message"
    calls, _ = counts(XBATCH_LAPACK_ALL="never", XBATCH_LAPACK_FALLBACK=LIBRARY)
    assert calls["dgtsv_"] == (0, everything), "the library never forwards to itself"
    factored = counts()[0]["dgeqrf_"]
    assert factored[0] > 0, "over the reference BLAS"
    calls, _ = counts(**tester.preload(LIBRARY, TUNED))
    assert calls["dgeqrf_"] == (0, sum(factored)) and calls["dgtsv_"] == (handled, forwarded), "over a tuned BLAS"
    calls, output = counts(("true",))
    assert not calls and not output, "nothing in a process that makes no call"
    print(f"dgtsv: {handled} calls of {everything} large enough")


if __name__ == "__main__":
    main()
