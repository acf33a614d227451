"""plumb evaluate --axes: cases in one array give what a manifest of the same images gives."""
import json

import numpy as np
import pytest
from volumes import lesion

KEYS = ("--metrics", "ece,brier,accuracy,lsq,auroc", "--bootstrap", "20", "--json", "-")
PARTS = ("metrics", "consensus", "per_case", "cases", "overlap", "per_rater")


def result(folder, *args):
    run = folder.run("evaluate", *args, *KEYS)
    assert run.code == 0, run.err
    return {part: value for part, value in json.loads(run.out).items() if part in PARTS}


def refused(folder, *args):
    run = folder.run("evaluate", *args)
    assert run.code == 2 and run.err.count("\n") == 1, run.err
    return run.err


@pytest.fixture
def arrays(folder):
    """Four images, three classes, three raters; every axis has another length."""
    p, votes = zip(*(lesion(i, shape=(7, 6), raters=3, classes=3) for i in range(4)))
    folder.npy("p.npy", np.stack(p))
    votes = np.stack([np.stack(v) for v in votes])  # cases, raters, image
    rows = ["case,probs,rater_1,rater_2,rater_3"]
    for r in range(3):
        folder.npy(f"r{r}.npy", votes[:, r])
    for i in range(4):
        rows.append(",".join([str(i), folder.npy(f"p{i}.npy", p[i]), *(folder.npy(f"m{i}{r}.npy", votes[i, r]) for r in range(3))]))
    folder.text("cases.csv", "\n".join(rows) + "\n")
    return folder


RATERS = ("--ratings", "r0.npy", "--ratings", "r1.npy", "--ratings", "r2.npy")


def test_axes_in_any_order(arrays):
    expected = result(arrays, "--manifest", "cases.csv", "--class-axis", "last")
    p = np.load(arrays / "p.npy")
    assert result(arrays, "--axes", "NHWK", "--probs", "p.npy", *RATERS) == expected
    for axes in ("NKHW", "KNHW", "HNWK", "NHKW"):
        order = ["NHWK".index(a) for a in axes]
        arrays.npy("q.npy", np.ascontiguousarray(p.transpose(order)))
        masks = [a for a in axes if a != "K"]
        for r in range(3):
            m = np.load(arrays / f"r{r}.npy").transpose(["NHW".index(a) for a in masks])
            arrays.npy(f"s{r}.npy", np.ascontiguousarray(m))
        assert result(arrays, "--axes", axes, "--probs", "q.npy", "--ratings", "s0.npy", "--ratings", "s1.npy", "--ratings", "s2.npy") == expected, axes


def test_foreground_probabilities_and_one_image(arrays):
    p = np.load(arrays / "p.npy")[..., 1]
    rows = ["case,probs,rater_1"]
    for r in range(3):
        arrays.npy(f"b{r}.npy", (np.load(arrays / f"r{r}.npy") == 1).astype(np.uint8))
    for i in range(4):
        rows.append(f"{i},{arrays.npy(f'f{i}.npy', p[i])},{arrays.npy(f'c{i}.npy', np.load(arrays / 'b0.npy')[i])}")
    arrays.text("two.csv", "\n".join(rows) + "\n")
    arrays.npy("f.npy", p)
    assert result(arrays, "--axes", "NHW", "--probs", "f.npy", "--ratings", "b0.npy") == result(arrays, "--manifest", "two.csv")
    one = result(arrays, "--axes", "HW", "--probs", "f0.npy", "--ratings", "c0.npy")
    assert [c["case"] for c in one["per_case"]] == ["0"]


def test_other_commands(arrays):
    for name, args in (("a", ("--axes", "NHWK", "--probs", "p.npy", *RATERS)), ("b", ("--manifest", "cases.csv", "--class-axis", "last"))):
        for command in (("stability", "--repeats", "3", "--step", "0.5"), ("uncertainty",)):
            run = arrays.run(*command, *args, "--json", f"{command[0]}{name}.json", "--quiet")
            assert run.code == 0, run.err
        run = arrays.run("calibrate", "fit", *args, "--method", "temperature", "-o", f"{name}.json")
        assert run.code == 0, run.err
    load = lambda name: json.loads((arrays / name).read_text())
    assert load("stabilitya.json")["tables"] == load("stabilityb.json")["tables"]
    a, b = load("uncertaintya.json"), load("uncertaintyb.json")
    assert a["items"] == b["items"] == 4 * 7 * 6 and a["measures"] == b["measures"]
    assert [s["id"] for s in a["suspects"]] == [s["id"] for s in b["suspects"]]
    assert load("a.json")["steps"] == load("b.json")["steps"]


def softened(p, temperature):
    q = p ** (1 / temperature)
    return q / q.sum(-1, keepdims=True)


@pytest.mark.parametrize("axes", ["NHWK", "KNHW", "HNKW"])
def test_a_model_applied_to_an_array_gives_what_its_cases_give(arrays, axes):
    assert arrays.run("calibrate", "fit", "--axes", "NHWK", "--probs", "p.npy", *RATERS, "--method", "temperature", "-o", "m.json").code == 0
    assert arrays.run("calibrate", "apply", "m.json", "--manifest", "cases.csv", "--class-axis", "last", "-o", "out", "--dtype", "float64").code == 0
    want = np.stack([np.load(arrays / "out" / f"{i}.npy") for i in range(4)])
    order = ["NHWK".index(a) for a in axes]
    arrays.npy("q.npy", np.ascontiguousarray(np.load(arrays / "p.npy").transpose(order)))
    run = arrays.run("calibrate", "apply", "m.json", "--axes", axes, "--probs", "q.npy", "-o", "c.npy", "--dtype", "float64")
    assert run.code == 0 and "of 4 cases to c.npy as float64" in run.out, run.err
    assert np.array_equal(np.load(arrays / "c.npy"), want.transpose(order))
    assert arrays.run("calibrate", "apply", "m.json", "--axes", axes, "--probs", "q.npy", "-o", "f.npy", "--quiet").code == 0
    assert np.load(arrays / "f.npy").dtype == np.float32 and np.array_equal(np.load(arrays / "f.npy"), want.transpose(order).astype(np.float32))


