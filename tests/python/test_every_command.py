"""What evaluate() can do besides the metrics, and the other commands: the same arrays through the tool, bit for bit."""
import json
import pickle

import numpy as np
import pytest

import plumb
from conftest import cohort

APART = {"argv", "inputs"}
D = cohort(n=240)
VOTES = {k: D[k] for k in ("probs", "ratings")}


def equal(ours, tool, apart=()):
    ours = ours.to_dict()
    assert set(ours) == set(tool)
    for member in set(ours) - APART - set(apart):
        assert ours[member] == tool[member], member


def test_votes_taken_together_ordered_classes_and_raters_left_out(folder):
    tool = folder.json("evaluate", *folder.flags(VOTES), "--metrics", "ece,nll", "--orders", "2,3", "--statistic", "3 votes: all agree",
                       "--ordered", "--leave-one-rater-out", "--bootstrap", 20)
    ours = plumb.evaluate(**VOTES, metrics=["ece", "nll"], orders=[2, 3], statistic="3 votes: all agree", ordered=True,
                          leave_one_rater_out=True, bootstrap=20)
    equal(ours, tool)
    assert {"orders", "decomposition", "ordered", "leave_one_rater_out"} <= set(tool)
    assert "ranked" in str(ours) or "rps" in str(ours)


def test_raters_who_count_differently(folder):
    tool = folder.json("evaluate", *folder.flags(VOTES), "--metrics", "ece,nll", "--rater-weights", "1=2,3=0.5", "--ordered")
    equal(plumb.evaluate(**VOTES, metrics=["ece", "nll"], rater_weights={1: 2, "3": 0.5}, ordered=True), tool)
    listed = plumb.evaluate(**VOTES, metrics=["ece"], rater_weights=np.array([1, 2, 1, 0.5, 1]))
    assert listed["ece"].value == tool["metrics"]["ece"]["value"]


@pytest.mark.parametrize("given, words", [
    (dict(VOTES, rater_weights={"1": 2}, orders=[2]), "cannot weigh votes taken together"),
    (dict(VOTES, rater_weights={"ann": 2}), 'no rater is called "ann"'),
    (dict(VOTES, rater_weights=[1, 2]), "give one for each of the 5 raters"),
    (dict(probs=D["probs"], counts=D["counts"], rater_weights=[1]), "needs to know who voted"),
    (dict(VOTES, orders=[11]), "order"),
    (dict(VOTES, statistic="what?"), "what?"),
    (dict(sets=D["probs"] > 0.2, ratings=D["ratings"], bootstrap=10), "bootstrap= is not for sets"),
    (dict(sets=D["probs"], ratings=D["ratings"]), "sets"),
    (dict(quantiles=np.zeros((3, 2)), quantile_levels=[0.1, 0.9], targets=[0, 1, 2], bins=3), "bins= is not for forecasts"),
    (dict(quantiles=np.zeros((3, 2)), quantile_levels=[0.9, 0.1], targets=[0, 1, 2]), "level"),
    (dict(VOTES, quantile_levels=[0.1]), "quantile_levels= names the columns"),
    (dict(mean=[0.0], variance=[1.0], targets=[0.0], ordered=True), "ordered= is for class probabilities"),
])
def test_what_is_refused(given, words):
    with pytest.raises((TypeError, ValueError)) as caught:
        plumb.evaluate(**given)
    assert words in str(caught.value) and "⟦" not in str(caught.value)


def test_a_model_that_is_applied_first(folder):
    arrays = {"logits": D["logits"], "counts": D["counts"]}
    model = plumb.fit("temperature", **arrays)
    model.save(folder.path / "model.json")
    tool = folder.json("evaluate", *folder.flags(arrays), "--calibrator", "model.json")
    equal(plumb.evaluate(**arrays, calibrator=folder.path / "model.json"), tool, ["settings", "notes"])
    ours = plumb.evaluate(**arrays, calibrator=model)
    assert ours.settings["calibrator"] == "temperature" and ours.metrics == tool["metrics"]
    rng = np.random.default_rng(0)
    numbers = {"mean": rng.random(90), "variance": 0.1 + rng.random(90), "targets": rng.random(90)}
    sigma = plumb.fit("sigma", **numbers)
    scaled = plumb.evaluate(mean=numbers["mean"], variance=sigma.apply(variance=numbers["variance"]), targets=numbers["targets"])
    assert plumb.evaluate(**numbers, calibrator=sigma).metrics == scaled.metrics
    with pytest.raises(ValueError, match="gives sets of classes"):
        plumb.evaluate(**arrays, calibrator=plumb.fit("sets", **arrays))
    with pytest.raises(TypeError, match="calibrator takes a model"):
        plumb.evaluate(**arrays, calibrator="temperature" and 5)


