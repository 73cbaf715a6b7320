"""What neuron must do, seen from outside: its voltages are those of an independent model, its checks pass, files
are read whatever their order, and bad ones are refused line by line, with nothing written.
The program and a folder of real neurons are named by the environment: NEURON, NEURONS.
SPDX-License-Identifier: BSD-3-Clause"""

import csv
import math
import os
import random
import re
import resource
import shutil
import signal
import sys
import unittest
from pathlib import Path

from program_test import InFolder, run

NEURON = os.environ["NEURON"]
REAL = sorted(Path(os.environ["NEURONS"]).glob("*/*.swc"))
QUIET = {**os.environ, "OMP_WAIT_POLICY": "passive"}  # other tests run at the same time

# id, type, x, y, z, radius, parent
TAPERED = [(1, 3, 0, 0, 0, 2.0, -1), (2, 3, 30, 0, 0, 1.0, 1), (3, 4, 60, 20, 5, 0.5, 2), (4, 2, 50, -40, 0, 0.8, 2)]
LONE_SOMA = [(1, 1, 3, 4, 0, 8.0, -1), (2, 3, 23, 4, 0, 1.0, 1), (3, 3, 63, 4, 9, 0.6, 2), (4, 3, 3, -40, 0, 1.5, 1)]
THREE_POINTS = [(1, 1, 0, 0, 0, 7.0, -1), (2, 1, 0, 7, 0, 7.0, 1), (3, 1, 0, -7, 0, 7.0, 1), (4, 3, 40, 0, 0, 1.0, 1)]
SAME_POINT = [(1, 3, 0, 0, 0, 2.0, -1), (2, 3, 50, 0, 0, 2.0, 1), (3, 3, 50, 0, 0, 0.5, 2), (4, 3, 90, 0, 0, 0.5, 3),
              (5, 3, 50, 0, 0, 1.0, 2), (6, 3, 50, 70, 0, 0.7, 5)]
INSIDE_SOMA = [(1, 1, 0, 0, 0, 10.0, -1), (2, 3, 5, 0, 0, 1.0, 1), (3, 3, 40, 0, 0, 1.0, 2)]
UNKNOWN_SOMA = [(1, 1, 0, 0, 0, 0, -1), (2, 3, 30, 0, 0, 1.0, 1), (3, 3, 0, 30, 0, 1.5, 1)]
SOMA_ON_NEURITE = [(1, 2, 50, 0, 0, 0.5, -1), (2, 2, 20, 0, 0, 0.5, 1), (3, 1, 0, 0, 0, 9.0, 2)]
FOREST = [(1, 3, 0, 0, 0, 2.0, -1), (2, 3, 30, 0, 0, 1.0, 1), (3, 1, 200, 0, 0, 6.0, -1), (4, 3, 250, 0, 0, 1.0, 3)]
ONE_SAMPLE = [(7, 3, 0, 0, 0, 5.0, -1)]
SHAPES = [TAPERED, LONE_SOMA, THREE_POINTS, SAME_POINT, INSIDE_SOMA, UNKNOWN_SOMA, SOMA_ON_NEURITE, FOREST, ONE_SAMPLE]


def swc(rows):
    return "".join(" ".join(map(str, row)) + "\n" for row in rows).encode()


