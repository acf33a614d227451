"""Batches: the bits of one pass, and the bytes of the tool."""
import pickle
import threading

import numpy as np
import pytest

import plumb
from conftest import cohort
from test_parity import regression

D = cohort()
HOW = dict(bins=10, bandwidth=0.05)


def parts(count=4):
    return [{"probs": D["probs"][i::count], "counts": D["counts"][i::count]} for i in range(count)]


def metrics(result):
    return result.to_dict()["metrics"]


def whole():
    return plumb.Accumulator(**HOW).update(probs=D["probs"], counts=D["counts"])


def test_any_split_is_one_pass():
    batches = plumb.Accumulator(**HOW)
    for part in parts():
        batches.update(**part)
    assert metrics(batches.compute()) == metrics(whole().compute())
    machines = [plumb.Accumulator(**HOW).update(**part) for part in parts(3)]
    merged = plumb.Accumulator(**HOW)
    for machine in reversed(machines):
        merged.merge(machine)
    assert metrics(merged.compute()) == metrics(whole().compute()) and merged.to_bytes() == whole().to_bytes()
    plain = metrics(plumb.evaluate(probs=D["probs"], counts=D["counts"], **HOW))
    for key, value in metrics(whole().compute()).items():
        if value["value"] is not None:
            assert value["value"] == plain[key]["value"], key


def test_one_accumulator_for_many_threads():
    sums = plumb.Accumulator(**HOW)
    threads = [threading.Thread(target=sums.update, kwargs=part) for part in parts(24)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sums.to_bytes() == whole().to_bytes()
    doubled = whole().merge(sums).merge(plumb.Accumulator(**HOW))
    assert doubled.compute().votes == 2 * whole().compute().votes


def test_the_tools_bytes(folder):
    folder.run("evaluate", *folder.flags({"probs": D["probs"], "counts": D["counts"]}), "--bins", 10, "--bandwidth", 0.05,
               "--save-state", "a.state", "--quiet")
    state = (folder.path / "a.state").read_bytes()
    assert whole().to_bytes() == state
    half = plumb.Accumulator.from_bytes(state).merge(plumb.Accumulator(**HOW).update(**parts()[0]))
    (folder.path / "b.state").write_bytes(half.to_bytes())
    merged = folder.json("merge", "b.state")
    assert merged["metrics"] == metrics(half.compute())
    with pytest.raises(ValueError, match="damaged|not a Plumb state"):
        plumb.Accumulator.from_bytes(state[:-1])


def test_reset_pickle_and_refusals():
    sums = whole()
    assert metrics(pickle.loads(pickle.dumps(sums)).compute()) == metrics(sums.compute())
    sums.reset()
    with pytest.raises(ValueError, match="no batch"):
        sums.compute()
    assert metrics(pickle.loads(pickle.dumps(sums)).update(probs=D["probs"], counts=D["counts"]).compute()) == \
        metrics(whole().compute())
    with pytest.raises(ValueError, match="bootstrap="):
        plumb.Accumulator(bootstrap=10)
    with pytest.raises(TypeError, match="no option bin= .did you mean bins=.."):
        plumb.Accumulator(bin=10)
    with pytest.raises(TypeError, match="Accumulator"):
        sums.merge(plumb.RegressionAccumulator())
    with pytest.raises(TypeError, match="groups="):
        sums.update(probs=D["probs"], labels=D["labels"], groups=D["groups"])
    with pytest.raises(ValueError, match="classes="):
        sums.update(probs=D["probs"], labels=np.array(list("abc"))[D["labels"]])
    with pytest.raises(ValueError, match="different"):
        plumb.Accumulator(bins=10).update(**parts()[0]).merge(plumb.Accumulator(bins=11).update(**parts()[1]))


def test_a_regression():
    d = regression()
    columns = {k: d[k] for k in ("mean", "variance", "targets")}
    sums = plumb.RegressionAccumulator(range=(0, 9))
    for i in range(3):
        sums.update(**{k: v[i::3] for k, v in columns.items()})
    alone = plumb.evaluate(**columns, range=(0, 9))
    for key, value in metrics(sums.compute()).items():
        if value["value"] is not None:
            assert value["value"] == alone[key].value, key
    assert metrics(pickle.loads(pickle.dumps(sums)).compute()) == metrics(sums.compute())
