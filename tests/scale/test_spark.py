"""plumb.spark on a local cluster of two executors, each a process of its own."""
import os
import pathlib
import sys

import numpy as np
import pytest
from conftest import PACKAGE, binary, classes

pd = pytest.importorskip("pandas")
pytest.importorskip("pyspark")
from pyspark.sql import SparkSession  # noqa: E402

import plumb  # noqa: E402
import plumb.spark  # noqa: E402


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
               .config("spark.executorEnv.PYTHONPATH", PACKAGE).config("spark.sql.shuffle.partitions", "2")
               .config("spark.ui.showConsoleProgress", "false").config("spark.driver.host", "127.0.0.1").getOrCreate())
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def whole(data, **options):
    return plumb.Accumulator(**options).update(probs=data["p"], labels=data["y"]).to_bytes()


def test_any_partitions_give_the_bytes_of_one_pass(spark, tool):
    data = binary(5000)
    frame = spark.createDataFrame(pd.DataFrame(data))
    assert plumb.spark.states(frame.repartition(6), probs="p", labels="y", bins=10) == {None: whole(data, bins=10)}
    assert whole(data) == tool.state(probs=data["p"], labels=data["y"])
    sites = plumb.spark.evaluate(frame, probs="p", labels="y", by="site")
    for site in range(3):
        rows = data["site"] == site
        assert sites[str(site)]["nll"].value == plumb.metrics.nll(data["p"][rows], data["y"][rows])


def test_arrays_of_classes_and_a_model(spark):
    z, counts = classes(500)
    frame = spark.createDataFrame(pd.DataFrame({"z": list(z), "n": [row.tolist() for row in counts]}))
    assert plumb.spark.states(frame, probs="z", counts="n")[None] == plumb.Accumulator().update(probs=z, counts=counts).to_bytes()
    model = plumb.fit("temperature", probs=z, counts=counts)
    got = plumb.spark.apply(frame, model, probs="z", into="q").toPandas()
    assert (np.stack(list(got["q"])) == model.apply(probs=z)).all()


def test_a_killed_executor_changes_nothing(spark, tmp_path):
    marker = str(tmp_path / "killed")

    def dies_once(batches):
        for batch in batches:
            if not pathlib.Path(marker).exists():
                pathlib.Path(marker).touch()
                daemon = os.getppid()  # the JVM's child, whose child this is
                jvm = int(pathlib.Path(f"/proc/{daemon}/stat").read_text().rsplit(")", 1)[1].split()[1])
                os.kill(jvm, 9)
            yield batch

    data = binary(2000)
    frame = spark.createDataFrame(pd.DataFrame(data)).repartition(4)
    frame = frame.mapInArrow(dies_once, frame.schema)
    assert plumb.spark.states(frame, probs="p", labels="y") == {None: whole(data)}
    assert pathlib.Path(marker).exists()
