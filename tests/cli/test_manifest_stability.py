"""plumb stability --manifest: against the same voxels in memory, a naive simulation on DRIVE, and bad input."""
import json

import jsonschema
import numpy as np
import pytest
from conftest import DATA, ROOT, needs_data
from test_manifest import naive_ece, write
from volumes import lesion, nifti

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())
HOW = ("--from", "0.4", "--step", "0.2", "--repeats", "12", "--estimators", "ece,brier,ece_l2_debiased")


@pytest.fixture
def cases(folder):
    rows, data = [], []
    for i in range(6):
        p, votes = lesion(i, sharpen=1.5)
        rows.append({"case": f"c{i}", "probs": nifti(folder / f"p{i}.nii.gz", p), "group": f"g{i // 2}",
                     **{f"rater_{r + 1}": nifti(folder / f"m{i}_{r}.nii.gz", v) for r, v in enumerate(votes)}})
        data.append((p.ravel("F"), np.stack([v.ravel("F") for v in votes], 1).astype(np.int32)))
    write(folder, rows, ["case", "probs", "rater_1", "rater_2", "rater_3"])
    return rows, data


def stability(folder, *args):
    run = folder.run("stability", *args, "--json", "-")
    assert run.code == 0, run.err
    result = json.loads(run.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(result)
    return result


@pytest.mark.parametrize("single", ["majority", "rater:rater_2"])
@pytest.mark.parametrize("grouped", [False, True])
def test_over_cases_is_that_of_groups_in_memory(folder, cases, single, grouped):
    rows, data = cases
    write(folder, rows, ["case", "probs", "rater_1", "rater_2", "rater_3"] + ["group"] * grouped)
    ours = stability(folder, "--manifest", "cases.csv", "--single", single, *HOW)
    folder.npy("p.npy", np.concatenate([p for p, _ in data]))
    folder.npy("v.npy", np.concatenate([v for _, v in data]))
    names = [(f"g{i // 2}" if grouped else f"c{i}") for i, (p, _) in enumerate(data) for _ in p]
    folder.text("g.csv", "g\n" + "\n".join(names) + "\n")
    flat = stability(folder, "--probs", "p.npy", "--ratings", "v.npy", "--groups", "g.csv:g",
                     "--single", single.replace("rater_2", "1"), *HOW)
    assert ours["stability"] == flat["stability"]
    assert ours["settings"]["unit"] == ("group" if grouped else "case") and ours["votes"] == flat["votes"]


def test_within_case_is_that_of_each_case(folder, cases):
    _, data = cases
    for single in ("majority", "random", "rater:rater_1"):
        ours = stability(folder, "--manifest", "cases.csv", "--within", "case", "--single", single, *HOW)
        rows = {(r["case"], r["metric"]): r for r in ours["tables"]["within_cases"]}
        tv = {"multi": [], "single": [], "ratio": []}
        for i, (p, v) in enumerate(data):
            folder.npy("p.npy", p), folder.npy("v.npy", v)
            one = stability(folder, "--probs", "p.npy", "--ratings", "v.npy", "--single",
                            single.replace("rater_1", "0"), *HOW)["stability"]["ece"]
            row = rows[f"c{i}", "ece"]
            assert row["multi_tv"] == one["multi"]["tv_sum"]["value"] and row["single_tv"] == one["single"]["tv_sum"]["value"]
            assert row["ratio"] == one["ratio"]["value"]
            for k, x in (("multi", row["multi_tv"]), ("single", row["single_tv"]), ("ratio", row["ratio"])):
                tv[k].append(x)
        over = {r["quantity"].removesuffix("_tv"): r for r in ours["tables"]["over_cases"] if r["metric"] == "ece"}
        for k, x in tv.items():
            assert over[k]["mean"] == pytest.approx(np.mean(x), rel=1e-12) and over[k]["cases"] == 6
            assert over[k]["sd"] == pytest.approx(np.std(x, ddof=1), rel=1e-9)


def test_threads_do_not_change_it(folder, cases):
    for within in ("none", "case"):
        a, b = (stability(folder, "--manifest", "cases.csv", "--within", within, "--threads", t, *HOW) for t in "12")
        assert a.get("stability") == b.get("stability") and a["tables"] == b["tables"]


@needs_data
def test_drive_within_images(folder):
    """Total variation per image against a naive simulation, single and multi-rater."""
    d = np.load(DATA / "drive_wnet_2rater_fov.npz")
    rows, naive, rng = [], {}, np.random.default_rng(1)
    for k in np.unique(d["image"])[:3]:
        m = np.flatnonzero(d["image"] == k)[::20]
        p, a, b = d["prob"][m].astype(float), d["rater1"][m], d["rater2"][m]
        rows.append({"case": f"im{k}", "probs": folder.npy(f"p{k}.npy", p), "rater_1": folder.npy(f"a{k}.npy", a),
                     "rater_2": folder.npy(f"b{k}.npy", b)})
        tv = {"multi_tv": [], "single_tv": []}
        for _ in range(300):
            draw = rng.integers(len(p), size=len(p))
            for name, n, h in (("multi_tv", np.full(len(p), 2.0), a + b.astype(float)), ("single_tv", np.ones(len(p)), a.astype(float))):
                e = [naive_ece(p[draw[:s]], n[draw[:s]], h[draw[:s]]) for s in (round(f * len(p)) for f in (0.2, 0.4, 0.6, 0.8, 1.0))]
                tv[name].append(np.abs(np.diff(e)).sum())
        naive[f"im{k}"] = {key: (np.mean(x), np.std(x, ddof=1) / 300**0.5) for key, x in tv.items()}
    write(folder, rows, ["case", "probs", "rater_1", "rater_2"])
    r = stability(folder, "--manifest", "cases.csv", "--within", "case", "--single", "rater:rater_1", "--from", "0.2",
                  "--step", "0.2", "--repeats", "300")
    assert len(r["tables"]["within_cases"]) == 3
    for row in r["tables"]["within_cases"]:
        for key, (mean, se) in naive[row["case"]].items():
            assert abs(row[key] - mean) < 4 * 2**0.5 * se, (row["case"], key)


@needs_data
def test_the_total_variations_of_drive_are_those_of_the_page(folder):
    d, rows = np.load(DATA / "drive_wnet_2rater_fov.npz"), []
    for k in np.unique(d["image"]):
        m = d["image"] == k
        rows.append({"case": f"im{k}", "probs": folder.npy(f"p{k}.npy", d["prob"][m]), "rater_1": folder.npy(f"a{k}.npy", d["rater1"][m]),
                     "rater_2": folder.npy(f"b{k}.npy", d["rater2"][m])})
    write(folder, rows, ["case", "probs", "rater_1", "rater_2"])
    r = stability(folder, "--manifest", "cases.csv", "--within", "case", "--single", "rater:rater_1", "--step", "0.1", "--repeats", "10")
    v = {row["quantity"]: (row["mean"], row["sd"]) for row in r["tables"]["over_cases"]}
    said = " ".join((ROOT / "docs" / "segmentation.md").read_text().split())
    assert "is {:.5f} +- {:.5f} over images with both raters".format(*v["multi_tv"]) in said
    assert "and {:.5f} +- {:.5f} with the first alone, a ratio of {:.2f} +- {:.2f}.".format(*v["single_tv"], *v["ratio"]) in said


@pytest.mark.parametrize("args,said", [
    (("--estimators", "auroc"), "--within case"),
    (("--single", "random"), "--within case"),
    (("--single", "rater:rater_9"), "case c0: --single rater:rater_9"),
    (("--binning", "mass"), "--within case"),
    (("--bandwidth", "0.05"), "--bandwidth"),
    (("--single", "nobody"), "--single takes"),
    (("--probs", "p.npy"), "--probs"),
    (("--step", "0.01"), "too fine"),
])
def test_refusals(folder, cases, args, said):
    run = folder.run("stability", "--manifest", "cases.csv", "--json", "out.json", *args)
    assert run.code == 2 and run.err.count("\n") == 1 and said in run.err, run.err
    assert not (folder / "out.json").exists()


def test_two_raters_have_no_majority_and_a_bad_voxel_is_named(folder, cases):
    rows, _ = cases
    write(folder, rows, ["case", "probs", "rater_1", "rater_2"])
    for within in ("none", "case"):
        run = folder.run("stability", "--manifest", "cases.csv", "--within", within)
        assert run.code == 2 and "case c0: two raters have no majority" in run.err and "--single rater:rater_1" in run.err
    p, _ = lesion(1)
    p[3, 4, 5] = 2
    nifti(folder / rows[1]["probs"], p)
    run = folder.run("stability", "--manifest", "cases.csv", "--within", "case", "--single", "rater:rater_1")
    assert run.code == 2 and "case c1: " in run.err and "(3, 4, 5)" in run.err, run.err