class Model:
    """The cable equation of a small tree in SI units, with a dense matrix."""

    def __init__(self, rows):
        by_id = {row[0]: row for row in rows}
        self.node = {}  # of a sample's id
        self.root, self.links, self.area = [], [], []
        for row in rows:  # parents first
            parent = by_id.get(row[6])
            length, ends = self.segment(row, parent) if parent else (math.inf, None)
            if length <= 1e-3:
                self.node[row[0]] = self.node[parent[0]]
                continue
            self.node[row[0]] = i = len(self.area)
            self.area.append(0.0)
            self.root.append(self.root[self.node[parent[0]]] if parent else i)
            if parent:
                self.join(i, self.node[parent[0]], length, *ends)
        for i in range(len(self.area)):
            self.area[i] += self.sphere([row for row in rows if self.node[row[0]] == i], i, by_id)

    @staticmethod
    def segment(row, parent):
        length = math.dist(row[2:5], parent[2:5])
        somas = (row[1] == 1, parent[1] == 1)
        if somas == (False, True):
            return length - parent[5], (row[5], row[5])
        if somas == (True, False):
            return length - row[5], (parent[5], parent[5])
        return length, (row[5], parent[5])

    def join(self, i, p, length, r, rp):
        """Joins two nodes by a cone; areas of halves as differences of whole cones."""
        def cone(a, b, height):
            return math.pi * (a + b) * math.hypot(a - b, height)
        self.links.append((i, p, math.pi * r * rp * 1e-6 / length))  # m: 1e-12 m^2 over 1e-6 m
        half = cone(r, (r + rp) / 2, length / 2)
        self.area[i] += half
        self.area[p] += cone(r, rp, length) - half

    def sphere(self, rows, i, by_id):
        in_soma = [row for row in rows if row[1] == 1]
        near = [(row, by_id[row[6]]) for row in by_id.values() if row[6] in by_id]
        long = any(a[1] == b[1] == 1 and self.node[a[0]] != self.node[b[0]] and i in (self.node[a[0]], self.node[b[0]])
                   for a, b in near)
        lone = in_soma and not long or self.area[i] == 0
        return 4 * math.pi * max(row[5] for row in rows) ** 2 if lone else 0

    def voltages(self, site, current, dt, steps):
        """In mV after each step of implicit Euler, for pA and ms."""
        n = len(self.area)
        capacity = [area * 1e-12 * 1e-2 for area in self.area]  # 1 uF/cm^2 = 1e-2 F/m^2
        leak = [area * 1e-12 * 0.5 for area in self.area]  # 5e-5 S/cm^2 = 0.5 S/m^2
        matrix = [[0.0] * n for _ in range(n)]
        for i in range(n):
            matrix[i][i] = capacity[i] / (dt * 1e-3) + leak[i]
        for i, p, metres in self.links:
            g = metres / 1.0  # 100 Ohm cm = 1 Ohm m
            matrix[i][i] += g
            matrix[p][p] += g
            matrix[i][p] -= g
            matrix[p][i] -= g
        v = [0.0] * n
        for _ in range(steps):
            b = [capacity[i] / (dt * 1e-3) * v[i] + (current * 1e-12 if i == site else 0) for i in range(n)]
            v = self.solve([row[:] for row in matrix], b)
            yield [1e3 * x for x in v]

    @staticmethod
    def solve(a, b):
        n = len(b)
        for k in range(n):
            for i in range(k + 1, n):
                factor = a[i][k] / a[k][k]
                a[i] = [x - factor * y for x, y in zip(a[i], a[k])]
                b[i] -= factor * b[k]
        for k in reversed(range(n)):
            b[k] = (b[k] - sum(a[k][i] * b[i] for i in range(k + 1, n))) / a[k][k]
        return b


class Simulating(InFolder):
    def simulate(self, *arguments, code=0, **options):
        result = run(NEURON, "--backend", "host", *arguments, env=options.pop("env", QUIET), **options)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def table(self, *arguments):
        """Rows of the CSV file."""
        path = self.path("table.csv")
        self.simulate("--csv", path, *arguments)
        with path.open(newline="") as file:
            return list(csv.DictReader(file))


