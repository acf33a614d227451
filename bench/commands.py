#!/usr/bin/env python3
"""bench/commands.py PLUMB: whole commands as a user waits for them. Prints wall clock, CPU seconds and memory of each beside
what is asked. The better of two runs counts: the first one also reads the files from disk."""
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.abspath(__file__)
DEMO = "demo/test/"
VOTES = ["--counts", DEMO + "counts.npy", "--classes", "demo/classes.txt", "--groups", DEMO + "items.csv:patient"]
ROWS = [  # name, arguments, what is asked
    ("evaluate, 1e7 binary", "evaluate --probs p.npy --labels y.npy", {"cpu": 3, "MB": 500}),
    ("the same, one thread", "evaluate --probs p.npy --labels y.npy --threads 1", {}),
    ("evaluate, 540 x 10", "evaluate --probs small.npy --labels small_y.npy", {"wall": 0.15}),
    ("the demo's raw run, 200 draws", ["evaluate", "--probs", DEMO + "probs.npy", *VOTES, "--by", DEMO + "items.csv:site",
                                       "--bootstrap", "200", "--json", "raw.json"], {"cpu": 3}),
    ("fit temperature, 5e4 x 1000", "calibrate fit --method temperature --logits z.npy --labels z_y.npy -o t.json",
     {"wall": 0.9}),
    ("553,000 in 10 groups, 200 draws", "evaluate --probs q.npy --labels q_y.npy --groups q_g.npy --bootstrap 200",
     {"cpu": 20}),
]


def softmax_rows(np, random, rows, classes):
    z = 2 * random.normal(size=(rows, classes)).astype(np.float32)
    y = (z + random.gumbel(size=z.shape)).argmax(1)
    return 1.5 * z, y


def make_data():
    import numpy as np

    random = np.random.default_rng(7)
    for name, rows in (("p", 10_000_000), ("q", 553_000)):
        p = random.random(rows, dtype=np.float32)
        np.save(name + ".npy", p)
        np.save({"p": "y", "q": "q_y"}[name] + ".npy", (random.random(rows) < p * p).astype(np.uint8))
    np.save("q_g.npy", np.arange(553_000) % 10)
    z, y = softmax_rows(np, random, 50_000, 1000)
    np.save("z.npy", z), np.save("z_y.npy", y)
    z, y = softmax_rows(np, random, 540, 10)
    e = np.exp(z)
    np.save("small.npy", e / e.sum(1, keepdims=True)), np.save("small_y.npy", y)


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
        # By a process of its own: a child's peak of memory begins with that of its parent.
        subprocess.run([sys.executable, HERE, "--data"], check=True)
        subprocess.run([plumb, "demo", "--out", "demo"], check=True, stdout=subprocess.DEVNULL)
        for name, words, asked in ROWS:
            command = [plumb, *(words.split() if isinstance(words, str) else words)]
            runs = [measure(command) for _ in range(2)]
            best = {what: min(r[what] for r in runs) for what in runs[0]}
            missed = [what for what, most in asked.items() if best[what] > most]
            wanted = ", ".join(f"{what} {most:g}" for what, most in asked.items())
            print(f"{name:34} wall {best['wall']:6.2f} s  CPU {best['cpu']:6.2f} s  {best['MB']:5.0f} MB"
                  + (f"  (asked: {wanted})" if asked else "") + ("  MISSED" if missed else ""), flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
