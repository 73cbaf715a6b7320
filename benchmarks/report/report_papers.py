# report_papers.py: the papers' experiments in the report: phases over blocks and threads, and host against device.
# SPDX-License-Identifier: BSD-3-Clause
import math
import re
from collections import defaultdict

from report_plots import COLORS, DASHES, PEERS, TYPES, legend, select, size, table, times_over_n, times_range

PHASES = {"pre-computation": "#0072B2", "propagation": "#D55E00", "determination": "#009E73",
          "rearrangement": "#7F7F7F"}
PAPER_VARIANT = re.compile(r"G=(\d+) T=(\d+)( rearranged)?(?: ([a-z-]+))?")


def paper_times(rows, letter, n):
    """{(G, T, rearranged, phase): ms}; the phase of all three together is None."""
    times = {}
    for row in select(rows, family="paper_pscheme", routine="folrPaper", type=letter, n=n):
        blocks, threads, rearranged, phase = PAPER_VARIANT.fullmatch(row["variant"]).groups()
        times[int(blocks), int(threads), bool(rearranged), phase] = row["ms"]
    return times


def paper_rivals(rows, letter, n):
    """{name: ms} of the library's single launch and of its peers on the paper's recurrence."""
    found = select(rows, family="paper_pscheme", routine="folrPscheme", type=letter, n=n)
    times = {"xfolrPscheme": row["ms"] for row in found}
    times.update({row["peer"]: row["peer_ms"] for row in found if not math.isnan(row["peer_ms"])})
    return times


def paper_sizes(rows):
    return sorted({(row["type"], row["n"]) for row in select(rows, family="paper_pscheme", routine="folrPaper")})


def draw_phases(book, times, n):
    """One panel a G: the phases over T, dashed without the rearrangement."""
    all_blocks = sorted({key[0] for key in times})
    figure, axes = book.panels(len(all_blocks), height=2.3)
    for axis, blocks in zip(axes, all_blocks):
        for phase, color in PHASES.items():
            for rearranged in (False, True):
                points = sorted((key[1], ms) for key, ms in times.items()
                                if (key[0], key[2], key[3]) == (blocks, rearranged, phase))
                if points:
                    label = phase + ("" if rearranged else ", without rearrangement")
                    axis.plot(*zip(*points), color=color, marker="o", markersize=4, label=label,
                              linestyle="-" if rearranged else (0, (4, 2)))
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        threads = sorted({key[1] for key in times})
        axis.set_xticks(threads, [str(x) for x in threads])
        axis.minorticks_off()
        axis.set_title(f"G = {blocks} blocks")
    for axis in axes[-2:]:
        axis.set_xlabel("T, threads a block")
    for axis in axes[::2]:
        axis.set_ylabel("time, ms")
    legend(figure, axes)
    gains = [times[key[0], key[1], False, None] / ms for key, ms in times.items() if key[2:] == (True, None)]
    book.save(figure, "paper_pscheme",
              f"The P-scheme paper's three kernels, N = 2^{math.log2(n):.0f}, double: rearranged arrays are "
              f"{times_range(gains)} times as fast", "Broken lines: without rearrangement.", paper=True)


def draw_pscheme_paper(book, rows):
    """The phases of the largest size, which those of the others resemble; then times over P = G T, and PCR."""
    sizes = [n for letter, n in paper_sizes(rows) if letter == "d"]
    if not sizes:
        return
    draw_phases(book, paper_times(rows, "d", sizes[-1]), sizes[-1])
    figure, axes = book.panels(len(sizes))
    for axis, n in zip(axes, sizes):
        times = paper_times(rows, "d", n)
        for k, blocks in enumerate(sorted({key[0] for key in times})):
            points = sorted((blocks * key[1], ms) for key, ms in times.items()
                            if (key[0], key[2], key[3]) == (blocks, True, None))
            axis.plot(*zip(*points), color=COLORS[1:][k % 4], marker="osD^"[k % 4],
                      markersize=4, label=f"the paper's kernels, G = {blocks}")
        for k, (name, ms) in enumerate(paper_rivals(rows, "d", n).items()):
            axis.axhline(ms, color=(COLORS[0], *PEERS)[k], linestyle=("-", *DASHES)[k], label=name)
        axis.axvline(math.sqrt(n / 2), color="black", linewidth=1)
        axis.annotate(" $\\sqrt{N/2}$", (math.sqrt(n / 2), 0.97), xycoords=("data", "axes fraction"), va="top")
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_xlabel("P = G T, threads")
        axis.set_title(f"N = 2^{math.log2(n):.0f}")
    axes[0].set_ylabel("time, ms")
    legend(figure, axes)
    best = [min(ms for key, ms in paper_times(rows, "d", n).items() if key[2:] == (True, None)) for n in sizes]
    gains = [ms / paper_rivals(rows, "d", n)["xfolrPscheme"] for ms, n in zip(best, sizes)]
    book.save(figure, "paper_pscheme_pcr", f"xfolrPscheme, in one launch, is {times_range(gains)} times as fast as the "
              "P-scheme paper's kernels at their best G and T", paper=True)


def crossovers(points):
    """The sizes where the device gets ahead of the host, or falls behind, from {n: (device's ms, host's ms)}: the
    first gets ahead. Between sizes, logarithms are interpolated linearly."""
    sizes, found, ahead = sorted(points), [], False
    for before, n in zip([None] + sizes, sizes):
        if (points[n][0] < points[n][1]) != ahead:
            if before:
                low, high = (math.log(points[k][0] / points[k][1]) for k in (before, n))
            found.append(before * (n / before)**(low / (low - high)) if before else n)
            ahead = not ahead
    return found


