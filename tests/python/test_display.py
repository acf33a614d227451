"""CalibrationDisplay, scorers, metadata routing and pipelines of plumb.sklearn."""
import matplotlib
import numpy as np
import pytest
import sklearn
from sklearn.calibration import CalibrationDisplay as Theirs
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import plumb
from plumb.sklearn import CalibratedClassifierCV, CalibrationDisplay

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402

X, Y = make_classification(800, 6, random_state=3)
MODEL = GaussianNB().fit(X[:400], Y[:400])
P = MODEL.predict_proba(X[400:])[:, 1]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_the_curve_is_that_of_scikit_learn(strategy):
    ours = CalibrationDisplay.from_estimator(MODEL, X[400:], Y[400:], n_bins=6, strategy=strategy, bootstrap=50)
    theirs = Theirs.from_predictions(Y[400:], P, n_bins=6, strategy=strategy)
    assert isinstance(ours, Theirs) and ours.estimator_name == "GaussianNB" and ours.pos_label == 1
    if strategy == "uniform":  # quantiles differ in which side of an edge an item is on
        assert np.allclose(ours.prob_true, theirs.prob_true) and np.allclose(ours.prob_pred, theirs.prob_pred)
    table = [row for row in ours.result_.tables["reliability"] if row["items"]]
    assert ours.prob_true.tolist() == [row["mean_y"] for row in table]
    assert ours.band[0].tolist() == [row["band_low"] for row in table]
    there = np.isfinite(ours.intervals[0])  # a bin of a few items has no interval
    assert there.sum() >= 2 and (ours.intervals[0] <= ours.prob_true + 1e-12)[there].all()
    assert (ours.prob_true <= ours.intervals[1] + 1e-12)[there].all()
    assert ours.band_ is not None and ours.intervals_ is not None and ours.ax_.get_legend() is not None
    ours.figure_.canvas.draw()


def test_the_band_is_about_the_line_and_narrows():
    """Of a calibrated model nearly all points lie inside; four times the data halve the width."""
    rng = np.random.default_rng(0)
    p = rng.random(4000)
    y = rng.random(4000) < p
    small, large = (CalibrationDisplay.from_predictions(y[:n], p[:n], n_bins=5) for n in (1000, 4000))
    width = [np.mean(d.band[1] - d.band[0]) for d in (small, large)]
    assert 1.6 < width[0] / width[1] < 2.5
    assert ((large.band[0] <= large.prob_true) & (large.prob_true <= large.band[1])).mean() >= 0.8
    grouped = CalibrationDisplay.from_predictions(np.repeat(y[:1000], 4), np.repeat(p[:1000], 4), groups=np.repeat(np.arange(1000), 4))
    assert np.mean(grouped.intervals[1] - grouped.intervals[0]) > 1.5 * np.mean(large.intervals[1] - large.intervals[0])


def test_what_may_be_left_out():
    plain = CalibrationDisplay.from_predictions(Y[400:], P, bootstrap=0, name="plain", color="red")
    assert plain.band is None and plain.intervals is None and plain.band_ is None and plain.line_.get_color() == "red"
    bare = CalibrationDisplay.from_predictions(Y[400:], P, bootstrap=20, ax=plain.ax_)
    assert bare.plot(band=False, intervals=False, ax=plain.ax_).band_ is None
    names = np.array(["no", "yes"])[Y[400:]]
    assert np.allclose(CalibrationDisplay.from_predictions(names, P, pos_label="yes", bootstrap=0).prob_true, plain.prob_true)
    for wrong, why in ((dict(pos_label="maybe"), "not among the labels"), (dict(), "pos_label="), (dict(strategy="x"), "strategy")):
        with pytest.raises(ValueError, match=why):
            CalibrationDisplay.from_predictions(names, P, **wrong)
    weighted = CalibrationDisplay.from_predictions(Y[400:], P, sample_weight=np.full(400, 2.0), bootstrap=0)
    assert np.allclose(weighted.prob_true, plain.prob_true)


def test_scorers_in_searches():
    search = GridSearchCV(LogisticRegression(), {"C": [1e-4, 1.0]}, scoring=plumb.scorer("nll"), cv=3).fit(X, Y)
    assert search.best_params_ == {"C": 1.0}
    found = cross_validate(LogisticRegression(), X, Y, cv=3, scoring={"ece": plumb.scorer("ece", bins=10), "auroc": plumb.scorer("auroc")})
    assert (found["test_ece"] <= 0).all() and (found["test_auroc"] > 0.5).all()
    fitted = LogisticRegression().fit(X, Y)
    p = fitted.predict_proba(X)
    assert plumb.scorer("ece", bins=10)(fitted, X, Y) == -plumb.metrics.ece(p, Y, bins=10)
    assert plumb.scorer("brier")(fitted, X, Y, sample_weight=np.arange(800)) == -plumb.metrics.brier(p, Y, weights=np.arange(800))


def test_routing_of_weights_and_groups():
    """With metadata routing enabled, weights and groups reach the calibrator, the splitter and an estimator in a pipeline."""
    seen = {}

    class Noting(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            seen.setdefault("weights", []).append(None if sample_weight is None else len(sample_weight))
            return super().fit(X, y, sample_weight)
    groups, weights = np.arange(800) // 4, np.linspace(0.5, 1.5, 800)
    with sklearn.config_context(enable_metadata_routing=True):
        base = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), Noting().set_fit_request(sample_weight=True))
        model = CalibratedClassifierCV(base, method="platt", cv=GroupKFold(4))
        model.set_fit_request(sample_weight=True, groups=True)
        model.fit(X, Y, sample_weight=weights, groups=groups)
        assert seen["weights"] == [600] * 4 + [800]
        direct = plumb.fit("platt", probs=model._out_of_fold(base, X, Y, Y, {"sample_weight": weights}, {"groups": groups}),
                           labels=Y, weights=weights, groups=groups, normalize=True)
        assert direct.to_dict()["steps"][0]["parameters"] == model.calibrator_.to_dict()["steps"][0]["parameters"]
        model.set_score_request(sample_weight=False)
        found = cross_validate(model, X, Y, cv=GroupKFold(2), params={"sample_weight": weights, "groups": groups}, error_score="raise")
        assert len(found["test_score"]) == 2
        deaf = CalibratedClassifierCV(Noting().set_fit_request(sample_weight=False), method="platt", cv=3)
        seen.clear()
        deaf.set_fit_request(sample_weight=True).fit(X, Y, sample_weight=weights)
        assert set(seen["weights"]) == {None}


def test_frozen_and_inside_a_pipeline():
    frozen = FrozenEstimator(MODEL)
    pipe = make_pipeline(StandardScaler(with_mean=False, with_std=False), CalibratedClassifierCV(frozen, method="beta"))
    pipe.fit(X[400:], Y[400:])
    expected = plumb.fit("beta", probs=MODEL.predict_proba(X[400:]), labels=Y[400:]).apply(MODEL.predict_proba(X))
    assert np.allclose(pipe.predict_proba(X), expected, atol=1e-12)
    assert plumb.metrics.nll(pipe.predict_proba(X[400:]), Y[400:]) <= plumb.metrics.nll(MODEL.predict_proba(X[400:]), Y[400:])
