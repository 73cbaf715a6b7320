# report_qr.py: tiled QR in the report: the experiments of its paper.
# SPDX-License-Identifier: BSD-3-Clause
import math
import re

from report_plots import PEERS, one_legend, select, table

VARIANT = re.compile(r"(\d+) x (\d+)(?:, tiles of (\d+))?")
OURS = {32: "#88A9DD", 64: "#56B4E9", 128: "#0072B2", 0: "#00305A"}  # by tile; 0: the defaults
MARKERS = "svD^P"


def experiments(rows):
    """{(m, n): {tile: {who: ms}}}, tile 0 for the defaults; ours is called after its backend."""
    found = {}
    for row in select(rows, family="paper_qr"):
        m, n, tile = (int(x or 0) for x in VARIANT.fullmatch(row["variant"]).groups())
        times = found.setdefault((m, n), {}).setdefault(tile, {})
        times["the GPU" if row["backend"] == "cuda" else "all threads of the host"] = row["ms"]
        if not math.isnan(row["peer_ms"]):
            times[row["peer"]] = row["peer_ms"]
    return found


def makers(found):
    """Who was timed, in the order of the file."""
    return list(dict.fromkeys(who for tiles in found.values() for times in tiles.values() for who in times))


def draw_qr_paper(book, rows):
    """A panel for each runner of the tasks: its times over the number of columns, a line a tile; and the peers."""
    found = experiments(rows)
    if not found:
        return
    runners = [who for who in makers(found) if "geqrf" not in who]
    figure, axes = book.panels(len(runners))
    columns = sorted(n for _, n in found)
    by_columns = {n: tiles for (_, n), tiles in found.items()}
    for axis, runner in zip(axes, runners):
        for tile, color in OURS.items():
            points = [(n, by_columns[n][tile][runner]) for n in columns if runner in by_columns[n].get(tile, {})]
            axis.plot(*zip(*points), color=color, marker="o", label=f"tiles of {tile}" if tile else "the defaults")
        for who, color, marker in zip((x for x in makers(found) if "geqrf" in x), PEERS, MARKERS):
            points = [(n, by_columns[n][0][who]) for n in columns if who in by_columns[n].get(0, {})]
            axis.plot(*zip(*points), color=color, marker=marker, linestyle=(0, (4, 2)), label=who)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_xticks(columns, [str(n) for n in columns])
        axis.minorticks_off()
        axis.set_xlabel("columns")
        axis.set_title(f"by {runner}")
    axes[0].set_ylabel("time, ms")
    one_legend(figure, axes)
    book.save(figure, "paper_qr", "Tiled QR of 2^20 entries, square to tall and skinny, double")


def qr_paper_section(rows):
    found = experiments(rows)
    if not found:
        return []
    names = makers(found)
    lines = [(f"{m} x {n}", str(tile) if tile else "defaults", *(f"{times[who]:.4g}" if who in times else ""
                                                               for who in names))
             for (m, n), tiles in found.items() for tile, times in tiles.items()]
    return ["### The paper on tiled QR by tasks", "",
            "Matrices of 2^20 entries from square to tall and skinny, in a flat tree of square tiles or with the defaults",
            "of the backend that runs them; milliseconds, double.", ""] + table(("matrix", "tiles", *names), lines) + [""]
