# report_hines.py: Hines systems in the report: speed relative to the paper's kernels, the paper's table and figures.
# SPDX-License-Identifier: BSD-3-Clause
import math
import re

from report_plots import (COLORS, DASHES, LAYOUTS, MARKERS, PEERS, bar_panels, copy_line, copy_rate, legend, rate_unit,
                          select, table, times_range)
from report_routines import compared_text

# Of Table 1, as the paper has it: size and branches. What was measured is in the rows.
PAPER = {"small-low": (76, 7), "small-high": (76, 29), "medium-low": (305, 30), "medium-high": (319, 157),
         "big-low": (695, 66), "big-high": (691, 341)}
PAPER_VARIANT = re.compile(r"([a-z-]+)( grown)? B=(\d+) D=(\d+)(?: BS=(\d+))?")
ONE_CORE, ALL_CORES = "one core", "Multicore"
SERIES = {"Algorithm 1 (1 thread)": ONE_CORE, "Algorithm 1 OpenMP loop (all threads)": ALL_CORES}
OUR_NAME = "xhinesBatch"


def neuron(row):
    """The case's name in the paper, for rows of one general batch; None for others."""
    name = re.sub(r"( grown)?( BS=32)?$", "", row["variant"])
    return name if name in PAPER else None


def own(rows, name):
    return [row for row in rows if neuron(row) == name]


def draw_hines(book, rows):
    """Rates of the paper's trees: over the number of neurons, or as bars where one number was measured."""
    rows = [row for row in select(rows, family="hines", type="d") if neuron(row)]
    names = [name for name in PAPER if own(rows, name)]
    if not names:
        return
    most = max(row["batch"] for row in rows)
    peers = list(dict.fromkeys(row["peer"] for row in rows if not math.isnan(row["peer_ms"])))
    caption = compared_text(select(rows, layout="interleaved", batch=most),
                            f"Trees of {most:,.0f} neurons, interleaved".replace(",", " ", 1))
    remark = "The trees are those of the cuHinesBatch paper, n nodes each."
    layouts = [layout for layout in LAYOUTS if select(rows, layout=layout)]
    draw = hines_bars if len({row["batch"] for row in rows}) == 1 else hines_curves
    draw(book, rows, names, dict(zip(layouts, COLORS)), peers, caption, remark)


def hines_bars(book, rows, names, layouts, peers, caption, remark):
    """A group of bars a tree: xbatch in each layout, peers in the flat one."""
    factor, unit = rate_unit(rows)
    labels = {layout: f"{OUR_NAME}, {LAYOUTS[layout].lower()}" for layout in layouts}
    groups = {}
    for name in names:
        mine = own(rows, name)
        groups[f"{name},\nn = {mine[0]['n']:.0f}"] = {
            **{labels[row["layout"]]: row["rate"] / factor for row in mine},
            **{f"{row['peer']}, flat": row["peer_rate"] / factor for row in select(mine, layout="flat")
               if row["peer"] in peers}}
    colors = {labels[layout]: color for layout, color in layouts.items()}
    colors.update({f"{peer}, flat": PEERS[1 + k] for k, peer in enumerate(peers)})
    bar_panels(book, {"": (groups, "tree")}, colors, "hines", caption, f"{unit} read and written",
               line=copy_rate(rows) / factor, height=3.2, remark=remark + " The line is a plain copy.")


def hines_curves(book, rows, names, layouts, peers, caption, remark):
    """A panel a tree: xbatch in each layout, peers interleaved, their best."""
    factor, unit = rate_unit(rows)
    figure, axes = book.panels(len(names), height=2.4)
    for axis, name in zip(axes, names):
        mine = own(rows, name)
        series = [({row["batch"]: row["rate"] for row in select(mine, layout=layout)},
                   {"color": color, "marker": "o", "label": f"{OUR_NAME}, {LAYOUTS[layout].lower()}"})
                  for layout, color in layouts.items()]
        series += [({row["batch"]: row["peer_rate"] for row in select(mine, peer=peer, layout="interleaved")},
                    {"color": PEERS[k], "marker": MARKERS[k], "linestyle": DASHES[k], "label": f"{peer}, interleaved"})
                   for k, peer in enumerate(peers)]
        for points, look in series:
            if points:
                axis.plot(*zip(*((batch, rate / factor) for batch, rate in sorted(points.items()))), **look)
        axis.set_xscale("log")
        axis.set_title(f"{name}, n = {mine[0]['n']:.0f}")
        copy_line(axis, rows, factor)
    for axis in axes[-2:]:
        axis.set_xlabel("neurons")
    for axis in axes[::2]:
        axis.set_ylabel(f"{unit} read and written")
    axes[0].set_ylim(0, None)
    legend(figure, axes)
    book.save(figure, "hines", caption, remark)


# ---- the paper -----------------------------------------------------------------------------------------------------

