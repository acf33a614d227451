#!/usr/bin/env python3
"""bench/scale.py PLUMB EXTENSION [MILLIONS] [STATES]: the extension for DuckDB beside SQL and beside the tool, and the merge of many
states. Run it with a Python that has duckdb and numpy (.venv-scale). Times are CPU seconds, best of three."""
import os
import resource
import shutil
import subprocess
import sys
import tempfile

import duckdb
import numpy as np

TOOL, EXTENSION = map(os.path.abspath, sys.argv[1:3])
MILLIONS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
STATES = int(sys.argv[4]) if len(sys.argv) > 4 else 10_000
SQL = """SELECT sum(abs(gap)) / sum(n) FROM
  (SELECT sum(p) - sum(y) AS gap, count(*) AS n FROM t GROUP BY least(floor(p * 15)::INT, 14))"""


def seconds(run, who=resource.RUSAGE_SELF):
    best = float("inf")
    for _ in range(3):
        before = resource.getrusage(who)
        run()
        after = resource.getrusage(who)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def tool(*arguments):
    subprocess.run([TOOL, *map(str, arguments), "--quiet"], check=True)


def row(what, value, note=""):
    print(f"  {what:<46}{value:>9.3f} s  {note}")


def sql():
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"LOAD '{EXTENSION}'")
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SELECT setseed(0.5)")
    connection.execute(f"CREATE TABLE t AS SELECT i % 100000 AS g, p, (random() < p)::BIGINT AS y FROM (SELECT i, random() AS p FROM range({MILLIONS}000000) r(i))")
    columns = connection.execute("SELECT p, y FROM t").fetchnumpy()
    np.save("p.npy", columns["p"])
    np.save("y.npy", columns["y"])
    del columns
    plain = seconds(lambda: connection.execute(SQL).fetchall())
    ours = seconds(lambda: connection.execute("SELECT plumb_ece(p, y) FROM t").fetchall())
    scan = seconds(lambda: connection.execute("SELECT sum(p), sum(y) FROM t").fetchall())
    pass_ = seconds(lambda: tool("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--metrics", "ece"), resource.RUSAGE_CHILDREN)
    print(f"DuckDB {duckdb.__version__}, {MILLIONS} million rows:")
    row("SQL: the same ECE", plain)
    row("SQL: two sums (the scan)", scan)
    row("plumb_ece(p, y)", ours, f"{plain / ours:.1f} times faster than SQL")
    row("plumb evaluate --metrics ece, .npy", pass_, f"the extension takes {ours / pass_:.1f} times as long, its scan included")
    row("plumb_state(p, y)", seconds(lambda: connection.execute("SELECT plumb_state(p, y) FROM t").fetchall()))
    row("plumb_ece(p, y) of 100,000 groups", seconds(lambda: connection.execute("SELECT g, plumb_ece(p, y) FROM t GROUP BY g").fetchall()))
    connection.execute("COPY (SELECT p::FLOAT AS p, y::UTINYINT AS y FROM t) TO 't.parquet'")
    row("plumb_ece(p, y) from Parquet", seconds(lambda: connection.execute("SELECT plumb_ece(p, y) FROM 't.parquet'").fetchall()))


def merging():
    for name in ("p.npy", "y.npy"):
        np.save(name, np.load(name)[:1_000_000])
    shape = ["--probs", "p.npy", "--labels", "y.npy"]
    row("plumb evaluate --save-state, a million rows", seconds(lambda: tool("evaluate", *shape, "--save-state", "s", "--threads", 1), resource.RUSAGE_CHILDREN),
        f"{os.path.getsize('s') / 1000:.0f} kB")
    os.mkdir("states")
    for i in range(STATES):
        shutil.copy("s", f"states/{i}")
    row(f"plumb merge of {STATES:,} of them", seconds(lambda: tool("merge", "states/*"), resource.RUSAGE_CHILDREN),
        f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000:.0f} MB at most")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    sql()
    merging()