def first_crossovers(rows):
    """In words, for data on the device."""
    found = [(ends[0], routine) for (routine, _, variant), points in races(rows).items()
             if "host" not in variant and (ends := crossovers(points))]
    return " and ".join(f"n = {round(n, 1 - int(math.log10(n))):.0f} (x{routine})" for n, routine in found) or "no n"


def races(rows):
    """{(routine, peer, variant): {n: (device's ms, host's ms)}}"""
    found = defaultdict(dict)
    for row in select(rows, family="paper_oddeven", backend="cuda"):
        if row["variant"].startswith("waited") and not math.isnan(row["peer_ms"]):
            found[row["routine"], row["peer"], row["variant"]][row["n"]] = (row["ms"], row["peer_ms"])
    return found


def draw_oddeven_paper(book, rows):
    """Times of the paper's sizes and beyond; and device against host."""
    times_over_n(book, [row for row in select(rows, family="paper_oddeven") if "waited" not in row["variant"]],
                 "paper_oddeven", "The odd-even paper's example, one system, double: odd-even reduction on the GPU, "
                 "its peers on both", paper=True)
    groups = defaultdict(dict)
    for (routine, peer, variant), points in races(rows).items():
        groups[routine, peer][variant] = points
    if not groups:
        return
    figure, axes = book.panels(len(groups), height=3)
    for axis, ((routine, peer), variants) in zip(axes, groups.items()):
        for (variant, points), color in zip(variants.items(), COLORS):
            sizes = sorted(points)
            axis.plot(sizes, [points[n][0] for n in sizes], color=color, marker="o", markersize=4,
                      label="device, " + ("data on the host" if "host" in variant else "data on the device"))
            host = [points[n][1] for n in sizes]
            for n in crossovers(points):
                axis.axvline(n, color=color, linewidth=1, linestyle=(0, (4, 2)))
        axis.plot(sizes, host, color=PEERS[1], marker="s", markersize=4, linestyle=DASHES[0], label="host")
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlabel("n, rows of the system")
        axis.set_title(f"x{routine} and, on the host,\n{peer.replace(' on the host', '')}")
    for axis in axes[::2]:
        axis.set_ylabel("time until the result\nis available, ms")
    legend(figure, axes)
    book.save(figure, "paper_oddeven_crossover", f"One system with its data on the GPU is solved sooner there from "
              f"{first_crossovers(rows)} on", "Vertical lines: the crossover size for data of that place.", paper=True)


def pscheme_paper_section(rows):
    lines = []
    for letter, n in paper_sizes(rows):
        times = paper_times(rows, letter, n)
        rivals = "; ".join(f"{name} {ms * 1e3:.1f}" for name, ms in paper_rivals(rows, letter, n).items())
        for rearranged in (False, True):
            totals = {key: ms for key, ms in times.items() if key[2:] == (rearranged, None)}
            blocks, threads = min(totals, key=totals.get)[:2]
            phases = [times.get((blocks, threads, rearranged, phase), math.nan) for phase in PHASES]
            lines.append((TYPES[letter], f"2^{math.log2(n):.0f}", "with" if rearranged else "without",
                          f"{blocks}, {threads}", str(blocks * threads), f"{math.sqrt(n / 2):.0f}",
                          f"{min(totals.values()) * 1e3:.1f}",
                          *("" if math.isnan(ms) else f"{ms * 1e3:.1f}" for ms in phases), rivals))
    if not lines:
        return []
    head = ("type", "N", "rearrangement", "best G, T", "P", "√(N/2)", "µs", *(phase for phase in PHASES), "others, µs")
    return ["### The P-scheme's paper", "",
            "The recurrence w(i) = scale w(i-1) + offset of FUTURE COMPUTING 2012 by its three kernels; G = 4 … 32",
            "blocks, T = 16 … 512 threads a block. The time is that of the three phases; the rearrangement of the",
            "result is additional. PCR is recursive doubling, a launch a sweep. The tables below have the tridiagonal",
            "solvers at these sizes, PCR and cuSPARSE.", ""] + table(head, lines) + [""]


def oddeven_paper_section(rows):
    lines = []
    for row in select(rows, family="paper_oddeven"):
        if not row["variant"].startswith("waited"):
            lines.append((row["backend"], size(row["n"]), f"{row['ms'] * 1e3:.4g}", f"{row['error']:.1e}",
                          row["peer"] or "alone", number(row["peer_ms"] * 1e3, ".4g"), number(row["peer_error"], ".1e"),
                          number(row["speedup"], ".2f")))
    if not lines:
        return []
    head = ("backend", "n", "`xgtsvOddEven`, µs", "difference", "peer", "µs", "difference", "times")
    page = ["### The odd-even paper", "",
            "Its example, x(i-1) + 4 x(i) + x(i+1) = i. *difference* is the largest of any entry from the exact",
            "solution, relative to the entry.", ""] + table(head, lines) + [""]
    crossings = [(f"`x{routine}`", peer, "the host" if "host" in variant else "the device",
                  ranges(crossovers(points)))
                 for (routine, peer, variant), points in races(rows).items()]
    if crossings:
        page += ["Timed as a caller waits for one system:", ""] + table(
            ("on the device", "compared with", "data on", "the device is ahead"), crossings) + [""]
    return page


def number(value, form):
    return "" if math.isnan(value) else format(value, form)


def ranges(ends):
    """The sizes at which the device is ahead, in words."""
    texts = [f"n = {start:.0f} … " + (f"{ends[k + 1]:.0f}" if k + 1 < len(ends) else "")
             for k, start in enumerate(ends) if k % 2 == 0]
    return ", ".join(texts) or "nowhere"
