# report_summary.py: the report's first section, speed-ups over the fastest peer of each case; the README's picture.
# SPDX-License-Identifier: BSD-3-Clause
import math
import re
import statistics
import textwrap
from collections import defaultdict

from report_plots import COLORS, WIDTH, power_of_two, prefixed, rate_unit, table, times, times_range, write_png

CASE = ("family", "routine", "type", "backend", "layout", "n", "nrhs", "batch", "variant", "device", "commit")
LIBRARIES = {"cuSPARSE": "cuSPARSE", "cuBLAS": "cuBLAS", "cuSOLVER": "cuSOLVER",
             "cuSolverDx": "cuSolverDx", "LAPACK": "LAPACK", "CUB": "CUB",
             "CUDA": "CUDA graphs"}  # by the first word of a peer
# Peers made of xbatch's own routines; others begin with its name.
OWN_ROUTINE = "xbatch "
OWN = ("XBATCH_HINES_THREAD", "XBATCH_HINES_FROM_TIPS", "solving anew", "the factorisation",
       "geqrf, unmqr, cuBLAS trsmBatched", "xgtsvBatch, a matrix each", "xgtsvPscheme, a matrix each")
EMPTY_TASKS = ("run_tasks", "TaskGraphRun")  # bodies in CUDA and in C
FEW = re.compile("direct call|graph replay")  # variants of few systems, where latency decides
MANY = 1000  # right-hand sides
VARIANTS = ("gtsvOddEven", "gtsvThomas")  # algorithms that are there for comparison
WHERE = {"flat": "flat batch", "interleaved": "interleaved batch", "block": "interleaved batch",
         "pointers": "batch of pointers"}
ROUTINES = {
    "gtsvPscheme": "tridiagonal, no pivoting", "gtsvBatch": "tridiagonal, pivoting",
    "gtsvOddEven": "tridiagonal, odd-even reduction", "gtsvThomas": "tridiagonal, Thomas' algorithm",
    "gtsvPeriodicBatch": "periodic tridiagonal", "gtsvVBatch": "tridiagonal, mixed lengths",
    "gtsvShiftedBatch": "tridiagonal, shifted", "gtsvShiftedPeriodicBatch": "periodic tridiagonal, shifted",
    "gttrfBatch": "LU factors", "gttrsBatch": "solution with LU factors", "gtconBatch": "condition number",
    "ptsvBatch": "positive definite", "pttrfBatch": "L D L^H factors", "pttrsBatch": "solution with L D L^H factors",
    "folrPscheme": "first-order recurrence", "rearrange": "change of layout", "hinesBatch": "trees",
    "geqrtTiled": "tiled QR", "gemqrtTiled": "Q applied", "ungqrtTiled": "Q formed", "gelsTiled": "least squares",
    "geqrfBatch": "batched QR", "unmqrBatch": "Q applied", "ungqrBatch": "Q formed", "gelsBatch": "least squares",
    "geqrfVBatch": "QR, mixed sizes", "gelsVBatch": "least squares, mixed sizes",
    "run_tasks": "empty tasks", "TaskGraphRun": "empty tasks", "TaskGraphRunTiles": "Cholesky by tasks"}
# Families of which a reader expects every routine in a report.
EXPECTED = {"tridiagonal": ("gtsvPscheme", "gtsvBatch", "gtsvPeriodicBatch"),
            "qr_batch": ("geqrfBatch", "unmqrBatch", "ungqrBatch", "gelsBatch", "geqrfVBatch", "unmqrVBatch",
                         "ungqrVBatch", "gelsVBatch")}


def cases(rows):
    """Rows of one case together: {case: rows}, in the order of the file."""
    groups = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in CASE)].append(row)
    return groups


def is_own(peer):
    return peer in OWN or peer.startswith(OWN_ROUTINE)


def compared(rows):
    """A row for each case that has a peer: that of its fastest peer, of a vendor's library if there is one."""
    found = []
    for group in cases(rows).values():
        timed = [row for row in group if not is_own(row["peer"]) and not math.isnan(row["speedup"])]
        libraries = [row for row in timed if library(row["peer"]) in LIBRARIES.values()]
        if timed:
            found.append(min(libraries or timed, key=lambda row: row["speedup"]))
    return found


def library(peer):
    return LIBRARIES.get(peer.split()[0], re.sub(r" \(.*\)$", "", peer)) if peer else ""


def title(routine):
    """As a caller knows it."""
    if routine == "run_tasks":
        return "task graph"
    return f"xbatch{routine}" if routine.startswith("Task") else f"x{routine}"


