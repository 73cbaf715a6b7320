# report_routines.py: the plots of tridiagonal systems, recurrences, factorisations and changes of layout.
# SPDX-License-Identifier: BSD-3-Clause
import math
import re

from report_plots import (LAYOUTS, OURS, TYPES, bar_panels, copy_rate, prefixed, rate_unit, rates_over_n, select,
                          series_of, size, times_over_n, times_range)
from report_summary import compared, library, listed

SPECIAL = re.compile("shared|constant|slow|BS=(16|64)")  # variants without a comparison


def batches(rows):
    return [row for row in rows if row["batch"] > 1]


def singles(rows):
    return [row for row in rows if row["batch"] == 1]


def plain(rows):
    """Double, one right-hand side, a matrix a system, blocks of 32: the rows that plots over n compare."""
    return [row for row in select(rows, type="d", nrhs=1.0) if not SPECIAL.search(row["variant"])]


def by_layout(rows):
    return {title: select(rows, layout=layout) for layout, title in LAYOUTS.items()}


def rates(rows):
    factor, unit = rate_unit(rows)
    values = [row["rate"] / factor for row in rows]
    return f"{min(values):.2g}–{max(values):.2g} {unit}; a plain copy reaches {copy_rate(rows) / factor:.3g}"


def compared_text(rows, what):
    """A sentence on how much faster than the fastest peers `what` is."""
    found = compared(rows)
    names = list(dict.fromkeys(library(row["peer"]) for row in found))
    if not found:
        return what
    return f"{what}: {times_range([row['speedup'] for row in found])} times as fast as {listed(names)}"


# ---- tridiagonal systems -------------------------------------------------------------------------------------------

def draw_tridiagonal(book, rows):
    gtsv = plain(select(rows, family="tridiagonal"))
    shown = [row for row in batches(gtsv) if row["routine"] != "gtsvPeriodicBatch"]
    draw_tridiagonal_speedups(book, shown)
    if shown:
        rates_over_n(book, by_layout(shown), "gtsv_batch", f"Tridiagonal batches in double run at {rates(shown)}")
    alone = [row for row in singles(gtsv) if row["routine"] != "gtsvPeriodicBatch"]
    times_over_n(book, alone, "gtsv_single", compared_text(alone, "One tridiagonal system, double"))
    draw_types(book, batches(select(rows, family="tridiagonal", routine="gtsvPscheme")))
    draw_periodic(book, batches(gtsv))


def draw_tridiagonal_speedups(book, rows):
    """With pivoting next to without, times as fast as the library."""
    kinds = {"gtsvPscheme": "xgtsvPscheme, no pivoting", "gtsvBatch": "xgtsvBatch, pivoting"}
    found = [row for row in compared(rows) if row["routine"] in kinds]
    if not found:
        return
    panels = {}
    for title, group in by_layout(found).items():
        groups = {}
        for row in sorted(group, key=lambda row: row["n"]):
            groups.setdefault(size(row["n"]), {})[kinds[row["routine"]]] = row["speedup"]
        panels[title] = (groups, "n, rows of a system")
    names = listed(list(dict.fromkeys(library(row["peer"]) for row in found)))
    parts = [f"{times_range([row['speedup'] for row in mine])} times {words}" for routine, words in
             (("gtsvPscheme", f"as fast as {names} without pivoting"), ("gtsvBatch", "with pivoting"))
             if (mine := select(found, routine=routine))]
    bar_panels(book, panels, {label: OURS[routine] for routine, label in kinds.items()}, "gtsv_speedup",
               f"Tridiagonal batches in double: {', '.join(parts)}", "times as fast", line=1,
               remark="Each bar is relative to the fastest library routine measured for its layout, pivoting or not.")


