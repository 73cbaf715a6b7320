# report_qr_sizes.py: QR and least squares of any size in the report: the distribution, comparison with each peer, middle
# sizes, and a plot over n.
# SPDX-License-Identifier: BSD-3-Clause
import math
import re
import statistics

from report_plots import TYPES, fractions_over_n, select, table
from report_sizes import distribution_table
from report_summary import cases, is_own, title

SQUARE = re.compile(r"(\d+) x \1")
MIDDLE = 176  # rows of the least middle size, of which a batch has tens or hundreds
JOBS = {"geqrfBatch": "QR", "gelsBatch": "Least squares"}


def family_of(rows):
    return select(rows, family="qr_sizes")


def is_middle(row):
    return int(row["variant"].split()[0]) >= MIDDLE and row["batch"] < 1000


def shape_of(row):
    return row["variant"].replace(" x ", " × ")


def comparison(rows):
    """A line a routine, type and peer: the number of cases, the worst and where it is, quartile, median and best"""
    groups = {}
    for row in rows:
        if row["peer"] and not is_own(row["peer"]) and not math.isnan(row["speedup"]):
            groups.setdefault((row["routine"], row["type"], row["peer"]), []).append(row)
    lines = []
    for (routine, letter, peer), group in groups.items():
        group.sort(key=lambda row: row["speedup"])
        values = [row["speedup"] for row in group]
        quartile = statistics.quantiles(values, n=4, method="inclusive")[0] if len(values) > 1 else values[0]
        lines.append((f"`{letter}{title(routine)[1:]}`", peer, str(len(group)), f"{values[0]:.2f}", shape_of(group[0]),
                      f"{quartile:.2f}", f"{statistics.median(values):.2f}", f"{values[-1]:.3g}"))
    return lines


def middle_sizes(rows):
    """Times and Tflop/s of ours; of each peer its time, and in brackets how many times as long"""
    peers = list(dict.fromkeys(row["peer"] for row in rows if row["peer"]))
    lines = []
    for group in cases(rows).values():
        row = group[0]
        theirs = {peer["peer"]: f"{peer['peer_ms']:.3g} ({peer['speedup']:.1f})" for peer in group
                  if not math.isnan(peer["speedup"])}
        lines.append((f"`{row['type']}{title(row['routine'])[1:]}`", shape_of(row), f"{row['batch']:.0f}",
                      f"{row['ms']:.3g}", f"{row['gflops'] / 1e3:.1f}", *(theirs.get(peer, "") for peer in peers)))
    return table(("routine", "matrices", "number", "ms", "Tflop/s", *peers), lines)


def qr_sizes_section(rows):
    rows = family_of(rows)
    if not rows:
        return []
    small = [row for row in rows if not is_middle(row)]
    page = ["## QR and least squares of any size", ""] + distribution_table(small, "qr_sizes")
    lines = comparison(small)
    if lines:
        page += ["Times as fast as each peer, over the sizes that were measured with it:", ""]
        page += table(("routine", "peer", "sizes", "worst", "at", "lower quartile", "median", "best"), lines) + [""]
    middle = [row for row in rows if is_middle(row)]
    if middle:
        page += ["Matrices of middle size. Peers: milliseconds, and in brackets how many times as long:", ""]
        page += middle_sizes(middle) + [""]
    return page


def draw_qr_sizes(book, rows):
    """The fraction of the copy bandwidth over n of flat square matrices, a panel a job and type."""
    shown = [row for row in select(family_of(rows), layout="flat") if SQUARE.fullmatch(row["variant"])
             and row["routine"] in JOBS and row["type"] in "sd" and not is_middle(row)]
    groups = {f"{words}, {TYPES[letter]}": found for routine, words in JOBS.items() for letter in "ds"
              if (found := select(shown, routine=routine, type=letter))}
    if not groups:
        return
    values = [group[0]["of_copy"] for group in cases(shown).values()]
    fractions_over_n(book, groups, lambda _: (8.0, 16.0, 32.0, 64.0, 128.0), "n, order of a matrix", 1.1, "qr_sizes",
                     "Batched QR and least squares of any order, fraction of the copy bandwidth, median "
                     f"{statistics.median(values):.2f}, worst {min(values):.2f}")
