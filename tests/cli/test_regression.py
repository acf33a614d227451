"""Regressions: evaluate, calibrate, demo; from .npy, .csv and passes; the real data."""
import json
import math

import jsonschema
import numpy as np
import pytest
from conftest import DATA, ROOT, needs_data, run_plumb, values, without_argv

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())
QM9 = DATA / "regression" / "qm9_qm9_E_uncalibrated_test.csv"
QM9_VALIDATION = DATA / "regression" / "qm9_qm9_E_uncalibrated_validation.csv"
DIFFUSION = DATA / "regression" / "Diffusion_RF_Test_uncal.csv"


def evaluate(folder, *args):
    result = folder.run("evaluate", *args, "--json", "-").json
    jsonschema.Draft202012Validator(SCHEMA).validate(result)
    return result


def qm9(path, *kinds):
    columns = {"total": ("--variance", "uncertainty_total"), "aleatoric": ("--aleatoric", "uncertainty_aleatoric"),
               "epistemic": ("--epistemic", "uncertainty_epistemic")}
    args = ["--mean", f"{path}:prediction", "--targets", f"{path}:E_"]
    for kind in kinds:
        flag, column = columns[kind]
        args += [flag, f"{path}:{column}"]
    return args


def make(folder, n=600, d=1, factor=2.0, seed=0):
    rng = np.random.default_rng(seed)
    shape = (n,) if d == 1 else (n, d)
    variance = np.exp(rng.normal(size=shape))
    mean = rng.normal(size=shape) * 3
    target = mean + factor * np.sqrt(variance) * rng.normal(size=shape)
    for name, array in (("mean", mean), ("variance", variance), ("target", target)):
        folder.npy(name + ".npy", array)
    return mean, variance, target


ARGS = ("--mean", "mean.npy", "--variance", "variance.npy", "--targets", "target.npy")


def test_values_agree_with_numpy(folder):
    mean, variance, target = make(folder, d=2)
    v = values(evaluate(folder, *ARGS))
    e2 = (target - mean) ** 2
    assert v["mse"] == pytest.approx(e2.mean(), rel=1e-12)
    assert v["mae"] == pytest.approx(np.sqrt(e2).mean(), rel=1e-12)
    assert v["zms"] == pytest.approx((e2 / variance).mean(), rel=1e-12)
    assert v["nll"] == pytest.approx(0.5 * (np.log(2 * np.pi * variance) + e2 / variance).mean(), rel=1e-12)
    assert v["coverage_90"] == pytest.approx((np.sqrt(e2 / variance) <= 1.6448536269514722).mean(), rel=1e-12)
    assert v["sharpness"] == pytest.approx(math.sqrt(variance.mean()), rel=1e-12)


def test_the_same_from_csv_std_parts_and_errors(folder):
    mean, variance, target = make(folder)
    one = values(evaluate(folder, *ARGS))
    folder.text("t.csv", "m,v,s,a,p,y,e\n" + "".join(
        f"{float(m)!r},{float(v)!r},{float(np.sqrt(v))!r},{float(v / 4)!r},{float(v * 3 / 4)!r},{float(y)!r},{float(y - m)!r}\n"
        for m, v, y in zip(mean, variance, target)))
    csv = values(evaluate(folder, "--mean", "t.csv:m", "--variance", "t.csv:v", "--targets", "t.csv:y"))
    assert csv == one
    for args in (("--mean", "t.csv:m", "--std", "t.csv:s", "--targets", "t.csv:y"),
                 ("--errors", "t.csv:e", "--variance", "t.csv:v"),
                 ("--mean", "t.csv:m", "--aleatoric", "t.csv:a", "--epistemic", "t.csv:p", "--targets", "t.csv:y")):
        other = values(evaluate(folder, *args))
        for key in one:
            assert other[key] == pytest.approx(one[key], rel=1e-9, abs=1e-9), key


