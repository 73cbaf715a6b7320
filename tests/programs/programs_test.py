"""Each program answers --help and --version at once, and refuses an option that it does not know with status 2 and its
usage on standard error. Arguments: the version, and the programs.
SPDX-License-Identifier: BSD-3-Clause"""

import subprocess
import sys
import unittest
from pathlib import Path

VERSION, *PROGRAMS = sys.argv[1:]


class Options(unittest.TestCase):
    def check(self, option, status, expected, errors_expected):
        """Each program's exit status, output and errors with this option; NAME stands for the program's name."""
        for program in PROGRAMS:
            with self.subTest(program=program):
                result = subprocess.run([program, option], capture_output=True, text=True, timeout=10)
                self.assertEqual(result.returncode, status)
                for text, pattern in ((result.stdout, expected), (result.stderr, errors_expected)):
                    self.assertRegex(text, pattern.replace("NAME", Path(program).name))

    def test_help(self):
        self.check("--help", 0, r"(?m)^Usage: .*NAME\b", r"^$")

    def test_version(self):
        self.check("--version", 0, rf"^NAME \(xbatch\) {VERSION}(, commit .*)?\n$", r"^$")

    def test_unknown_option(self):
        self.check("--no-such-option", 2, r"^$", r"--no-such-option(.|\n)*\nUsage: .*NAME\b")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