def job(row):
    one = {"qr": "one matrix", "qr_batch": "one matrix", "qr_sizes": "one matrix", "task_graph": row["variant"]}.get(row["family"], "one system")
    return row["routine"], one if row["batch"] == 1 else WHERE.get(row["layout"], row["layout"])


def jobs(rows):
    """{(routine, where): rows} without the papers' experiments, few systems, and one matrix for all systems or very
    many right-hand sides, which libraries solve column by column."""
    groups = defaultdict(list)
    order = list(ROUTINES)
    for row in sorted(rows, key=lambda row: order.index(row["routine"]) if row["routine"] in order else len(order)):
        is_one = "shared matrix" in row["variant"] or (row["batch"] == 1 and row["nrhs"] > MANY)
        if not (row["family"].startswith("paper") or is_one or FEW.search(row["variant"])):
            groups[job(row)].append(row)
    return groups


def rivals(rows):
    """Of the jobs those that have peers: {(routine, where): a row a case}"""
    found = {key: compared(group) for key, group in jobs(rows).items() if key[0] not in VARIANTS}
    return {key: group for key, group in found.items() if group}


def is_round(row):
    """Whether all sizes of a case are powers of two."""
    sizes = re.findall(r"\d+", row["variant"]) if row["family"].startswith("qr") else []
    return all(power_of_two(float(n)) for n in sizes or [row["n"]])


# ---- the table -----------------------------------------------------------------------------------------------------

def three(values, form):
    """Worst, median, best; the one value if there is one."""
    values = sorted(values)
    if not values:
        return ""
    if len(values) == 1:
        return form(values[0])
    return f"{form(values[0])}, {form(statistics.median(values))}, {form(values[-1])}"


def speed(rows):
    """Worst, median and best of what a job's speed is usually measured by."""
    if rows[0]["routine"] in EMPTY_TASKS:
        return three([row["n"] / row["ms"] * 1e3 for row in rows], prefixed) + " tasks/s"
    if rows[0]["family"].startswith("qr") or rows[0]["family"] == "task_graph":
        return three([row["gflops"] for row in rows], lambda x: f"{x:.3g}" if x < 100 else f"{x:.0f}") + " Gflop/s"
    factor, unit = rate_unit(rows)
    return three([row["rate"] / factor for row in rows], lambda x: f"{x:.3g}") + f" {unit}"


def systems(rows):
    if rows[0]["batch"] == 1:
        return ""
    return three([row["batch"] / row["ms"] * 1e3 for row in rows], prefixed)


def summary_section(rows):
    lines = []
    for (routine, where), group in rivals(rows).items():
        names = ", ".join(dict.fromkeys(library(row["peer"]) for row in group))
        lines.append((f"`{title(routine)}`, {ROUTINES.get(routine, routine)}, {where}", str(len(group)), speed(group),
                      systems(group), three([row["speedup"] for row in group], times), names))
    return table(("job", "cases", "speed", "systems a second", "times as fast", "as"), lines) + [
        "", "Three values are the worst, the median and the best of all measured cases that have a peer: sizes,",
        "element types, numbers of right-hand sides; *interleaved* includes block-interleaved. Each case is compared",
        "with the fastest library routine that was measured for it, pivoting or not; where no library has one, with",
        "the fastest other peer. One matrix for all tridiagonal systems or right-hand sides is left out: libraries treat",
        "it as one system with very many right-hand sides. So are calls for few systems, where latency decides.", ""]


def absent_section(rows):
    """What a reader might look for and this run does not have."""
    lines, measured = [], {row["routine"] for row in rows}
    for family, routines in EXPECTED.items():
        missing = [f"`x{name}`" for name in routines if name not in measured]
        if missing and any(row["family"] == family for row in rows):
            lines.append(f"- Not measured in this run: {', '.join(missing)}.")
    alone = dict.fromkeys(routine for routine, _ in jobs(rows))
    for routine, _ in ((key, group) for key, group in jobs(rows).items() if compared(group)):
        alone.pop(routine[0], None)
    if alone:
        lines.append("- Without a peer in this run: " + ", ".join(f"`{title(routine)}`" for routine in alone) + ".")
    if not any(row["ms_min"] > 0 for row in rows):
        lines.append("- No spread: this CSV has medians only. Later ones have `ms_min` and `ms_max`.")
    return lines


# ---- the plot ------------------------------------------------------------------------------------------------------