def test_passes(folder):
    rng = np.random.default_rng(1)
    s, n, d = 7, 300, 2
    means, variances = rng.normal(size=(s, n, d)), np.exp(rng.normal(size=(s, n, d)))
    target = rng.normal(size=(n, d))
    folder.npy("ms.npy", means)
    folder.npy("vs.npy", variances)
    folder.npy("y.npy", target)
    folder.npy("mean.npy", means.mean(0))
    folder.npy("a.npy", variances.mean(0))
    folder.npy("p.npy", means.var(0))
    by_pass = evaluate(folder, "--mean-samples", "ms.npy", "--variance-samples", "vs.npy", "--targets", "y.npy")
    parts = evaluate(folder, "--mean", "mean.npy", "--aleatoric", "a.npy", "--epistemic", "p.npy", "--targets", "y.npy")
    assert by_pass["settings"]["samples"] == s
    for key, x in values(parts).items():
        assert values(by_pass)[key] == pytest.approx(x, rel=1e-9, abs=1e-9), key
    # Eq. 14 is the mean over passes of the squared error.
    second = ((means - target) ** 2).mean(0).mean(1)
    u = (variances.mean(0) + means.var(0)).mean(1)
    cell = np.minimum(((u - u.min()) / (u.max() - u.min()) * 15).astype(int), 14)
    gap = sum(abs((second - u)[cell == b].sum()) for b in range(15)) / n
    assert values(by_pass)["uce_mc"] == pytest.approx(gap, rel=1e-9)
    for k in range(s):
        folder.npy(f"pass-m{k}.npy", means[k])
        folder.npy(f"pass-v{k}.npy", variances[k])
    files = evaluate(folder, "--mean-samples", "pass-m?.npy", "--variance-samples", "pass-v?.npy", "--targets", "y.npy")
    assert values(files) == values(by_pass)


def test_same_bits_for_threads_shards_and_row_order(folder):
    mean, variance, target = make(folder, n=9000, d=2)
    one = evaluate(folder, *ARGS, "--threads", 1, "--bootstrap", 20)
    assert without_argv(evaluate(folder, *ARGS, "--threads", 2, "--bootstrap", 20)) == without_argv(one)
    for name, array in (("mean", mean), ("variance", variance), ("target", target)):
        folder.npy(f"{name}-1.npy", array[:2345])
        folder.npy(f"{name}-2.npy", array[2345:])
    shards = [a.replace(".npy", "-?.npy") for a in ARGS]
    assert without_argv(evaluate(folder, *shards, "--bootstrap", 20)) == without_argv(one)
    order = np.random.default_rng(3).permutation(9000)
    for name, array in (("mean", mean), ("variance", variance), ("target", target)):
        folder.npy(f"{name}.npy", array[order])
    assert values(evaluate(folder, *ARGS)) == values(one)


def test_words_and_slices(folder):
    make(folder, factor=math.sqrt(3.1), n=4000)
    folder.text("by.csv", "g\n" + "a\n" * 2000 + "b\n" * 2000)
    run = folder.run("evaluate", *ARGS, "--by", "by.csv:g", "--bootstrap", 20)
    assert run.code == 0, run.err
    text = " ".join(run.out.split())
    assert "The variances are too small by a factor of about 3" in text and "Clearly off:" in text
    assert "Leaving out the least certain 20% of the items" in text
    assert "By slice" in run.out and "95% interval" in run.out


def test_reference(folder):
    _, variance, _ = make(folder, n=500)
    folder.npy("same.npy", variance[::-1].copy())
    folder.npy("small.npy", variance / 10)
    assert evaluate(folder, *ARGS, "--reference", "same.npy")["shift"]["auroc"] == 0.5
    shift = evaluate(folder, *ARGS, "--reference", "small.npy")
    wins = (variance[:, None] > variance[None, :] / 10).mean()
    assert shift["shift"]["auroc"] == pytest.approx(wins, abs=1e-12)
    rows = shift["tables"]["shift_histogram"]
    assert sum(r["share"] for r in rows) == pytest.approx(1) and len(rows) == 30
    assert "less certain here" in folder.run("evaluate", *ARGS, "--reference", "small.npy").out


def test_reference_in_standard_deviations_beside_a_calibrator(folder):
    _, variance, _ = make(folder, n=500)
    folder.npy("std.npy", np.sqrt(variance))
    folder.npy("reference.npy", np.sqrt(variance / 3))
    folder.npy("reference_variance.npy", variance / 3)
    folder.run("calibrate", "fit", "--method", "sigma", *ARGS, "-o", "m.json", "--quiet")
    in_std = ["--mean", "mean.npy", "--std", "std.npy", "--targets", "target.npy", "--reference", "reference.npy"]
    shift = evaluate(folder, *in_std, "--calibrator", "m.json")["shift"]
    same = evaluate(folder, *ARGS, "--reference", "reference_variance.npy", "--calibrator", "m.json")["shift"]
    assert shift["auroc"] == pytest.approx(same["auroc"], abs=1e-4)


