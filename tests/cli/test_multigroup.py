"""calibrate fit --method multigroup: named groups are repaired, judged by out-of-fold probabilities."""
import json
import random

import numpy as np
import pytest

from conftest import run_plumb


def cohort(path, n, seed):
    rng = random.Random(seed)
    lines = ["p,y,site,age"]
    for _ in range(n):
        p, site = 0.05 + 0.5 * rng.random(), rng.choice(["north", "south", "west"])
        lines.append(f"{p:.4f},{int(rng.random() < (p ** 0.5 if site == 'west' else p))},{site},{rng.randint(20, 89)}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("groups")
    return cohort(folder / "val.csv", 1500, 1), cohort(folder / "new.csv", 1500, 2), folder / "groups.json"


def fit(val, *more):
    return run_plumb("calibrate", "fit", "--method", "multigroup", "--probs", f"{val}:p", "--labels", f"{val}:y", "--by", f"{val}:site",
                     "--by", f"{val}:age", "--cut", "age=40,65", "--cross", "2", *more)


def gap_of_west(file, p):
    rows = [line.split(",") for line in file.read_text().split()[1:]]
    return np.mean([float(y) - q for (_, y, site, _), q in zip(rows, p) if site == "west"])


def test_the_site_that_is_off_is_repaired_in_new_data(files, tmp_path):
    val, new, model = files
    oof = tmp_path / "oof.npy"
    run = fit(val, "-o", str(model), "--cross-fit", "5", "--out-probs", str(oof))
    assert run.code == 0, run.err
    assert "site: west" in run.out and "plumb audit" in run.out
    out = tmp_path / "new.npy"
    run = run_plumb("calibrate", "apply", str(model), "--probs", f"{new}:p", "--by", f"{new}:site", "--by", f"{new}:age", "-o", str(out))
    assert run.code == 0, run.err
    plain = [float(line.split(",")[0]) for line in new.read_text().split()[1:]]
    assert gap_of_west(new, plain) > 0.15
    assert abs(gap_of_west(new, np.load(out))) < 0.07
    assert abs(gap_of_west(val, np.load(oof))) < 0.05
    steps = json.loads(model.read_text())["steps"]
    assert steps[0]["method"] == "multigroup"
    assert run_plumb("calibrate", "show", str(model)).code == 0


def test_what_is_refused(files, tmp_path):
    val, new, model = files
    out = ("-o", str(tmp_path / "x.npy"))
    if not model.exists():
        assert fit(val, "-o", str(model)).code == 0
    cases = [
        (run_plumb("calibrate", "apply", str(model), "--probs", f"{new}:p", *out), "name them with --by"),
        (run_plumb("calibrate", "apply", str(model), "--probs", f"{new}:p", "--by", f"{new}:age", *out), "repairs slices by site"),
        (run_plumb("evaluate", "--probs", f"{new}:p", "--labels", f"{new}:y", "--calibrator", str(model)), "plumb calibrate apply --by"),
        (fit(val, "--cut", "age=quantile4", "-o", str(tmp_path / "m.json")), "quantiles of new data would be other groups"),
        (fit(val, "--cross-fit", "5", "-o", str(tmp_path / "m.json")), "must be given together"),
    ]
    for run, words in cases:
        assert run.code == 2 and words in run.err, run.err
