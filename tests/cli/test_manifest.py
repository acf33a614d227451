"""plumb evaluate --manifest: files of many cases against naive numbers, and the messages for bad ones.

Long, because the naive evaluation of cases at its top serves all of it.
"""
import csv
import json

import jsonschema
import numpy as np
import pytest
from conftest import DATA, ROOT, needs_data
from volumes import lesion, nifti, png

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())
KEYS = ("--metrics", "ece,mce,brier,nll,auroc,ks,ece_mass,lsq,cl,accuracy")


def write(folder, rows, columns):
    lines = [",".join(columns)] + [",".join(str(r.get(c, "")) for c in columns) for r in rows]
    return folder.text("cases.csv", "\n".join(lines) + "\n")


@pytest.fixture
def lesions(folder):
    """Five cases; the last has two raters only."""
    rows, data = [], []
    for i in range(5):
        p, votes = lesion(i, raters=3 if i < 4 else 2, sharpen=1.5)
        row = {"case": f"c{i}", "probs": nifti(folder / f"p{i}.nii.gz", p), "group": f"g{i // 2}", "site": "ab"[i % 2]}
        for r, v in enumerate(votes):
            row[f"rater_{r + 1}"] = nifti(folder / f"m{i}_{r}.nii.gz", v)
        rows.append(row)
        data.append((p, votes))
    write(folder, rows, ["case", "probs", "rater_1", "rater_2", "rater_3", "site"])
    return rows, data