class Answers(Simulating):
    def test_checks(self):
        result = self.simulate("--dt", "0.1", "--steps", "300")
        rows = re.findall(r"^(\w.*?)  +(\S+) +(\S+) +(\S+)$", result.stdout.split("\ncheck ")[1], re.MULTILINE)
        values = {name: tuple(map(float, numbers)) for name, *numbers in rows}
        self.assertEqual(len(values), 8)
        for name, (value, low, high) in values.items():
            self.assertTrue(low <= value <= high, name)
        euler = max(abs((1 + 0.1 / 20) ** -m - math.exp(-m * 0.1 / 20)) for m in range(1, 301))
        for told in values["compartment: V(t) against the exponential"]:
            self.assertAlmostEqual(told / euler, 1, delta=5e-3)  # printed to three digits
        self.assertAlmostEqual(values["run: order of the time step"][0], 1, delta=0.1)

    def test_failed_check(self):
        """Currents that lose their digits before they are voltages."""
        result = self.simulate("--current", "1e-319", "--steps", "8", code=3)
        self.assertIn("FAILED", result.stdout)
        self.assertEqual(result.stderr, "neuron: a check failed\n")

    def test_against_dense_model(self):
        """A current into each node in turn; there and at the root."""
        for rows in SHAPES:
            model = Model(rows)
            nodes = len(model.area)
            data = self.table("--copies", nodes, "--steps", "9", "--dt", "0.2", "--current", "30",
                              self.path("neuron.swc", swc(rows)))
            self.assertEqual(len(data), 10 * nodes)
            sites = [model.node[int(row["sample"])] for row in data[:nodes]]
            self.assertEqual(sorted(sites), list(range(nodes)))
            for copy, site in enumerate(sites):
                for told, v in zip(data[copy + nodes::nodes], model.voltages(site, 30, 0.2, 9)):
                    self.assertAlmostEqual(float(told["site_mV"]) / v[site], 1, delta=1e-11)
                    self.assertAlmostEqual(float(told["root_mV"]) / v[model.root[site]], 1, delta=1e-11)

    def test_soma_of_three_points_is_a_sphere(self):
        """To the leak of membrane that it all is: a dendrite that is no more than a hair adds little."""
        hair = [(4, 3, 9, 0, 0, 1e-4, 1)]
        sphere = [row for row in THREE_POINTS if row[0] == 1]
        resistance = []
        for rows in (THREE_POINTS[:3] + hair, sphere + hair):
            out = self.simulate("--copies", "1", self.path("soma.swc", swc(rows))).stdout
            resistance.append(float(re.search(r"input +(\S+)", out).group(1)))
        self.assertAlmostEqual(resistance[0] / resistance[1], 1, delta=1e-3)

    def test_equal_bits(self):
        """In both layouts, whatever the threads and the number of copies."""
        tables = [self.table("--copies", "9", "--steps", "20", *options) for options in
                  ((), ("--layout", "interleaved"), ("--threads", "1"), ("--layout", "interleaved", "--threads", "3"))]
        for other in tables[1:]:
            self.assertEqual(other, tables[0])
        few = self.table("--copies", "3", "--steps", "20", "--layout", "interleaved")
        middle = [dict(row, copy="4") for row in few if row["copy"] == "1"]  # both take theirs in the middle
        self.assertEqual(middle, [row for row in tables[0] if row["copy"] == "4"])


class Reading(Simulating):
    ROWS = SAME_POINT + [(7, 1, 500, 0, 0, 6.0, -1), (8, 3, 520, 0, 0, 1.0, 7)]

    def voltages(self, data):
        table = self.table("--copies", "7", "--steps", "5", self.path("neuron.swc", data))
        return {row["sample"]: float(row["site_mV"]) for row in table if float(row["time_ms"]) > 0.24}

    def test_any_order_and_ids(self):
        plain = self.voltages(swc(self.ROWS))
        self.assertEqual(len(plain), 6)  # copies of 7 share one node of 6
        ids = {row[0]: 1000 - 37 * row[0] for row in self.ROWS}
        ids[3] = 2**40
        rows = [(ids[row[0]], *row[1:6], ids.get(row[6], -1)) for row in self.ROWS]
        for seed in range(5):
            random.Random(seed).shuffle(rows)
            told = self.voltages(swc(rows))
            for key, value in plain.items():
                self.assertAlmostEqual(told[str(ids[int(key)])] / value, 1, delta=1e-12)

    def test_what_lines_may_hold(self):
        plain = self.voltages(swc(self.ROWS))
        lines = swc(self.ROWS).splitlines()
        for data in (b"\r\n".join(lines) + b"\r\n", b"\n".join(lines), b"\xef\xbb\xbf" + b"\n".join(lines),
                     b"# 1 2 3\n\n   # more\n#\n" + b" # of the tree\n\n\t\n".join(lines) + b"\n# the end",
                     b"".join(b" \t" + line.replace(b" ", b"\t  ") + b" \n" for line in lines),
                     swc([(*row[:2], *(f"{x:+.3e}" for x in row[2:6]), row[6]) for row in self.ROWS])):
            self.assertEqual(self.voltages(data), plain)


