#!/usr/bin/env python3
"""src/api/generate.py --check sees every difference that is planted in a copy of the tree, and names the file.

SPDX-License-Identifier: BSD-3-Clause"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPIED = ("src/api/*.py", "src/api/entries.hpp", "src/api/entries/*.cpp", "src/cmake/*.map", "include/xbatch/*.h",
          "include/xbatch/*.hpp", "tests/cxx/*.hpp", "fortran/*.f90*", "tests/support/fixtures/routine_table.hpp",
          "docs/routines.md")
TABLE = "src/api/routines.py"

# Outputs: a file, what stands there, what is planted
OUTPUTS = (
    ("include/xbatch/tridiagonal.h", "dgtsvBatch(xbatchHandle_t handle", "dgtsvbatch(xbatchHandle_t handle"),
    ("include/xbatch/qr_batch.h", "const double *A", "double *A"),
    ("include/xbatch/recurrence.h", "/** xfolrPscheme for double. */", "/** xfolrPscheme for float. */"),
    ("include/xbatch/tridiagonal.hpp", "sizes.nrhs(), sizes.batch()", "sizes.batch(), sizes.nrhs()"),
    ("include/xbatch/qr_batch.hpp", "int32_t *info = nullptr", "int32_t *info"),
    ("tests/cxx/every_routine.hpp", "    static_cast<void>(&xbatch::gtconBatch<Element>);\n", ""),
    ("src/api/entries.hpp", "GtsvMethod method, ", ""),
    ("src/api/entries/recurrence.cpp", '{"dfolrPscheme", 0}, XBATCH_R_64F', '{"dfolrPscheme", 0}, XBATCH_R_32F'),
    ("src/api/entries/rearrange.cpp", '{"xrearrange", 1}', '{"xrearrange", 0}'),
    ("src/cmake/xbatch.map", "    dgtsvBatch;", "    dgtsvBatch2;"),
    ("src/cmake/xbatch_lapack.map", "    sormqr_64_;\n", ""),
    ("fortran/xbatch_c.f90", "complex(c_float_complex), intent(in) :: dl(*)", "complex(c_float_complex), intent(in) :: dl"),
    ("fortran/xbatch.f90", "procedure :: gtsvBatch_s,", "procedure ::"),
    ("fortran/xbatch.f90", "status = dgtsvBatch(", "status = sgtsvBatch("),
    ("tests/support/fixtures/routine_table.hpp", '"op mMax nMax', '"op nMax mMax'),
    ("docs/routines.md", "by Gaussian elimination with pivoting", "by elimination"),
    ("docs/routines.md", "| `xbatchDestroy` | free a handle |\n", ""),
)

# What is written by hand, and so refused: a file, what stands there, what is planted, which name is blamed
BY_HAND = (
    ("include/xbatch/tridiagonal.h", "int64_t ldt,\n                            void *B", "int32_t ldt,\n void *B",
     "xgtsvPscheme"),
    ("include/xbatch/types.h", "xbatchSetThreadCount(xbatchHandle_t handle, int threads)",
     "xbatchSetThreadCount(xbatchHandle_t handle, long threads)", "xbatchSetThreadCount"),
    ("include/xbatch/rearrange.h", "xbatchStatus_t xrearrange(", "xbatchStatus_t xrearranged(", "xrearrange"),
    ("include/xbatch/hines.h", "/* End of the typed forms of xhinesBatch. */", "", "chinesBatch"),
    ("include/xbatch/types.h", "/** Free a handle;", "/* Free a handle;", "xbatchDestroy"),
    ("fortran/xbatch_c.f90.in", "@interfaces@\n", "", "@interfaces@"),
)

# Rows of the table: what stands there, what is planted, the files that then differ or are refused
ROWS = (
    ("T *sign?", "R *sign?", ("include/xbatch/tridiagonal_factor.h", "include/xbatch/tridiagonal_factor.hpp",
                                 "fortran/xbatch.f90")),
    ("const T *w0?", "const T *w0", ("fortran/xbatch.f90",)),
    ('real="ormqrBatch"', 'real="urmqrBatch"', ("include/xbatch/qr_batch.h", "src/cmake/xbatch.map",
                                                "fortran/xbatch_c.f90", "tests/support/fixtures/routine_table.hpp")),
    ('summary="positive definite tridiagonal systems', 'summary="tridiagonal systems', ("docs/routines.md",)),
    ('LAPACK = "gels ', 'LAPACK = "', ("src/cmake/xbatch_lapack.map",)),
    ("const T *u,", "T *u,", ("include/xbatch/distributed_hines.h",)),
    ("const T *src", "const T src", ("include/xbatch/rearrange.h",)),
    ("gtsv(GtsvMethod::thomas)", "gtsv(GtsvMethod::pscheme)", ("src/api/entries/tridiagonal.cpp",)),
    ("int64_t ldsrc,", "ldsrc,", (TABLE,)),
    ('calls="hines::hines"', 'calls="hines"', (TABLE,)),
)


class Generate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for file in (file for pattern in COPIED for file in ROOT.glob(pattern)):
            copy = self.root / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)

    def generate(self, *options):
        command = [sys.executable, "-B", "-X", "utf8", str(self.root / "src/api/generate.py"), *options]
        return subprocess.run(command, capture_output=True, check=False, encoding="utf-8")

    def plant(self, path, old, new):
        """Return the text before."""
        file = self.root / path
        text = file.read_text(encoding="utf-8")
        self.assertIn(old, text, f"{path} has nothing to plant in")
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        return text

    def expect_difference(self, *words):
        result = self.generate("--check")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertEqual(result.stderr, "")
        for word in words:
            self.assertIn(word, result.stdout)

    def test_the_tree_is_as_generated(self):
        result = self.generate("--check")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_outputs(self):
        for path, old, new in OUTPUTS:
            with self.subTest(path=path, planted=new):
                text = self.plant(path, old, new)
                self.expect_difference(path)
                self.assertEqual(self.generate().returncode, 0)
                self.assertEqual((self.root / path).read_text(encoding="utf-8"), text)

    def test_what_is_written_by_hand(self):
        for path, old, new, name in BY_HAND:
            with self.subTest(path=path, planted=new):
                text = self.plant(path, old, new)
                self.expect_difference(path, name)
                self.assertEqual(self.generate().returncode, 1)
                (self.root / path).write_text(text, encoding="utf-8")

    def test_rows(self):
        for old, new, paths in ROWS:
            with self.subTest(planted=new):
                text = self.plant(TABLE, old, new)
                self.expect_difference(*paths)
                (self.root / TABLE).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    unittest.main()
