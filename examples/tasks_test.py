"""What the programs that run graphs of tasks must do, seen from outside: cholesky's factor is one, align finds what a
plain loop finds, both the same on any number of threads, and their traces hold every task, none before those it waits
for. The programs are named by the environment: CHOLESKY, CHOLESKY_TILES, ALIGN.
SPDX-License-Identifier: BSD-3-Clause"""

import json
import os
import random
import re
import unittest

from program_test import InFolder, run

CHOLESKY, CHOLESKY_TILES, ALIGN = (os.environ[name] for name in ("CHOLESKY", "CHOLESKY_TILES", "ALIGN"))


def best_alignment(a, b):
    """Score and end of the best local alignment, row by row."""
    above, best = [0] * (len(b) + 1), (0, 0, 0)
    for i, x in enumerate(a, 1):
        row = [0]
        for j, y in enumerate(b, 1):
            row.append(max(0, above[j - 1] + (2 if x == y else -1), above[j] - 1, row[-1] - 1))
            if row[-1] > best[0]:
                best = (row[-1], i, j)
        above = row
    return best


class Programs(InFolder):
    def good(self, program, *options):
        result = run(program, *options)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def bad(self, program, *options):
        result = run(program, *options)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        return result.stderr

    def trace(self, program, *options):
        """Text of a run, and its tasks as [(name, begin, end, thread)]."""
        path = self.path("trace.json")
        text = self.good(program, "--trace", path, *options)
        events = json.loads(path.read_text())["traceEvents"]
        self.assertEqual([event["args"]["task"] for event in events], list(range(len(events))))
        return text, [(event["name"], event["ts"], event["ts"] + event["dur"], event["tid"]) for event in events]


class Cholesky(Programs):
    def test_residuals(self):
        for size, tile in ((1, 1), (5, 2), (96, 32), (100, 32), (100, 1000), (257, 64)):
            for threads in (1, 2, 5):
                text = self.good(CHOLESKY, "--size", size, "--tile", tile, "--threads", threads)
                self.assertLess(float(re.search(r"residual (\S+),", text)[1]), 3, (size, tile, threads))

    def test_graph_and_trace(self):
        tiles = 6
        text, events = self.trace(CHOLESKY, "--size", 32 * tiles, "--tile", 32, "--threads", 2)
        pairs, triples = tiles * (tiles - 1) // 2, tiles * (tiles - 1) * (tiles - 2) // 6
        self.assertIn(f"graph: {tiles + 2 * pairs + triples} tasks, ", text)
        names = [event[0] for event in events]
        self.assertEqual([names.count(name) for name in ("potrf", "trsm", "syrk", "gemm")],
                         [tiles, pairs, pairs, triples])
        factored = [event for event in events if event[0] == "potrf"]
        self.assertTrue(all(a[2] <= b[1] + 0.002 for a, b in zip(factored, factored[1:])))
        self.assertLessEqual({event[3] for event in events}, {0, 1})

    def test_bad_options(self):
        self.assertIn("--size", self.bad(CHOLESKY, "--size", 0))
        self.assertIn("--tile", self.bad(CHOLESKY, "--tile", "x"))
        self.assertIn("not an option", self.bad(CHOLESKY, "file"))
        self.assertIn("--trace", self.bad(CHOLESKY, "--trace"))
        unwritable = run(CHOLESKY, "--size", 8, "--trace", self.folder / "no" / "trace.json")
        self.assertEqual(unwritable.returncode, 1)
        self.assertIn("path", unwritable.stderr)


class CholeskyTiles(Programs):
    def test_residuals(self):
        for size, tile in ((1, 1), (5, 2), (96, 32), (100, 32), (100, 1000), (257, 64)):
            text = self.good(CHOLESKY_TILES, "--size", size, "--tile", tile)
            self.assertLess(float(re.search(r"residual (\S+),", text)[1]), 3, (size, tile))

    def test_trace(self):
        _, events = self.trace(CHOLESKY_TILES, "--size", 192, "--tile", 32)
        names = [event[0] for event in events]
        self.assertEqual([names.count(name) for name in ("dpotrf", "dtrsm", "dherk", "dgemm")], [6, 15, 15, 20])

    def test_bad_options(self):
        self.assertIn("--size", self.bad(CHOLESKY_TILES, "--size", 0))
        self.assertIn("--backend", self.bad(CHOLESKY_TILES, "--backend", "abacus"))
        self.assertIn("not an option", self.bad(CHOLESKY_TILES, "file"))


class Align(Programs):
    def found(self, text):
        return tuple(int(number) for number in re.search(r"score (\d+), ends at (\d+) and (\d+);", text).groups())

    def test_against_a_plain_loop(self):
        source = random.Random(1)
        for m, n in ((1, 1), (1, 40), (40, 1), (64, 64), (65, 127), (200, 150)):
            a, b = ("".join(source.choices("ACGT", k=length)) for length in (m, n))
            for tile in (1, 7, 64, 1000):
                for threads in (1, 3):
                    text = self.good(ALIGN, "--tile", tile, "--threads", threads, a, b)
                    self.assertEqual(self.found(text), best_alignment(a, b), (a, b, tile, threads))

    def test_known(self):
        self.assertEqual(self.found(self.good(ALIGN, "xxGATTACAyy", "zGATTACAw")), (14, 9, 8))
        self.assertEqual(self.found(self.good(ALIGN, "AAAA", "CCCC")), (0, 0, 0))

    def test_wavefront(self):
        text, events = self.trace(ALIGN, "--size", 1000, "--tile", 100, "--threads", 2)
        self.assertIn("graph: 100 tasks, 180 dependencies, 19 levels, up to 10 tasks at a time", text)
        for k, (_, begin, _, _) in enumerate(events):
            if k >= 10:
                self.assertLessEqual(events[k - 10][2], begin + 0.002)
            if k % 10:
                self.assertLessEqual(events[k - 1][2], begin + 0.002)

    def test_bad_options(self):
        self.assertIn("1 given", self.bad(ALIGN, "ACGT"))
        self.assertIn("empty", self.bad(ALIGN, "ACGT", ""))
        self.assertIn("--threads", self.bad(ALIGN, "--threads", 0))


if __name__ == "__main__":
    unittest.main()