class BadFiles(Simulating):
    """Every refusal: exit code 1, the lines named, and the folder as it was before."""

    GOOD = [b"1 1 0 0 0 5 -1", b"2 3 10 0 0 1 1", b"3 3 30 0 0 1 2"]

    def refused(self, data, *messages, lines=None):
        path = self.path("bad.swc", data)
        result = self.simulate("--csv", self.path("out.csv"), "--plot", self.path("out.png"), path, code=1)
        *told, last = result.stderr.splitlines()
        self.assertEqual(told, [f"{path}:{message}" for message in messages])
        if messages:
            count = lines or len(messages)
            self.assertEqual(last, f"neuron: {path}: {count} bad line{'s' if count > 1 else ''}")
        self.assertEqual(result.stdout, "")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["bad.swc"])
        return last

    def line_refused(self, line, reason):
        """In place of the second of three lines, behind a comment."""
        self.refused(b"\n".join([b"# a comment", self.GOOD[0], line, self.GOOD[2], b""]), f"3: {reason}")

    def test_nothing(self):
        self.assertIn("bad.swc: the file is empty", self.refused(b""))
        self.assertIn("bad.swc: no samples", self.refused(b"# only\n\n# comments\n"))

    def test_truncated_lines(self):
        whole = self.GOOD[1].split()
        for count in range(1, 7):
            self.line_refused(b" ".join(whole[:count]), f"{count} of the seven columns id, type, x, y, z, radius, parent")
        self.line_refused(b"2 3 10 # 0 0 1 1", "3 of the seven columns id, type, x, y, z, radius, parent")
        self.line_refused(self.GOOD[1] + b" 9", "'9' stands after the seven columns")

    def test_numbers(self):
        for column, name in enumerate(("id", "type", "x", "y", "z", "radius", "parent")):
            bad = ["x", "nan", "inf", "1e999", "1,5", "0x", "--1", "1e8" if 2 <= column < 6 else "1.5"]
            for text in bad + {"id": ["-1", "9" * 20], "type": ["-3"], "radius": ["-1"], "parent": ["-2"]}.get(name, []):
                words = self.GOOD[1].decode().split()
                words[column] = text
                low = {"radius": "0", "parent": "-1", "id": "0", "type": "0"}.get(name, "-1e+07")
                kind = f"a number from {low} to 1e+07" if 2 <= column < 6 else f"a whole number from {low} on"
                self.line_refused(" ".join(words).encode(), f"{name} '{text}' is not {kind}")

    def test_radius_0(self):
        self.line_refused(b"2 3 10 0 0 0 1", "a neurite of radius 0")
        self.line_refused(b"2 1 10 0 0 0 1", "radius 0 within a soma")
        self.refused(b"1 1 0 0 0 0 -1\n2 1 9 0 0 3 1\n", "1: radius 0 within a soma")
        self.assertIn("bad.swc: sample 1 is a tree without size", self.refused(b"1 1 0 0 0 0 -1\n2 1 0 0 0 0 1\n"))

    def test_no_text(self):
        self.line_refused(b"2 3 10 0 0 1 1\0", "a byte 0: this is no text")
        self.refused(b"\x89PNG\r\n\x1a\n\0\0", "1: 1 of the seven columns id, type, x, y, z, radius, parent",
                     "2: 1 of the seven columns id, type, x, y, z, radius, parent", "3: a byte 0: this is no text")

    def test_ids(self):
        self.refused(b"\n".join([*self.GOOD, b"1 3 10 0 0 1 1"]), "4: id 1 is that of line 1")
        self.refused(b"\n".join(self.GOOD[k] for k in (0, 1, 2, 1, 0)), "4: id 2 is that of line 2",
                     "5: id 1 is that of line 1")
        self.line_refused(b"2 3 10 0 0 1 4", "parent 4 is not in the file")
        self.refused(self.GOOD[0] + b"\n" + self.GOOD[2], "2: parent 2 is not in the file")

    def test_cycles(self):
        self.line_refused(b"2 3 10 0 0 1 2", "sample 2 is its own ancestor, in a cycle of 1")
        self.line_refused(b"2 3 10 0 0 1 3", "sample 2 is its own ancestor, in a cycle of 2")
        rows = [(1, 3, 0, 0, 0, 1, 2), (2, 3, 9, 0, 0, 1, 1), (9, 3, 0, 0, 0, 1, 5), (3, 3, 0, 0, 0, 1, 4),
                (4, 3, 0, 5, 0, 1, 5), (5, 3, 0, 0, 5, 1, 3)]
        self.refused(swc(rows), "1: sample 1 is its own ancestor, in a cycle of 2",
                     "4: sample 3 is its own ancestor, in a cycle of 3")

    def test_all_lines_are_named_but_not_without_end(self):
        self.refused(b"1 1 0 0 0 5 -1\n2 3\n3 3 1 1 1 -1 1\n", "2: 2 of the seven columns id, type, x, y, z, radius, "
                     "parent", "3: radius '-1' is not a number from 0 to 1e+07")
        reason = "1 of the seven columns id, type, x, y, z, radius, parent"
        self.refused(b"x\n" * 500, *(f"{k}: {reason}" for k in range(1, 21)), lines=500)

    def test_unreadable(self):
        for path, reason in ((self.path("absent.swc"), "No such file"), (self.folder, "Is a directory")):
            result = self.simulate(path, code=1)
            self.assertTrue(result.stderr.startswith(f"neuron: {path}: "), result.stderr)
            self.assertIn(reason, result.stderr)

    def test_options(self):
        for options in (["--copies", "0"], ["--steps", "0"], ["--steps", "2.5"], ["--dt", "0"], ["--dt", "nan"],
                        ["--current", "-1"], ["--layout", "block"], ["--backend", "gpu"], ["--threads", "0"], ["--tau"]):
            result = run(NEURON, *options)
            self.assertEqual(result.returncode, 2, options)
            self.assertIn(options[0], result.stderr)
        self.assertIn("one file at most, 2 given", self.simulate("a.swc", "b.swc", code=2).stderr)
        self.assertIn("Usage: neuron", run(NEURON, "--help").stdout)


