# report_sizes.py: tridiagonal systems at any size: the distribution over the cases, few systems, and a plot over n.
# SPDX-License-Identifier: BSD-3-Clause
import math
import statistics
from collections import defaultdict

from report_plots import fractions_over_n, select, size, table
from report_routines import by_layout
from report_summary import FEW, cases, is_own, title
from report_targets import read_targets, selected

PLAIN = ("", "BS=32")  # even batches, aligned, diagonally dominant, a matrix each


def family_of(rows):
    return select(rows, family="sizes")


def key(row):
    return tuple(row[name] for name in ("routine", "type", "backend", "layout", "n", "nrhs", "batch", "variant"))


# ---- the distribution ----------------------------------------------------------------------------------------------

def others(rows, judged):
    """The cases of no target, by routine and layout; few systems, which have a table of their own, are left out."""
    groups = defaultdict(list)
    for group in cases(rows).values():
        row = group[0]
        if key(row) not in judged and not FEW.search(row["variant"]):
            groups[f"`{title(row['routine'])}`, {row['layout']}, other cases"].append(row)
    return groups


def values_of(rows, column):
    """Number of cases; worst, where it is, lower quartile, median and best."""
    values = [row[column] for row in rows]
    quartile = statistics.quantiles(values, n=4, method="inclusive")[0] if len(values) > 1 else values[0]
    worst = rows[-1]
    where = " ".join(x for x in (worst["type"], f"n={size(worst['n'])}", worst["layout"], worst["variant"]) if x)
    return (str(len(rows)), f"{values[-1]:.2f}", where, f"{quartile:.2f}", f"{statistics.median(values):.2f}",
            f"{values[0]:.2f}")


def bound(value, measured):
    """A target as the table shows it, and whether `measured` reaches it."""
    return f"{float(value):g}: {'yes' if measured >= float(value) else 'no'}" if value else ""


def fastest_peer(row, peers):
    """The fraction of the copy bandwidth that the fastest peer of a case reaches."""
    fractions = [peer["peer_of_copy"] for peer in peers[key(row)]
                 if not is_own(peer["peer"]) and not math.isnan(peer["peer_of_copy"])]
    return max(fractions, default=math.nan)


def distribution(rows, family):
    """A line for the cases of each target of the family by the fraction of the copy bandwidth, with its bounds on its
    backend, and for the cases of none."""
    peers = defaultdict(list)
    for row in rows:
        peers[key(row)].append(row)
    lines, seen = [], set()

    def add(goal, found, least="", median=""):
        fractions = [x for x in (fastest_peer(row, peers) for row in found) if not math.isnan(x)]
        of_peers = f"{statistics.median(fractions):.2f}" if fractions else ""
        lines.append((goal, *values_of(found, "of_copy"), of_peers, bound(least, found[-1]["of_copy"]),
                      bound(median, statistics.median(row["of_copy"] for row in found))))
    for target in read_targets():
        found = selected(rows, {**target, "backend": ""}) if target["family"] == family else []
        if found and target["column"] == "of_copy":
            seen.update(key(row) for row in found)
            holds = found[0]["backend"] == target["backend"]
            goal = target["goal"].removeprefix("Any size: ")
            add(goal[0].upper() + goal[1:], found, *((target["at_least"], target["median"]) if holds else ()))
    for goal, found in sorted(others(rows, seen).items()):
        add(goal, sorted(found, key=lambda row: -row["of_copy"]))
    return lines


# ---- solving with factors, few systems -----------------------------------------------------------------------------

def factors(rows):
    """Times of solving with factors next to those of solving anew."""
    lines = []
    for row in select(rows, peer="solving anew"):
        lines.append((f"`{title(row['routine'])}`", row["layout"], row["variant"], size(row["n"]), size(row["nrhs"]),
                      size(row["batch"]), f"{row['ms']:.4g}", f"{row['peer_ms']:.4g}", f"{row['speedup']:.2f}"))
    return lines


def microseconds(group):
    """Our time, and in brackets that of the fastest peer."""
    def digits(us):
        return f"{us:.3g}" if us < 999.5 else f"{us:.0f}"
    peers = [row["peer_ms"] * 1e3 for row in group if not math.isnan(row["peer_ms"])]
    return digits(group[0]["us"]) + (f" ({digits(min(peers))})" if peers else "")


def few_systems(rows):
    """(numbers of systems, lines): the cells are times of a call, of a direct one and of a replay."""
    cells = defaultdict(lambda: defaultdict(list))
    for group in cases([row for row in rows if FEW.search(row["variant"])]).values():
        row = group[0]
        cells[row["routine"], row["layout"], row["n"]][row["batch"]].append(microseconds(group))
    batches = sorted({batch for line in cells.values() for batch in line})
    return batches, [(f"`{title(routine)}`", layout, size(n), *(" / ".join(line[batch]) for batch in batches))
                     for (routine, layout, n), line in cells.items()]


def distribution_table(rows, family):
    page = ["The fraction of the copy bandwidth over the cases of a group: the median and the worst",
            "are what to expect at a size that is not in the list. *Peer*: the median of the fastest peers of the same",
            "cases. The last two columns are the targets and whether they are reached.", ""]
    return page + table(("cases", "number", "worst", "at", "lower quartile", "median", "best", "peer", "target: worst",
                         "target: median"), distribution(rows, family)) + [""]


def sizes_section(rows):
    rows = family_of(rows)
    if not rows:
        return []
    page = ["## Any size", ""] + distribution_table(rows, "sizes")
    if lines := factors(rows):
        page += ["Solving with stored factors and solving anew, ms:", ""] + table(
            ("routine", "layout", "variant", "n", "nrhs", "batch", "with factors", "anew", "times as fast"),
            lines) + [""]
    batches, lines = few_systems(rows)
    if lines:
        page += ["Few systems: microseconds of a direct call / of a replay of a CUDA graph (only on CUDA). In brackets:",
                 "the fastest peer.", ""]
        page += table(("routine", "layout", "n", *(f"batch {size(batch)}" for batch in batches)), lines) + [""]
    return page


# ---- the plot ------------------------------------------------------------------------------------------------------

def powers_of_four(rows):
    return [4.0**k for k in range(8) if 4**k <= max(row["n"] for row in rows)]


def draw_sizes(book, rows):
    """The fraction of the copy bandwidth over n, a panel a layout."""
    shown = [row for row in select(family_of(rows), type="d", nrhs=1.0) if row["variant"] in PLAIN
             and row["routine"] in ("gtsvBatch", "gtsvPscheme") and row["batch"] > 1]
    groups = {name: found for name, found in by_layout(shown).items() if found}
    if not groups:
        return
    ours = {name: [group[0]["of_copy"] for group in cases(select(shown, routine=name)).values()]
            for name in dict.fromkeys(row["routine"] for row in shown)}
    words = [f"{title(name)} {statistics.median(values):.2f} and {min(values):.2f}" for name, values in ours.items()]
    top = max(1.1, 1.05 * max(row["of_copy"] for row in shown))  # a peer may be beyond
    fractions_over_n(book, groups, powers_of_four, "n, rows of a system", top, "sizes",
                     "Tridiagonal batches of any size in double, fraction of the copy bandwidth, median and "
                     f"worst: {', '.join(words)}")
