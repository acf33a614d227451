"""plumb uncertainty --manifest: against the same voxels in memory, samples, voxels by name, and bad input."""
import json

import jsonschema
import numpy as np
import pytest
from conftest import ROOT
from test_manifest import write
from volumes import lesion, nifti

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())


def cases(folder, classes, shape=(12, 10, 7)):
    rows, data = [], []
    for i in range(6):
        p, votes = lesion(i, shape=shape, raters=2, sharpen=1.5, classes=classes)
        p = p.astype(np.float64) if classes == 2 else p.astype(np.float64) / p.astype(np.float64).sum(-1, keepdims=True)
        rows.append({"case": f"c{i}", "probs": nifti(folder / f"p{i}.nii.gz", p),
                     **{f"rater_{r + 1}": nifti(folder / f"m{i}_{r}.nii.gz", v) for r, v in enumerate(votes)}})
        data.append((p.ravel("F") if classes == 2 else p.reshape(-1, classes, order="F"),
                     np.stack([v.ravel("F") for v in votes], 1).astype(np.int32)))
    write(folder, rows, ["case", "probs", "rater_1", "rater_2"])
    return rows, data


def uncertainty(folder, *args):
    run = folder.run("uncertainty", *args, "--permutations", "20", "--json", "-")
    assert run.code == 0, run.err
    result = json.loads(run.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(result)
    return result


@pytest.mark.parametrize("classes", [2, 3])
def test_it_is_that_of_all_voxels_with_cases_as_groups(folder, classes):
    _, data = cases(folder, classes)
    ours = uncertainty(folder, "--manifest", "cases.csv", "--bootstrap", "20")
    folder.npy("p.npy", np.concatenate([p for p, _ in data])), folder.npy("v.npy", np.concatenate([v for _, v in data]))
    folder.text("g.csv", "g\n" + "\n".join(f"c{i}" for i, (p, _) in enumerate(data) for _ in p) + "\n")
    flat = uncertainty(folder, "--probs", "p.npy", "--ratings", "v.npy", "--groups", "g.csv:g", "--bootstrap", "20")
    assert ours["measures"] == flat["measures"] and ours["accuracy"] == flat["accuracy"] and ours["votes"] == flat["votes"]
    assert ours["settings"]["unit"] == "case" and ours["settings"]["voxels_seen"] == ours["items"] == 6 * 840
    assert [s["row"] for s in ours["suspects"]] == [s["row"] for s in flat["suspects"]]
    for s in ours["suspects"]:
        case, index = divmod(s["row"], 840)
        x, y, z = np.unravel_index(index, (12, 10, 7), order="F")
        assert s["id"] == f"c{case} ({x}, {y}, {z})"


def test_a_sample_is_bounded_and_near_the_whole(folder):
    rows, _ = cases(folder, 2, shape=(24, 20, 14))
    whole = uncertainty(folder, "--manifest", "cases.csv")
    part = uncertainty(folder, "--manifest", "cases.csv", "--voxels", "10000")
    assert part["items"] == 10000 and part["settings"]["voxels_seen"] == whole["items"] == 6 * 6720
    assert any("a sample of 10000 of 40320 voxels" in n for n in part["notes"]) and not any("sample" in n for n in whole["notes"])
    assert abs(part["accuracy"] - whole["accuracy"]) < 4 * (0.25 / 20000) ** 0.5
    write(folder, rows[::-1], ["case", "probs", "rater_1", "rater_2"])
    again = uncertainty(folder, "--manifest", "cases.csv", "--voxels", "10000", "--threads", "1")
    assert again["accuracy"] == part["accuracy"] and again["measures"]["u1"]["auroc"] == part["measures"]["u1"]["auroc"]


def test_a_region_keeps_the_names_of_voxels(folder):
    rows, data = cases(folder, 2)
    roi = np.zeros((12, 10, 7), np.uint8)
    roi[3:9, 2:7, 1:5] = 1
    for row in rows:
        row["roi"] = nifti(folder / "roi.nii", roi)
    write(folder, rows, ["case", "probs", "rater_1", "rater_2", "roi"])
    r = uncertainty(folder, "--manifest", "cases.csv")
    assert r["items"] == 6 * roi.sum() and r["suspects"]
    for s in r["suspects"]:
        name, at = s["id"].split(" ", 1)
        voxel = tuple(int(x) for x in at.strip("()").split(", "))
        index = np.ravel_multi_index(voxel, roi.shape, order="F")
        p, votes = data[int(name[1:])]
        assert roi[voxel] == 1 and (votes[index] != (p[index] > 0.5)).all()


@pytest.mark.parametrize("args,said", [
    (("--foreground",), "--foreground"),
    (("--voxels", "10"), "--voxels must be between"),
    (("--probs", "p.npy"), "--probs"),
    (("--score", "a=b.npy"), "--score"),
    (("--histogram", "h.csv"), "--histogram"),
    (("--measures", "variance"), "variance"),
])
def test_refusals(folder, args, said):
    cases(folder, 2)
    run = folder.run("uncertainty", "--manifest", "cases.csv", *args, "--json", "out.json")
    assert run.code == 2 and run.err.count("\n") == 1 and said in run.err, run.err
    assert not (folder / "out.json").exists()


def test_a_bad_voxel_is_named(folder):
    rows, _ = cases(folder, 2)
    p, _ = lesion(1)
    p[3, 4, 5] = 2
    nifti(folder / rows[1]["probs"], p)
    run = folder.run("uncertainty", "--manifest", "cases.csv")
    assert run.code == 2 and "case c1: " in run.err and "(3, 4, 5)" in run.err, run.err


def test_cases_with_one_probability_and_with_two(folder):
    """A file with a probability for each of two classes, and one with that of the foreground, are the same model."""
    results = []
    for mixed in (False, True):
        rows = []
        for i in range(4):
            p, votes = lesion(i, raters=2)
            probs = np.stack([1 - p, p], -1) if mixed and i % 2 else p
            rows.append({"case": f"c{i}", "probs": nifti(folder / f"p{i}.nii", probs),
                         **{f"rater_{k}": nifti(folder / f"m{i}{k}.nii", v) for k, v in enumerate(votes)}})
        for order in (rows, rows[1:] + rows[:1]):
            write(folder, order, ["case", "probs", "rater_0", "rater_1"])
            run = folder.run("uncertainty", "--manifest", "cases.csv", "--json", "-")
            assert run.code == 0, run.err
            results.append(json.loads(run.out)["measures"]["entropy"])
    for other in results[1:]:
        for key in ("eor", "auroc", "aurc"):
            assert other[key]["value"] == pytest.approx(results[0][key]["value"], rel=1e-6), key