def test_gate_and_range(folder):
    make(folder)
    assert folder.run("evaluate", *ARGS, "--fail-if", "zms>2", "--quiet").code == 3
    assert folder.run("evaluate", *ARGS, "--fail-if", "zms>200", "--quiet").code == 0
    ranged = evaluate(folder, *ARGS, "--range", "0,1")
    assert ranged["settings"]["range"] == [0, 1]
    assert any("outside `range`" in note for note in ranged["notes"])


def test_calibrate_fit_writes_a_page(folder):
    make(folder)
    run = folder.run("calibrate", "fit", "--method", "sigma", *ARGS, "-o", "m.json", "--plots", "p")
    assert run.code == 0, run.err
    assert (folder / "p" / "uncertainty_reliability.vl.json").exists()
    refused = folder.run("calibrate", "fit", "--method", "conformal", *ARGS, "-o", "c.json", "--plots", "q")
    assert refused.code == 2 and "conformal" in refused.err and "c.json" not in folder.names()


def test_shards_merge(folder):
    mean, variance, target = make(folder, n=300)
    for part, rows in (("a", slice(0, 100)), ("b", slice(100, 300))):
        for name, array in (("mean", mean), ("variance", variance), ("target", target)):
            folder.npy(f"{part}-{name}.npy", array[rows])
        assert folder.run("evaluate", "--mean", f"{part}-mean.npy", "--variance", f"{part}-variance.npy", "--targets",
                          f"{part}-target.npy", "--range", "0,20", "--save-state", part, "--quiet").code == 0
    whole = evaluate(folder, *ARGS, "--range", "0,20")
    merged = folder.run("merge", "a", "b", "--json", "-").json
    jsonschema.Draft202012Validator(SCHEMA).validate(merged)
    assert merged["items"] == 300
    for key in ("mse", "nll", "crps", "zms", "coverage_90", "uce"):
        assert merged["metrics"][key]["value"] == whole["metrics"][key]["value"], key
    assert merged["metrics"]["ence"]["value"] is None and "all the data" in merged["metrics"]["ence"]["why"]
    assert "90%" in folder.run("merge", "a", "b").out
    assert folder.run("evaluate", *ARGS, "--save-state", "c", "--quiet").code == 0
    refused = folder.run("merge", "a", "c")
    assert refused.code == 2 and "--range" in refused.err


@pytest.mark.parametrize("args, words", [
    (("--mean", "mean.npy", "--variance", "variance.npy"), ("--targets",)),
    (("--mean", "mean.npy", "--targets", "target.npy"), ("--variance",)),
    (("--variance", "variance.npy"), ("--variance", "--mean")),
    ((*ARGS, "--std", "variance.npy"), ("--variance", "--std")),
    ((*ARGS, "--metrics", "zmz"), ("zms",)),
    ((*ARGS, "--metrics", "uce_mc"), ("uce_mc", "--aleatoric")),
    ((*ARGS, "--range", "2"), ("--range",)),
    ((*ARGS, "--range", "2,1"), ("--range",)),
    ((*ARGS, "--weights", "short.npy"), ("short.npy",)),
    (("--mean", "mean.npy", "--variance", "negative.npy", "--targets", "target.npy"), ("negative.npy", "row 3", "-1")),
    (("--mean", "mean.npy", "--variance", "variance.npy", "--targets", "wide.npy"), ("wide.npy",)),
])
def test_bad_input(folder, args, words):
    _, variance, _ = make(folder)
    folder.npy("short.npy", np.ones(5))
    folder.npy("wide.npy", np.ones((600, 2)))
    variance = variance.copy()
    variance[3] = -1
    folder.npy("negative.npy", variance)
    before = folder.names()
    run = folder.run("evaluate", *args)
    assert run.code == 2 and run.out == ""
    assert run.err.count("\n") == 1 and run.err.startswith("plumb: ")
    for word in words:
        assert word in run.err, run.err
    assert folder.names() == before


