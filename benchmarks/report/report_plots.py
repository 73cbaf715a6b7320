# report_plots.py: how the report looks: figures with one legend, curves over n, tables.
# SPDX-License-Identifier: BSD-3-Clause
import math

LAYOUTS = {"flat": "Flat", "interleaved": "Interleaved", "block": "Block-interleaved"}
TYPES = {"s": "float", "d": "double", "c": "complex float", "z": "complex double"}

# Okabe and Ito's colours, which colour-blind readers can distinguish; those of xbatch are blue.
OURS = {"gtsvPscheme": "#0072B2", "gtsvThomas": "#56B4E9", "gtsvBatch": "#00305A", "gtsvOddEven": "#88A9DD",
        "gtsvPeriodicBatch": "#6A51A3", "folrPscheme": "#0072B2", "rearrange": "#0072B2", "gttrfBatch": "#00305A",
        "gttrsBatch": "#0072B2", "ptsvBatch": "#56B4E9", "pttrfBatch": "#54278F",
        "pttrsBatch": "#88A9DD", "hinesBatch": "#0072B2"}
PEERS = ("#D55E00", "#E69F00", "#CC79A7", "#009E73", "#7F7F7F")
MARKERS = "svD^P"


def select(rows, **wanted):
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def table(head, lines):
    return ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)] + ["| " + " | ".join(x) + " |" for x in lines]


def size(n):
    return f"2^{math.log2(n):.0f}" if n > 1e5 and power_of_two(n) else f"{n:.0f}"


class Book:
    """Figures of one device, saved as PNG and SVG in the folder of the page."""

    def __init__(self, folder, prefix, title):
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        plt.rcParams.update({
            "figure.dpi": 130, "svg.hashsalt": "xbatch", "font.size": 10, "axes.spines.top": False,
            "axes.spines.right": False, "axes.grid": True, "grid.color": "#DDDDDD", "grid.linewidth": 0.7,
            "axes.axisbelow": True, "legend.frameon": False, "axes.titlesize": 11, "figure.titlesize": 13})
        self.plt, self.folder, self.prefix, self.title = plt, folder, prefix, title
        self.saved = []  # (file name of the PNG, caption)

    def panels(self, count, width=4.6, height=4.4):
        """Panels side by side with one y axis, and below them room for one legend."""
        figure = self.plt.figure(figsize=(max(width * count, 6.8), height), constrained_layout=True)
        grid = figure.add_gridspec(2, count, height_ratios=[1, 0.15])
        axes = [figure.add_subplot(grid[0, 0])]
        axes += [figure.add_subplot(grid[0, k], sharey=axes[0]) for k in range(1, count)]
        for axis in axes[1:]:
            axis.tick_params(labelleft=False)
        figure.legend_axis = figure.add_subplot(grid[1, :])
        figure.legend_axis.axis("off")
        return figure, axes

    def save(self, figure, name, caption):
        figure.suptitle(f"{caption}\n{self.title}", fontsize=11)
        stem = f"{self.prefix}_{name}"
        for ending in ("png", "svg"):
            figure.savefig(self.folder / f"{stem}.{ending}", metadata={"Date": None} if ending == "svg" else None)
        self.plt.close(figure)
        self.saved.append((f"{stem}.png", caption))


def palette(names):
    """One colour and marker a peer, the same in every panel."""
    return {name: (PEERS[k % len(PEERS)], MARKERS[k % len(MARKERS)]) for k, name in enumerate(dict.fromkeys(names))}


def power_of_two(n):
    return n >= 1 and math.log2(n).is_integer()


def curve(axis, points, label, color, marker, width):
    """A line through the powers of two, the other sizes as hollow marks; all sizes if hardly any is a power."""
    powers = sorted((n, y) for n, y in points.items() if power_of_two(n))
    others = sorted((n, y) for n, y in points.items() if not power_of_two(n))
    if len(powers) < 2:
        powers, others = sorted(points.items()), []
    axis.plot(*zip(*powers), color=color, marker=marker, linewidth=width, markersize=3 + 1.5 * width, label=label,
              zorder=2 + width / 10)
    if others:
        axis.plot(*zip(*others), color=color, marker=marker, linestyle="", markersize=3 + 1.5 * width,
                  markerfacecolor="white", zorder=2 + width / 10)


def over_n(axis, rows, style, column, peer_column):
    """Our routines and their peers over n."""
    for routine in dict.fromkeys(row["routine"] for row in rows):
        points = {row["n"]: row[column] for row in select(rows, routine=routine)}
        curve(axis, points, f"xbatch {routine}", OURS[routine], "o", 2.2)
    for peer in dict.fromkeys(row["peer"] for row in rows if not math.isnan(row[peer_column])):
        points = {row["n"]: row[peer_column] for row in select(rows, peer=peer)}
        curve(axis, points, peer, *style[peer], 1.4)


