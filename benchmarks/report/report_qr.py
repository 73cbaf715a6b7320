# report_qr.py: QR in the report: batches, least squares, tiled QR, graphs of tasks, and the tiled paper's experiments.
# SPDX-License-Identifier: BSD-3-Clause
import math
import re

from report_plots import (COLORS, DASHES, LAYOUTS, MARKERS, PEERS, bar_panels, legend, prefixed, select, series_of,
                          table, times)
from report_summary import EMPTY_TASKS, compared
from report_routines import compared_text

VARIANT = re.compile(r"(\d+) x (\d+)(?:, tiles of (\d+))?")
TILES = {32: "#56B4E9", 64: "#0072B2", 128: "#009E73", 0: "#D55E00"}  # by size; 0: the defaults


def shape(row):
    text = row["variant"].replace("...", "–").replace(" x ", " × ")
    return text.replace("1000000", "$10^6$") + (f",\n{row['nrhs']:.0f} r.h.s." if row["nrhs"] > 1 else "")


def routine_and_layout(row):
    return f"x{row['routine']}" + (f", {LAYOUTS[row['layout']].lower()}" if row["layout"] in LAYOUTS else "")


def draw_rates(book, rows, name, what, remark=""):
    """Matrices a second of batches, a group of bars a shape."""
    if rows:
        groups, colors = series_of(rows, shape, routine_and_layout, lambda row, ms: row["batch"] / ms * 1e3)
        bar_panels(book, {"": (groups, "rows × columns of a matrix")}, colors, name, compared_text(rows, what),
                   "matrices a second", log=True, height=3.1, remark=remark)


def draw_qr_batch(book, rows):
    doubles = select(rows, family="qr_batch", type="d")
    geqrf = select(doubles, routine="geqrfBatch")
    large = [row for row in geqrf if row["batch"] < 10]
    full = {shape(row): row["batch"] for row in geqrf}  # of several numbers of matrices the largest, which comes first
    for row in geqrf:
        full[shape(row)] = max(full[shape(row)], row["batch"])
    many = [row for row in geqrf if row["batch"] == full[shape(row)] and row not in large]
    draw_rates(book, many, "geqrf", "QR of many matrices, double",
               "The loop and the streams call cuSOLVER for one matrix at a time; cuBLAS takes flat batches only.")
    if large:
        groups, colors = series_of(large, shape, routine_and_layout, lambda _, ms: ms)
        bar_panels(book, {"": (groups, "rows × columns")}, colors, "geqrf_one",
                   compared_text(large, "xgeqrfBatch for one large matrix, double"), "time, ms (lower is better)",
                   log=True, height=3.1)
    draw_qr_types(book, [row for row in select(rows, family="qr_batch", routine="geqrfBatch", layout="flat")
                         if row["batch"] >= 10])
    draw_rates(book, select(doubles, routine="gelsBatch"), "gels", "Least squares for many matrices, double",
               "“geqrf, unmqr, cuBLAS trsmBatched” calls xbatch's QR and applies Q before the triangular solution; the "
               "title compares with cuBLAS alone.")
    draw_rates(book, select(doubles, routine="geqrfVBatch") + select(doubles, routine="gelsVBatch"), "qr_vbatch",
               "QR and least squares by arrays of pointers, double",
               "Sizes with a dash are mixed in one batch; cuBLAS, which has no mixed batches, factorises as many "
               "matrices of the largest size.")


def draw_qr_types(book, rows):
    """Times as fast as cuBLAS, where all element types were measured."""
    found = {(shape(row), row["type"]): row for row in compared(rows) if row["batch"] > 1000}
    names = {"s": "float", "d": "double", "c": "complex float", "z": "complex double"}
    shapes = [x for x in dict.fromkeys(text for text, _ in found) if all((x, letter) in found for letter in names)]
    groups = {x: {names[letter]: found[x, letter]["speedup"] for letter in names} for x in shapes}
    if groups:
        colors = dict(zip(names.values(), ("#56B4E9", "#0072B2", "#F0C000", "#D55E00")))
        bar_panels(book, {"": (groups, "rows × columns of a matrix")}, colors, "geqrf_types",
                   compared_text([found[x, letter] for x in shapes for letter in names],
                                 "QR of many matrices in the four element types"), "times as fast", line=1,
                   texts=times, height=2.8)


# ---- tiled QR and graphs of tasks ----------------------------------------------------------------------------------

def draw_tiled(book, rows):
    """Tiled QR and least squares, times as fast as cuSOLVER; values below 1 are slower."""
    found = [row for row in compared(select(rows, family="qr", type="d"))
             if row["routine"] in ("geqrtTiled", "gelsTiled")]
    groups = {}
    for row in found:
        groups.setdefault(shape(row), {})[f"x{row['routine']}"] = row["speedup"]
    if groups:
        bar_panels(book, {"": (groups, "rows × columns")}, dict(zip(("xgeqrtTiled", "xgelsTiled"), COLORS)), "qr_tiled",
                   compared_text(found, "QR and least squares of one matrix by tiles, double"),
                   "times as fast", log=True, line=1, texts=times, height=3.1)


