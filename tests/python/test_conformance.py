"""scikit-learn's own tests of calibration, from the installed package, run against plumb.sklearn.

scikit-learn's class is replaced by plumb's, with its names for the methods ("sigmoid" is "platt", or "vector" for more than two
classes) and without its ensembles: plumb fits one calibrator on all out-of-fold predictions (scikit-learn's ensemble=False). LEFT_OUT says what is not run, and why.
"""
import re

import matplotlib
import pytest

matplotlib.use("agg")
pytest.importorskip("sklearn")
import sklearn.tests.test_calibration as theirs  # noqa: E402
from sklearn.conftest import global_dtype  # noqa: E402,F401
from sklearn.tests.test_calibration import *  # noqa: E402,F401,F403

import plumb.sklearn as ps  # noqa: E402

class Adapted(ps.CalibratedClassifierCV):
    def __init__(self, estimator=None, *, method="sigmoid", cv=None, n_jobs=None, ensemble=False):
        self.estimator, self.method, self.cv, self.n_jobs, self.ensemble = estimator, method, cv, n_jobs, ensemble

    def fit(self, X, y, sample_weight=None, **fit_params):
        sigmoid = "platt" if len(set(y)) == 2 else "vector"
        inner = ps.CalibratedClassifierCV(self.estimator, method=sigmoid if self.method == "sigmoid" else self.method, cv=self.cv)
        inner.fit(X, y, sample_weight, **fit_params)
        self.__dict__.update({name: value for name, value in vars(inner).items() if name.endswith("_") or name.startswith("_")})
        return self


@pytest.fixture(autouse=True)
def replaced(monkeypatch):
    monkeypatch.setattr(theirs, "CalibratedClassifierCV", Adapted)
    monkeypatch.setattr(theirs, "CalibrationDisplay", ps.CalibrationDisplay)


@pytest.fixture
def pyplot():
    import matplotlib.pyplot as plt
    yield plt
    plt.close("all")


@pytest.fixture
def global_random_seed():
    return 0


PARTS = "looks into calibrated_classifiers_; plumb has estimator_ and calibrator_"
OTHERS = "tests a function of scikit-learn that plumb does not replace"
ARRAYS = "X as an array of other libraries, which plumb does not claim to take"
LEFT_OUT = {
    "test_calibration_default_estimator": PARTS,
    "test_calibration_cv_splitter": PARTS,
    "test_temperature_scaling": PARTS,
    "test_calibration_less_classes": PARTS,
    "test_calibrated_classifier_cv_double_sample_weights_equivalence": PARTS,
    "test_calibration_cv_nfold": "a fold of one item is refused there, because each fold has a calibrator; plumb has one for all",
    "test_calibration_ensemble_false": "compares with scikit-learn's own calibrators: plumb's platt works on the log-odds of "
                                       "probabilities, its isotonic regression has a prior of half a vote and gives no 0 and 1",
    "test_sigmoid_calibration": OTHERS,
    "test_sigmoid_calibration_max_abs_prediction_threshold": OTHERS,
    "test_temperature_scaling_input_validation": OTHERS,
    "test_calibration_curve": OTHERS,
    "test_calibration_curve_pos_label": OTHERS,
    "test_calibration_curve_pos_label_error_str": OTHERS,
    "test_temperature_scaling_array_api_compliance": ARRAYS,
    "test_temperature_scaling_array_api_with_str_y_estimator_not_prefit": ARRAYS,
}
for _name in LEFT_OUT:
    globals().pop(_name, None)  # another version may not have it


def test_enough_is_left():
    """Most of their tests are run."""
    run = {name for name in globals() if name.startswith("test_") and re.search("calib|weight|float32|fold", name)}
    assert len(run) > 1.3 * len(LEFT_OUT), run
