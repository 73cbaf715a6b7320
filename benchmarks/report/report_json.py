# report_json.py: the rows in the JSON form of Google Benchmark, so that its compare.py can compare two runs.
# SPDX-License-Identifier: BSD-3-Clause
import json
import math

from report_summary import cases


def entry(name, ms, counters):
    """Our times are those of the device or of the wall clock, so both times are the same."""
    finite = {key: value for key, value in counters.items() if not math.isnan(value)}
    return {"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1, "repetition_index": 0,
            "threads": 1, "iterations": 1, "real_time": ms * 1e3, "cpu_time": ms * 1e3, "time_unit": "us", **finite}


def entries(rows):
    """xbatch once a case, then its peers, which are named after the case."""
    found = []
    for case, group in cases(rows).items():
        row = group[0]
        backend = row["backend"]
        name = (f"{row['family']}/{row['type']}{row['routine']}/{backend}/{row['layout']}/n={row['n']:.0f}/"
                f"nrhs={row['nrhs']:.0f}/batch={row['batch']:.0f}" + (f"/{row['variant']}" if row["variant"] else ""))
        found.append(entry(name, row["ms"], {"bytes_per_second": row["rate"] * 1e9, "gflops": row["gflops"],
                                             "error": row["error"], "workspace": row["workspace"]}))
        found += [entry(f"{name}/{peer['peer']}", peer["peer_ms"], {"error": peer["peer_error"]})
                  for peer in group if not math.isnan(peer["peer_ms"])]
    return found


def write_json(rows, path):
    context = {"executable": "xbatch_bench", "host_name": rows[0]["device"], "commit": rows[0]["commit"]}
    path.write_text(json.dumps({"context": context, "benchmarks": entries(rows)}, indent=1) + "\n", encoding="utf-8")
