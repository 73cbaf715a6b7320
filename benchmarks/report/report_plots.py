# report_plots.py: how the report looks: figures for a page 830 pixels wide, colours, curves over n, bars, tables.
# SPDX-License-Identifier: BSD-3-Clause
import io
import math
import statistics
import textwrap

LAYOUTS = {"flat": "Flat", "interleaved": "Interleaved", "block": "Block-interleaved"}
TYPES = {"s": "float", "d": "double", "c": "complex float", "z": "complex double"}

# Okabe and Ito's colours, which colour-blind readers can distinguish. xbatch: solid lines in colour, one colour a
# routine; peers: broken lines in grey.
OURS = {"gtsvPscheme": "#0072B2", "gtsvBatch": "#D55E00", "gtsvThomas": "#009E73", "gtsvOddEven": "#F0C000",
        "gtsvPeriodicBatch": "#CC79A7", "folrPscheme": "#0072B2", "rearrange": "#0072B2", "gttrfBatch": "#CC79A7",
        "gttrsBatch": "#D55E00", "ptsvBatch": "#0072B2", "pttrfBatch": "#009E73", "pttrsBatch": "#F0C000", "geqrfBatch": "#0072B2",
        "gelsBatch": "#D55E00"}
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#F0C000", "#56B4E9", "#8C510A")
PEERS = ("#222222", "#777777", "#AAAAAA", "#8C6D46", "#BFA37A", "#555577", "#9999BB")
DASHES = ((0, (5, 2)), (0, (1, 1.2)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)), (0, (8, 3)))
MARKERS = "svD^PX<"
WIDTH, DPI = 8.3, 150  # inches; 830 pixels at 100 dpi, where a point of a font is a point of the page


def select(rows, **wanted):
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def table(head, lines):
    return ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)] + ["| " + " | ".join(x) + " |" for x in lines]


def size(n):
    return f"2^{math.log2(n):.0f}" if n > 1e5 and power_of_two(n) else f"{n:.0f}"


def power_of_two(n):
    return n >= 1 and math.log2(n).is_integer()


def times(value):
    """How many times faster, as it stands in sentences."""
    return f"{value:.2f}" if value < 0.995 else f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def times_range(values):
    low, high = times(min(values)), times(max(values))
    return low if low == high else f"{low}–{high}"


def rate_unit(rows):
    """What GB/s are divided by, and the unit that results."""
    return (1e3, "TB/s") if max((row["rate"] for row in rows), default=0) >= 1e3 else (1, "GB/s")


def copy_rate(rows):
    """GB/s that a plain copy reads and writes in the runs of these rows."""
    exact = max(row["of_copy"] for row in rows) / 3  # small fractions have few digits
    return statistics.median(row["rate"] / row["of_copy"] for row in rows if row["of_copy"] > exact)


