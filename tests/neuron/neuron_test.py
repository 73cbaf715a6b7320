#!/usr/bin/env python3
"""Solves the systems of NEURON 9 in place by xhinesBatch, in NEURON's three node orders, and compares the solutions with
those of NEURON's own solver.

Usage: neuron_test.py LIBXBATCH [--bench]
The module neuron is found as by Python. Without it, and for another version, the exit status is 77.

With --bench it also measures one thread of both solvers in turn, for several numbers of compartments, in node order 1.

SPDX-License-Identifier: BSD-3-Clause"""

import argparse
import ctypes as c
import pathlib
import random
import sys
import time

SKIPPED = 77
HOST, DOUBLE, INTERLEAVED, OP_N, FOREST = 1, 1, 1, 0, 1  # of xbatch/types.h and hines.h
DIFFERENCE = 1e-13  # of a solution, relative to the largest unknown
CELLS = 37  # odd, so that the rows of cells are not aligned


class Thread(c.Structure):
    """The first members of NEURON's struct NrnThread (multicore.h)"""
    _fields_ = [("t", c.c_double), ("dt", c.c_double), ("cj", c.c_double), ("tml", c.c_void_p), ("ml", c.c_void_p),
                ("ncell", c.c_int), ("end", c.c_int), ("id", c.c_int), ("stop", c.c_int), ("children", c.c_int),
                ("offset", c.c_size_t), ("parent", c.POINTER(c.c_int))]


class Xbatch:
    """A handle of the host backend, one thread"""

    def __init__(self, path):
        self.library = c.CDLL(path)
        self.library.xbatchGetLastErrorMessage.restype = c.c_char_p
        self.handle = c.c_void_p()
        self.check(self.library.xbatchCreate(c.byref(self.handle), HOST))
        self.check(self.library.xbatchSetThreadCount(self.handle, 1))

    def check(self, status):
        if status != 0:
            sys.exit(f"xbatch: {self.library.xbatchGetLastErrorMessage(self.handle).decode()}")

    def solver(self, parent, cells, thread):
        """A function that solves the thread's systems in place. parent: of one of the cells, which are interleaved; or
        of all nodes, as one system."""
        n = len(parent)
        offsets, parents = (c.c_int64 * 2)(0, n), (c.c_int32 * n)(*parent)
        plan, size = c.c_void_p(), c.c_size_t()
        self.check(self.library.xhinesCreatePlan(self.handle, c.c_int64(1), offsets, parents, 0, FOREST, c.c_int64(0),
                                                 None, c.byref(plan)))
        shape = (self.handle, INTERLEAVED, OP_N, plan, c.c_int64(1), c.c_int64(cells))
        self.check(self.library.dhinesBatch_bufferSize(*shape, c.byref(size)))
        workspace, ld = (c.c_char * max(size.value, 16))(), c.c_int64(cells)

        def solve():
            self.check(self.library.dhinesBatch(*shape, thread.a, thread.b, ld, thread.d, ld, thread.rhs, ld, None,
                                                workspace, size))
        return solve


class Neuron:
    """NEURON's library and its first thread"""

    def __init__(self):
        from neuron import h, __file__ as package
        self.h = h
        self.library = c.CDLL(str(next(pathlib.Path(package).parent.rglob("libnrniv.so"))))
        self.library._Z9nrn_solveP9NrnThread.argtypes = [c.c_void_p]

    def build(self, trees):
        """Cells of sections with one segment each, section k of a cell connected to section trees[k]"""
        h, self.sections = self.h, []
        for tree in trees:
            cell = []
            for k, parent in enumerate(tree):
                section = h.Section(name=f"s{len(self.sections)}_{k}")
                section.L, section.diam, section.nseg = 20 + k % 7, 1 + k % 3, 1
                section.insert("pas")
                if parent >= 0:
                    section.connect(cell[parent](1))
                cell.append(section)
            self.sections.append(cell)

    def prepare(self, order):
        """Numbers the nodes in an order and forms the matrix and the right-hand side of a step from a random state."""
        h = self.h
        h.ParallelContext().optimize_node_order(order)
        h.finitialize(-65)
        h.dt = 0.025
        for cell in self.sections:
            for section in cell:
                section(0.5).v = -65 + random.uniform(-20, 20)
        h.fcurrent()
        self.address = c.c_void_p.in_dll(self.library, "nrn_threads").value
        thread = c.cast(self.address, c.POINTER(Thread)).contents
        self.n, self.cells = thread.end, thread.ncell
        for name, letter in (("a", "a"), ("b", "b"), ("d", "d"), ("rhs", "rhs")):
            storage = getattr(self.library, f"_ZN9NrnThread{len(letter) + 13}node_{letter}_storageEv")
            storage.argtypes, storage.restype = [c.c_void_p], c.c_void_p
            setattr(self, name, c.c_void_p(storage(self.address)))
        self.parent = [-1] * self.cells + [thread.parent[k] for k in range(self.cells, self.n)]
        self.kept = {name: self.values(name) for name in ("d", "rhs")}

    def values(self, name):
        return list((c.c_double * self.n).from_address(getattr(self, name).value))

    def restore(self):
        """The diagonal and the right-hand side, which NEURON's solver overwrites"""
        for name, values in self.kept.items():
            if not isinstance(values, c.Array):
                self.kept[name] = values = (c.c_double * self.n)(*values)
            c.memmove(getattr(self, name), values, c.sizeof(values))

    def solve(self):
        self.library._Z9nrn_solveP9NrnThread(self.address)