def test_calibrate_every_method(folder):
    rng = np.random.default_rng(5)
    n, d = 800, 2
    for part in ("fit", "new"):
        a, p = np.exp(rng.normal(size=(n, d))), np.exp(rng.normal(size=(n, d)))
        mean = rng.normal(size=(n, d))
        folder.npy(f"{part}-a.npy", a)
        folder.npy(f"{part}-p.npy", p)
        folder.npy(f"{part}-m.npy", mean)
        folder.npy(f"{part}-y.npy", mean + 1.7 * np.sqrt(a + p) * rng.normal(size=(n, d)))
    def inputs(part):
        return ["--mean", f"{part}-m.npy", "--aleatoric", f"{part}-a.npy", "--epistemic", f"{part}-p.npy"]
    for method in ("sigma", "sigma-laplace", "sigma-aleatoric", "sigma-parts", "aux", "aux-aleatoric", "isotonic-quantile", "conformal"):
        run = folder.run("calibrate", "fit", "--method", method, *inputs("fit"), "--targets", "fit-y.npy", "-o", "model.json")
        assert run.code == 0, run.err
        assert folder.run("calibrate", "show", "model.json").code == 0
        mean_before = (folder / "new-m.npy").read_bytes()
        out = [] if method == "conformal" else ["-o", "v.npy"]
        run = folder.run("calibrate", "apply", "model.json", *inputs("new"), *out, "--intervals", "b.npy", "--levels", "0.5,0.9")
        assert run.code == 0, run.err
        assert (folder / "new-m.npy").read_bytes() == mean_before
        bounds, y = np.load(folder / "b.npy"), np.load(folder / "new-y.npy")
        assert bounds.shape == (n, d, 2, 2) and bounds.dtype == np.float64
        inside = ((y[..., None] >= bounds[..., 0]) & (y[..., None] <= bounds[..., 1])).mean((0, 1))
        if method not in ("sigma-aleatoric", "aux-aleatoric", "sigma-laplace"):
            assert inside == pytest.approx([0.5, 0.9], abs=0.06), method
        if out:
            v = np.load(folder / "v.npy")
            assert v.shape == (n, d) and (v > 0).all()
    run = folder.run("calibrate", "apply", "model.json", *inputs("new"), "--intervals", "b.csv", "--levels", "0.9")
    assert (folder / "b.csv").read_text().splitlines()[0] == "low_0.9_output0,high_0.9_output0,low_0.9_output1,high_0.9_output1"
    assert folder.run("calibrate", "apply", "model.json", *inputs("new"), "-o", "x.npy").code == 2


def test_calibrate_bad_input(folder):
    make(folder)
    fit = ("calibrate", "fit", "--method", "sigma", *ARGS)
    assert folder.run(*fit, "-o", "m.json", "--quiet").out == ""
    for args, word in (((*fit,), "-o"), ((*fit, "-o", "x.json", "--hidden", 3), "--hidden"),
                       (("calibrate", "fit", "--method", "sigma-parts", *ARGS, "-o", "x.json"), "--aleatoric"),
                       (("calibrate", "fit", "--method", "sigmaa", *ARGS, "-o", "x.json"), "sigma"),
                       ((*fit, "-o", "mean.npy"), "overwrite"),
                       (("calibrate", "apply", "m.json", "--variance", "variance.npy"), "-o"),
                       (("calibrate", "apply", "m.json", "--variance", "variance.npy", "--intervals", "b.npy"), "--mean")):
        run = folder.run(*args)
        assert run.code == 2 and word in run.err, (args, run.err)
        assert run.err.count("\n") == 1


def test_demo(folder):
    assert folder.run("demo", "regression", "--out", "d", "--items", 600).code == 0
    part = ["--mean", "d/test/mean.npy", "--aleatoric", "d/test/aleatoric.npy", "--epistemic", "d/test/epistemic.npy",
            "--targets", "d/test/targets.npy"]
    parts = values(evaluate(folder, *part))
    passes = values(evaluate(folder, "--mean-samples", "d/test/mean_samples.npy", "--variance-samples",
                             "d/test/variance_samples.npy", "--targets", "d/test/targets.npy"))
    assert parts["zms"] > 2
    for key, x in parts.items():
        assert passes[key] == pytest.approx(x, rel=1e-6, abs=1e-6), key


