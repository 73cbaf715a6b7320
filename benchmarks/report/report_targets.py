# report_targets.py: the project's targets, targets.csv, and which rows reach them.
# SPDX-License-Identifier: BSD-3-Clause
"""A target holds for the rows that its fields select. family, routine, type, backend, layout and peer are names, of
which | separates several; an empty field selects all. variant is a regular expression of the whole variant; where it is
empty, variants without a comparison are left out. shape: one system (single), many (batch) or either (any), with one
right-hand side; with more of them (several). batch: a number of systems or a range, first...last, of which either end
may be missing. at_least or at_most bound the worst value of the column; median is the least median."""
import csv
import math
import pathlib
import re
import statistics

from report_plots import size, table
from report_routines import SPECIAL
from report_summary import cases

FIELDS = ("family", "routine", "type", "backend", "layout", "peer")


def read_targets():
    with open(pathlib.Path(__file__).parent / "targets.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def has_shape(row, target):
    shape = target["shape"]
    if (row["nrhs"] > 1) != (shape == "several") or (shape == "single" and row["batch"] > 1) or (
            shape == "batch" and row["batch"] == 1):
        return False
    first, dots, last = target["batch"].partition("...")
    return float(first or 0) <= row["batch"] <= float((last if dots else first) or math.inf)


def matches(row, target):
    if any(target[name] and row[name] not in target[name].split("|") for name in FIELDS):
        return False
    if not has_shape(row, target):
        return False
    if target["variant"] and not re.fullmatch(target["variant"], row["variant"]):
        return False
    if not target["variant"] and SPECIAL.search(row["variant"]):
        return False
    return float(target["n_min"] or 0) <= row["n"] <= float(target["n_max"] or math.inf)


def selected(rows, target):
    """A row for each case that the target holds for, the best first."""
    found = [row for row in rows if matches(row, target) and not math.isnan(row[target["column"]])]
    found = [group[0] for group in cases(found).values()]
    return sorted(found, key=lambda row: row[target["column"]], reverse=not target["at_most"])


def judged(rows):
    """(goal, bound, value, its row, whether it is reached) for each bound of the targets that have rows."""
    for target in read_targets():
        column, at_most = target["column"], target["at_most"]
        found = selected(rows, target)
        if not found:
            continue
        worst, bound = found[-1], float(at_most or target["at_least"])
        reached = worst[column] <= bound if at_most else worst[column] >= bound
        yield target["goal"], f"{'≤' if at_most else '≥'} {bound:g} {unit(column)}", worst[column], worst, reached
        if target["median"]:
            value, bound = statistics.median(row[column] for row in found), float(target["median"])
            yield (f"{target['goal']}, median", f"≥ {bound:g} {unit(column)}", value, found[len(found) // 2],
                   value >= bound)


def unit(column):
    return {"of_copy": "× copy bandwidth", "of_layouts": "of the other layouts", "us": "µs"}.get(column, "times")


def print_targets(rows):
    print(f"{'goal':64} {'target':>27} {'worst':>8}  at")
    for goal, wanted, worst, row, reached in judged(rows):
        where = f"n={row['n']:.0f} {row['layout']} {row['variant']}".strip()
        print(f"{goal:64} {wanted:>27} {worst:8.3f}  {where}: {'reached' if reached else 'not reached'}")


def targets_section(rows):
    lines = []
    for goal, wanted, worst, row, reached in judged(rows):
        where = ", ".join(x for x in (f"n = {size(row['n'])}", row["layout"], row["variant"]) if x)
        lines.append((goal, wanted, f"{worst:.3g}", where, "yes" if reached else "no"))
    if not lines:
        return []
    reached = sum(line[-1] == "yes" for line in lines)
    return ["## Targets of the project", "",
            "What the developers aim at, relative to the copy bandwidth or to a peer: "
            f"{reached} of {len(lines)} are reached.",
            "Measured is the worst of the cases of a target, or the median where the goal says so.", ""] + table(
                ("goal", "target", "measured", "at", "reached"), lines) + [""]
