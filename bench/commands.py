#!/usr/bin/env python3
"""bench/commands.py PLUMB: whole commands, as a user runs them. Prints wall clock, CPU seconds and memory of each beside
its target. The better of two runs counts: the first one also reads the files from disk."""
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zlib

HERE = os.path.abspath(__file__)
ARROW_PYTHON = os.path.join(os.path.dirname(HERE), "..", ".venv-arrow", "bin", "python")
DEMO = "demo/test/"
VOTES = ["--counts", DEMO + "counts.npy", "--classes", "demo/classes.txt", "--groups", DEMO + "items.csv:patient"]
VOLUMES = "evaluate --manifest volumes/cases.csv --metrics ece,brier,lsq,cl,el,dl"
ROWS = [  # name, arguments, what is asked
    ("evaluate, 1e7 binary", "evaluate --probs p.npy --labels y.npy", {"cpu": 3, "MB": 500}),
    ("the same from Parquet", "evaluate --probs p.parquet:p --labels p.parquet:y", {"cpu": 3.5, "MB": 550}),
    ("its Brier score from .npy", "evaluate --probs p.npy --labels y.npy --metrics brier", {}),
    ("its Brier score from Parquet", "evaluate --probs p.parquet:p --labels p.parquet:y --metrics brier", {}),
    ("the same, one thread", "evaluate --probs p.npy --labels y.npy --threads 1", {}),
    ("evaluate, 540 x 10", "evaluate --probs small.npy --labels small_y.npy", {"wall": 0.15}),
    ("the demo's raw run, 200 draws", ["evaluate", "--probs", DEMO + "probs.npy", *VOTES, "--by", DEMO + "items.csv:site",
                                       "--bootstrap", "200", "--json", "raw.json"], {"cpu": 3}),
    ("fit temperature, 5e4 x 1000", "calibrate fit --method temperature --logits z.npy --labels z_y.npy -o t.json",
     {"wall": 0.9}),
    ("553,000 in 10 groups, 200 draws", "evaluate --probs q.npy --labels q_y.npy --groups q_g.npy --bootstrap 200",
     {"cpu": 20}),
    ("1e6 in 20,000 slices", "evaluate --probs million.npy --labels million_y.npy --by million_by.npy", {"cpu": 25}),
    ("1e6 with 100,000 bins", "evaluate --probs million.npy --labels million_y.npy --bins 100000", {"cpu": 3}),
    ("2,000 of 200,000 votes, 200 draws", "evaluate --probs crowd.npy --counts crowd_votes.npy --bootstrap 200", {"cpu": 20}),
    ("auto with 100 folds, 2,000 x 4", "calibrate fit --method auto --folds 100 --logits four.npy --labels four_y.npy -o auto.json",
     {"cpu": 4}),
    ("12 volumes of 128^3, 3 raters", VOLUMES, {"zlib": 2, "MB": 400}),
    ("the same with ece_kde", VOLUMES.replace("dl", "dl,ece_kde"), {"zlib": 4, "MB": 400}),
    ("the same, all default metrics", VOLUMES.split(" --metrics")[0], {"MB": 400}),
    ("the same, uncompressed", VOLUMES.replace("cases", "plain"), {"MB": 400}),
    ("200 volumes", VOLUMES.replace("cases", "many"), {"zlib": 2, "MB": 400}),
    ("200 volumes with ece_kde", VOLUMES.replace("cases", "many").replace("dl", "dl,ece_kde"), {"zlib": 4, "MB": 400}),
]


def softmax_rows(np, random, rows, classes):
    z = 2 * random.normal(size=(rows, classes)).astype(np.float32)
    y = (z + random.gumbel(size=z.shape)).argmax(1)
    return 1.5 * z, y


def make_data():
    import numpy as np

    random = np.random.default_rng(7)
    for name, labels, rows in (("p", "y", 10_000_000), ("q", "q_y", 553_000), ("million", "million_y", 1_000_000)):
        p = random.random(rows, dtype=np.float32)
        np.save(name + ".npy", p)
        np.save(labels + ".npy", (random.random(rows) < p * p).astype(np.uint8))
    np.save("q_g.npy", np.arange(553_000) % 10)
    np.save("million_by.npy", np.arange(1_000_000) % 20_000)
    np.save("crowd.npy", random.dirichlet([1, 1, 1], 2000))
    np.save("crowd_votes.npy", random.multinomial(200_000, [0.3, 0.3, 0.4], size=2000))
    z, y = softmax_rows(np, random, 2000, 4)
    np.save("four.npy", z), np.save("four_y.npy", y)
    z, y = softmax_rows(np, random, 50_000, 1000)
    np.save("z.npy", z), np.save("z_y.npy", y)
    z, y = softmax_rows(np, random, 540, 10)
    e = np.exp(z)
    np.save("small.npy", e / e.sum(1, keepdims=True)), np.save("small_y.npy", y)
    make_volumes(np)