def test_audit(folder):
    rng = np.random.default_rng(5)
    arrays = {"probs": D["probs"], "counts": D["counts"], "groups": D["groups"]}
    np.save(folder.path / "site.npy", D["by"])
    np.save(folder.path / "age.npy", rng.integers(20, 80, 240))
    by = {"site": D["by"], "age": np.load(folder.path / "age.npy")}
    tool = folder.json("audit", *folder.flags(arrays), "--by", "site.npy", "--by", "age.npy", "--cut", "age=40,60", "--cross", 2,
                       "--min-items", 30, "--rank", "brier", "--metrics", "ece,brier", "--bootstrap", 30)
    ours = plumb.audit(**arrays, by=by, cut={"age": [40, 60]}, cross=2, min_items=30, rank="brier", metrics=["ece", "brier"], bootstrap=30)
    equal(ours, tool, ["settings"])
    quarters = folder.json("audit", *folder.flags(arrays), "--by", "age.npy", "--cut", "age=quantile4", "--metrics", "brier")
    equal(plumb.audit(**arrays, by={"age": by["age"]}, cut={"age": 4}, metrics="brier"), quarters)
    with pytest.raises(ValueError, match='no column of by= is called "aeg" \\(did you mean "age"'):
        plumb.audit(**arrays, by=by, cut={"aeg": 4})
    with pytest.raises(ValueError, match="cross= must be between 1 and 8"):
        plumb.audit(**arrays, by=by, cross=9)


def test_raters(folder):
    gold = np.where(np.arange(240) % 3 == 0, D["labels"], -1)
    arrays = {"ratings": D["ratings"], "probs": D["probs"], "gold": gold, "groups": D["groups"]}
    tool = folder.json("raters", *folder.flags(arrays), "--ordered", "--bootstrap", 20, "--ask", 5, "-o", "consensus.npy",
                       "--calibrated", "calibrated.npy")
    ours = plumb.raters(**arrays, ordered=True, bootstrap=20, ask=5)
    equal(ours, tool)
    assert np.array_equal(ours.consensus_probs, np.load(folder.path / "consensus.npy"))
    assert np.array_equal(ours.calibrated_probs, np.load(folder.path / "calibrated.npy"))
    again = pickle.loads(pickle.dumps(ours))
    assert np.array_equal(again.consensus_probs, ours.consensus_probs) and str(again) == str(ours)
    alone = folder.json("raters", *folder.flags({"ratings": D["ratings"]}), "--one-coin", "--prior", 0.5)
    equal(plumb.raters(ratings=D["ratings"], one_coin=True, prior=0.5), alone)


def test_raters_of_an_export(folder):
    rows = [(f"i{i}", f"r{r}", "abc"[c]) for i in range(60) for r, c in enumerate(D["ratings"][i]) if c >= 0]
    (folder.path / "a.csv").write_text("item,rater,label\n" + "".join(f"{','.join(row)}\n" for row in rows))
    tool = folder.json("raters", "--annotations", "a.csv", "-o", "consensus.npy")
    item, rater, label = (list(column) for column in zip(*rows))
    ours = plumb.raters(annotations={"item": item, "rater": rater, "label": label})
    equal(ours, tool, ["notes"])
    assert np.array_equal(ours.consensus_probs, np.load(folder.path / "consensus.npy"))
    with pytest.raises(ValueError, match="give the votes as ratings= or as annotations="):
        plumb.raters()
    with pytest.raises(ValueError, match="order of the items is not given"):
        plumb.raters(annotations={"item": item, "rater": rater, "label": label}, gold=np.zeros(60))


FITS = {"sets": (["--levels", "0.9,0.7", "--set-score", "raps", "--lambda", "0.02"], dict(levels=[0.9, 0.7], set_score="raps", penalty=0.02)),
        "risk-control": (["--levels", "0.8"], dict(levels=[0.8])),
        "multigroup": (["--by", "by.npy", "--rounds", 20, "--level", 0.9], dict(by={"by": D["by"]}, rounds=20, level=0.9))}


def without_name(model):
    """What a fit gives, but for the files that it saw."""
    found = json.loads(model) if isinstance(model, (str, bytes)) else model
    return {k: v for k, v in found.items() if k not in ("fitted_on", "checksum")}


