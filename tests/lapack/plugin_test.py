"""Wrong arguments of a plug-in that is loaded with RTLD_LOCAL reach its own xerbla, as without the interposer."""
# SPDX-License-Identifier: BSD-3-Clause
import os
import subprocess
import sys
import tempfile

import tester

LIBRARY, PLUGIN = sys.argv[1:3]
HOST = "import ctypes, sys; ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_LOCAL).call_wrongly()"


def run_plugin(**environment):
    """The output of the plug-in, and the counts of the names that it called."""
    with tempfile.TemporaryDirectory() as scratch:
        path = f"{scratch}/counts"
        settings = {name: value for name, value in os.environ.items() if not name.startswith("XBATCH_LAPACK_")}
        settings |= {"XBATCH_LAPACK_COUNTS": path, **environment}
        result = subprocess.run([sys.executable, "-c", HOST, PLUGIN], env=settings, check=True, capture_output=True,
                                text=True, timeout=100)
        counted = open(path, encoding="ascii").read() if os.path.exists(path) else ""
    return (result.stdout + result.stderr).splitlines(), tester.COUNTS.findall(counted)


def main():
    alone, counted = run_plugin()
    assert not counted
    assert len(alone) > 400
    for line in alone:  # LAPACK's orgqr writes WORK(1) before it checks its arguments.
        assert "argument" in line and ("gqr: " in line or line.endswith("untouched")), line
    for settings in ({}, {"XBATCH_LAPACK_ALL": "0"}):
        preloaded, counted = run_plugin(**tester.preload(LIBRARY), **settings)
        for expected, line in zip(alone, preloaded):
            assert line == expected, f"with {settings} {line}\nwithout the interposer {expected}"
        assert len(preloaded) == len(alone), f"{len(preloaded)} calls were refused, not {len(alone)}"
        assert len(counted) == 4 * 17, f"{len(counted)} names were called"
        for name, handled, _, forwarded in counted:
            assert int(handled) == 0 < int(forwarded), f"{name}: {handled} calls handled, {forwarded} forwarded"
    print(f"{len(alone)} wrong calls of {len(counted)} routines reported to the plug-in's own xerbla")


if __name__ == "__main__":
    main()
