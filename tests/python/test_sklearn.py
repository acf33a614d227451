"""plumb.sklearn: scikit-learn's own checks, and calibrators that calibrate."""
import pickle

import numpy as np
import pytest

import plumb

pytest.importorskip("sklearn")
from sklearn.datasets import make_classification  # noqa: E402
from sklearn.ensemble import RandomForestClassifier  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GroupKFold, cross_val_score  # noqa: E402
from sklearn.naive_bayes import GaussianNB  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import LinearSVC  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks  # noqa: E402

import plumb.sklearn as ps  # noqa: E402
from conftest import cohort  # noqa: E402

D = cohort()


@parametrize_with_checks([ps.CalibratedClassifierCV(LogisticRegression(C=1), method="temperature", cv=3)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def failures(estimator):
    """{check: what it says} of the checks of scikit-learn that fail."""
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    assert len(results) > 40
    return {r["check_name"]: causes(r["exception"]) for r in results if r["status"] == "failed"}


def causes(error):
    return "" if error is None else f"{error}; {causes(error.__cause__ or error.__context__)}"


@pytest.mark.parametrize("method", ["platt", "auto"])
def test_scikit_learns_checks_of_other_methods(method):
    """A binary method says so by its tag, and is not asked for more."""
    assert failures(ps.CalibratedClassifierCV(LogisticRegression(), method=method, cv=3)) == {}


CLASSES = "y has 3 classes but X has 2 columns"  # the columns of a calibrator are the classes


@pytest.mark.parametrize("name", ["Temperature", "Dirichlet", "Isotonic", "Histogram", "Ets", "StructuredVector"])
def test_scikit_learns_checks_of_calibrators_of_logits(name):
    """All but those whose y has more classes than X has columns."""
    found = failures(getattr(ps, name)(logits=True))
    assert set(found) == {"check_estimators_overwrite_params", "check_estimators_fit_returns_self", "check_readonly_memmap_input"}
    assert all(CLASSES in said for said in found.values())


def test_scikit_learns_checks_of_calibrators_of_probabilities():
    """X of most checks are not probabilities, and is refused for that reason; the others pass."""
    found = failures(ps.Temperature())
    assert len(found) < 40 and "check_estimators_unfitted" not in found
    for name, said in found.items():
        assert "probs, row" in said or "classes but X has" in said, (name, said)


@pytest.mark.parametrize("name", sorted(set(ps._CLASSES.values()) - {"None"}))
def test_every_calibrator(name):
    method = next(m for m, n in ps._CLASSES.items() if n == name)
    binary = next(r["task"] for r in plumb.calibrators() if r["method"] == method) == "binary"
    logits = D["logits"][:, 0] if binary else D["logits"]
    y = (D["labels"] == 0).astype(int) if binary else D["labels"]
    ours = getattr(ps, name)(logits=True).fit(logits, y, sample_weight=D["weights"], groups=D["groups"])
    out = ours.transform(logits)
    expected = plumb.fit(method, logits=logits, labels=y, weights=D["weights"], groups=D["groups"]).apply(logits=logits)
    assert np.array_equal(out[:, 1] if binary else out, expected)
    assert np.allclose(out.sum(1), 1) and set(ours.predict(logits)) <= set(ours.classes_)
    assert np.array_equal(pickle.loads(pickle.dumps(ours)).transform(logits), out)


def test_calibrators_take_names_and_votes():
    names = np.array(["cat", "dog", "fox"])[D["labels"]]
    named = ps.Temperature().fit(D["probs"], names)
    assert list(named.classes_) == ["cat", "dog", "fox"] and named.predict(D["probs"])[0] in named.classes_
    voted = ps.Calibrator("dirichlet").fit(D["probs"], counts=D["counts"])
    assert np.array_equal(voted.transform(D["probs"]), plumb.fit("dirichlet", probs=D["probs"], counts=D["counts"]).apply(D["probs"]))
    with pytest.raises(ValueError, match="labels y, or counts="):
        ps.Temperature().fit(D["probs"])
    with pytest.raises(ValueError, match="3 columns"):
        ps.Temperature().fit(D["probs"], np.array(["a", "b"])[D["labels"] % 2])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("base", [GaussianNB(), LinearSVC(), RandomForestClassifier(20, min_samples_leaf=8, random_state=0)], ids=lambda b: type(b).__name__)
def test_it_calibrates(base, classes):
    """On data that it has not seen, the log-loss is no larger than the classifier's own, and the error is small. (Leaves of
    one item would give probabilities of exactly 0 and 1, which a fit on the log-odds cannot do justice to.)"""
    X, y = make_classification(3000, 20, n_informative=5, n_redundant=10, n_classes=classes, random_state=1)
    fitted = ps.CalibratedClassifierCV(base, method="temperature" if classes > 2 else "platt", cv=3).fit(X[:1500], y[:1500])
    after = plumb.metrics.nll(fitted.predict_proba(X[1500:]), y[1500:])
    if hasattr(base, "predict_proba"):
        p = base.fit(X[:1500], y[:1500]).predict_proba(X[1500:])
        assert after < plumb.metrics.nll(p, y[1500:], clip=1e-6) + 0.005
    assert plumb.metrics.ece(fitted.predict_proba(X[1500:]), y[1500:]) < 0.08


def test_groups_stay_together_and_prefit():
    X, y = make_classification(300, 5, random_state=0)
    groups = np.arange(300) // 10
    seen = []

    class Noting(GroupKFold):
        def split(self, X, y=None, groups=None):
            seen.append(groups)
            return super().split(X, y, groups)
    ours = ps.CalibratedClassifierCV(LogisticRegression(), method="platt", cv=Noting(3)).fit(X, y, groups=groups)
    assert seen and seen[0] is groups and ours.predict_proba(X).shape == (300, 2)
    frozen = LogisticRegression().fit(X, y)
    for cv, estimator in (("prefit", frozen), (None, __import__("sklearn.frozen").frozen.FrozenEstimator(frozen))):
        fitted = ps.CalibratedClassifierCV(estimator, method="platt", cv=cv).fit(X, y)
        expected = plumb.fit("platt", probs=frozen.predict_proba(X), labels=y).apply(frozen.predict_proba(X))
        assert np.allclose(fitted.predict_proba(X), expected, atol=1e-12)
    with pytest.raises(ValueError, match="folds need"):
        ps.CalibratedClassifierCV(cv=5).fit(X, np.r_[1, 1, np.zeros(298)])


def test_pipelines_and_scorers():
    X, y = make_classification(400, 5, random_state=0)
    pipe = make_pipeline(StandardScaler(), ps.CalibratedClassifierCV(LogisticRegression(), method="temperature", cv=3))
    scores = cross_val_score(pipe, X, y, cv=3, scoring=ps.scorer("ece", bins=10))
    assert (scores <= 0).all() and (cross_val_score(pipe, X, y, cv=3, scoring=ps.scorer("auroc")) > 0).all()
    with pytest.raises(ValueError, match="no metric"):
        ps.scorer("eec")
