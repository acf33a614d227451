"""plumb predict: what it refuses, and which items it takes."""
import numpy as np
import pytest
from test_train import QUICK, make_data, needs_tool, put, spoil


@needs_tool
def test_bad_predictions_leave_nothing_behind(folder):
    make_data(folder, n=30)
    assert folder.run("train", *QUICK, "--epochs", "1", "--out", "run", "--quiet").code == 0
    resumed = folder.run("train", "--resume", "run", "--patience", "3")
    assert resumed.code == 2 and "--patience cannot be changed" in resumed.err
    def complaint(*args):
        run = folder.run("predict", "run", "--out", "out", "--device", "cpu", *args)
        assert run.code == 2 and run.err.count("\n") == 1 and not (folder / "out").exists(), run.err
        return run.err
    assert "no dropout" in complaint("--mc-dropout")
    assert "tables of numbers" in complaint("--tta", "--flip")
    assert "--samples must be" in complaint("--samples", "0")
    assert "there is no folder data/tset" in complaint("--split", "tset")
    spoil(folder, "test/labels.npy", put(3, 5))
    assert "6 classes, and the model knows 2" in complaint()
    spoil(folder, "test/features.npy", put(3, np.inf))
    assert "row 3: inf is not a finite" in complaint()
    (folder / "run/model.pt").write_bytes((folder / "run/model.pt").read_bytes()[:1000])
    assert "run/model.pt cannot be read" in complaint()


def refused(folder, *args):
    """The message of predict when it writes nothing."""
    run = folder.run("predict", *args, "--device", "cpu")
    assert run.code == 2 and run.err.count("\n") == 1, run.err
    return run.err


@needs_tool
def test_an_unfinished_run_is_not_predicted(folder):
    make_data(folder, n=40)
    train = (*QUICK, "--epochs", "1", "--quiet")
    assert folder.run("train", *train, "--ensemble", "2", "--out", "pair").code == 0
    assert folder.run("predict", "pair", "--device", "cpu", "--out", "out").code == 0
    assert np.load(folder / "out/samples.npy").shape == (2, 40)
    (folder / "pair/result.json").unlink()
    (folder / "pair/member_1/result.json").unlink()
    said = "pair is not finished: 1 of 2 members are trained; continue it with plumb train --resume pair"
    assert said in refused(folder, "pair", "--out", "none")
    assert folder.run("train", "--resume", "pair", "--threads", "1", "--device", "cpu", "--quiet").code == 0
    assert folder.run("predict", "pair", "--device", "cpu", "--out", "again").code == 0
    (folder / "pair/member_1/model.pt").unlink()
    assert "there is no pair/member_1/model.pt" in refused(folder, "pair", "--out", "none")
    assert folder.run("train", *train, "--out", "one").code == 0
    (folder / "one/result.json").unlink()
    assert "one is not finished; continue it with plumb train --resume one" in refused(folder, "one", "--out", "none")
    assert folder.run("train", *train, "--method", "focal", "--tune", "1,2", "--out", "tuned").code == 0
    (folder / "tuned/result.json").unlink()
    assert "tuned is not finished: 2 of 2 strengths are trained" in refused(folder, "tuned", "--out", "none")
    (folder / "nothing").mkdir()
    assert "holds no trained model" in refused(folder, "nothing", "--out", "none")
    assert not (folder / "none").exists()


@needs_tool
@pytest.mark.parametrize("cut, options", [(True, ("--validation-share", "0.3", "--seed", "5")),
                                          (True, ("--train-items", "20", "--ensemble", "2")),
                                          (False, ("--train-items", "20"))])