class Book:
    """Figures of one device, saved as PNG in the folder of the page. A figure's caption is a sentence."""

    def __init__(self, folder, prefix, source):
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        plt.rcParams.update({
            "figure.dpi": DPI, "font.size": 10, "axes.spines.top": False, "axes.spines.right": False,
            "axes.grid": True, "grid.color": "#DDDDDD", "grid.linewidth": 0.7, "axes.axisbelow": True,
            "legend.frameon": False, "axes.titlesize": 10.5, "figure.titlesize": 12, "figure.titleweight": "bold",
            "axes.labelsize": 10, "xtick.labelsize": 9, "ytick.labelsize": 9, "legend.fontsize": 9})
        self.plt, self.folder, self.prefix, self.source = plt, folder, prefix, source
        self.saved = []  # (file name of the PNG, caption, remark below it, whether it repeats a paper)

    def panels(self, count, columns=2, height=2.7, share=True):
        """Panels in rows of two with one y axis, and one legend: in a free cell, or below them."""
        columns = min(count, columns)
        rows = math.ceil(count / columns)
        free = rows * columns > count
        figure = self.plt.figure(figsize=(WIDTH, height * rows + (0.5 if free else 1.2)), layout="constrained")
        grid = figure.add_gridspec(rows + (0 if free else 1), columns,
                                   height_ratios=[1] * rows + ([] if free else [0.2 / rows]))
        axes = []
        for k in range(count):
            first = axes[0] if axes and share else None
            axes.append(figure.add_subplot(grid[k // columns, k % columns], sharey=first))
            if share and k % columns:
                axes[-1].tick_params(labelleft=False)
        figure.legend_axis = figure.add_subplot(grid[-1, -1] if free else grid[-1, :])
        figure.legend_axis.axis("off")
        figure.legend_columns = 1 if free else 3
        return figure, axes

    def save(self, figure, name, caption, remark="", paper=False, small=""):
        """`remark` is for the page below the picture, `small` for small print in it."""
        figure.suptitle(textwrap.fill(caption, 80), x=0.01, ha="left")
        figure.supxlabel(textwrap.fill(small + self.source, 125, break_on_hyphens=False), x=0.01, ha="left",
                         fontsize=9, color="#555555")
        write_png(figure, self.folder / f"{self.prefix}_{name}.png")
        self.plt.close(figure)
        self.saved.append((f"{self.prefix}_{name}.png", caption, remark, paper))


def write_png(figure, path, dpi=DPI):
    """With a palette of 256 colours, which drawings of lines and bars do not miss: half of the bytes."""
    from PIL import Image
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=dpi)
    Image.open(drawn).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def legend(figure, axes, order=()):
    entries = {label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels())}
    entries = {label: entries[label] for label in (*order, *entries) if label in entries}
    widest = max((len(label) for label in entries), default=0)
    columns = 1 if figure.legend_columns == 1 else max(1, min(4, 110 // (widest + 9)))
    figure.legend_axis.legend(entries.values(), entries.keys(), loc="center", ncol=columns, handlelength=3.2)


# ---- curves --------------------------------------------------------------------------------------------------------

def palette(names):
    """One grey, marker and dash pattern a peer, the same in every panel."""
    return {name: (PEERS[k % len(PEERS)], MARKERS[k % len(MARKERS)], DASHES[k % len(DASHES)])
            for k, name in enumerate(dict.fromkeys(names))}


def curve(axis, points, label, color, marker, dash, width, spread=()):
    """A line through all sizes. Marks of powers of two are filled, others are hollow. `spread`: (n, low, high)"""
    sizes = sorted(points)
    mark = 3.5 + 0.6 * width
    axis.plot(sizes, [points[n] for n in sizes], color=color, linestyle=dash, linewidth=width, marker=marker,
              markersize=mark, label=label, zorder=4 - width / 10)
    others = [n for n in sizes if not power_of_two(n)]
    if len(others) < len(sizes):
        axis.plot(others, [points[n] for n in others], color=color, marker=marker, linestyle="", markersize=mark,
                  markerfacecolor="white", zorder=4.1 - width / 10)
    if spread:
        axis.vlines(*zip(*spread), color=color, linewidth=1)


def spread_of(rows, column, factor):
    """(n, low, high) of the rows that have the shortest and the longest time."""
    low, high = ("_low", "_high") if column.endswith(("rate", "of_copy")) else ("_min", "_max")
    return [(row["n"], row[column + low] / factor, row[column + high] / factor) for row in rows
            if not math.isnan(row[column + low])]


def over_n(axis, rows, style, column, factor=1.0):
    """Our routines and their peers over n. A routine that another may hide is drawn with a broader line below it."""
    for k, routine in enumerate(dict.fromkeys(row["routine"] for row in rows)):
        mine = select(rows, routine=routine)
        curve(axis, {row["n"]: row[column] / factor for row in mine}, f"x{routine}", OURS[routine], "o", "-",
              (4, 2.4, 1.5, 1.2)[min(k, 3)], spread_of(mine, column, factor))
    column = "peer_" + column
    for peer in dict.fromkeys(row["peer"] for row in rows if not math.isnan(row[column])):
        mine = select(rows, peer=peer)
        curve(axis, {row["n"]: row[column] / factor for row in mine}, peer, *style[peer], 1.3,
              spread_of(mine, column, factor))


def spread_remark(rows):
    return " Thin vertical lines: the shortest and the longest call." if any(row["ms_min"] > 0 for row in rows) else ""


def n_axis(axis, rows, label):
    sizes = sorted({row["n"] for row in rows})
    axis.set_xlabel(label)
    axis.set_xscale("log", base=2)
    powers = [n for n in sizes if power_of_two(n)] or sizes
    powers = powers[::2] if len(powers) > 6 else powers
    axis.set_xticks(powers, [f"{n:.0f}" if n < 1e5 else f"$2^{{{math.log2(n):.0f}}}$" for n in powers])
    axis.minorticks_off()


def copy_line(axis, rows, factor):
    rate = copy_rate(rows) / factor
    axis.axhline(rate, color="black", linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    axis.annotate("a plain copy", (0.995, rate), xycoords=("axes fraction", "data"), ha="right", va="bottom",
                  fontsize=9)


def line_at_one(axis):
    """A plain copy, where fractions of its bandwidth are shown"""
    axis.axhline(1, color="black", linewidth=1, linestyle=(0, (4, 3)), zorder=1)


def fractions_over_n(book, groups, ticks, label, top, name, caption):
    """One panel a group {title: rows}: the fraction of the copy bandwidth over n, with ticks(rows) below it."""
    shown = [row for rows in groups.values() for row in rows]
    style = palette(row["peer"] for row in shown if row["peer"])
    figure, axes = book.panels(len(groups))
    for axis, (title, rows) in zip(axes, groups.items()):
        over_n(axis, rows, style, "of_copy")
        n_axis(axis, [{"n": n} for n in ticks(rows)], label)
        line_at_one(axis)
        axis.set_title(title)
    for axis in axes[::2]:
        axis.set_ylabel("× copy bandwidth")
    axes[0].set_ylim(0, top)
    legend(figure, axes)
    book.save(figure, name, caption, "The line at 1 is a plain copy." + spread_remark(shown))


def rates_over_n(book, groups, name, caption, label="n, rows of a system", remark=""):
    """One panel a group {title: rows}: bytes over time, over n."""
    groups = {title: rows for title, rows in groups.items() if rows}
    if not groups:
        return
    everything = [row for rows in groups.values() for row in rows]
    factor, unit = rate_unit(everything)
    style = palette(row["peer"] for row in everything if row["peer"])
    figure, axes = book.panels(len(groups))
    for axis, (title, rows) in zip(axes, groups.items()):
        over_n(axis, rows, style, "rate", factor)
        n_axis(axis, rows, label)
        copy_line(axis, everything, factor)
        axis.set_title(title)
    for axis in axes[::2]:
        axis.set_ylabel(f"{unit} read and written")
    axes[0].set_ylim(0, None)
    legend(figure, axes)
    book.save(figure, name, caption, remark + spread_remark(everything))


def times_over_n(book, rows, name, caption, remark="", paper=False):
    if not rows:
        return
    figure, axes = book.panels(1, height=3.6)
    over_n(axes[0], rows, palette(row["peer"] for row in rows if row["peer"]), "ms")
    axes[0].set_xscale("log")
    axes[0].set_yscale("log")
    axes[0].set_xlabel("n, rows of the system")
    axes[0].set_ylabel("time, ms (lower is better)")
    legend(figure, axes)
    book.save(figure, name, caption, (remark + spread_remark(rows)).strip(), paper)


# ---- bars ----------------------------------------------------------------------------------------------------------

def prefixed(value):
    """With three digits and k, M or G."""
    for step, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= step:
            return f"{value / step:.3g} {letter}"
    return f"{value:.3g}"


def bars(axis, groups, colors, texts=None, width=0.85):
    """A group of bars for each {label: {series: value}}, in the order of the colours."""
    step = width / max(len(series) for series in groups.values())
    for place, series in enumerate(groups.values()):
        names = [name for name in colors if name in series]
        for k, name in enumerate(names):
            at = place + (k - (len(names) - 1) / 2) * step
            axis.bar(at, series[name], step, color=colors[name], label=name)
            if texts:
                axis.annotate(texts(series[name]), (at, series[name]), (0, 1), textcoords="offset points",
                              ha="center", va="bottom", fontsize=9)
    axis.set_xticks(range(len(groups)), list(groups))
    axis.set_xlim(-0.6, max(len(groups) - 0.4, 1.6))
    axis.grid(False, axis="x")


def series_of(rows, group, name, value):
    """({group(row): {name(row), and peers: value(row, milliseconds)}}, {series: colour})"""
    groups, ours, peers = {}, {}, {}
    for row in rows:
        ours.setdefault(name(row), COLORS[len(ours) % len(COLORS)])
        series = groups.setdefault(group(row), {})
        series[name(row)] = value(row, row["ms"])
        if not math.isnan(row["peer_ms"]):
            peers.setdefault(row["peer"], PEERS[1 + len(peers) % 6])
            series[row["peer"]] = value(row, row["peer_ms"])
    return groups, {**ours, **peers}


def bar_panels(book, panels, colors, name, caption, ylabel, **how):
    """`panels`: {title: (groups of bars, label of the x axis)}; a logarithmic axis if `log`, a line at `line`."""
    panels = {title: panel for title, panel in panels.items() if panel[0]}
    if not panels:
        return
    figure, axes = book.panels(len(panels), how.get("columns", 2), how.get("height", 2.7), how.get("share", True))
    for axis, (title, (groups, label)) in zip(axes, panels.items()):
        bars(axis, groups, colors, how.get("texts"))
        if how.get("log"):
            axis.set_yscale("log")
        if "line" in how:
            axis.axhline(how["line"], color="black", linewidth=1)
        longest = max(len(line) for text in groups for line in text.split("\n"))
        if (longest + 2) * len(groups) > 120 / min(len(panels), 2):
            for tick in axis.get_xticklabels():
                tick.set(rotation=30, ha="right", rotation_mode="anchor")
        axis.set_title(title)
        axis.set_xlabel(label)
    for k in range(0, len(axes), how.get("columns", 2)):
        axes[k].set_ylabel(ylabel)
    legend(figure, axes, colors)
    book.save(figure, name, caption, how.get("remark", ""), how.get("paper", False))
