"""plumb.dask on a LocalCluster of two processes."""
import os
import pathlib

import numpy as np
import pytest
from conftest import binary, classes

pd = pytest.importorskip("pandas")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
import plumb  # noqa: E402
import plumb.dask  # noqa: E402


@pytest.fixture(scope="module")
def client():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        yield client


def whole(data, **options):
    return plumb.Accumulator(**options).update(probs=data["p"], labels=data["y"]).to_bytes()


def test_any_partitions_give_the_bytes_of_one_pass(client, tool):
    data = binary(20_000)
    for partitions in (1, 7, 70):
        frame = dd.from_pandas(pd.DataFrame(data), npartitions=partitions, sort=False)
        assert plumb.dask.states(frame, probs="p", labels="y", bins=10) == {None: whole(data, bins=10)}, partitions
    assert whole(data) == tool.state(probs=data["p"], labels=data["y"])
    result = plumb.dask.evaluate(frame, probs="p", labels="y", metrics=["ece", "auroc"])
    plain = plumb.evaluate(probs=data["p"], labels=data["y"], metrics=["ece"])
    assert result["ece"].value == plain["ece"].value and result["auroc"].value > 0.5


def test_slices_classes_and_regressions(client):
    data = binary(3000)
    frame = dd.from_pandas(pd.DataFrame(data), npartitions=5)
    sites = plumb.dask.evaluate(frame, probs="p", labels="y", by="site")
    for site in range(3):
        rows = data["site"] == site
        assert sites[str(site)]["nll"].value == plumb.metrics.nll(data["p"][rows], data["y"][rows])
    z, counts = classes(1000)
    columns = {**{f"p{k}": z[:, k] for k in range(3)}, **{f"n{k}": counts[:, k] for k in range(3)}}
    frame = dd.from_pandas(pd.DataFrame(columns), npartitions=3)
    state = plumb.dask.states(frame, probs=["p0", "p1", "p2"], counts=["n0", "n1", "n2"])[None]
    assert state == plumb.Accumulator().update(probs=z, counts=counts).to_bytes()
    mean, variance = data["p"], data["p"] + 0.1
    frame = dd.from_pandas(pd.DataFrame({"m": mean, "v": variance, "t": data["y"]}), npartitions=3)
    result = plumb.dask.evaluate(frame, mean="m", variance="v", targets="t")
    assert result["mse"].value == plumb.metrics.regression.mse(mean=mean, variance=variance, targets=data["y"])


def test_a_model_is_applied(client):
    data = binary(2000)
    frame = dd.from_pandas(pd.DataFrame(data), npartitions=4)
    model = plumb.fit("platt", probs=data["p"], labels=data["y"])
    got = plumb.dask.apply(frame, model, probs="p", into="q").compute()
    assert (got["q"].to_numpy() == model.apply(probs=data["p"])).all() and list(got.columns) == ["p", "y", "site", "q"]


def _dies_once(frame, marker):
    path = pathlib.Path(marker)
    if len(frame) and frame["site"].iloc[0] >= 0 and not path.exists():
        path.touch()
        os.kill(os.getpid(), 9)
    return frame


def test_a_killed_worker_changes_nothing(client, tmp_path):
    data = binary(5000)
    frame = dd.from_pandas(pd.DataFrame(data), npartitions=10).map_partitions(_dies_once, str(tmp_path / "killed"), meta=pd.DataFrame(data))
    assert plumb.dask.states(frame, probs="p", labels="y") == {None: whole(data)}
    assert (tmp_path / "killed").exists()


def test_wrong_arguments_are_refused_before_any_work():
    frame = dd.from_pandas(pd.DataFrame(binary(10)), npartitions=1)
    with pytest.raises(TypeError, match="name the columns"):
        plumb.dask.evaluate(frame)
    with pytest.raises(TypeError, match="probs= takes the name of a column"):
        plumb.dask.evaluate(frame, probs=np.zeros(3), labels="y")
    with pytest.raises((TypeError, ValueError), match="bin"):
        plumb.dask.evaluate(frame, probs="p", labels="y", bin=10)
