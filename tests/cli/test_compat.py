"""Files of earlier releases (tests/compat) keep their meaning: models give the bits they gave then, states merge to the same values, results
can still be shown."""
import json

import numpy as np
import pytest

from conftest import ROOT, run_plumb

RELEASES = sorted(p.parent for p in (ROOT / "tests" / "compat").glob("*/frozen.json"))


def frozen(kind):
    return [pytest.param(release, name, id=f"{release.name}-{name}") for release in RELEASES
            for name in json.loads((release / "frozen.json").read_text())[kind]]


def test_there_are_releases():
    assert RELEASES


@pytest.mark.parametrize("release, name", frozen("models"))
def test_model(release, name, tmp_path):
    """calibrate apply gives the same bits as the release that made the model."""
    apply_to = json.loads((release / "frozen.json").read_text())["models"][name]
    run = run_plumb("calibrate", "apply", f"{name}.json", *apply_to[:-1], tmp_path / "now.npy", "--quiet", cwd=release)
    assert run.code == 0, run.err
    then, now = np.load(release / f"{name}.npy"), np.load(tmp_path / "now.npy")
    assert then.dtype == now.dtype and then.tobytes() == now.tobytes()


@pytest.mark.parametrize("release, name", frozen("states"))
def test_state(release, name):
    """plumb merge reads the state; every metric that the release reported has the same value and interval."""
    now = run_plumb("merge", release / f"{name}.plumb", "--json", "-").json
    then = json.loads((release / f"{name}.merged.json").read_text())
    assert (then["items"], then.get("votes")) == (now["items"], now.get("votes"))
    had = {k: m["value"] for k, m in then["metrics"].items() if m["value"] is not None}
    assert had and had == {k: now["metrics"][k]["value"] for k in had}
    for part in ("low", "high", "p_value", "null_mean"):
        drawn = {k: m[part] for k, m in then["metrics"].items() if m.get(part) is not None}
        assert drawn == {k: now["metrics"][k].get(part) for k in drawn}, part


@pytest.mark.parametrize("release, name", frozen("results"))
def test_result(release, name, tmp_path):
    """plumb report shows the result of the release."""
    run = run_plumb("report", release / f"{name}.result.json", "-o", tmp_path / "page.html")
    assert run.code == 0, run.err
    assert "plumb" in (tmp_path / "page.html").read_text()