@pytest.mark.parametrize("method", FITS)
def test_calibrators_with_a_guarantee(folder, method):
    flags, options = FITS[method]
    binary = method != "sets"
    arrays = {"probs": D["truth"] if binary else D["probs"], "labels": (D["labels"] == 2).astype(int) if binary else D["labels"],
              "groups": D["groups"]}
    np.save(folder.path / "by.npy", D["by"])
    folder.run("calibrate", "fit", "--method", method, *folder.flags(arrays), *flags, "-o", "model.json")
    ours = plumb.fit(method, **arrays, **options)
    assert without_name(ours.to_dict()) == without_name((folder.path / "model.json").read_text())
    level = ["--level", 0.7] if method == "sets" else []
    by = ["--by", "by.npy"] if method == "multigroup" else []
    folder.run("calibrate", "apply", "model.json", *folder.flags({"probs": arrays["probs"]}), *level, *by, "-o", "out.npy")
    given = {"by": {"by": D["by"]}} if by else {"level": 0.7} if level else {}
    assert np.array_equal(plumb.load(folder.path / "model.json").apply(arrays["probs"], **given), np.load(folder.path / "out.npy"))


def test_sets_by_slice_and_their_evaluation(folder):
    arrays = {"probs": D["probs"], "counts": D["counts"]}
    first = plumb.fit("temperature", **arrays)
    model = plumb.fit("sets", **arrays, by={"site": D["by"]}, after=first)
    sets = model.apply(D["probs"], by={"site": D["by"]})
    assert sets.dtype == bool and [step["method"] for step in model.to_dict()["steps"]] == ["temperature", "sets"]
    about = {"counts": D["counts"], "groups": D["groups"], "by": D["by"]}
    tool = folder.json("evaluate", *folder.flags({"sets": sets.astype(np.uint8), **about}))
    equal(plumb.evaluate(sets=sets, **about), tool)
    with pytest.raises(ValueError, match="site|slice"):
        model.apply(D["probs"])


