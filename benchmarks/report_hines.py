# report_hines.py: Hines systems in the report: neurons beside the paper's kernels, and the paper's table and figures.
# SPDX-License-Identifier: BSD-3-Clause
import math
import re

from report_plots import LAYOUTS, OURS, PEERS, one_legend, copy_line, palette, select, table

# Of Table 1, as the paper has it: size and branches. What was measured is in the rows.
PAPER = {"small-low": (76, 7), "small-high": (76, 29), "medium-low": (305, 30), "medium-high": (319, 157),
         "big-low": (695, 66), "big-high": (691, 341)}
PAPER_VARIANT = re.compile(r"([a-z-]+)( grown)? B=(\d+) D=(\d+)(?: BS=(\d+))?")
ONE_CORE = "Algorithm 1 (1 thread)"
SERIES = {"Algorithm 1 OpenMP loop (all threads)": "Multicore", "Full-Interleaved overwriting d": "Full-Interleaved, as printed"}
OUR_NAME = "xhinesBatch"
OUR_COLORS = ("#0072B2", "#56B4E9", "#00305A", "#88A9DD")


def neuron(row):
    """The case's name in the paper, for rows of one general batch; None for others."""
    name = re.sub(r"( grown)?( BS=32)?$", "", row["variant"])
    return name if name in PAPER else None


def draw_hines(book, rows):
    """Of copy over the number of neurons, a panel a case: ours in each layout, and the paper's kernel in its best."""
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
    axes[0].set_ylabel("fewest bytes / time, of the copy rate")
    axes[0].set_ylim(0, None)
    one_legend(figure, axes)
    book.save(figure, "hines", "Hines systems, double")


# ---- the paper -----------------------------------------------------------------------------------------------------

def times(rows):
    """{(case, blocks, neurons): {series: ms}}; blocks is 0 for the interleaved layout. The sequential loop takes as
    long again for each neuron more: where it was not run it is extended from the most neurons that it was run for."""
    found = {}
    for row in select(rows, family="paper_hines"):
        name, _, _, _, blocks = PAPER_VARIANT.fullmatch(row["variant"]).groups()
        series = found.setdefault((name, int(blocks or 0), row["batch"]), {})
        series[OUR_NAME] = row["ms"]
        if not math.isnan(row["peer_ms"]):
            series[SERIES.get(row["peer"], row["peer"])] = row["peer_ms"]
    for (name, _, neurons), series in found.items():
        if ONE_CORE not in series:
            run = [(key[2], other[ONE_CORE]) for key, other in found.items() if key[0] == name and ONE_CORE in other]
            if run:
                most, ms = max(run)
                series[ONE_CORE] = ms * neurons / most
    return found


def speedups(rows):
    """Over one core: {(case, blocks, neurons): {series: times}}"""
    return {key: {name: series[ONE_CORE] / ms for name, ms in series.items() if name != ONE_CORE}
            for key, series in times(rows).items() if ONE_CORE in series}


def series_colors(figures):
    names = list(dict.fromkeys(name for series in figures.values() for name in series))
    ours, others = iter(OUR_COLORS), iter((*PEERS, "#000000", "#F0E442", "#8C510A"))
    return {name: next(ours if name.startswith(OUR_NAME) else others, "#BBBBBB") for name in names}


def bars(axis, groups, colors):
    """A group of bars for each {label: {series: value}}."""
    names = [name for name in colors if any(name in series for series in groups.values())]
    width = 0.85 / max(len(names), 1)
    for k, name in enumerate(names):
        at = [place + (k - (len(names) - 1) / 2) * width for place, series in enumerate(groups.values())
              if name in series]
        axis.bar(at, [series[name] for series in groups.values() if name in series], width, color=colors[name],
                 label=name)
    axis.set_xticks(range(len(groups)), list(groups), fontsize=8)
    axis.set_yscale("log")
    axis.grid(False, axis="x")
    axis.axhline(1, color="black", linewidth=1)


def neurons_of(figures, name):
    return {f"{key[2]:,.0f}": series for key, series in sorted(figures.items()) if key[:2] == (name, 0)}


def draw_hines_paper(book, rows):
    figures = speedups(rows)
    names = [name for name in PAPER if neurons_of(figures, name)]
    if not names:
        return
    colors = series_colors(figures)
    blocks = {f"{key[1]}": series for key, series in sorted(figures.items()) if key[1]}
    panels = [("medium-high", neurons_of(figures, "medium-high"), "neurons")]
    if blocks:
        most = max(key[2] for key in figures if key[1])
        panels.append((f"medium-high, {most:,.0f} neurons", blocks, "BS, systems a block"))
    figure, axes = book.panels(len(panels), width=7)
    for axis, (title, groups, label) in zip(axes, panels):
        bars(axis, groups, colors)
        axis.set_title(title)
        axis.set_xlabel(label)
    axes[0].set_ylabel("times one core")
    one_legend(figure, axes)
    book.save(figure, "paper_hines_layouts", "Figures 3 and 4 of the cuHinesBatch paper")
    figure, axes = book.panels(len(names), width=3.4)
    for axis, name in zip(axes, names):
        bars(axis, neurons_of(figures, name), colors)
        axis.set_title(name)
        axis.set_xlabel("neurons")
    axes[0].set_ylabel("times one core")
    one_legend(figure, axes)
    book.save(figure, "paper_hines_neurons", "Figure 5 of the cuHinesBatch paper")


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
    page += ["Figures 3 and 5: times one core, which runs Algorithm 1 over flat systems; beyond 25 600 neurons its time",
             "is that of 25 600 in proportion. *As printed* overwrites the diagonal, the others leave it as it is.", ""]
    order = list(PAPER)
    over = {(key[0], f"{key[2]:,.0f}"): series for key, series in
            sorted(figures.items(), key=lambda item: (order.index(item[0][0]), item[0][2])) if not key[1]}
    page += speedup_table(over, ("", "neurons")) + [""]
    blocks = {(f"{key[1]}",): series for key, series in sorted(figures.items()) if key[1]}
    if blocks:
        page += ["Figure 4: medium-high, blocks of BS systems, 128 threads a block of the GPU; Block-Shared has BS.", ""]
        page += speedup_table(blocks, ("BS",)) + [""]
    return page