class Output(Simulating):
    SHORT = ["--steps", "8", "--copies", "5"]

    def test_table(self):
        rows = self.table("--steps", "4", "--copies", "3", "--dt", "0.25", "--current", "20",
                          self.path("n.swc", swc(TAPERED)))
        self.assertEqual(list(rows[0]), "time_ms copy sample distance_um current_pA site_mV root_mV".split())
        self.assertEqual([(row["time_ms"], row["copy"]) for row in rows],
                         [(time, copy) for time in ("0", "0.25", "0.5", "0.75", "1") for copy in "012"])
        self.assertEqual({(row["copy"], row["sample"], row["current_pA"]) for row in rows},
                         {("0", "1", "20"), ("1", "2", "20"), ("2", "4", "20")})
        far = 30 + math.dist((30, 0, 0), (50, -40, 0))
        for row, distance in zip(rows, (0, 30, far)):
            self.assertAlmostEqual(float(row["distance_um"]), distance, delta=1e-4)
            self.assertEqual((row["site_mV"], row["root_mV"]), ("0", "0"))
        for before, after in zip(rows, rows[3:]):
            self.assertLess(float(before["site_mV"]), float(after["site_mV"]))
        self.assertEqual([row["site_mV"] == row["root_mV"] for row in rows[3:]], [True, False, False] * 4)

    def test_report(self):
        out = self.simulate("--threads", "2", "--layout", "interleaved", *self.SHORT,
                            self.path("n.swc", swc(SAME_POINT))).stdout
        for line in ("samples         6 in 1 tree, 2 of them one node with their parent",
                     "nodes           4: 160 um of neurites, ", "backend         host, 2 threads",
                     "copies          5, interleaved, 100 pA each", "time            8 steps of 0.05 ms"):
            self.assertIn(line, out)

    def test_few_long_or_short_steps(self):
        for options in (("--steps", "7"), ("--dt", "100"), ("--dt", "1e-9")):
            out = self.simulate(*self.SHORT, *options).stdout
            self.assertIn("not checked     the error of the time step", out)
            self.assertNotIn("order", out)

    def fake_gnuplot(self, text):
        folder = self.path("bin")
        folder.mkdir(exist_ok=True)
        program = folder / "gnuplot"
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
        return {**QUIET, "PATH": f"{folder}:{os.environ['PATH']}"}

    def test_plot(self):
        """What gnuplot is given, and the quotes around a strange name."""
        picture = self.path("it's.png")
        env = self.fake_gnuplot(f"cat > '{self.folder}/script'")
        self.assertIn(f"written         {picture}\n", self.simulate(*self.SHORT, "--plot", picture, env=env).stdout)
        script = self.path("script").read_text()
        self.assertEqual(script, self.path("it's.png.gnuplot").read_text())
        self.assertIn("set output '" + str(picture).replace("'", "''") + "'", script)
        block = script.split("$traces << EOD\n")[1].split("EOD")[0]
        self.assertEqual(len(block.split()), 5 * 9 * 4)  # copies, times, columns

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_picture(self):
        for rows in (None, TAPERED, FOREST, ONE_SAMPLE):
            file = [self.path("n.swc", swc(rows))] if rows else []
            result = self.simulate("--plot", self.path("out.png"), *self.SHORT, *file)
            self.assertEqual(self.path("out.png").read_bytes()[:4], b"\x89PNG")
            if not rows or rows is TAPERED:
                self.assertEqual(result.stderr, "")  # of what lies on a line gnuplot says that it does
            self.path("out.png").unlink()

    def test_without_gnuplot(self):
        picture = self.path("out.png")
        result = self.simulate(*self.SHORT, "--plot", picture, env={**QUIET, "PATH": str(self.folder)})
        self.assertIn(f"written         {picture}.gnuplot; there is no gnuplot here to draw {picture}\n", result.stdout)
        self.assertFalse(picture.exists())
        result = self.simulate(*self.SHORT, "--plot", picture, env=self.fake_gnuplot("exit 3"), code=1)
        self.assertIn("gnuplot could not draw", result.stderr)

    def test_unwritable(self):
        for option in ("--csv", "--plot"):
            result = self.simulate(*self.SHORT, option, self.path("absent") / "out", code=1)
            self.assertIn("absent/out: its folder cannot be written to: No such file", result.stderr)
            self.assertIn("not a regular file", self.simulate(*self.SHORT, option, self.folder, code=1).stderr)

    def test_full_disk(self):
        def allow_1000_bytes():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        for option in ("--csv", "--plot"):
            result = self.simulate("--steps", "100", option, self.path("out"), code=1, preexec_fn=allow_1000_bytes)
            self.assertIn("File too large", result.stderr)
            self.assertEqual(list(self.folder.iterdir()), [])


class RealNeurons(Simulating):
    def test_checks(self):
        for file in REAL:
            with self.subTest(file.name):
                out = self.simulate("--copies", "3", "--steps", "10", file).stdout
                self.assertNotIn("not checked", out)
                samples = [line.split() for line in file.read_text(errors="replace").splitlines()]
                count = sum(bool(words) and words[0][0] != "#" for words in samples)
                self.assertIn(f"samples         {count} in 1 tree", out)


if __name__ == "__main__":
    if "RealNeurons" in sys.argv and not REAL:
        print(f"no SWC files in {os.environ['NEURONS']}: skipped")
        sys.exit(77)
    unittest.main()
