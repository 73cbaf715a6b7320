"""What the tests of the example programs share: run a program, and have a folder for its files.
SPDX-License-Identifier: BSD-3-Clause"""

import subprocess
import tempfile
import unittest
from pathlib import Path


def run(*arguments, **options):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=300, **options)


class InFolder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def path(self, name, data=None):
        path = self.folder / name
        if data is not None:
            path.write_bytes(data)
        return path
