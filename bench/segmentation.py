#!/usr/bin/env python3
"""bench/segmentation.py PLUMB [VOLUMES] [SIDE]: a folder of segmentations by three raters, each volume of its own, compressed and
not (200 volumes of side 128 take 5 GB of disk and some minutes to make). Evaluation beside what zlib needs to inflate the
same files, and beside what the disk needs to deliver the uncompressed ones. CPU seconds of all threads; `wall` from a disk whose cache was emptied of
these files."""
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zlib

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "cli"))
from volumes import nifti

LOSSES = "ece,brier,lsq,el_plugin,el,il,cl_plugin,cl,dl_plugin,dl,rl,ce,de"


def make(volumes, side):
    """Lesions with voxel noise in the probabilities, and the masks of three raters whose boundaries differ."""
    ax = np.linspace(-1, 1, side, dtype=np.float32)
    packed, plain = (["case,probs,rater_1,rater_2,rater_3"] for _ in range(2))
    for i in range(volumes):
        random = np.random.default_rng(i)
        c = random.uniform(-0.4, 0.4, 3)
        gap = 12 * (0.4 - np.sqrt((ax[:, None, None] - c[0]) ** 2 + (ax[:, None] - c[1]) ** 2 + (ax - c[2]) ** 2))
        p = 1 / (1 + np.exp(-1.5 * (gap + 0.5 * random.standard_normal(gap.shape, dtype=np.float32))))
        files = [nifti(pathlib.Path(f"p{i}.nii"), p.astype(np.float32))]
        files += [nifti(pathlib.Path(f"m{i}{k}.nii"), (gap + random.standard_normal() > 0).astype(np.uint8)) for k in range(3)]
        for name in files:
            pathlib.Path(name + ".gz").write_bytes(gzip.compress(pathlib.Path(name).read_bytes(), 1))
        plain.append(f"c{i}," + ",".join(files))
        packed.append(f"c{i}," + ",".join(name + ".gz" for name in files))
    for name, rows in (("packed", packed), ("plain", plain)):
        pathlib.Path(name + ".csv").write_text("\n".join(rows) + "\n")


def forget(pattern):
    """Out of the cache of the system, if it lets go of them."""
    for path in pathlib.Path(".").glob(pattern):
        with open(path, "rb") as f:
            os.fsync(f.fileno())
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def each_file(pattern, use):
    cpu, wall = time.process_time(), time.monotonic()
    for path in sorted(pathlib.Path(".").glob(pattern)):
        use(path.read_bytes())
    return time.process_time() - cpu, time.monotonic() - wall


def evaluate(plumb, table, metrics):
    begin = time.monotonic()
    child = subprocess.Popen([plumb, "evaluate", "--manifest", table, "--metrics", metrics, "--quiet", "--json", "out.json"])
    _, status, used = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit("bench/segmentation.py: plumb failed")
    return used.ru_utime + used.ru_stime, time.monotonic() - begin, used.ru_maxrss / 1000


def main():
    if sys.argv[1] == "--make":
        return make(int(sys.argv[2]), int(sys.argv[3]))
    plumb = os.path.abspath(sys.argv[1])
    volumes, side = (int(a) for a in (sys.argv[2:] + ["200", "128"][len(sys.argv) - 2:]))
    here = os.path.abspath(__file__)
    with tempfile.TemporaryDirectory(dir=os.environ.get("PLUMB_BENCH_FOLDER")) as folder:
        os.chdir(folder)
        # In a separate process: the peak memory of a child starts with that of its parent.
        subprocess.run([sys.executable, here, "--make", str(volumes), str(side)], check=True)
        size = sum(p.stat().st_size for p in pathlib.Path(".").glob("*.nii"))
        print(f"{volumes} volumes of {side}^3, three raters: {volumes * side**3 / 1e6:,.0f} million voxels, {size / 1e9:.2f} GB uncompressed", flush=True)
        inflate, _ = each_file("*.nii.gz", lambda data: zlib.decompress(data, 31))
        print(f"{'zlib inflates the files':46} CPU {inflate:7.2f} s", flush=True)
        before = {}
        for table in ("packed", "plain"):
            for what, metrics in (("losses", LOSSES), ("losses and ece_kde", LOSSES + ",ece_kde")):
                cpu, wall, mb = min(evaluate(plumb, table + ".csv", metrics) for _ in range(2))
                more = f"{cpu / inflate:5.2f} times zlib" if table == "packed" else f"{size / cpu / 1e9:5.2f} GB a CPU second"
                if what != "losses":
                    more += f", {cpu / before[table]:.2f} times that without ece_kde"
                before[table] = cpu
                print(f"{table + ': ' + what:46} CPU {cpu:7.2f} s  wall {wall:7.2f} s  {mb:4.0f} MB  {more}", flush=True)
        forget("*.nii")
        _, wall = each_file("*.nii", len)
        print(f"{'reading the uncompressed files from the disk':46} wall {wall:7.2f} s, {size / wall / 1e9:5.2f} GB/s", flush=True)
        forget("*.nii")
        _, ours, _ = evaluate(plumb, "plain.csv", LOSSES)
        print(f"{'plain: losses, from the disk':46} wall {ours:7.2f} s, {wall / ours:5.2f} of the speed of reading", flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