def test_quantiles(folder):
    rng = np.random.default_rng(3)
    y = rng.normal(size=400)
    arrays = {"quantiles": y[:, None] * 0.2 + np.array([-1.0, 0.0, 1.0]), "targets": y, "groups": np.arange(400) // 2}
    levels = ["--quantile-levels", "0.1,0.5,0.9"]
    tool = folder.json("evaluate", *folder.flags(arrays), *levels, "--bootstrap", 20)
    equal(plumb.evaluate(**arrays, quantile_levels=[0.1, 0.5, 0.9], bootstrap=20), tool)
    within = {"within": np.where(y > 0, "a", "b")}
    folder.run("calibrate", "fit", "--method", "cqr", *folder.flags({**arrays, **within}), *levels, "-o", "cqr.json")
    ours = plumb.fit("cqr", **arrays, **within, quantile_levels=[0.1, 0.5, 0.9])
    assert without_name(ours.to_dict()) == without_name((folder.path / "cqr.json").read_text())
    folder.run("calibrate", "apply", "cqr.json", *folder.flags({"quantiles": arrays["quantiles"], **within}), "-o", "out.npy")
    assert np.array_equal(ours.apply(quantiles=arrays["quantiles"], **within), np.load(folder.path / "out.npy"))


def test_out_of_fold(folder):
    arrays = {"logits": D["logits"], "counts": D["counts"], "groups": D["groups"]}
    folder.run("calibrate", "fit", "--method", "dirichlet", *folder.flags(arrays), "--cross-fit", 4, "--out-probs", "oof.npy", "-o", "m.json")
    assert np.array_equal(plumb.cross_fit("dirichlet", 4, **arrays), np.load(folder.path / "oof.npy"))
    rng = np.random.default_rng(0)
    numbers = {"mean": rng.random(90), "variance": 0.1 + rng.random(90), "targets": rng.random(90)}
    folder.run("calibrate", "fit", "--method", "sigma", *folder.flags(numbers), "--cross-fit", 3, "--out-variances", "v.npy", "-o", "s.json")
    assert np.array_equal(plumb.cross_fit("sigma", 3, **numbers), np.load(folder.path / "v.npy"))
    folder.run("calibrate", "fit", "--method", "auto", *folder.flags(numbers), "-o", "auto.json")
    assert without_name(plumb.fit("auto", **numbers).to_dict()) == without_name((folder.path / "auto.json").read_text())
    with pytest.raises(ValueError, match="no probabilities to cross-fit"):
        plumb.cross_fit("sets", 4, **arrays)
    with pytest.raises(TypeError, match="the method 'sets' has no option bins="):
        plumb.fit("sets", **arrays, bins=4)
    with pytest.raises(TypeError, match="by= has no effect on the method 'platt'"):
        plumb.fit("platt", **arrays, by=D["by"])


def test_disagreement(folder):
    arrays = {"logits": D["logits"], "counts": D["counts"]}
    model = plumb.fit("alpha", **arrays)
    model.save(folder.path / "alpha.json")
    folder.run("calibrate", "apply", "alpha.json", *folder.flags({"logits": D["logits"]}), "-o", "a.npy", "--disagreement", "d.npy")
    assert np.array_equal(model.disagreement(logits=D["logits"]), np.load(folder.path / "d.npy"))


def test_states(folder):
    p, y = D["truth"], (D["labels"] == 2).astype(int)
    ids = np.array([f"i{k}" for k in range(240)])
    states, files = [], []
    for i, part in enumerate(np.array_split(np.arange(240), 3)):
        sums = plumb.Accumulator(bootstrap=30, check_ids=True)
        sums.update(probs=p[part], labels=y[part], ids=ids[part])
        states.append(sums.to_bytes())
        files.append(f"{i}.plumb")
        folder.run("evaluate", *folder.flags({"probs": p[part], "labels": y[part], "ids": ids[part]}), "--bootstrap", 30, "--check-ids",
                   "--save-state", files[-1], "--quiet")
        assert (folder.path / files[-1]).read_bytes() == states[-1]
    tool = folder.json("merge", *files, "--metrics", "ece,auroc,brier", "--level", 0.9, "--tolerance", 0.1)
    ours = plumb.merge(states, metrics=["ece", "auroc", "brier"], level=0.9, tolerance=0.1)
    equal(ours, tool)
    assert plumb.merge([folder.path / name for name in files], metrics="ece")["ece"].value == ours["ece"].value
    folder.run("calibrate", "fit", "--states", *files, "--method", "platt", "-o", "platt.json")
    assert without_name(plumb.fit("platt", states=states).to_dict()) == without_name((folder.path / "platt.json").read_text())
    with pytest.raises(ValueError, match="an id occurs in both states"):
        plumb.merge([states[0], states[0]])
    with pytest.raises(ValueError, match="check_ids= needs ids="):
        plumb.Accumulator(check_ids=True).update(probs=p, labels=y)


def test_histograms_and_pictures(folder):
    bins = np.array([[0.25, 0.5], [0.25, 0.75], [0.5, 0.96875]])
    tool = folder.json("uncertainty", *folder.flags({"histogram": bins}))
    equal(plumb.uncertainty(histogram=bins), tool)
    images = np.random.default_rng(0).integers(0, 256, (240, 12, 10, 3)).astype(np.uint8)
    arrays = {"probs": D["probs"], "labels": D["labels"], "images": images}
    tool = folder.json("uncertainty", *folder.flags(arrays), "--permutations", 5)
    equal(plumb.uncertainty(**arrays, permutations=5), tool)


def test_tripod_and_reports(folder, tmp_path):
    arrays = {"probs": D["truth"], "labels": (D["labels"] == 2).astype(int)}
    folder.run("evaluate", *folder.flags(arrays), "--tripod", "tripod.csv", "--bootstrap", 20)
    result = plumb.evaluate(**arrays, bootstrap=20)
    result.tripod(tmp_path / "ours.csv")
    assert (tmp_path / "ours.csv").read_text() == (folder.path / "tripod.csv").read_text()
    assert len(result.tripod()) == (tmp_path / "ours.csv").read_text().count("\n") - 1
    with pytest.raises(ValueError, match="writes .csv or .html"):
        result.tripod("tripod.txt")


def test_simulated_data(folder):
    folder.run("demo", "--items", 600, "--seed", 3, "--out", "demo", "--quiet")
    found = plumb.demo(items=600, seed=3)
    for part in ("validation", "test"):
        for name in ("probs", "logits", "labels", "counts"):
            assert np.array_equal(found[part][name], np.load(folder.path / "demo" / part / f"{name}.npy")), name
    folder.run("demo", "regression", "--items", 90, "--out", "needles", "--quiet")
    needles = plumb.demo("regression", items=90)["test"]
    for name in ("targets", "mean", "aleatoric", "epistemic", "mean_samples", "variance_samples"):
        assert np.array_equal(needles[name], np.load(folder.path / "needles" / "test" / f"{name}.npy")), name
    with pytest.raises(ValueError, match="kind takes one of"):
        plumb.demo("faces")


def test_merged_states_have_decisions():
    p, y = D["probs"][:, 1], (D["counts"][:, 1] > 2).astype(int)
    parts = [plumb.Accumulator().update(probs=p[i::2], labels=y[i::2]).to_bytes() for i in range(2)]
    merged = plumb.merge(parts, metrics=["ece"], thresholds=[0.1, 0.3])
    one = plumb.evaluate(probs=p, labels=y, metrics=["ece"], thresholds=[0.1, 0.3])
    assert merged.to_dict()["tables"]["thresholds"] == one.to_dict()["tables"]["thresholds"]
