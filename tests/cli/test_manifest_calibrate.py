"""plumb calibrate fit --manifest: against the fit of the same voxels in memory."""
import json

import numpy as np
import pytest
from conftest import DATA, needs_data
from test_manifest import write
from volumes import lesion, nifti


@pytest.fixture
def cases(folder):
    rows, data = [], []
    for i in range(5):
        p, votes = lesion(i, sharpen=1.6)
        rows.append({"case": f"c{i}", "probs": nifti(folder / f"p{i}.nii.gz", p),
                     **{f"rater_{r + 1}": nifti(folder / f"m{i}_{r}.nii.gz", v) for r, v in enumerate(votes)}})
        data.append((p.ravel("F"), np.stack([v.ravel("F") for v in votes], 1).astype(np.int32)))
    write(folder, rows, ["case", "probs", "rater_1", "rater_2", "rater_3"])
    folder.npy("p.npy", np.concatenate([p for p, _ in data]))
    folder.npy("v.npy", np.concatenate([v for _, v in data]))
    return rows


def steps(folder, name):
    return json.loads((folder / name).read_text())["steps"][-1]


def numbers(tree):
    """Every number of the parameters, in order."""
    if isinstance(tree, dict):
        return [x for k in sorted(tree) for x in numbers(tree[k])]
    if isinstance(tree, list):
        return [x for t in tree for x in numbers(t)]
    return [float(tree)] if isinstance(tree, (int, float)) and not isinstance(tree, bool) else []


@pytest.mark.parametrize("method", ["temperature", "platt", "beta", "isotonic"])
def test_the_fit_is_that_of_all_voxels(folder, cases, method):
    a = folder.run("calibrate", "fit", "--manifest", "cases.csv", "--method", method, "-o", "a.json")
    b = folder.run("calibrate", "fit", "--probs", "p.npy", "--ratings", "v.npy", "--method", method, "-o", "b.json")
    assert a.code == 0 and b.code == 0, a.err + b.err
    ours, theirs = numbers(steps(folder, "a.json")["parameters"]), numbers(steps(folder, "b.json")["parameters"])
    assert len(theirs) > 0 and ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)
    for run_out in ("a.json", "b.json"):
        r = folder.run("calibrate", "apply", run_out, "--probs", "p.npy", "-o", run_out + ".npy")
        assert r.code == 0, r.err
    assert np.abs(np.load(folder / "a.json.npy") - np.load(folder / "b.json.npy")).max() < 1e-9


