#!/usr/bin/env python3
"""fuzz/seeds.py FOLDER [PLUMB]: small valid inputs in FOLDER/<target>/ to begin from, for every fuzz target; models and states
are those of the tool PLUMB, if given."""
import gzip
import io
import itertools
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "cli"))
from volumes import nifti, png  # noqa: E402  (the path comes first)

METHODS = ("none", "temperature", "vector", "matrix", "isotonic", "histogram", "beta", "platt", "spline", "ets", "alpha")

ARGUMENTS = [
    "evaluate --probs p.csv --labels y.csv",
    "evaluate --probs p.csv --labels y.csv --bootstrap 20 --json r.json --quiet",
    "evaluate --probs p.csv --labels y.csv --fail-if ece>0.05 --metrics ece,brier --seed 3",
    "evaluate --probs probs.csv --counts counts.csv --classes classes.txt --bins 5",
    "evaluate --probs probs.csv --counts counts.csv --by items.csv:site --groups items.csv:patient --bootstrap 10",
    "evaluate --probs probs.csv --annotations votes.csv:item,rater,label --ids items.csv:id --json -",
    "evaluate --mean mean.csv --target target.csv --std 1 --levels 0.5,0.9",
    "evaluate --probs p.csv --labels y.csv --save-state s.state",
    "evaluate --probs p.csv --labels y.csv --thresholds 0.1,0.5 --tolerance 0.02 --level 0.9",
    "uncertainty --probs probs.csv --counts counts.csv --measures entropy --target-accuracy 0.9",
    "compare --model a=p.csv --model b=p.csv --labels y.csv --bootstrap 10 --metrics ece",
    "raters --annotations votes.csv:item,rater,label",
    "calibrate fit --method temperature --probs probs.csv --counts counts.csv -o m.json",
    "calibrate fit --method auto --probs p.csv --labels y.csv --folds 2 -o m.json",
    "calibrate apply m.json --probs probs.csv -o q.csv",
    "calibrate show m.json",
    "stability --probs p.csv --labels y.csv --repeats 2 --metrics brier",
    "merge a.state b.state",
    "describe probs.csv",
    "describe votes.csv --next",
    "list --metrics",
    "list --calibrators --json -",
    "completion bash",
    "manual evaluate",
]


def run(plumb, *args, cwd):
    subprocess.run([plumb, *map(str, args)], cwd=cwd, capture_output=True, timeout=120, check=False)


class Seeds:
    """Files of the targets, numbered."""

    def __init__(self, folder):
        self.folder = folder
        self.number = itertools.count()

    def add(self, target, data):
        place = self.folder / target
        place.mkdir(parents=True, exist_ok=True)
        (place / f"seed{next(self.number):03d}").write_bytes(data if isinstance(data, bytes) else data.encode())

    def with_options(self, target, data, options=(0, 1, 2, 9, 0x31)):
        """Targets whose first byte picks the options."""
        data = data if isinstance(data, bytes) else data.encode()
        for byte in options:
            self.add(target, bytes([byte]) + data)


def arrays():
    rng = np.random.default_rng(1)
    yield rng.dirichlet(np.ones(3), 5)
    yield rng.dirichlet(np.ones(3), 5).astype(np.float32)
    yield rng.random(7).astype(np.float16)
    yield np.asfortranarray(rng.random((3, 4)))
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, bool, ">f8", ">i4"):
        yield np.arange(6).reshape(3, 2).astype(kind)
    yield np.array(["cat", "dog", "naïve"])
    yield np.zeros((0, 3))