def test_predictions_of_train_and_validation_are_of_the_items_of_the_run(folder, cut, options):
    make_data(folder, n=40)
    if cut:
        (folder / "data/validation").rename(folder / "elsewhere")
    assert folder.run("train", *QUICK, "--epochs", "1", *options, "--out", "run", "--quiet").code == 0
    for part in ("train", "validation", "test"):
        run = folder.run("predict", "run", "--split", part, "--threads", "1", "--device", "cpu", "--out", part)
        assert run.code == 0, run.err
        for file in ("labels.npy", "truth.npy"):
            assert np.array_equal(np.load(folder / part / file), np.load(folder / "run" / part / file))
        # The run's own pass and this one may be batched differently.
        assert np.allclose(np.load(folder / part / "probs.npy"), np.load(folder / "run" / part / "probs.npy"), atol=1e-6)
    (folder / "data").rename(folder / "moved")
    said = refused(folder, "run", "--out", "none")
    assert "config.json of run" in said and "give the folder with --data" in said
    run = folder.run("predict", "run", "--data", "moved", "--split", "train", "--device", "cpu", "--out", "moved-train")
    assert run.code == 0, run.err
    wanted = np.load(folder / "run/train/truth.npy") if cut else np.load(folder / "moved/train/truth.npy")
    assert np.allclose(np.load(folder / "moved-train/truth.npy"), wanted, atol=1e-6)  # float32 of float64


@needs_tool
def test_predictions_are_not_written_among_the_data(folder):
    make_data(folder, n=40)
    assert folder.run("train", *QUICK, "--epochs", "1", "--out", "run", "--quiet").code == 0
    before = (folder / "data/test/truth.npy").read_bytes()
    (folder / "link").symlink_to("data")
    for out in ("data", "data/", "data/test", "data/new/deep", "run/../data/test", str(folder / "data/test"), "link/test"):
        assert "is inside the data folder data" in refused(folder, "run", "--out", out), out
    assert (folder / "data/test/truth.npy").read_bytes() == before and not (folder / "data/new").exists()
    assert "is inside the data folder link" in refused(folder, "run", "--data", "link", "--out", "data/test")
    for out in ("run/mc", "data-predicted"):
        assert folder.run("predict", "run", "--device", "cpu", "--out", out).code == 0


@needs_tool
def test_samples_and_dropout_that_would_do_nothing(folder):
    make_data(folder, n=40)
    train = ("--data", "data", "--epochs", "1", "--device", "cpu", "--quiet")
    assert folder.run("train", *train, "--model", "linear", "--out", "line").code == 0
    assert "give one of the two" in refused(folder, "line", "--samples", "5", "--out", "none")
    said = refused(folder, "line", "--mc-dropout", "--out", "none")
    assert "linear has no dropout" in said and "--dropout" not in said.replace("--mc-dropout", "")
    assert not (folder / "none").exists()


def columns_of_csv(path):
    lines = [line.split(",") for line in path.read_text().splitlines()]
    return lines[0], np.array(lines[1:], float)


@needs_tool
def test_the_table_has_the_bits_of_the_arrays(folder):
    make_data(folder, n=40)
    assert folder.run("train", *QUICK, "--epochs", "1", "--head", "softmax", "--out", "run", "--quiet").code == 0
    predict = ("predict", "run", "--device", "cpu", "--out")
    assert folder.run(*predict, "out").code == 0
    run = folder.run(*predict, "p.csv")
    assert run.code == 0 and "p.csv" in run.out + run.err, run.err
    names, values = columns_of_csv(folder / "p.csv")
    probs = np.load(folder / "out/probs.npy")
    assert names == ["p_0", "p_1"] and np.array_equal(values, probs)
    for name in ("p.npy", "p.npy"):  # the second replaces the first
        assert folder.run(*predict, name).code == 0
    assert np.array_equal(np.load(folder / "p.npy"), probs)
    run = folder.run(*predict, "p.parquet")
    if "libplumb_arrow.so" in run.err:
        assert run.code == 2 and run.err.count("\n") == 1 and not (folder / "p.parquet").exists()
    else:
        assert run.code == 0, run.err
        labels = ("--labels", "out/labels.npy")
        a, b = (folder.evaluate("--probs", p, *labels) for p in ("p.parquet:p_*", "out/probs.npy"))
        assert [m["value"] for m in a["metrics"].values()] == [m["value"] for m in b["metrics"].values()]
    (folder / "folder.csv").mkdir()
    before = folder.names()
    assert "is a folder" in refused(folder, "run", "--out", "folder.csv")
    assert "would overwrite" in refused(folder, "run", "--out", "run/test/probs.npy")
    assert "inside the data folder" in refused(folder, "run", "--out", "data/test/p.csv")
    assert folder.names() == before