@needs_data
def test_qm9_sigma(folder):
    """Fit on validation, evaluate on test: 0.558460, nll -2.75348 to -2.97902, coverage 0.984 to 0.924."""
    assert folder.run("calibrate", "fit", "--method", "sigma", *qm9(QM9_VALIDATION, "total"), "-o", "s.json", "--quiet").code == 0
    step = json.loads((folder / "s.json").read_text())
    assert "0.5584595" in json.dumps(step)  # 0.558460
    before = values(evaluate(folder, *qm9(QM9, "total")))
    assert folder.run("calibrate", "apply", "s.json", "--variance", f"{QM9}:uncertainty_total", "-o", "v.npy").code == 0
    after = values(evaluate(folder, "--mean", f"{QM9}:prediction", "--targets", f"{QM9}:E_", "--variance", "v.npy"))
    assert before["nll"] == pytest.approx(-2.75348, abs=5e-6) and after["nll"] == pytest.approx(-2.97902, abs=5e-6)
    assert before["coverage_90"] == pytest.approx(0.984, abs=5e-4) and after["coverage_90"] == pytest.approx(0.924, abs=5e-4)
    assert before["mse"] == after["mse"]
    assert after["zms"] == pytest.approx(1.0377, abs=5e-4)


@needs_data
def test_qm9_parts(folder):
    run = folder.run("calibrate", "fit", "--method", "sigma-aleatoric", *qm9(QM9_VALIDATION, "aleatoric", "epistemic"), "-o", "a.json")
    assert "s = 0.83648;" in run.out, run.out
    run = folder.run("calibrate", "fit", "--method", "sigma-parts", *qm9(QM9_VALIDATION, "aleatoric", "epistemic"), "-o", "p.json")
    assert run.code == 0, run.err
    assert folder.run("calibrate", "apply", "p.json", "--aleatoric", f"{QM9}:uncertainty_aleatoric", "--epistemic",
                      f"{QM9}:uncertainty_epistemic", "-o", "v.npy").code == 0
    after = values(evaluate(folder, "--mean", f"{QM9}:prediction", "--targets", f"{QM9}:E_", "--variance", "v.npy"))
    assert after["nll"] < -2.97


@needs_data
def test_qm9_network_warns(folder):
    """Its uce is a thousand times that of the plain variances, of which the log-likelihood shows nothing."""
    run = folder.run("calibrate", "fit", "--method", "aux-aleatoric", *qm9(QM9_VALIDATION, "aleatoric", "epistemic"), "-o", "a.json")
    assert run.code == 0 and "worse than no calibration: uce" in " ".join((run.out + run.err).split()), run.err
    run = folder.run("calibrate", "fit", "--method", "sigma", *qm9(QM9_VALIDATION, "total"), "-o", "s.json")
    assert "worse than" not in run.out + run.err


@needs_data
def test_diffusion_errors_only(folder):
    rows = np.genfromtxt(DIFFUSION, delimiter=",", names=True, deletechars='"')
    names = [n.strip('"') for n in rows.dtype.names]
    e, u = rows[rows.dtype.names[names.index("E")]], rows[rows.dtype.names[names.index("uE")]]
    v = values(evaluate(folder, "--errors", f"{DIFFUSION}:E", "--std", f"{DIFFUSION}:uE"))
    assert v["zms"] == pytest.approx((e ** 2 / u ** 2).mean(), rel=1e-10)
    assert folder.run("calibrate", "fit", "--method", "sigma", "--errors", f"{DIFFUSION}:E", "--std", f"{DIFFUSION}:uE",
                      "-o", "s.json", "--quiet").code == 0
    assert folder.run("calibrate", "apply", "s.json", "--std", f"{DIFFUSION}:uE", "-o", "v.npy").code == 0
    after = values(evaluate(folder, "--errors", f"{DIFFUSION}:E", "--variance", "v.npy"))
    assert after["zms"] == pytest.approx(1, abs=1e-12)


def test_list_shows_regression():
    out = run_plumb("list").out
    for word in ("uce_aleatoric", "coverage_90", "sigma-parts", "conformal"):
        assert word in out
