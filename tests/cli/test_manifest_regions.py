"""plumb evaluate --manifest --regions --band: parts of the cases against naive numbers."""
import json

import jsonschema
import numpy as np
import pytest
from conftest import ROOT
from test_manifest import naive_ece
from volumes import lesion, nifti

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())
SPACING = (1.0, 0.7, 2.5)


def result(folder, *args):
    run = folder.run("evaluate", "--manifest", "cases.csv", "--metrics", "ece,brier,ece_classwise,lsq", *args, "--json", "-")
    assert run.code == 0, run.err
    out = json.loads(run.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(out)
    return out


def near(votes, k, mm, spacing=SPACING):
    """Every voxel against every voxel of a boundary."""
    shape = votes[0].shape
    seeds = np.zeros(shape, bool)
    for v in votes:
        inside = v == k
        for axis in range(v.ndim):
            for step in (1, -1):
                other = np.roll(inside, step, axis)
                edge = [slice(None)] * v.ndim
                edge[axis] = 0 if step == 1 else -1
                other[tuple(edge)] = inside[tuple(edge)]  # the edge of the image is not a boundary
                seeds |= inside & ~other
    at = np.stack(np.meshgrid(*[np.arange(n) * s for n, s in zip(shape, spacing)], indexing="ij"), -1).reshape(-1, len(shape))
    if not seeds.any():
        return np.zeros(shape, bool)
    d = ((at[:, None] - at[seeds.ravel()][None]) ** 2).sum(-1).min(1)
    return (d <= mm**2 * (1 + 1e-9)).reshape(shape)


def cases(folder, classes, affine=True):
    data, rows = [], ["case,probs,rater_1,rater_2"]
    for i in range(3):
        p, votes = lesion(i, shape=(9, 8, 6), raters=2, classes=classes)
        a = np.diag([*SPACING, 1]) if affine else None
        names = [nifti(folder / f"p{i}.nii", p, a), *[nifti(folder / f"m{i}{k}.nii.gz", v, a) for k, v in enumerate(votes)]]
        rows.append(f"c{i}," + ",".join(names))
        data.append((p.astype(float), votes))
    folder.text("cases.csv", "\n".join(rows) + "\n")
    return data


def check(r, name, data, masks):
    p, n, h = [], [], []
    for (q, votes), m in zip(data, masks):
        v = np.stack(votes, -1)[m]
        if q.ndim == m.ndim:
            p.append(q[m])
            h.append((v == 1).sum(1))
        else:
            p.append(q[m].max(1))
            h.append((v == q[m].argmax(1)[:, None]).sum(1))
        n.append(np.full(m.sum(), v.shape[1]))
    p, n, h = [np.concatenate(x).astype(float) for x in (p, n, h)]
    own = r["regions"][name]
    assert own["items"] == len(p) and own["votes"] == n.sum(), name
    assert own["metrics"]["ece"] == pytest.approx(naive_ece(p, n, h), abs=1e-12), name
    assert own["cases"] == sum(m.any() for m in masks)
    for c, m in zip(r["per_case"], masks):
        assert (c["regions"][name]["items"] if m.any() else 0) == m.sum()


@pytest.mark.parametrize("classes", [2, 3])
def test_regions(folder, classes):
    data = cases(folder, classes)
    r = result(folder, "--regions", "--band", "2.1")
    same = [v[0] == v[1] for _, v in data]
    check(r, "agree", data, same)
    check(r, "disagree", data, [~m for m in same])
    bands = [[near(v, k, 2.1) for k in range(1, classes)] for _, v in data]
    any_band = [np.any(b, axis=0) for b in bands]
    assert 0 < sum(m.sum() for m in any_band) < sum(m.size for m in any_band)
    check(r, "band", data, any_band)
    check(r, "beyond_band", data, [~m for m in any_band])
    assert ("band_1" in r["regions"]) == (classes > 2)
    for k in range(1, classes if classes > 2 else 1):
        check(r, f"band_{k}", data, [b[k - 1] for b in bands])
    if classes > 2:
        own = r["regions"]["disagree"]
        assert own["metrics"]["ece_classwise"] == pytest.approx(np.mean(list(own["ece_of_class"].values())), abs=1e-12)
    assert any("selected by votes" in n for n in r["notes"])
    out = folder.run("evaluate", "--manifest", "cases.csv", "--metrics", "ece", "--regions").out
    assert "disagree" in out and "where" in out


def test_spacing_roi_and_resume(folder):
    data = cases(folder, 2, affine=False)
    rows = ["case,probs,rater_1,rater_2,roi"]
    rois = []
    for i, (p, votes) in enumerate(data):
        roi = np.zeros(p.shape, np.uint8)
        roi[2:7, :, 1:] = 1
        rois.append(roi > 0)
        names = [folder.npy(f"p{i}.npy", p), *[folder.npy(f"m{i}{k}.npy", v) for k, v in enumerate(votes)], folder.npy(f"r{i}.npy", roi)]
        rows.append(f"c{i}," + ",".join(names))
    folder.text("cases.csv", "\n".join(rows) + "\n")
    spacing = ("--spacing", ",".join(map(str, SPACING)))
    r = result(folder, "--band", "2.1", *spacing, "--resume", "run.plumb")
    check(r, "band", data, [near(v, 1, 2.1) & roi for (_, v), roi in zip(data, rois)])
    again = result(folder, "--band", "2.1", *spacing, "--resume", "run.plumb")
    assert {k: v for k, v in again.items() if k != "argv"} == {k: v for k, v in r.items() if k != "argv"}
    for args, said in ((("--band", "2"), "--spacing"), (("--band", "2", "--spacing", "1,1"), "2 numbers"), (spacing, "without --band"),
                       (("--band", "2", "--spacing", "1,1,x"), "takes a number"), (("--band", "-1"), "--band")):
        run = folder.run("evaluate", "--manifest", "cases.csv", *args)
        assert run.code == 2 and run.err.count("\n") == 1 and said in run.err, run.err


def test_reliability_by_region(folder):
    """The error of each region follows from its bins, and the report draws them."""
    cases(folder, 2)
    run = folder.run("evaluate", "--manifest", "cases.csv", "--band", "2", "--metrics", "ece,brier", "--json", "r.json", "--report", "r.html")
    assert run.code == 0, run.err
    r = json.loads((folder / "r.json").read_text())
    bins = r["tables"]["region_reliability"]
    assert list(dict.fromkeys(b["region"] for b in bins)) == list(r["regions"])
    for name, region in r["regions"].items():
        own = [b for b in bins if b["region"] == name]
        assert sum(b["votes"] for b in own) == region["votes"] and sum(b["items"] for b in own) == region["items"]
        gaps = sum(abs(b["gap"]) * b["weight"] for b in own if b["weight"] > 0) / sum(b["weight"] for b in own)
        assert region["metrics"]["ece"] == pytest.approx(gaps, abs=1e-12)
    assert "Reliability by region" in (folder / "r.html").read_text()