@needs_tool
def test_the_table_of_a_regression(folder):
    rng = np.random.default_rng(1)
    for part in ("train", "validation", "test"):
        (folder / "data" / part).mkdir(parents=True)
        folder.npy(f"data/{part}/features.npy", rng.normal(size=(30, 3)).astype("f4"))
        folder.npy(f"data/{part}/targets.npy", rng.normal(size=(30, 2)).astype("f4"))
    assert folder.run("train", "--data", "data", "--model", "linear", "--epochs", "1", "--device", "cpu", "--out", "run", "--quiet").code == 0
    for out in ("out", "p.csv", "p.npy"):
        run = folder.run("predict", "run", "--device", "cpu", "--out", out, "--quiet")
        assert run.code == 0, run.err
    names, values = columns_of_csv(folder / "p.csv")
    assert np.array_equal(values, np.load(folder / "p.npy"))
    assert names == [f"{what}_{k}" for what in ("mean", "aleatoric", "epistemic", "variance") for k in (0, 1)]
    for k, what in enumerate(("mean", "aleatoric", "epistemic", "variance")):
        assert np.array_equal(values[:, 2 * k:2 * k + 2], np.load(folder / f"out/{what}.npy"))


@needs_tool
def test_each_pass_comes_with_its_logits_and_features(folder):
    make_data(folder, n=40)
    assert folder.run("train", *QUICK, "--epochs", "1", "--dropout", "0.3", "--out", "run", "--quiet").code == 0
    predict = ("predict", "run", "--device", "cpu", "--threads", "1", "--quiet", "--mc-dropout", "--samples", "3")
    assert folder.run(*predict, "--out", "mc").code == 0
    samples, logits, features = (np.load(folder / f"mc/{name}.npy") for name in ("samples", "sample_logits", "sample_features"))
    assert samples.shape == logits.shape == (3, 40) and features.shape == (3, 40, 8)
    assert samples == pytest.approx(1 / (1 + np.exp(-logits.astype(float))), abs=1e-7)
    # Without dropout there is one pass, whose features are those that the run wrote.
    assert folder.run("predict", "run", "--device", "cpu", "--threads", "1", "--quiet", "--out", "plain").code == 0
    assert np.array_equal(np.load(folder / "plain/sample_features.npy")[0], np.load(folder / "run/test/features.npy"))
    assert np.array_equal(np.load(folder / "plain/sample_logits.npy")[0], np.load(folder / "run/test/logits.npy"))


@needs_tool
def test_the_dropout_rate_of_predictions(folder):
    make_data(folder, n=60)
    assert folder.run("train", *QUICK, "--epochs", "2", "--dropout", "0.3", "--out", "run", "--quiet").code == 0
    predict = ("predict", "run", "--device", "cpu", "--threads", "1", "--quiet", "--mc-dropout", "--samples", "20")
    spread = {}
    for rate in ("0.001", "0.3", "0.8"):
        assert folder.run(*predict, "--dropout-rate", rate, "--out", f"mc{rate}").code == 0
        spread[rate] = np.load(folder / f"mc{rate}/samples.npy").std(axis=0).mean()
    assert spread["0.001"] < 0.2 * spread["0.3"] < 0.2 * spread["0.8"]
    assert folder.run(*predict, "--out", "own").code == 0
    assert np.array_equal(np.load(folder / "own/samples.npy"), np.load(folder / "mc0.3/samples.npy"))
    assert "give both" in refused(folder, "run", "--dropout-rate", "0.1", "--out", "none")
    assert "--dropout-rate must be above 0" in refused(folder, "run", "--mc-dropout", "--dropout-rate", "1", "--out", "none")