def strip(axis, groups, log):
    """A line a job {label: (rows, colour)}: a bar to the median, a dot a case, the range in words."""
    top = max(row["speedup"] for rows, _ in groups.values() for row in rows)
    for place, (rows, color) in enumerate(groups.values()):
        values = [row["speedup"] for row in rows]
        axis.barh(place, statistics.median(values), 0.62, color=color, alpha=0.35, zorder=1)
        for is_filled in (True, False):
            points = [row["speedup"] for row in rows if is_round(row) == is_filled]
            axis.plot(points, [place] * len(points), linestyle="", marker="o", markersize=4.5, color=color,
                      markerfacecolor=color if is_filled else "white", zorder=2)
        text = f" {times(statistics.median(values))}" + (f"  ({times_range(values)})" if len(values) > 1 else "")
        axis.annotate(text, (max(values), place), (4, 0), textcoords="offset points", va="center", fontsize=9.5,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}, zorder=5)
    axis.set_yticks(range(len(groups)), list(groups), fontsize=9.5)
    axis.set_ylim(len(groups) - 0.4, -0.6)
    axis.axvline(1, color="black", linewidth=1.2, zorder=3)
    axis.grid(False, axis="y")
    if log:
        axis.set_xscale("log")
        axis.set_xlim(None, top * 6)
        axis.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    else:
        axis.set_xlim(0, top * 1.25)


def draw_summary(book, rows):
    """Every job that has a peer."""
    groups, colors = {}, {}
    for (routine, where), found in rivals(rows).items():
        color = colors.setdefault(routine, COLORS[len(colors) % len(COLORS)])
        groups[f"{title(routine)}, {where}"] = (found, color)
    if not groups:
        return
    figure = book.plt.figure(figsize=(WIDTH, 1.6 + 0.29 * len(groups)), layout="constrained")
    axis = figure.add_subplot()
    everything = [row["speedup"] for found, _ in groups.values() for row in found]
    strip(axis, groups, log=max(everything) > 20)
    axis.set_xlabel("times as fast as the fastest peer")
    names = list(dict.fromkeys(library(row["peer"]) for found, _ in groups.values() for row in found))
    names = names if len(names) < 5 else ["the fastest peer"]
    ahead = sum(value > 1 for value in everything)
    book.save(figure, "summary", f"xbatch is faster than {listed(names)} in {ahead} of {len(everything)} cases: "
              f"{times(statistics.median(everything))} times as fast in the median", small="Bar: median; dot: a "
              "measured case, hollow if a size is not a power of two; in brackets: worst and best. ")


def listed(names):
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


# ---- the README's picture ------------------------------------------------------------------------------------------

HEADLINE = (("Tridiagonal systems without pivoting, xgtsvPscheme", "gtsvPscheme"),
            ("Tridiagonal systems with pivoting, xgtsvBatch", "gtsvBatch"),
            ("QR, xgeqrfBatch", "geqrfBatch"), ("Least squares, xgelsBatch", "gelsBatch"))


def draw_headline(book, rows, sources, path):
    """Speed-ups of the routines of HEADLINE in all cases of the files, the slowest with them."""
    blocks = []
    for (heading, routine), color in zip(HEADLINE, COLORS):
        block = {where: (group, color) for (name, where), group in rivals(rows).items() if name == routine}
        if block:
            blocks.append((heading, block))
    heights = [len(block) for _, block in blocks]
    figure = book.plt.figure(figsize=(WIDTH, 2.6 + 0.27 * sum(heights)), layout="constrained")
    axes = figure.subplots(len(blocks), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    top = max(row["speedup"] for _, block in blocks for group, _ in block.values() for row in group)
    for axis, (heading, block) in zip(axes, blocks):
        strip(axis, block, log=False)
        axis.set_xlim(0, top * 1.2)
        axis.set_title(heading, loc="left", fontweight="bold")
        axis.tick_params(left=False)
    medians = [statistics.median(row["speedup"] for row in group) for _, block in blocks for group, _ in block.values()]
    everything = [row for _, block in blocks for group, _ in block.values() for row in group]
    names = listed(list(dict.fromkeys(library(row["peer"]) for row in everything)))
    axes[-1].set_xlabel(f"times as fast as the fastest routine of {names}")
    device = " ".join(dict.fromkeys(row["device"] for row in rows))
    figure.suptitle(f"On one {device}, xbatch is {times_range(medians)} times as fast as NVIDIA's libraries (medians)",
                    x=0.01, ha="left")
    commits = ", ".join(dict.fromkeys(row["commit"] for row in everything))
    small = (f"Bar: median; dot: a measured case ({len(everything)} in all: every size, type and number of right-hand "
              "sides in the files, except one matrix shared by all systems), compared with the fastest routine for it, "
              "pivoting or not; hollow: a size is not a power of two; in brackets: worst and best. "
              f"Rows: {', '.join(sources)}; commits {commits}.")
    figure.supxlabel(textwrap.fill(small, 125, break_on_hyphens=False), x=0.01, ha="left", fontsize=9, color="#555555")
    write_png(figure, path, 200)
    book.plt.close(figure)
