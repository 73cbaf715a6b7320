# report_hines.py: Hines systems in the report: speed relative to the paper's kernels, the paper's table and figures.
# SPDX-License-Identifier: BSD-3-Clause
import math
import re

from report_plots import LAYOUTS, OURS, PEERS, one_legend, copy_line, palette, select, table

# Of Table 1, as the paper has it: size and branches. What was measured is in the rows.
PAPER = {"small-low": (76, 7), "small-high": (76, 29), "medium-low": (305, 30), "medium-high": (319, 157),
         "big-low": (695, 66), "big-high": (691, 341)}
PAPER_VARIANT = re.compile(r"([a-z-]+)( grown)? B=(\d+) D=(\d+)(?: BS=(\d+))?")
ONE_CORE, ALL_CORES = "one core", "Multicore"
SERIES = {"Algorithm 1 (1 thread)": ONE_CORE, "Algorithm 1 OpenMP loop (all threads)": ALL_CORES}
OUR_NAME = "xhinesBatch"
OUR_COLORS = ("#0072B2", "#56B4E9", "#00305A", "#88A9DD")


def neuron(row):
    """The case's name in the paper, for rows of one general batch; None for others."""
    name = re.sub(r"( grown)?( BS=32)?$", "", row["variant"])
    return name if name in PAPER else None


def draw_hines(book, rows):
    """Copy bandwidth fraction over neurons, a panel a case: xbatch in each layout, the paper's kernel in its best."""
    rows = [row for row in select(rows, family="hines", type="d") if neuron(row)]
    names = [name for name in PAPER if any(neuron(row) == name for row in rows)]
    if not names:
        return
    figure, axes = book.panels(len(names), width=3.2)
    style = palette(row["peer"] for row in rows if row["peer"])
    for axis, name in zip(axes, names):
        own = [row for row in rows if neuron(row) == name]
        for (layout, title), color in zip(LAYOUTS.items(), OUR_COLORS):
            points = sorted({row["batch"]: row["of_copy"] for row in select(own, layout=layout)}.items())
            if points:
                axis.plot(*zip(*points), color=color, marker="o", label=f"{OUR_NAME}, {title.lower()}")
        for peer in dict.fromkeys(row["peer"] for row in own if not math.isnan(row["peer_ms"])):
            points = sorted({row["batch"]: row["peer_of_copy"]
                             for row in select(own, peer=peer, layout="interleaved")}.items())
            if points:
                axis.plot(*zip(*points), color=style[peer][0], marker=style[peer][1], label=f"{peer}, interleaved")
        axis.set_xscale("log")
        axis.set_xlabel("neurons")
        axis.set_title(f"{name}, n = {own[0]['n']:.0f}")
        copy_line(axis)
    axes[0].set_ylabel("copy bandwidth fraction")
    axes[0].set_ylim(0, None)
    one_legend(figure, axes)
    book.save(figure, "hines", "Hines systems, double")


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
    ours, others = iter(OUR_COLORS), iter((*PEERS, "#000000", "#F0E442", "#8C510A"))
    return {name: next(ours if name.startswith(OUR_NAME) else others, "#BBBBBB")
            for name in sorted(names, key=lambda name: name.startswith(OUR_NAME))}


def bars(axis, groups, colors):
    """A group of bars for each {label: {series: value}}, in the order of the colours."""
    width = 0.85 / max(len(series) for series in groups.values())
    for place, series in enumerate(groups.values()):
        names = [name for name in colors if name in series]
        for k, name in enumerate(names):
            axis.bar(place + (k - (len(names) - 1) / 2) * width, series[name], width, color=colors[name], label=name)
    axis.set_xticks(range(len(groups)), list(groups), fontsize=8)
    axis.set_yscale("log")
    axis.grid(False, axis="x")
    axis.axhline(1, color="black", linewidth=1)


def draw_bars(book, panels, colors, name, caption, width):
    """`panels`: (title, groups of bars, label)"""
    if not panels:
        return
    figure, axes = book.panels(len(panels), width=width)
    for axis, (title, groups, label) in zip(axes, panels):
        bars(axis, groups, colors)
        axis.set_title(title)
        axis.set_xlabel(label)
    axes[0].set_ylabel("times one core")
    one_legend(figure, axes)
    book.save(figure, name, caption)


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
    colors = series_colors(figures)
    over, blocks = neurons_of(figures, "medium-high"), figure_4(figures)
    panels = [("medium-high", over, "neurons")] if over else []
    if blocks:
        panels.append((f"medium-high, {blocks.pop('neurons'):,.0f} neurons", blocks, "BS, systems a block"))
    draw_bars(book, panels, colors, "paper_hines_layouts", "Figures 3 and 4 of the cuHinesBatch paper", 7)
    draw_bars(book, [(name, neurons_of(figures, name), "neurons") for name in names], colors, "paper_hines_neurons",
              "Figure 5 of the cuHinesBatch paper", 3.4)


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