def interleaved_parent(neuron):
    """The parents in one of the cells, if node k of all cells is adjacent to that of the next cell"""
    cells, parent = neuron.cells, neuron.parent
    if neuron.n % cells != 0:
        return None
    one = [-1] + [parent[k * cells] // cells for k in range(1, neuron.n // cells)]
    expected = [-1] * cells + [one[k // cells] * cells + k % cells for k in range(cells, neuron.n)]
    return one if parent == expected else None


def difference(x, expected):
    return max(abs(a - b) for a, b in zip(x, expected)) / max(map(abs, expected))


def compare(neuron, xbatch, order, parent, cells):
    neuron.restore()
    neuron.solve()
    expected = neuron.values("rhs")
    neuron.restore()
    xbatch.solver(parent, cells, neuron)()
    found = difference(neuron.values("rhs"), expected)
    print(f"node order {order}, {neuron.n} nodes, {neuron.cells} cells, "
          f"{'interleaved' if cells > 1 else 'one forest'}: difference {found:.1e}")
    if not found < DIFFERENCE:  # also NaN
        sys.exit("the solutions differ")
    if neuron.values("d") != list(neuron.kept["d"]):
        sys.exit("xhinesBatch has written the diagonal")


def random_tree(n, branching):
    return [-1] + [k - 1 if random.random() > branching else random.randrange(k) for k in range(1, n)]


def bench(neuron, xbatch, sections, cells):
    """The shortest of many calls in turn, and the median of the ratios of the two solvers in each turn"""
    neuron.build([random_tree(sections, 0.1)] * cells)
    neuron.prepare(1)
    parent = interleaved_parent(neuron)
    if not parent:
        sys.exit("node order 1 has not interleaved equal cells")
    solvers = {"NEURON": neuron.solve, "xhinesBatch": xbatch.solver(parent, cells, neuron)}
    times = {name: [] for name in solvers}
    for _ in range(60):
        for name, solve in solvers.items():
            neuron.restore()
            begin = time.perf_counter()
            solve()
            times[name].append(time.perf_counter() - begin)
    ratios = sorted(a / b for a, b in zip(times["NEURON"], times["xhinesBatch"]))
    best = {name: 1e9 * min(all_times) / neuron.n for name, all_times in times.items()}
    print(f"{cells} cells of {neuron.n // cells} nodes, ns a node: NEURON {best['NEURON']:.2f}, "
          f"xhinesBatch {best['xhinesBatch']:.2f}; ratio of the shortest "
          f"{best['NEURON'] / best['xhinesBatch']:.2f}, median of ratios {ratios[len(ratios) // 2]:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--bench", action="store_true")
    parser.add_argument("--cells", type=int, default=512)
    parser.add_argument("--sections", type=int, nargs="*", default=[50, 150, 300, 450, 700])
    options = parser.parse_args()
    try:
        import neuron
    except ImportError:
        print("NEURON is not installed")
        return SKIPPED
    if not neuron.__version__.startswith("9."):
        print(f"NEURON {neuron.__version__} has other arrays than version 9")
        return SKIPPED
    random.seed(1)
    neuron, xbatch = Neuron(), Xbatch(options.library)
    tree = random_tree(60, 0.2)
    for trees in ([tree] * CELLS, [tree] * 5 + [random_tree(n, 0.3) for n in (1, 2, 30, 90)]):
        neuron.build(trees)
        for order in (0, 1, 2):
            neuron.prepare(order)
            compare(neuron, xbatch, order, neuron.parent, 1)
            one = interleaved_parent(neuron)
            if order == 1 and len(set(map(id, trees))) == 1:
                if not one:
                    sys.exit("node order 1 has not interleaved equal cells")
                compare(neuron, xbatch, order, one, neuron.cells)
    if options.bench:
        for sections in options.sections:
            bench(neuron, xbatch, sections, options.cells)
    return 0


if __name__ == "__main__":
    sys.exit(main())