def n_axis(axis, rows, label):
    sizes = sorted({row["n"] for row in rows})
    axis.set_xlabel(label)
    axis.set_xscale("log", base=2)
    powers = [n for n in sizes if power_of_two(n)] or sizes
    labels = [f"{n:.0f}" if n < 1e5 else f"$2^{{{math.log2(n):.0f}}}$" for n in powers]
    axis.set_xticks(powers, labels, rotation=45 if len(powers) > 6 else 0)
    axis.minorticks_off()


def copy_line(axis):
    axis.axhline(1, color="black", linewidth=1, linestyle=(0, (4, 3)))
    axis.annotate("copy", (0.995, 1), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=8)


def one_legend(figure, axes):
    entries = {label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels())}
    columns = max(1, int(figure.get_figwidth() / 3.1))
    figure.legend_axis.legend(entries.values(), entries.keys(), loc="center", ncol=columns, fontsize=9)


def of_copy_over_n(book, groups, name, caption, label="n, rows of a system"):
    """One panel a group {title: rows}: the copy bandwidth fraction over n."""
    groups = {title: rows for title, rows in groups.items() if rows}
    if not groups:
        return
    style = palette(row["peer"] for rows in groups.values() for row in rows if row["peer"])
    figure, axes = book.panels(len(groups))
    for axis, (title, rows) in zip(axes, groups.items()):
        over_n(axis, rows, style, "of_copy", "peer_of_copy")
        n_axis(axis, rows, label)
        copy_line(axis)
        axis.set_title(title)
    axes[0].set_ylabel("copy bandwidth fraction")
    axes[0].set_ylim(0, None)
    one_legend(figure, axes)
    book.save(figure, name, caption)


def speedup_bars(book, groups, name, caption):
    """One panel a group {title: rows}: times faster than each peer."""
    groups = {title: [row for row in rows if not math.isnan(row["speedup"])] for title, rows in groups.items()}
    groups = {title: rows for title, rows in groups.items() if rows}
    if not groups:
        return
    style = palette(row["peer"] for rows in groups.values() for row in rows)
    figure, axes = book.panels(len(groups))
    for axis, (title, rows) in zip(axes, groups.items()):
        sizes, peers = sorted({row["n"] for row in rows}), list(dict.fromkeys(row["peer"] for row in rows))
        width = 0.8 / len(peers)
        for k, peer in enumerate(peers):
            values = {row["n"]: row["speedup"] for row in select(rows, peer=peer)}
            at = [sizes.index(n) + (k - (len(peers) - 1) / 2) * width for n in values]
            axis.bar(at, values.values(), width, color=style[peer][0], label=peer)
        axis.axhline(1, color="black", linewidth=1)
        axis.set_xticks(range(len(sizes)), [f"{n:g}" for n in sizes], rotation=45 if len(sizes) > 6 else 0)
        axis.grid(False, axis="x")
        axis.set_xlabel("n, rows of a system")
        axis.set_title(title)
    axes[0].set_ylabel("peer's time / xbatch's time")
    one_legend(figure, axes)
    book.save(figure, name, caption)


def times_over_n(book, rows, name, caption):
    if not rows:
        return
    figure, axes = book.panels(1, width=7.2)
    over_n(axes[0], rows, palette(row["peer"] for row in rows if row["peer"]), "ms", "peer_ms")
    axes[0].set_xscale("log")
    axes[0].set_yscale("log")
    axes[0].set_xlabel("n, rows of the system")
    axes[0].set_ylabel("time, ms")
    one_legend(figure, axes)
    book.save(figure, name, caption)


def type_bars(book, rows, name, caption):
    """Element types side by side, if all were measured."""
    rows = [row for row in rows if not row["variant"] and row["nrhs"] == 1]
    panels = {}
    for layout, title in LAYOUTS.items():
        values = {(row["type"], row["n"]): row["of_copy"] for row in select(rows, layout=layout)}
        sizes = sorted({n for _, n in values if all((letter, n) in values for letter in TYPES)})
        if sizes:
            panels[title] = (sizes, values)
    if not panels:
        return
    figure, axes = book.panels(len(panels))
    colors = ("#56B4E9", "#0072B2", "#E69F00", "#D55E00")
    for axis, (title, (sizes, values)) in zip(axes, panels.items()):
        for k, (letter, type_name) in enumerate(TYPES.items()):
            at = [place + (k - 1.5) * 0.2 for place in range(len(sizes))]
            axis.bar(at, [values[letter, n] for n in sizes], 0.2, color=colors[k], label=type_name)
        axis.set_xticks(range(len(sizes)), [f"{n:g}" for n in sizes])
        axis.grid(False, axis="x")
        axis.set_xlabel("n, rows of a system")
        axis.set_title(title)
        copy_line(axis)
    axes[0].set_ylabel("copy bandwidth fraction")
    one_legend(figure, axes)
    book.save(figure, name, caption)