def evaluate(folder, *args):
    run = folder.run("evaluate", "--manifest", "cases.csv", *args, "--json", "-")
    assert run.code == 0, run.err
    result = json.loads(run.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(result)
    return result


def naive_ece(p, n, h, bins=15):
    cell = np.minimum((p * bins).astype(int), bins - 1)
    total = 0.0
    for b in range(bins):
        m = cell == b
        total += abs((n[m] * p[m]).sum() - h[m].sum())
    return total / n.sum()


def flat(p, votes, order="F"):
    p = p.astype(np.float64).ravel(order)
    v = np.stack([x.ravel(order) for x in votes], 1)
    return p, np.full(len(p), v.shape[1], float), v.sum(1).astype(float), v


def pooled(data):
    parts = [flat(*d)[:3] for d in data]
    return [np.concatenate(x) for x in zip(*parts)]


def value(result, key):
    return result["metrics"][key]["value"]


def test_pooled_per_case_and_per_rater_against_naive_numbers(folder, lesions):
    rows, data = lesions
    r = evaluate(folder, *KEYS, "--per-case", "out.csv")
    p, n, h = pooled(data)
    assert r["items"] == len(p) and r["votes"] == n.sum()
    assert value(r, "ece") == pytest.approx(naive_ece(p, n, h), abs=1e-12)
    assert value(r, "brier") == pytest.approx((h * (1 - p) ** 2 + (n - h) * p**2).sum() / n.sum(), abs=1e-12)
    assert value(r, "nll") == pytest.approx(-(h * np.log(p) + (n - h) * np.log(1 - p)).sum() / n.sum(), abs=1e-12)
    order = np.argsort(p, kind="stable")
    assert value(r, "ks") == pytest.approx(abs(np.cumsum((h - n * p)[order])).max() / n.sum(), abs=1e-12)
    misses = (n - h)[order]
    below = np.cumsum(misses) - misses / 2  # no two p are equal
    assert value(r, "auroc") == pytest.approx((h[order] * below).sum() / (h.sum() * misses.sum()), abs=1e-12)
    eces = [naive_ece(*flat(*d)[:3]) for d in data]
    assert [c["metrics"]["ece"] for c in r["per_case"]] == pytest.approx(eces, abs=1e-12)
    assert [c["case"] for c in r["per_case"]] == [row["case"] for row in rows]
    assert r["cases"]["ece"]["mean"] == pytest.approx(np.mean(eces), abs=1e-12)
    assert r["cases"]["ece"]["sd"] == pytest.approx(np.std(eces, ddof=1), abs=1e-12)
    assert r["cases"]["ece"]["median"] == pytest.approx(np.median(eces), abs=1e-12)
    for k, name in enumerate(["rater_1", "rater_2", "rater_3"]):
        own = [(f[0], np.ones(len(f[0])), f[3][:, k].astype(float)) for f in (flat(*d) for d in data) if f[3].shape[1] > k]
        q, one, y = [np.concatenate(x) for x in zip(*own)]
        assert r["per_rater"][name]["ece"] == pytest.approx(naive_ece(q, one, y), abs=1e-12)
        assert r["per_rater"][name]["brier"] == pytest.approx(((q - y) ** 2).mean(), abs=1e-12)
    for (q, votes), c in zip(data, r["per_case"]):
        over = c["overlap"]
        assert over["predicted"] == (q > 0.5).sum() and over["expected"] == pytest.approx(q.astype(float).sum(), rel=1e-12)
        assert over["voxel_mm3"] == 1
        for k, v in enumerate(votes):
            own = over["raters"][f"rater_{k + 1}"]
            assert own["volume"] == v.sum()
            assert own["dice"] == pytest.approx(2 * ((q > 0.5) & (v == 1)).sum() / ((q > 0.5).sum() + v.sum()), abs=1e-12)
            assert own["soft_dice"] == pytest.approx(2 * (q.astype(float) * v).sum() / (q.astype(float).sum() + v.sum()), abs=1e-12)
    dice = [np.mean([x["dice"] for x in c["overlap"]["raters"].values()]) for c in r["per_case"]]
    assert r["overlap"]["dice"]["mean"] == pytest.approx(np.mean(dice), abs=1e-12)
    table = list(csv.DictReader((folder / "out.csv").open()))
    assert [float(t["ece"]) for t in table] == [c["metrics"]["ece"] for c in r["per_case"]]


ORDER = ("--metrics", "ece_mass,ks,auroc,ece_kde,smece,brier", "--bandwidth", "0.02")


@pytest.mark.parametrize("classes,raters", [(2, 3), (2, 4), (4, 4)])
def test_metrics_that_need_order_against_majority_raters_and_in_regions(folder, classes, raters):
    """As one evaluation of all voxels in memory has them; a rater may be missing from a case."""
    rows, probs, ratings = [], [], []
    for i in range(4):
        p, votes = lesion(i, raters=raters, classes=classes, sharpen=1.5)
        present = votes[:-1] if i == 3 else votes
        rows.append({"case": i, "site": "ab"[i % 2], "probs": nifti(folder / f"p{i}.nii", p.astype(np.float64)),
                     **{f"rater_{k}": nifti(folder / f"m{i}{k}.nii", v) for k, v in enumerate(present)}})
        probs.append(p.astype(np.float64).reshape(-1, *p.shape[3:], order="F"))
        ratings.append(np.stack([v.ravel("F").astype(np.int32) if k < len(present) else np.full(v.size, -1, np.int32)
                                 for k, v in enumerate(votes)], 1))
    write(folder, rows, ["case", "site", "probs", *(f"rater_{k}" for k in range(raters))])
    ours = evaluate(folder, "--normalize", *ORDER, "--regions", "--by", "site")
    p, v = np.concatenate(probs), np.concatenate(ratings)
    site = np.repeat(["a", "b", "a", "b"], [len(x) for x in probs])

    def in_memory(keep, columns=slice(None)):
        folder.npy("p.npy", p[keep]), folder.npy("v.npy", v[keep][:, columns])
        return folder.run("evaluate", "--probs", "p.npy", "--normalize", "--ratings", "v.npy", *ORDER, "--json", "-").json

    def near(got, want, kde=1e-9):
        for key in ("ece_mass", "ks", "auroc", "smece", "brier", "ece_kde"):
            assert got[key] == pytest.approx(want[key]["value"], abs=kde if key == "ece_kde" else 1e-9), key

    everything = np.ones(len(p), bool)
    whole = in_memory(everything)
    near({k: m["value"] for k, m in ours["metrics"].items()}, whole["metrics"])
    # Some raters tie: leaving one vote out then means another share of an item (docs/segmentation.md).
    near({k: m["value"] for k, m in ours["consensus"].items()}, whole["consensus"], 1e-4)
    for k in range(raters):
        near(ours["per_rater"][f"rater_{k}"], in_memory(v[:, k] >= 0, slice(k, k + 1))["metrics"])
    same = np.array([len(set(x[x >= 0])) == 1 for x in v])
    near(ours["regions"]["agree"]["metrics"], in_memory(same)["metrics"])
    near(ours["regions"]["disagree"]["metrics"], in_memory(~same)["metrics"])
    near(ours["per_group"][1]["metrics"], in_memory(site == "b")["metrics"])


def test_on_the_grid_every_part_keeps_its_metrics(folder):
    """More than 65,536 distinct forecasts; what depends on distinct ones is null, with a reason."""
    rows = []
    for i in range(2):
        p, votes = lesion(i, shape=(48, 40, 24))
        rows.append({"case": i, "site": i, "probs": nifti(folder / f"p{i}.nii", p.astype(np.float64)),
                     **{f"rater_{k}": nifti(folder / f"m{i}{k}.nii", v) for k, v in enumerate(votes)}})
    write(folder, rows, ["case", "site", "probs", "rater_0", "rater_1", "rater_2"])
    r = evaluate(folder, "--regions", "--by", "site")
    assert r["settings"]["ladder"] == "grid of log-odds"
    parts = [{k: m["value"] for k, m in r[part].items()} for part in ("metrics", "consensus")]
    parts += [r["per_rater"]["rater_1"], r["regions"]["disagree"]["metrics"], r["per_group"][0]["metrics"]]
    for values in parts:
        for key in ("ece_mass", "ece_kde", "auroc", "ks", "smece"):
            assert values[key] is not None, key
    assert parts[0]["brier_calibration"] is None and "all voxels in memory" in r["consensus"]["brier_calibration"]["why"]
    bounds = {row["key"]: row["bound"] for row in r["tables"]["ladder_bounds"]}
    assert {"p", "auroc", "ks", "kuiper", "ece_mass", "mmce", "aurc", "augrc", "smece", "ece_kde"} <= set(bounds)
    assert {key for key, bound in bounds.items() if bound is None} == {"calibration_slope", "mce_mass", "ece_sweep", "cox_score"}
    assert "brier_calibration" not in bounds and "ece" not in bounds


def test_overlap_of_each_structure_and_the_spread_of_volumes(folder):
    from math import erf, exp, pi, sqrt
    rows, data = [], []
    for i in range(3):
        p, votes = lesion(i, raters=3, classes=3)
        votes[1][2, 3, 4] = 9
        rows.append({"case": i, "probs": nifti(folder / f"p{i}.nii", p),
                     **{f"rater_{k}": nifti(folder / f"m{i}{k}.nii", v) for k, v in enumerate(votes)}})
        data.append((p.astype(float), votes))
    write(folder, rows, ["case", "probs", "rater_0", "rater_1", "rater_2"])
    r = evaluate(folder, "--ignore-label", "9", "--metrics", "ece", "--per-case", "out.csv")

    def expect(own, q, in_model, masks, rated):
        assert own["predicted"] == in_model.sum() and own["expected"] == pytest.approx(q.sum(), rel=1e-12)
        volumes = np.array([m.sum() for m in masks], float)
        for k, (m, seen) in enumerate(zip(masks, rated)):
            at = own["raters"][f"rater_{k}"]
            assert at["volume"] == m.sum()
            assert at["dice"] == pytest.approx(2 * (in_model & m).sum() / ((in_model & seen).sum() + m.sum()), abs=1e-12)
            assert at["soft_dice"] == pytest.approx(2 * q[m].sum() / (q[seen].sum() + m.sum()), abs=1e-12)
        mu, sd = volumes.mean(), volumes.std(ddof=1)
        z = (q.sum() - mu) / sd
        crps = sd * (z * erf(z / sqrt(2)) + 2 * exp(-z * z / 2) / sqrt(2 * pi) - 1 / sqrt(pi))
        assert own["raters_mean"] == pytest.approx(mu) and own["raters_sd"] == pytest.approx(sd)
        assert own["volume_crps"] == pytest.approx(crps, rel=1e-6)

    for (p, votes), c in zip(data, r["per_case"]):
        label, rated = p.argmax(-1), [v != 9 for v in votes]
        expect(c["overlap"], 1 - p[..., 0], label > 0, [(v > 0) & s for v, s in zip(votes, rated)], rated)
        for k in (1, 2):
            expect(c["overlap"]["structures"][str(k)], p[..., k], label == k, [v == k for v in votes], rated)
    dice = [np.mean([x["dice"] for x in c["overlap"]["structures"]["2"]["raters"].values()]) for c in r["per_case"]]
    assert r["structures"]["2"]["dice"]["mean"] == pytest.approx(np.mean(dice), abs=1e-12)
    table = list(csv.DictReader((folder / "out.csv").open()))
    assert float(table[1]["volume_crps"]) == r["per_case"][1]["overlap"]["volume_crps"]


def test_every_format_gives_the_same_numbers(folder, lesions):
    _, data = lesions
    expected = evaluate(folder, *KEYS)
    rows = []
    for i, (p, votes) in enumerate(data):
        row = {"case": f"c{i}"}
        if i == 0:
            row["probs"] = nifti(folder / "q.nii", p.astype(np.float64), version=2, big=True)
        elif i == 1:
            row["probs"] = folder.npy("q.npy", p)  # another order in memory than the masks
        elif i == 2:
            np.savez_compressed(folder / "q.npz", probabilities=p, other=p)
            row["probs"] = "q.npz:probabilities"
        else:
            row["probs"] = f"p{i}.nii.gz"
        for k, v in enumerate(votes):
            row[f"rater_{k + 1}"] = (folder.npy(f"v{i}_{k}.npy", v) if i % 2 == 0
                                     else nifti(folder / f"v{i}_{k}.nii", v.astype([np.int16, np.float32, np.int64][k])))
        rows.append(row)
    write(folder, rows, ["case", "probs", "rater_1", "rater_2", "rater_3"])
    r = evaluate(folder, *KEYS)
    for c in (*r["per_case"], *expected["per_case"]):
        c["overlap"].pop("voxel_mm3")  # .npy files do not tell
    for part in ("metrics", "consensus", "per_case", "cases", "per_rater", "overlap"):
        assert r[part] == expected[part], part


def test_pictures(folder):
    """8-bit probabilities and masks of 0 and 255."""
    rows, data = [], []
    for i in range(2):
        p, votes = lesion(i, shape=(20, 30), raters=2)
        b = np.round(p * 255).astype(np.uint8)
        rows.append({"case": i, "probs": png(folder / f"p{i}.png", b), **{f"mask_{k}": png(folder / f"m{i}{k}.png", v * 255)
                                                                        for k, v in enumerate(votes)}})
        data.append((b / 255.0, votes))
    write(folder, rows, ["case", "probs", "mask_0", "mask_1"])
    r = evaluate(folder, "--classes", "0,255", *KEYS)
    p, n, h = pooled(data)
    assert value(r, "ece") == pytest.approx(naive_ece(p, n, h), abs=1e-12)
    assert r["settings"]["ladder"] == "distinct p" and r["consensus"]["ece"]["value"] is None
    run = folder.run("evaluate", "--manifest", "cases.csv")
    assert run.code == 2 and "case 0: " in run.err and "label 255 is not a class" in run.err and "voxel (" in run.err


def test_several_classes_on_either_axis(folder):
    rows = []
    for i in range(3):
        p, votes = lesion(i, classes=3)
        rows.append({"case": i, "last": nifti(folder / f"last{i}.nii.gz", p), "first": folder.npy(f"first{i}.npy", np.moveaxis(p, -1, 0)),
                     **{f"rater_{k}": nifti(folder / f"m{i}{k}.nii.gz", v) for k, v in enumerate(votes)}})
    results = []
    for axis in ("last", "first"):
        for row in rows:
            row["probs"] = row[axis]
        write(folder, rows, ["case", "probs", "rater_0", "rater_1", "rater_2"])
        results.append(evaluate(folder, "--class-axis", axis, "--metrics", "ece,ece_classwise,brier,accuracy,lsq"))
    assert results[0]["metrics"] == results[1]["metrics"] and results[0]["classes"] == 3
    assert results[0]["metrics"] == evaluate(folder, "--metrics", "ece,ece_classwise,brier,accuracy,lsq")["metrics"]
    run = folder.run("evaluate", "--manifest", "cases.csv", "--class-axis", "last")
    assert run.code == 2 and "--class-axis last" in run.err


def test_region_ignored_label_and_foreground(folder):
    p, votes = lesion(3, raters=2)
    roi = np.zeros(p.shape, np.uint8)
    roi[2:9, 1:8] = 1
    votes[1][5, 5, :] = 9
    nifti(folder / "p.nii", p), nifti(folder / "a.nii", votes[0]), nifti(folder / "b.nii", votes[1]), nifti(folder / "r.nii", roi)
    folder.text("cases.csv", "case,probs,rater_a,rater_b,roi\nx,p.nii,a.nii,b.nii,r.nii\n")
    r = evaluate(folder, "--ignore-label", "9", *KEYS)
    m = roi.ravel("F") > 0
    q = p.astype(float).ravel("F")[m]
    v = np.stack([x.ravel("F")[m] for x in votes], 1)
    n, h = (v != 9).sum(1).astype(float), (v == 1).sum(1).astype(float)
    assert r["items"] == m.sum() and value(r, "ece") == pytest.approx(naive_ece(q, n, h), abs=1e-12)
    seen = (q > 0.5) | (v == 1).any(1)
    r = evaluate(folder, "--ignore-label", "9", "--foreground", *KEYS)
    assert r["items"] == seen.sum() and value(r, "ece") == pytest.approx(naive_ece(q[seen], n[seen], h[seen]), abs=1e-12)


def test_intervals_by_case_and_slices(folder, lesions):
    rows, _ = lesions
    write(folder, rows, ["case", "probs", "rater_1", "rater_2", "rater_3", "group", "site"])
    r = evaluate(folder, *KEYS, "--bootstrap", "50", "--by", "site")
    assert r["settings"]["unit"] == "group" and r["metrics"]["brier"]["low"] < value(r, "brier") < r["metrics"]["brier"]["high"]
    assert r["verdict"]["verdict"] == "cannot tell" and any("groups" in note for note in r["notes"])
    assert [g["group"] for g in r["per_group"]] == ["a", "b"] and sum(g["items"] for g in r["per_group"]) == r["items"]
    one = evaluate(folder, *KEYS, "--bootstrap", "50", "--by", "site", "--threads", "1")
    assert {k: v for k, v in one.items() if k != "argv"} == {k: v for k, v in r.items() if k != "argv"}


def test_states_of_shards_merge(folder, lesions):
    rows, _ = lesions
    columns = ["case", "probs", "rater_1", "rater_2", "rater_3"]
    whole = evaluate(folder, "--metrics", "ece,brier,lsq,accuracy")
    for name, part in (("a", rows[:2]), ("b", rows[2:])):
        write(folder, part, columns)
        evaluate(folder, "--metrics", "ece,brier,lsq,accuracy", "--save-state", name)
    merged = folder.run("merge", "a", "b", "--metrics", "ece,brier,lsq,accuracy", "--json", "-").json
    assert merged["metrics"] == whole["metrics"]


@needs_data
def test_drive(folder):
    """20 retinal images of two raters: the numbers of docs/segmentation.md."""
    d = np.load(DATA / "drive_wnet_2rater_fov.npz")
    rows, data = [], []
    for k in np.unique(d["image"]):
        m = d["image"] == k
        p, votes = d["prob"][m], [d["rater1"][m], d["rater2"][m]]
        rows.append({"case": f"im{k}", "probs": folder.npy(f"p{k}.npy", p), "rater_1": folder.npy(f"a{k}.npy", votes[0]),
                     "rater_2": folder.npy(f"b{k}.npy", votes[1])})
        data.append((p, votes))
    write(folder, rows, ["case", "probs", "rater_1", "rater_2"])
    r = evaluate(folder, "--metrics", "ece,brier,auroc", "--bootstrap", "200")
    p, n, h = pooled(data)
    assert value(r, "ece") == pytest.approx(naive_ece(p, n, h), abs=1e-12)
    assert [c["metrics"]["ece"] for c in r["per_case"]] == pytest.approx([naive_ece(*flat(*c)[:3]) for c in data], abs=1e-12)
    said = (ROOT / "docs" / "segmentation.md").read_text()
    for x in (value(r, "ece"), r["metrics"]["ece"]["low"], r["metrics"]["ece"]["high"], r["cases"]["ece"]["mean"],
              r["cases"]["ece"]["sd"], r["per_rater"]["rater_1"]["ece"], r["per_rater"]["rater_2"]["ece"]):
        assert f"{x:.4f}" in said, x
    bounds = {row["key"]: row["bound"] for row in r["tables"]["ladder_bounds"]}
    assert abs(value(r, "auroc") - 0.9827405470914847) <= bounds["auroc"] < 1e-4, "against all pixels in memory"
    assert all(m["value"] is None for m in r["consensus"].values())


BAD = [
    ("truncated", "compressed data end early"), ("affine", "are not on the same grid"), ("shape", "the same shape"), ("probs_shape", "does not resample"),
    ("missing", "none.nii.gz"), ("label", "label 7 is not a class"), ("outside", "is not a probability"), ("nan", "is not a number"),
    ("empty", "no voxel is left"), ("roi_nan", "NaN does not say whether the voxel belongs to the region; write 0 to leave it out"),
]


def spoil(folder, row, how):
    p, votes = lesion(1)
    if how == "truncated":
        whole = (folder / row["probs"]).read_bytes()
        (folder / row["probs"]).write_bytes(whole[:-100])
    elif how == "affine":
        nifti(folder / row["rater_2"], votes[1], affine=np.diag([1, 1, 2, 1]))
    elif how == "shape":
        nifti(folder / row["rater_2"], votes[1][:-1])
    elif how == "probs_shape":
        nifti(folder / row["probs"], p[:-1])
    elif how == "missing":
        row["rater_2"] = "none.nii.gz"
    elif how == "label":
        votes[1][3, 4, 5] = 7
        nifti(folder / row["rater_2"], votes[1])
    elif how in ("outside", "nan"):
        p[3, 4, 5] = 1.5 if how == "outside" else np.nan
        nifti(folder / row["probs"], p)
    elif how == "empty":
        row["roi"] = nifti(folder / "roi.nii", np.zeros(p.shape, np.uint8))
    elif how == "roi_nan":
        region = np.ones(p.shape, np.float32)
        region[3, 4, 5] = np.nan
        row["roi"] = nifti(folder / "roi.nii", region)


@pytest.mark.parametrize("how,said", BAD)
def test_bad_cases(folder, lesions, how, said):
    rows, _ = lesions
    spoil(folder, rows[1], how)
    write(folder, rows, ["case", "probs", "rater_1", "rater_2", "rater_3", "roi"])
    run = folder.run("evaluate", "--manifest", "cases.csv", "--json", "out.json", "--per-case", "out.csv", *KEYS)
    assert run.code == 2 and run.err.count("\n") == 1, run.err
    assert "case c1: " in run.err and said in run.err, run.err
    if how in ("label", "outside", "nan", "roi_nan"):
        assert "(3, 4, 5)" in run.err, run.err
    assert not (folder / "out.json").exists() and not (folder / "out.csv").exists()
    r = evaluate(folder, "--on-error", "skip", *KEYS)
    assert [s["case"] for s in r["skipped"]] == ["c1"] and len(r["per_case"]) == 4


@pytest.mark.parametrize("text,said", [
    ("case,rater_1\nx,m.nii\n", '"probs"'),
    ("probs,rater_1\np.nii,m.nii\n", '"case"'),
    ("case,probs\nx,p.nii\n", "names no masks"),
    ("case,probs,rater_1\n", "no cases"),
    ("case,probs,rater_1\nx,p.nii,m.nii\nx,p.nii,m.nii\n", "twice"),
    ("case,probs,rater_1\nx,p.nii,\n", "no mask"),
    ("case,probs,rater_1\n,p.nii,m.nii\n", "no name"),
])
def test_bad_manifests(folder, text, said):
    folder.text("cases.csv", text)
    run = folder.run("evaluate", "--manifest", "cases.csv")
    assert run.code == 2 and said in run.err and "cases.csv" in run.err, run.err


def test_without_background(folder):
    """Which structure, given that it is one: p_k / (1 - p_0), and the votes for a structure alone."""
    rows, data = [], []
    for i in range(3):
        p, votes = lesion(i, classes=4)
        rows.append({"case": i, "probs": nifti(folder / f"p{i}.nii.gz", p), **{f"rater_{k}": nifti(folder / f"m{i}{k}.nii.gz", v)
                                                                             for k, v in enumerate(votes)}})
        data.append((p.astype(float).reshape(-1, 4, order="F"), np.stack([v.ravel("F") for v in votes], 1).astype(int)))
    write(folder, rows, ["case", "probs", "rater_0", "rater_1", "rater_2"])
    r = evaluate(folder, "--exclude-background", "--metrics", "ece,brier,accuracy,lsq")
    assert r["classes"] == 3 and r["settings"]["exclude_background"] is True
    assert all("overlap" not in c for c in r["per_case"])
    p, v = [np.concatenate(x) for x in zip(*data)]
    kept = (v > 0).any(1)
    q, v = p[kept, 1:] / p[kept, 1:].sum(1, keepdims=True), v[kept] - 1
    assert r["items"] == kept.sum() and r["votes"] == (v >= 0).sum()
    hit = np.stack([(v == k).sum(1) for k in range(3)], 1)
    brier = sum((hit[:, k] * ((q - np.eye(3)[k]) ** 2).sum(1)).sum() for k in range(3)) / hit.sum()
    assert value(r, "brier") == pytest.approx(brier, abs=1e-12)
    top = q.argmax(1)
    assert value(r, "ece") == pytest.approx(naive_ece(q.max(1), hit.sum(1).astype(float), hit[np.arange(len(q)), top].astype(float)), abs=1e-12)
    named = evaluate(folder, "--exclude-background", "--classes", "0,1,2,3", "--metrics", "ece")
    assert named["class_names"] == ["1", "2", "3"]


def test_without_background_needs_structures(folder, lesions):
    run = folder.run("evaluate", "--manifest", "cases.csv", "--exclude-background")
    assert run.code == 2 and run.err.count("\n") == 1 and "case c0: --exclude-background needs two structures" in run.err
    p = np.zeros((4, 4, 3), np.float32)
    p[..., 0] = 1
    folder.npy("p.npy", p), folder.npy("m.npy", np.array([[1, 2, 0, 0]] * 4, np.uint8)), folder.npy("none.npy", np.zeros((4, 4), np.uint8))
    folder.text("cases.csv", "case,probs,mask\nx,p.npy,none.npy\n")
    run = folder.run("evaluate", "--manifest", "cases.csv", "--exclude-background")
    assert run.code == 2 and "no voxel is left" in run.err
    folder.text("cases.csv", "case,probs,mask\nx,p.npy,m.npy\n")
    r = evaluate(folder, "--exclude-background", "--metrics", "brier,ece")
    assert r["items"] == 8 and value(r, "brier") == 0.25
    assert any("8 voxels" in n and "equal probabilities" in n for n in r["notes"])


def test_unknown_slice_and_ambiguous_axis(folder, lesions):
    run = folder.run("evaluate", "--manifest", "cases.csv", "--by", "sit")
    assert run.code == 2 and 'did you mean "site"' in run.err
    p = np.full((2, 2, 2), 0.5, np.float32)
    folder.npy("p.npy", p), folder.npy("m.npy", np.zeros((2, 2), np.uint8))
    folder.text("cases.csv", "case,probs,mask\nx,p.npy,m.npy\n")
    run = folder.run("evaluate", "--manifest", "cases.csv")
    assert run.code == 2 and "--class-axis" in run.err


def test_worst_cases_have_pictures(folder, lesions):
    _, data = lesions
    run = folder.run("evaluate", "--manifest", "cases.csv", "--metrics", "ece,brier", "--report", "r.html", "--json", "r.json")
    assert run.code == 0, run.err
    r = json.loads((folder / "r.json").read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(r)
    order = sorted(r["per_case"], key=lambda c: -c["metrics"]["ece"])
    assert [w["case"] for w in r["worst_cases"]] == [c["case"] for c in order] and len(order) == 5
    for w in r["worst_cases"]:
        p, votes = data[int(w["case"][1:])]
        p = p.astype(float)
        agree = np.mean([v == (p > 0.5) for v in votes], axis=0)
        gaps = np.abs(np.maximum(p, 1 - p) - agree).sum((0, 1))
        assert w["slices"] == 7 and gaps[w["slice"]] == pytest.approx(gaps.max(), rel=1e-9)
        assert w["value"] == next(c for c in r["per_case"] if c["case"] == w["case"])["metrics"]["ece"]
        assert w["image"] in (folder / "r.html").read_text()
    assert "worst_cases" not in evaluate(folder, "--metrics", "ece")


def test_report(folder, lesions):
    run = folder.run("evaluate", "--manifest", "cases.csv", *KEYS, "--report", "r.html")
    assert run.code == 0 and (folder / "r.html").exists(), run.err
    assert "over cases" in run.out and "rater_3" in run.out