@needs_data
def test_drive_on_the_grid(folder):
    """More distinct forecasts than the ladder keeps: parameters within the step of the grid."""
    d = np.load(DATA / "drive_wnet_2rater_fov.npz")
    m = np.flatnonzero(d["image"] == np.unique(d["image"])[0])
    p, votes = d["prob"][m], np.stack([d["rater1"][m], d["rater2"][m]], 1).astype(np.int32)
    assert len(np.unique(p)) > 1 << 16
    folder.npy("p.npy", p), folder.npy("v.npy", votes), folder.npy("a.npy", votes[:, 0]), folder.npy("b.npy", votes[:, 1])
    write(folder, [{"case": "x", "probs": "p.npy", "rater_1": "a.npy", "rater_2": "b.npy"}], ["case", "probs", "rater_1", "rater_2"])
    for method in ("temperature", "beta"):
        a = folder.run("calibrate", "fit", "--manifest", "cases.csv", "--method", method, "-o", "a.json")
        b = folder.run("calibrate", "fit", "--probs", "p.npy", "--ratings", "v.npy", "--method", method, "-o", "b.json")
        assert a.code == 0 and b.code == 0, a.err + b.err
        assert numbers(steps(folder, "a.json")["parameters"]) == pytest.approx(
            numbers(steps(folder, "b.json")["parameters"]), rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("args,said", [
    (("--method", "auto"), "temperature, platt, beta and isotonic"),
    (("--method", "beta", "--foreground"), "--foreground"),
    (("--method", "beta", "--probs", "p.npy"), "--probs"),
    (("--method", "isotonic", "--prior-votes", "-1"), "--prior-votes"),
    ((), "--method"),
])
def test_refusals(folder, cases, args, said):
    run = folder.run("calibrate", "fit", "--manifest", "cases.csv", "-o", "m.json", *args)
    assert run.code == 2 and run.err.count("\n") == 1 and said in run.err, run.err
    assert not (folder / "m.json").exists()


def test_a_bad_voxel_is_named(folder, cases):
    p, _ = lesion(1)
    p[3, 4, 5] = np.nan
    nifti(folder / cases[1]["probs"], p)
    run = folder.run("calibrate", "fit", "--manifest", "cases.csv", "--method", "platt", "-o", "m.json")
    assert run.code == 2 and "case c1: " in run.err and "(3, 4, 5)" in run.err and not (folder / "m.json").exists()
    q, votes = lesion(0, classes=3)
    write(folder, [{"case": "k", "probs": nifti(folder / "k.nii", q), "rater_1": nifti(folder / "v.nii", votes[0])}],
          ["case", "probs", "rater_1"])
    run = folder.run("calibrate", "fit", "--manifest", "cases.csv", "--method", "beta", "-o", "m.json")
    assert run.code == 2 and "case k: it has 3 classes" in run.err and "is for two" in run.err, run.err


@pytest.mark.parametrize("scale", ["probs", "logits"])
@pytest.mark.parametrize("prior", [(), ("--prior-votes", "7")])
def test_several_classes_get_the_temperature_of_all_voxels(folder, scale, prior):
    """The same bits: sums over voxels are exact, and the search takes the same steps."""
    rows, data = [], []
    for i in range(4):
        p, votes = lesion(i, raters=2 + i % 2, sharpen=1.7, classes=4)
        x = (p.astype(np.float64) / p.astype(np.float64).sum(-1, keepdims=True) if scale == "probs" else np.log(p.astype(np.float64)) + i)
        rows.append({"case": f"c{i}", scale: nifti(folder / f"p{i}.nii.gz", x),
                     **{f"rater_{r + 1}": nifti(folder / f"m{i}_{r}.nii.gz", v) for r, v in enumerate(votes)}})
        full = np.full((p[..., 0].size, 3), -1, np.int32)
        full[:, :len(votes)] = np.stack([v.ravel("F") for v in votes], 1)
        data.append((x.reshape(-1, 4, order="F"), full))
    write(folder, rows, ["case", scale, "rater_1", "rater_2", "rater_3"])
    folder.npy("p.npy", np.concatenate([p for p, _ in data])), folder.npy("v.npy", np.concatenate([v for _, v in data]))
    a = folder.run("calibrate", "fit", "--manifest", "cases.csv", "--method", "temperature", *prior, "-o", "a.json")
    b = folder.run("calibrate", "fit", "--" + scale, "p.npy", "--ratings", "v.npy", "--method", "temperature", *prior, "-o", "b.json")
    assert a.code == 0 and b.code == 0, a.err + b.err
    ours, theirs = steps(folder, "a.json"), steps(folder, "b.json")
    assert ours["parameters"] == theirs["parameters"]
    for key in ("items", "votes", "objective"):
        assert ours["fit"][key] == theirs["fit"][key], key
    assert ("nll" in a.out) == (not prior)
    for model, other in (("a.json", "b.json"),):
        one, two = (json.loads((folder / m).read_text()) for m in (model, other))
        assert one["task"] == two["task"] and one["classes"] == two["classes"] and one["input"] == two["input"]
    z = folder.run("calibrate", "fit", "--manifest", "cases.csv", "--method", "temperature", *prior, "--threads", "1", "-o", "c.json")
    assert z.code == 0 and steps(folder, "c.json")["parameters"] == ours["parameters"]


def test_isotonic_of_several_classes_is_that_of_all_voxels(folder):
    rows, data = [], []
    for i in range(4):
        p, votes = lesion(i, raters=3, sharpen=1.7, classes=3)
        x = p.astype(np.float64) / p.astype(np.float64).sum(-1, keepdims=True)
        rows.append({"case": f"c{i}", "probs": nifti(folder / f"p{i}.nii.gz", x),
                     **{f"rater_{r + 1}": nifti(folder / f"m{i}_{r}.nii.gz", v) for r, v in enumerate(votes)}})
        data.append((x.reshape(-1, 3, order="F"), np.stack([v.ravel("F") for v in votes], 1).astype(np.int32)))
    write(folder, rows, ["case", "probs", "rater_1", "rater_2", "rater_3"])
    folder.npy("p.npy", np.concatenate([p for p, _ in data])), folder.npy("v.npy", np.concatenate([v for _, v in data]))
    a = folder.run("calibrate", "fit", "--manifest", "cases.csv", "--method", "isotonic", "-o", "a.json")
    b = folder.run("calibrate", "fit", "--probs", "p.npy", "--ratings", "v.npy", "--method", "isotonic", "-o", "b.json")
    assert a.code == 0 and b.code == 0, a.err + b.err
    ours, theirs = steps(folder, "a.json"), steps(folder, "b.json")
    assert ours["parameters"] == theirs["parameters"] and ours["fit"]["votes"] == theirs["fit"]["votes"]
    assert ours["fit"]["objective"] == pytest.approx(theirs["fit"]["objective"], rel=1e-12)
    run = folder.run("calibrate", "apply", "a.json", "--manifest", "cases.csv", "-o", "out")
    assert run.code == 0, run.err


def test_cases_with_other_classes_and_without_votes(folder):
    rows = []
    for i, classes in enumerate((3, 3, 4)):
        p, votes = lesion(i, classes=classes)
        v = votes[0] if i != 1 else np.full_like(votes[0], 9)
        rows.append({"case": f"c{i}", "probs": nifti(folder / f"p{i}.nii", p), "mask": nifti(folder / f"v{i}.nii", v)})
    write(folder, rows[:2], ["case", "probs", "mask"])
    how = ("calibrate", "fit", "--manifest", "cases.csv", "--normalize", "--ignore-label", "9", "--method", "temperature", "-o", "m.json")
    run = folder.run(*how)
    assert run.code == 0 and "840 items without votes" in run.out, run.out + run.err
    write(folder, rows, ["case", "probs", "mask"])
    run = folder.run(*how[:-1], "n.json")
    assert run.code == 2 and "case c2: it has 4 classes, and the cases before it have 3" in run.err, run.err
    write(folder, rows[1:2], ["case", "probs", "mask"])
    run = folder.run(*how[:-1], "n.json")
    assert run.code == 2 and "no voxel has a vote" in run.err and not (folder / "n.json").exists()