def make_volumes(np, volumes=12, side=128):
    """Lesions with voxel noise in the probabilities and smooth masks, as .nii.gz and .nii. many.csv has 200 cases, which
    share these files."""
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "..", "tests", "cli"))
    from volumes import nifti

    folder = pathlib.Path("volumes")
    folder.mkdir()
    columns, rows, ax = "case,probs,rater_1,rater_2,rater_3", [], np.linspace(-1, 1, side, dtype=np.float32)
    for i in range(volumes):
        random = np.random.default_rng(i)
        c = random.uniform(-0.4, 0.4, 3)
        gap = 12 * (0.4 - np.sqrt((ax[:, None, None] - c[0]) ** 2 + (ax[:, None] - c[1]) ** 2 + (ax - c[2]) ** 2))
        p = 1 / (1 + np.exp(-1.5 * (gap + 0.5 * random.standard_normal(gap.shape))))
        files = [nifti(folder / f"p{i}.nii.gz", p.astype(np.float32))]
        files += [nifti(folder / f"m{i}{k}.nii.gz", (gap + random.standard_normal() > 0).astype(np.uint8)) for k in range(3)]
        for name in files:
            (folder / name.removesuffix(".gz")).write_bytes(gzip.decompress((folder / name).read_bytes()))
        rows.append(",".join(files))
    many = [rows[i % volumes] for i in range(200)]
    for name, files in (("cases", rows), ("plain", [row.replace(".gz", "") for row in rows]), ("many", many)):
        lines = [columns, *(f"c{i},{row}" for i, row in enumerate(files))]
        (folder / (name + ".csv")).write_text("\n".join(lines) + "\n")


def inflate():
    """CPU seconds of zlib alone for the files of a volume: evaluation is asked to take at most twice as long. Beside it
    those of reading uncompressed files."""
    seconds = {}
    for what, pattern, use in (("inflates", "*.gz", lambda f: zlib.decompress(f, 31)), ("reads", "*.nii", len)):
        files = sorted(pathlib.Path("volumes").glob(pattern))
        best = 1e9
        for _ in range(2):
            begin = time.process_time()
            for f in files:
                use(f.read_bytes())
            best = min(best, time.process_time() - begin)
        seconds[what] = best * 4 / len(files)
    print(f"{'zlib inflates a volume below':34} {'':13}  CPU {seconds['inflates']:6.3f} s", flush=True)
    print(f"{'reading one, uncompressed':34} {'':13}  CPU {seconds['reads']:6.3f} s", flush=True)
    return seconds["inflates"]


# The columns that the rows above read, by Arrow's own reader.
WRITE_PARQUET = """
import numpy, pyarrow, pyarrow.parquet
pyarrow.parquet.write_table(pyarrow.table({"p": numpy.load("p.npy"), "y": numpy.load("y.npy")}), "p.parquet")"""
READ_PARQUET = """
import time, pyarrow.parquet as parquet
best = 1e9
for _ in range(3):
    begin = time.process_time()
    for column in ("p", "y"):
        parquet.read_table("p.parquet", columns=[column])
    best = min(best, time.process_time() - begin)
print(f"{'both columns by pyarrow':34} CPU {best:6.2f} s")"""


def measure(command):
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("bench/commands.py: this failed: " + " ".join(command))
    return {"wall": time.monotonic() - begin, "cpu": used.ru_utime + used.ru_stime, "MB": used.ru_maxrss / 1000}


def main():
    if sys.argv[1] == "--data":
        return make_data()
    plumb = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        # In a separate process: the peak memory of a child starts with that of its parent.
        subprocess.run([sys.executable, HERE, "--data"], check=True)
        subprocess.run([plumb, "demo", "--out", "demo"], check=True, stdout=subprocess.DEVNULL)
        has_arrow = os.path.exists(ARROW_PYTHON) and os.path.exists(os.path.join(os.path.dirname(plumb), "../lib/plumb/libplumb_arrow.so"))
        if has_arrow:
            subprocess.run([ARROW_PYTHON, "-c", WRITE_PARQUET], check=True)
            subprocess.run([ARROW_PYTHON, "-c", READ_PARQUET], check=True)
        inflated = inflate()
        for name, words, asked in ROWS:
            if "parquet" in words and not has_arrow:
                print(f"{name:34} left out: tools/setup arrow installs what it needs")
                continue
            command = [plumb, *(words.split() if isinstance(words, str) else words)]
            runs = [measure(command) for _ in range(2)]
            best = {what: min(r[what] for r in runs) for what in runs[0]}
            best["zlib"] = best["cpu"] / inflated / (200 if "many" in words else 12)
            missed = [what for what, most in asked.items() if best[what] > most]
            wanted = ", ".join(f"{what} {most:g}" for what, most in asked.items())
            times = f"  {best['zlib']:.2f} times zlib" if "zlib" in asked else ""
            print(f"{name:34} wall {best['wall']:6.2f} s  CPU {best['cpu']:6.2f} s  {best['MB']:5.0f} MB" + times
                  + (f"  (asked: {wanted})" if asked else "") + ("  MISSED" if missed else ""), flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
