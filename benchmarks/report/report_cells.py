# report_cells.py: Hines systems of many cells in the report: the distribution over cells, few copies, and a plot.
# SPDX-License-Identifier: BSD-3-Clause
import math
import statistics

from report_plots import COLORS, LAYOUTS, MARKERS, PEERS, legend, line_at_one, select, table
from report_summary import cases

FEW = 1000  # copies of small cells, below which time is shown and not the fraction of the copy bandwidth
LARGE = 3000  # nodes of a cell, above which there are about 1000 copies
OUR_NAME = "xhinesBatch"


def family_of(rows):
    return select(rows, family="hines_cells")


def is_few(row):
    return row["batch"] < FEW


def groups_of(rows):
    """{(cells, layout, copies): rows of xbatch and of peers}"""
    groups = {}
    for row in rows:
        cells = f"n > {LARGE}" if row["n"] > LARGE else f"n ≤ {LARGE}"
        groups.setdefault((cells, row["layout"], row["batch"]), []).append(row)
    return groups


def of_solvers(rows, ours, theirs):
    """{solver: [(value, row)]}: xbatch by the column `ours`, each peer by `theirs`, a cell once; without rows no solver"""
    found = {}
    for group in cases(rows).values():
        found.setdefault(OUR_NAME, []).append((group[0][ours], group[0]))
    for row in rows:
        if row["peer"] and not math.isnan(row[theirs]):
            found.setdefault(row["peer"], []).append((row[theirs], row))
    return found


def distribution(rows):
    lines = []
    for (cells, layout, copies), group in groups_of([row for row in rows if not is_few(row)]).items():
        for name, values in of_solvers(group, "of_copy", "peer_of_copy").items():
            values.sort(key=lambda pair: pair[0])
            numbers = [value for value, _ in values]
            quartile = statistics.quantiles(numbers, n=4, method="inclusive")[0] if len(numbers) > 1 else numbers[0]
            worst = values[0][1]
            lines.append((cells, layout, f"{copies:.0f}", name, str(len(values)), f"{numbers[0]:.2f}",
                          f"{worst['variant']}, n = {worst['n']:.0f}", f"{quartile:.2f}",
                          f"{statistics.median(numbers):.2f}", f"{numbers[-1]:.2f}"))
    return lines


def few_copies(rows):
    """Microseconds: median and worst of the cells up to a number of nodes"""
    lines = []
    for (_, layout, copies), group in groups_of([row for row in rows if is_few(row)]).items():
        for most in (1000, LARGE):
            small = [row for row in group if row["n"] <= most]
            for name, values in of_solvers(small, "ms", "peer_ms").items():
                us = [value * 1e3 for value, _ in values]
                lines.append((f"n ≤ {most}", layout, f"{copies:.0f}", name, f"{statistics.median(us):.1f}",
                              f"{max(us):.1f}"))
    return lines


def cells_section(rows):
    rows = family_of(rows)
    if not rows:
        return []
    page = ["## Hines systems of many cells", "",
            "The fraction of the copy bandwidth at 40 bytes a node over the cells of a folder: what to expect for a cell",
            "that is not in the list is the median, at least the worst. *Branches in parallel* is a kernel in the manner",
            "of simulators' permutations of cells: a block a group of cells, a thread an unbranched section, level by",
            "level, on arrays in its own order.", ""]
    page += table(("cells", "layout", "copies", "solver", "cells", "worst", "at", "lower quartile", "median", "best"),
                  distribution(rows)) + [""]
    lines = few_copies(rows)
    if lines:
        page += ["Few copies, microseconds of a call:", ""]
        page += table(("cells", "layout", "copies", "solver", "median", "worst"), lines) + [""]
    return page


def draw_cells(book, rows):
    """The fraction of the copy bandwidth over the nodes of a cell, a panel a layout; the largest number of copies."""
    rows = [row for row in family_of(rows) if not is_few(row)]
    panels = {}
    for (_, layout, copies), group in groups_of(rows).items():
        panels.setdefault(layout, {}).setdefault(group[0]["n"] > LARGE, {})[copies] = group
    if not panels:
        return
    figure, axes = book.panels(len(panels), height=3.2)
    ours = []
    for axis, (layout, parts) in zip(axes, panels.items()):
        shown = [row for part in parts.values() for row in part[max(part)]]
        solvers = of_solvers(shown, "of_copy", "peer_of_copy")
        ours += [value for value, _ in solvers[OUR_NAME]]
        for k, (name, values) in enumerate(solvers.items()):
            look = ({"color": COLORS[0], "marker": "o"} if name == OUR_NAME else
                    {"color": PEERS[k - 1], "marker": MARKERS[k - 1], "markerfacecolor": "white"})
            axis.plot([row["n"] for _, row in values], [value for value, _ in values], linestyle="", markersize=4.5,
                      label=name, zorder=4 if name == OUR_NAME else 3, **look)
        axis.set_xscale("log")
        axis.set_title(LAYOUTS[layout])
        axis.set_xlabel("n, nodes of a cell")
        line_at_one(axis)
    axes[0].set_ylabel("× copy bandwidth")
    axes[0].set_ylim(0, max(1.1, 1.05 * max(ours)))
    legend(figure, axes)
    book.save(figure, "hines_cells", f"Hines systems of {len(ours) // len(panels)} cells in double, "
              f"fraction of the copy bandwidth, median {statistics.median(ours):.2f}, worst {min(ours):.2f}",
              "The line at 1 is a plain copy.")