def draw_types(book, rows):
    """Element types side by side, where all were measured."""
    rows = [row for row in rows if not row["variant"] and row["nrhs"] == 1]
    panels, shown = {}, []
    factor, unit = rate_unit(rows)
    for title, group in by_layout(rows).items():
        values = {(row["n"], row["type"]): row for row in group}
        sizes = sorted({n for n, _ in values if all((n, letter) in values for letter in TYPES)})
        shown += [values[n, letter] for n in sizes for letter in TYPES]
        panels[title] = ({size(n): {TYPES[letter]: values[n, letter]["rate"] / factor for letter in TYPES}
                          for n in sizes}, "n, rows of a system")
    if shown:
        colors = dict(zip(TYPES.values(), ("#56B4E9", "#0072B2", "#F0C000", "#D55E00")))
        bar_panels(book, panels, colors, "gtsv_types", f"xgtsvPscheme in the four element types runs at {rates(shown)}",
                   f"{unit} read and written", line=copy_rate(shown) / factor, remark="The line is a plain copy.")


def draw_periodic(book, rows):
    """Periodic systems next to ordinary ones of the same size."""
    shown = ("gtsvPeriodicBatch", "gtsvBatch", "gtsvPscheme")
    periodic = select(rows, routine=shown[0])
    groups = {}
    for layout, title in LAYOUTS.items():
        sizes = {row["n"] for row in select(periodic, layout=layout)}
        if len(sizes) > 1:
            groups[title] = [dict(row, peer="", peer_rate=math.nan) for row in select(rows, layout=layout)
                             if row["n"] in sizes and row["routine"] in shown]
    if groups:
        rates_over_n(book, groups, "periodic", f"Periodic tridiagonal systems, with pivoting, run at {rates(periodic)}",
                     remark="No peer was measured: the other lines are xbatch's routines for systems that are not "
                     "periodic.")


def draw_vbatch(book, rows):
    """Systems of different lengths in one call."""
    rows = select(rows, family="vbatch", type="d")
    if rows:
        groups, colors = series_of(rows, lambda row: row["variant"].removeprefix("n=").replace("...", "–") + (
            f",\n{row['nrhs']:.0f} right-hand sides" if row["nrhs"] > 1 else ""), lambda _: "xgtsvVBatch",
            lambda row, ms: row["batch"] / ms * 1e3)
        bar_panels(book, {"": (groups, "lengths n of the systems of a batch")}, colors, "vbatch",
                   compared_text(rows, "Tridiagonal systems of different lengths, with pivoting"),
                   "systems a second", log=True, texts=prefixed, height=2.8)


# ---- the others ----------------------------------------------------------------------------------------------------

def draw_others(book, rows):
    folr = plain(select(rows, family="recurrence"))
    if folr:
        groups = {"One sequence": singles(folr)}
        groups.update({f"{title} batch": batches(group) for title, group in by_layout(folr).items()})
        rates_over_n(book, groups, "folr", compared_text(folr, "First-order recurrences, double"),
                     "n, elements of a sequence")
    moves = [row for row in select(rows, family="rearrange", type="d") if "lock" not in row["layout"] + row["variant"]]
    if moves:
        groups = {}
        for row in moves:
            groups.setdefault(f"{LAYOUTS[row['layout']]} {row['variant']}", []).append(row)
        rates_over_n(book, groups, "rearrange", compared_text(moves, "Changing the layout"))
    factored = [row for row in plain(select(rows, family="factored")) if "op=T" not in row["variant"]
                and row["routine"] != "gtconBatch" and row["layout"] != "block"]
    if factored:
        order = ("ptsvBatch", "gttrsBatch", "pttrsBatch", "gttrfBatch", "pttrfBatch")
        factored.sort(key=lambda row: order.index(row["routine"]))
        solved = [row for row in factored if row["routine"] in order[:3]]
        rates_over_n(book, by_layout(factored), "factored", compared_text(solved, "Solving with factors, and positive "
                     "definite systems, double"), remark="The peer eliminates in every call.")


def draw_routines(book, rows):
    draw_tridiagonal(book, rows)
    draw_vbatch(book, rows)
    draw_others(book, rows)
