#!/usr/bin/env python3
"""bench/parquet.py PLUMB [MILLIONS...]: Parquet of growing size, beside Arrow's own reader. Asked are at least half of Arrow's
speed and memory that does not grow with the rows. Reading is the time of the command less that of the same command on .npy;
memory is the peak of RssAnon, which leaves out the pages of files that the system may drop."""
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ARROW_PYTHON = os.path.join(HERE, "..", ".venv-arrow", "bin", "python")
BLOCK = 1_000_000
MOST_MEGABYTES = 200  # 64 MiB of columns, a batch, the libraries

WRITE = f"""
import sys, numpy, pyarrow, pyarrow.parquet
random = numpy.random.default_rng(7)
names = pyarrow.array(["no", "yes"])
millions = int(sys.argv[1])
p, y = (numpy.lib.format.open_memmap(n + ".npy", "w+", t, (millions * {BLOCK},)) for n, t in (("p", "f4"), ("y", "u1")))
writer = None
for i in range(millions):
    rows = slice(i * {BLOCK}, (i + 1) * {BLOCK})
    p[rows] = random.random({BLOCK}, dtype="f4")
    y[rows] = random.random({BLOCK}) < p[rows] ** 2
    table = pyarrow.table({{"p": p[rows], "y": y[rows], "word": names.take(pyarrow.array(y[rows]))}})
    writer = writer or pyarrow.parquet.ParquetWriter("t.parquet", table.schema)
    writer.write_table(table)
writer.close()
"""
# A whole column at a time, and by batches as a program would that wants little memory.
READ = """
import sys, pyarrow.parquet as parquet
if sys.argv[1] == "whole":
    for column in sys.argv[2:]:
        parquet.read_table("t.parquet", columns=[column])
elif sys.argv[1] == "batches":
    for column in sys.argv[2:]:
        for _ in parquet.ParquetFile("t.parquet").iter_batches(131072, columns=[column]):
            pass
"""


def anonymous(pid):
    try:
        for line in open(f"/proc/{pid}/status"):
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1000
    except OSError:
        pass
    return 0


def once(command):
    begin, peak = time.monotonic(), 0
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while True:
        pid, status, used = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        peak = max(peak, anonymous(child.pid))
        time.sleep(0.002)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("bench/parquet.py: this failed: " + " ".join(command))
    return {"wall": time.monotonic() - begin, "cpu": used.ru_utime + used.ru_stime, "MB": peak}


def measured(command):
    runs = [once(command) for _ in range(3)]
    return {"wall": min(r["wall"] for r in runs), "cpu": min(r["cpu"] for r in runs), "MB": max(r["MB"] for r in runs)}


def row(name, m, note=""):
    print(f"  {name:38} wall {m['wall']:6.2f} s  CPU {m['cpu']:6.2f} s  {m['MB']:5.0f} MB{note}", flush=True)


def size(plumb, millions):
    print(f"{millions} million rows of float32 and uint8, the labels as text too:")
    subprocess.run([ARROW_PYTHON, "-c", WRITE, str(millions)], check=True)
    quick = ["--metrics", "ece,brier", "--quiet"]
    arrays = measured([plumb, "evaluate", "--probs", "p.npy", "--labels", "y.npy", *quick])
    start = measured([ARROW_PYTHON, "-c", READ, "nothing"])
    row("plumb evaluate, .npy", arrays)
    for label in ("y", "word"):
        got = measured([plumb, "evaluate", "--probs", "t.parquet:p", "--labels", f"t.parquet:{label}", *quick])
        arrow = measured([ARROW_PYTHON, "-c", READ, "whole", "p", label])
        batches = measured([ARROW_PYTHON, "-c", READ, "batches", "p", label])
        ours, theirs = got["cpu"] - arrays["cpu"], arrow["cpu"] - start["cpu"]
        missed = "  MISSED" if ours > 2 * theirs or got["MB"] > MOST_MEGABYTES else ""
        row(f"plumb evaluate, Parquet, p and {label}", got, f"  (asked: {MOST_MEGABYTES} MB){missed}")
        row("pyarrow, whole columns", arrow)
        row("pyarrow, batches that are dropped", batches)
        print(f"  {'reading alone: plumb, pyarrow':38} CPU  {ours:6.2f} s  and {theirs:6.2f} s", flush=True)


def main():
    plumb = os.path.abspath(sys.argv[1])
    if not os.path.exists(ARROW_PYTHON) or not os.path.exists(os.path.join(os.path.dirname(plumb), "../lib/plumb/libplumb_arrow.so")):
        return print("bench/parquet.py: left out, tools/setup arrow installs what it needs")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chdir(folder)
        for millions in [int(m) for m in sys.argv[2:]] or [10, 40]:
            size(plumb, millions)
        os.chdir("/")


if __name__ == "__main__":
    main()