def draw_task_graph(book, rows):
    rows = select(rows, family="task_graph")
    short = {"three random ones before each": "three random\npredecessors", "tasks that do not wait": "independent"}
    empty = [row for row in rows if row["routine"] in EMPTY_TASKS]
    if empty:
        groups, colors = series_of(empty, lambda row: short.get(row["variant"], row["variant"]), lambda _: "xbatch",
                                   lambda row, ms: ms / row["n"] * 1e6)
        bar_panels(book, {"": (groups, f"graph of {empty[0]['n']:.0f} empty tasks")}, colors, "task_graph",
                   compared_text(empty, "Graphs of empty tasks"), "ns a task (lower is better)", log=True,
                   texts=prefixed, height=2.9)
    cholesky = select(rows, routine="TaskGraphRunTiles")
    if cholesky:
        groups, colors = series_of(cholesky, lambda row: f"{row['n']:.0f}", lambda _: "xbatchTaskGraphRunTiles",
                                   lambda _, ms: ms)
        bar_panels(book, {"": (groups, "order of the matrix")}, colors, "cholesky",
                   compared_text(cholesky, "Cholesky as an example of a graph of tile operations"),
                   "time, ms (lower is better)", log=True, texts=prefixed, height=2.7)


# ---- the paper -----------------------------------------------------------------------------------------------------

def experiments(rows):
    """{(m, n): {tile: {who: ms}}}, tile 0 for the defaults; ours is called after its backend."""
    found = {}
    for row in select(rows, family="paper_qr"):
        m, n, tile = (int(x or 0) for x in VARIANT.fullmatch(row["variant"]).groups())
        entry = found.setdefault((m, n), {}).setdefault(tile, {})
        entry["the GPU" if row["backend"] == "cuda" else "all threads of the host"] = row["ms"]
        if not math.isnan(row["peer_ms"]):
            entry[row["peer"]] = row["peer_ms"]
    return found


def makers(found):
    """Who was timed, in the order of the file."""
    return list(dict.fromkeys(who for tiles in found.values() for entry in tiles.values() for who in entry))


def draw_qr_paper(book, rows):
    """A panel for each runner of the tasks: its times over the number of columns, a line a tile; and the peers."""
    found = experiments(rows)
    if not found:
        return
    runners = [who for who in makers(found) if "geqrf" not in who]
    figure, axes = book.panels(len(runners))
    columns = sorted(n for _, n in found)
    by_columns = {n: tiles for (_, n), tiles in found.items()}
    for axis, runner in zip(axes, runners):
        for tile, color in TILES.items():
            points = [(n, by_columns[n][tile][runner]) for n in columns if runner in by_columns[n].get(tile, {})]
            if points:
                label = f"xgeqrtTiled, tiles of {tile}" if tile else "xgeqrtTiled, default tiles"
                axis.plot(*zip(*points), color=color, marker="o", markersize=5, label=label)
        for k, who in enumerate(x for x in makers(found) if "geqrf" in x):
            points = [(n, by_columns[n][0][who]) for n in columns if who in by_columns[n].get(0, {})]
            if points:
                axis.plot(*zip(*points), color=PEERS[k], marker=MARKERS[k], markersize=5, linestyle=DASHES[k],
                          label=who)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_xticks(columns, [str(n) for n in columns])
        axis.minorticks_off()
        axis.set_xlabel("columns; rows are 2^20 / columns")
        axis.set_title(f"xgeqrtTiled on {runner}")
    for axis in axes[::2]:
        axis.set_ylabel("time, ms")
    legend(figure, axes)
    defaults = [row for row in select(rows, family="paper_qr") if "tiles" not in row["variant"]]
    book.save(figure, "paper_qr",
              compared_text(defaults, "Tiled QR of 2^20 entries, square to tall, with default tiles"),
              "Solid lines are xbatch, broken ones libraries, the same in every panel.", paper=True)


def qr_paper_section(rows):
    found = experiments(rows)
    if not found:
        return []
    names = makers(found)
    lines = [(f"{m} x {n}", str(tile) if tile else "defaults", *(f"{entry[who]:.4g}" if who in entry else ""
                                                               for who in names))
             for (m, n), tiles in found.items() for tile, entry in tiles.items()]
    return ["### The paper on tiled QR by tasks", "",
            "Matrices of 2^20 entries from square to tall and skinny, in a flat tree of square tiles or with the defaults",
            "of the backend that runs them; milliseconds, double.", ""] + table(("matrix", "tiles", *names), lines) + [""]


def draw_qr(book, rows):
    draw_qr_batch(book, rows)
    draw_tiled(book, rows)
    draw_task_graph(book, rows)