def test_models_in_arrays_are_compared_as_models_in_files(arrays):
    p = np.load(arrays / "p.npy")
    arrays.npy("soft.npy", softened(p, 2.0))
    rows = (arrays / "cases.csv").read_text().splitlines()
    for i in range(4):
        rows[i + 1] = rows[i + 1].replace(f"p{i}.npy", arrays.npy(f"s{i}.npy", softened(p[i], 2.0)))
    arrays.text("soft.csv", "\n".join(rows) + "\n")
    how = ("--metrics", "ece,brier", "--bootstrap", "20", "--json", "-")
    a = arrays.run("compare", "--axes", "NHWK", "--probs", "raw=p.npy", "--probs", "soft=soft.npy", *RATERS, *how)
    b = arrays.run("compare", "--manifest", "raw=cases.csv", "--manifest", "soft=soft.csv", "--class-axis", "last", *how)
    assert a.code == 0 and b.code == 0, a.err + b.err
    a, b = json.loads(a.out), json.loads(b.out)
    assert a["compare"] == b["compare"] and a["compare_cases"] == b["compare_cases"]
    assert a["compare"]["metrics"]["brier"]["differences"][0]["difference"] != 0
    three = arrays.run("compare", "--axes", "NHW", "--probs", "raw=p.npy", "--probs", "soft=soft.npy", *RATERS)
    assert three.code == 2 and "p.npy is 4 x 7 x 6 x 3, and --axes NHW names 3 axes" in three.err
    for args, said in ((("--probs", "raw=p.npy"), "--probs is for arrays"), (("--axes", "NHWK", "--probs", "p.npy", "--probs", "b=soft.npy"), "--probs"),
                       (("--manifest", "a=cases.csv", "--axes", "NHWK"), "cannot be combined")):
        run = arrays.run("compare", "--manifest", "b=soft.csv", "--manifest", "a=cases.csv", *args) if "--axes" not in args else arrays.run("compare", *args, *RATERS)
        assert run.code == 2 and run.err.count("\n") == 1 and said in run.err, run.err


def test_arrays_that_no_model_can_be_applied_to(arrays):
    assert arrays.run("calibrate", "fit", "--axes", "NHWK", "--probs", "p.npy", *RATERS, "--method", "temperature", "-o", "m.json").code == 0
    for args, said in (
        (("--axes", "NHWK", "--probs", "p.npy", "-o", "out"), "name a .npy file"),
        (("--axes", "NHWK", "--probs", "p.npy", "-o", "p.npy"), "is an input"),
        (("--axes", "NHWK", "-o", "c.npy"), "--axes needs an array"),
        (("--axes", "NHW", "--probs", "p.npy", "-o", "c.npy"), "names 3 axes"),
        (("--axes", "NHWC", "--probs", "p.npy", "-o", "c.npy"), "3 classes"),
        (("--manifest", "cases.csv", "--probs", "p.npy", "-o", "c.npy"), "--probs is for arrays"),
    ):
        run = arrays.run("calibrate", "apply", "m.json", *args)
        assert run.code == 2 and run.err.count("\n") == 1 and said in run.err, (args, run.err)
    p = np.load(arrays / "p.npy")
    p[2, 3, 4, 1] = 7
    arrays.npy("bad.npy", p)
    run = arrays.run("calibrate", "apply", "m.json", "--axes", "NHWK", "--probs", "bad.npy", "-o", "c.npy")
    assert run.code == 2 and "case 2: bad.npy, voxel (3, 4), class 1: 7 is not a probability" in run.err and not (arrays / "c.npy").exists()


def test_what_does_not_fit_is_refused(arrays):
    for args, said in (
        (("--probs", "p.npy", "--ratings", "r0.npy"), "--axes"),
        (("--axes", "NHW", "--probs", "p.npy", *RATERS), "p.npy is 4 x 7 x 6 x 3, and --axes NHW names 3 axes"),
        (("--axes", "NHWC", "--probs", "p.npy", *RATERS), "are 4 x 7 x 6 x 3; give an array of this shape for each rater"),
        (("--axes", "NHHK", "--probs", "p.npy", *RATERS), "a different capital letter"),
        (("--axes", "nhwk", "--probs", "p.npy", *RATERS), "a different capital letter"),
        (("--axes", "NK", "--probs", "p.npy", *RATERS), "names no axis of an image"),
        (("--axes", "NHWK", *RATERS), "--probs or --logits"),
        (("--axes", "NHWK", "--probs", "p.npy"), "--ratings"),
        (("--axes", "NHWK", "--probs", "p.npy", "--probs", "p0.npy", *RATERS), "takes one file, and 2"),
        (("--axes", "NHWK", "--probs", "p.npy", *RATERS, "--by", "site"), "--by names columns of a manifest"),
        (("--axes", "NHWK", "--probs", "p.npy", *RATERS, "--class-axis", "last"), "--class-axis has no effect"),
        (("--manifest", "cases.csv", "--probs", "p.npy"), "--probs is for arrays"),
    ):
        assert said in refused(arrays, *args), (args, said)
    p = np.load(arrays / "p.npy")
    p[2, 3, 4] = np.nan
    arrays.npy("nan.npy", p)
    assert "case 2: nan.npy, voxel (3, 4), class 0: nan is not a number" in refused(arrays, "--axes", "NHWK", "--probs", "nan.npy", *RATERS)