def times(rows):
    """{(case, blocks, neurons): {series: ms}}; blocks is 0 for the interleaved layout. The time of host loops is
    proportional to the neurons: beyond the largest number measured it is extrapolated.
    """
    found = {}
    for row in select(rows, family="paper_hines"):
        name, _, _, _, blocks = PAPER_VARIANT.fullmatch(row["variant"]).groups()
        series = found.setdefault((name, int(blocks or 0), row["batch"]), {})
        series[OUR_NAME] = row["ms"]
        if not math.isnan(row["peer_ms"]):
            series[SERIES.get(row["peer"], row["peer"])] = row["peer_ms"]
    for loop in (ONE_CORE, ALL_CORES):
        run = {}
        for (name, _, neurons), series in found.items():
            if loop in series:
                run[name] = max(run.get(name, (0, 0)), (neurons, series[loop]))
        for (name, blocks, neurons), series in found.items():
            if name in run and (loop == ONE_CORE or not blocks):
                series.setdefault(loop, run[name][1] * neurons / run[name][0])
    return found


def speedups(rows):
    """Over one core: {(case, blocks, neurons): {series: times}}"""
    return {key: {name: series[ONE_CORE] / ms for name, ms in series.items() if name != ONE_CORE}
            for key, series in times(rows).items() if ONE_CORE in series}


def series_colors(figures):
    names = dict.fromkeys(name for series in figures.values() for name in series)
    ours, others = iter(COLORS), iter(("#BBBBBB", *PEERS))
    return {name: next(ours if name.startswith(OUR_NAME) else others, "#DDDDDD")
            for name in sorted(names, key=lambda name: name.startswith(OUR_NAME))}


def neurons_of(figures, name):
    return {f"{key[2]:,.0f}": series for key, series in sorted(figures.items()) if key[:2] == (name, 0)}


def figure_4(figures):
    """{BS: {series: times}} with the layouts without blocks first, and how many neurons; empty where not measured."""
    sizes = sorted(key[1:] for key in figures if key[1])
    if not sizes:
        return {}
    neurons = sizes[0][1]
    without = {name: times for name, times in figures.get(("medium-high", 0, neurons), {}).items() if "GPU" not in name}
    return {"neurons": neurons, "no blocks": without,
            **{f"{blocks}": figures["medium-high", blocks, neurons] for blocks, _ in sizes}}


def draw_hines_paper(book, rows):
    figures = speedups(rows)
    names = [name for name in PAPER if neurons_of(figures, name)]
    if not names:
        return
    colors, blocks = series_colors(figures), figure_4(figures)
    how = {"log": True, "line": 1, "paper": True}
    if blocks:
        neurons = f"{blocks.pop('neurons'):,.0f} neurons"
        bar_panels(book, {"": (blocks, "BS, systems a block")}, colors, "paper_hines_layouts",
                   f"Figure 4 of the cuHinesBatch paper: {neurons} medium-high by layout, relative to one core",
                   "times as fast as one core", height=3, **how)
    gains = [value[OUR_NAME] for name in names for value in neurons_of(figures, name).values()]
    bar_panels(book, {name: (neurons_of(figures, name), "neurons") for name in names}, colors, "paper_hines_neurons",
               f"Figures 3 and 5 of the cuHinesBatch paper: {OUR_NAME} is {times_range(gains)} times as fast as one "
               "core",
               "times one core", height=2.3, **how)


def table_1(rows):
    measured = {}
    for row in select(rows, family="paper_hines"):
        name, is_grown, branches, depth, _ = PAPER_VARIANT.fullmatch(row["variant"]).groups()
        measured[name] = (f"{row['n']:.0f}", branches, depth, "grown" if is_grown else "a real neuron")
    return [(name, *(str(number) for number in PAPER[name]), *measured[name]) for name in PAPER if name in measured]


def speedup_table(figures, label):
    """`figures`: {row head: {series: times}}"""
    names = list(dict.fromkeys(name for series in figures.values() for name in series))
    lines = [(*head, *(f"{series[name]:.3g}" if name in series else "" for name in names))
             for head, series in figures.items()]
    return table((*label, *names), lines)


def hines_paper_section(rows):
    figures = speedups(rows)
    if not figures:
        return []
    page = ["### The cuHinesBatch paper", "",
            "Table 1: its neurons, and those measured here.", ""]
    page += table(("", "size", "branches", "size here", "branches", "depth", ""), table_1(rows)) + [""]
    page += ["Figures 3 and 5: times one core, which runs Algorithm 1 over flat systems. Beyond 25 600 neurons the",
             "times of cores are those of 25 600 in proportion. The paper's own kernel overwrites d, the others do not.",
             ""]
    order = list(PAPER)
    over = {(key[0], f"{key[2]:,.0f}"): series for key, series in
            sorted(figures.items(), key=lambda item: (order.index(item[0][0]), item[0][2])) if not key[1]}
    page += speedup_table(over, ("", "neurons")) + [""]
    blocks = figure_4(figures)
    if blocks:
        page += [f"Figure 4: {blocks.pop('neurons'):,.0f} neurons medium-high in blocks of BS systems; 128 threads a",
                 "block of the GPU, Block-Shared BS.", ""]
        page += speedup_table({(name,): series for name, series in blocks.items()}, ("BS",)) + [""]
    return page