def npy_bytes(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def add_arrays(seeds):
    for array in arrays():
        seeds.add("fuzz_npy", npy_bytes(array))
    for save in (np.savez, np.savez_compressed):
        out = io.BytesIO()
        save(out, probs=np.full((4, 2), 0.5), labels=np.arange(4))
        seeds.add("fuzz_npz", out.getvalue())
    for shape in ((3,), (2, 3, 3)):
        head = bytes([0, 0, 8, len(shape)]) + b"".join(n.to_bytes(4, "big") for n in shape)
        seeds.with_options("fuzz_idx", head + bytes(int(np.prod(shape))), (0, 1))
        seeds.with_options("fuzz_idx", gzip.compress(head + bytes(int(np.prod(shape)))), (0, 1))


def add_texts(seeds):
    for text in ("0.1,0.9\n0.2,0.8\n", "a,b\n1,2\n3,\n", "\ufeffid;x\r\n1;2\r\n", '"a ""b""",c\n"x\ny",2\n', "cat\ndog\ncat\n", "1e-320\nnan\n-0\n"):
        seeds.with_options("fuzz_csv", text)
        seeds.with_options("fuzz_csv", text.replace(",", "\t"), (1, 0x13))
    for text in ('{"p": [0.1, 0.9], "y": 1}\n{"p": [0.4, 0.6], "y": 0}\n', "[1, 2]\n[3, 4]\n", '"cat"\n"\\u00e9\\ud83d\\ude00"\n', "0.5\nnull\n"):
        seeds.with_options("fuzz_json_lines", text)
    for text in ("case,probs,rater_1,rater_2\na,a.npy,b.npy,c.npy\nd,d.npy,e.npy,\n",
                 "case,probs,mask_1,roi,group,site\na,a.nii.gz,b.nii.gz,r.nii,p,x\n",
                 '{"case": "a", "probs": "a.npy", "rater_1": "b.npy", "site": "x"}\n'):
        seeds.with_options("fuzz_manifest", text, (0, 1, 2, 3))
    seeds.add("fuzz_journal", b"\1\0\0\0\2\0\0\0case a")
    for line in ARGUMENTS:
        seeds.add("fuzz_arguments", "\n".join(line.split()) + "\n")
    for length in (8, 40, 200):
        for byte in range(0, 32, 5):
            seeds.add("fuzz_arrow", bytes([byte]) + bytes((7 * i + byte) % 256 for i in range(length)))


def add_volumes(seeds, work):
    rng = np.random.default_rng(2)
    for kind in ("uint8", "int16", "float32", "float64"):
        for big in (False, True):
            array = (rng.random((4, 3, 2)) * 9).astype(kind)
            for version in (1, 2):
                nifti(work / "v.nii", array, version=version, big=big)
                seeds.add("fuzz_nifti", (work / "v.nii").read_bytes())
    for kind in (np.uint8, np.uint16):
        png(work / "v.png", (rng.random((5, 6)) * 9).astype(kind))
        seeds.add("fuzz_png", (work / "v.png").read_bytes())


def add_models(seeds, plumb, work):
    rng = np.random.default_rng(3)
    for classes in (2, 3):
        truth = rng.dirichlet(np.ones(classes), 60)
        probs = truth**2 / (truth**2).sum(1, keepdims=True)
        np.save(work / "probs.npy", probs if classes > 2 else probs[:, 1])
        np.save(work / "counts.npy", np.stack([rng.multinomial(4, p) for p in truth]))
        given = ("--probs", "probs.npy", "--counts", "counts.npy")
        for method in METHODS:
            (work / "m.json").unlink(missing_ok=True)
            run(plumb, "calibrate", "fit", "--method", method, *given, "-o", "m.json", cwd=work)
            if (work / "m.json").exists():
                seeds.add("fuzz_model", (work / "m.json").read_bytes())
        for options in ((), ("--metrics", "ece,auroc"), ("--metrics", "all"), ("--bins", "2", "--bootstrap", "2", "--null", "signs")):
            (work / "s.state").unlink(missing_ok=True)
            run(plumb, "evaluate", *given, *options, "--save-state", "s.state", "--quiet", cwd=work)
            if (work / "s.state").exists():
                seeds.add("fuzz_state", (work / "s.state").read_bytes())
    np.save(work / "counts.npy", np.stack([rng.multinomial(4, p) for p in truth]))  # three classes
    np.save(work / "p.npy", rng.random(5000))  # more than replicates keep one by one
    np.save(work / "label.npy", rng.integers(0, 2, 5000))
    for given in (("--probs", "probs.npy", "--counts", "counts.npy", "--orders", "2", "--ordered", "--bins", "2"),
                  ("--probs", "p.npy", "--labels", "label.npy", "--bootstrap", "1", "--bins", "2")):
        run(plumb, "evaluate", *given, "--save-state", "s.state", "--quiet", cwd=work)
        seeds.add("fuzz_state", (work / "s.state").read_bytes())
    np.save(work / "mean.npy", rng.normal(size=40))
    np.save(work / "variance.npy", rng.random(40) + 0.5)
    np.save(work / "y.npy", rng.normal(size=40))
    for options in ((), ("--range", "0,2")):
        run(plumb, "evaluate", "--mean", "mean.npy", "--variance", "variance.npy", "--y", "y.npy", *options,
            "--save-state", "s.state", "--quiet", cwd=work)
        seeds.add("fuzz_state", (work / "s.state").read_bytes())


def main():
    seeds = Seeds(pathlib.Path(sys.argv[1]))
    with tempfile.TemporaryDirectory() as made:
        work = pathlib.Path(made)
        add_arrays(seeds)
        add_texts(seeds)
        add_volumes(seeds, work)
        if len(sys.argv) > 2:
            add_models(seeds, pathlib.Path(sys.argv[2]).resolve(), work)
    for place in sorted(seeds.folder.iterdir()):
        print(f"{place.name}: {len(list(place.iterdir()))} seeds")


main()
