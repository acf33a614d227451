"""plumb train and plumb predict: help and errors without LibTorch; small runs where plumb-train was built."""
import json
import os
import pathlib
import signal
import struct
import subprocess
import time
import zlib

import numpy as np
import pytest
from conftest import PLUMB, repetitions, run_plumb

TOOL = pathlib.Path(PLUMB).with_name("plumb-train")
needs_tool = pytest.mark.skipif(not TOOL.exists(), reason="plumb-train was not built (LibTorch is not there)")


def test_help_teaches_without_libtorch():
    train, predict = run_plumb("train", "--help"), run_plumb("predict", "--help")
    assert train.code == predict.code == 0
    for word in ("cape-bin", "cape-kernel", "--resume", "--grid", "counts.npy", "Examples"):
        assert word in train.out, word
    for word in ("--mc-dropout", "--tta", "samples.npy", "epistemic"):
        assert word in predict.out, word


@pytest.mark.parametrize("args, word", [
    ((), "--out is needed"),
    (("--grid", "g.json", "--out", "r", "--epochs", "5"), '--epochs cannot be combined with --grid; write "epochs" into "base" of g.json'),
    (("--grid", "g.json", "--out", "r", "--train-items", "5"), '"train_items" into "base"'),
    (("--grid", "g.json", "--out", "r", "--data", "d"), '"data" into "base"'),
    (("--grid", "g.json", "--out", "r", "--raw"), '"normalize": false into "base"'),
    (("--data", "d", "--out", "r", "--jobs", "2"), "--jobs is for --grid"),
    (("--data", "d", "--out", "r", "--head", "laplace", "--targets", "counts"), "--targets counts are classes"),
    (("--out", "r"), "--data is needed"),
    (("--data", "d", "--out", "r", "--method", "cape"), "--method"),
    (("--data", "d", "--out", "r", "--dropout", "much"), "--dropout"),
    (("--data", "d", "--out", "r", "--lr", "0"), "--lr must be between"),
    (("--data", "d", "--out", "r", "--from-start"), "cape-bin"),
    (("--resume", "nowhere"), "there is no run"),
    (("--resume", "r", "--data", "d"), "cannot be combined"),
])
def test_bad_usage_is_one_sentence(folder, args, word):
    run = folder.run("train", *args)
    assert run.code == 2 and word in run.err and run.err.count("\n") == 1


def test_without_plumb_train_it_says_how_to_get_it(folder, tmp_path):
    lonely = tmp_path / "bin" / "plumb"
    lonely.parent.mkdir()
    lonely.write_bytes(pathlib.Path(PLUMB).read_bytes())
    lonely.chmod(0o755)
    done = subprocess.run([str(lonely), "train", "--data", "d", "--out", "r"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    for word in ("make train", "libtorch-dev", "-DPLUMB_TRAIN=ON"):
        assert word in done.stderr, word


def make_data(folder, n=200, d=4):
    rng = np.random.default_rng(0)
    for part in ("train", "validation", "test"):
        at = folder.path / "data" / part
        at.mkdir(parents=True)
        x = rng.normal(size=(n, d)).astype(np.float32)
        p = 1 / (1 + np.exp(-x[:, 0]))
        np.save(at / "features.npy", x)
        np.save(at / "labels.npy", (rng.uniform(size=n) < p).astype(np.uint8))
        np.save(at / "truth.npy", p)


QUICK = ("--data", "data", "--hidden", "8", "--device", "cpu", "--threads", "1", "--lr", "0.05")


@needs_tool
def test_train_predict_calibrate_evaluate_in_sequence(folder):
    make_data(folder)
    run = folder.run("train", *QUICK, "--epochs", "3", "--dropout", "0.2", "--method", "cape-bin", "--out", "run")
    assert run.code == 0, run.err
    assert "mse_p" in run.out
    result = json.loads((folder / "run/result.json").read_text())
    value = folder.evaluate("--probs", "run/test/probs.npy", "--labels", "run/test/labels.npy", "--truth", "run/test/truth.npy",
                            "--metrics", "nll,ece,brier,mse_p")["metrics"]
    for key in ("nll", "ece", "brier", "mse_p"):
        assert value[key]["value"] == pytest.approx(result["test"][key], rel=1e-5)  # files hold float64 of float32 logits
    predict = folder.run("predict", "run", "--mc-dropout", "--samples", "5", "--device", "cpu", "--out", "mc")
    assert predict.code == 0, predict.err
    samples = np.load(folder / "mc/samples.npy")
    assert samples.shape == (5, 200) and np.ptp(samples, axis=0).max() > 0
    assert np.allclose(np.load(folder / "mc/probs.npy"), samples.mean(axis=0))
    fit = folder.run("calibrate", "fit", "--method", "platt", "--logits", "run/validation/logits.npy", "--labels",
                     "run/validation/labels.npy", "-o", "model.json")
    assert fit.code == 0, fit.err
    apply = folder.run("calibrate", "apply", "model.json", "--logits", "run/test/logits.npy", "-o", "out.npy")
    assert apply.code == 0, apply.err
    header = (folder / "run/history.csv").read_text().splitlines()[0].split(",")
    for column in ("train_ece", "train_nll", "validation_brier", "validation_mse_p"):
        assert column in header


@needs_tool
def test_a_killed_run_resumes_to_the_same_bits(folder):
    make_data(folder, n=2000)
    args = (*QUICK, "--epochs", "150", "--patience", "0", "--dropout", "0.3")
    straight = folder.run("train", *args, "--out", "straight", "--quiet")
    assert straight.code == 0, straight.err
    for turn in range(2 * repetitions(12, 1)):
        how = (signal.SIGINT, signal.SIGKILL)[turn % 2]
        for attempt in range(5):  # on a busy machine a run may end before the signal is sent
            name = f"cut{turn}_{attempt}"
            # A background job passes on that SIGINT is ignored; here it must not be.
            process = subprocess.Popen([PLUMB, "train", *args, "--out", name], cwd=folder.path, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True,
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            deadline = time.time() + 120
            while not (folder / name / "checkpoint.pt").exists() and process.poll() is None and time.time() < deadline:
                time.sleep(0.005)
            time.sleep(0.003 * (turn // 2))  # each turn a little later, to meet other moments of an epoch
            process.send_signal(how)
            _, err = process.communicate(timeout=120)
            if not (folder / name / "result.json").exists():
                break
        assert not (folder / name / "result.json").exists(), "every run ended before the signal: make it longer"
        if how == signal.SIGINT:
            assert process.returncode == 130 and "--resume" in err
        resumed = folder.run("train", "--resume", name, "--device", "cpu", "--threads", "1", "--quiet")
        assert resumed.code == 0, resumed.err
        for file in ("test/logits.npy", "train/features.npy"):
            assert (folder / name / file).read_bytes() == (folder / "straight" / file).read_bytes()
        assert not [p for p in os.listdir(folder / name) if "tmp" in p]


@needs_tool
def test_bad_data_leave_no_run_behind(folder):
    run = folder.run("train", "--data", "nothing", "--out", "run", "--device", "cpu")
    assert run.code == 2 and "there is no folder" in run.err and not (folder / "run").exists()
    make_data(folder)
    run = folder.run("train", "--data", "data", "--device", "cpu", "--model", "cnn", "--out", "run")
    assert run.code == 2 and "is for images" in run.err and not (folder / "run").exists()
    np.save(folder / "data/train/labels.npy", np.full(200, 0.5))
    run = folder.run("train", *QUICK, "--out", "run")
    assert run.code == 2 and "0.5 is not a class index" in run.err


@needs_tool
def test_grid_with_two_workers(folder):
    make_data(folder, n=60)
    (folder / "grid.json").write_text(json.dumps({
        "base": {"data": "data", "hidden": [4], "epochs": 2},
        "vary": {"method": ["ce", "cape-kernel"], "seed": [0, 1]}}))
    run = folder.run("train", "--grid", "grid.json", "--out", "grid", "--jobs", "2", "--device", "cpu", "--threads", "1")
    assert run.code == 0, run.err
    rows = (folder / "grid/grid.csv").read_text().splitlines()
    assert len(rows) == 5 and all(",done," in row for row in rows[1:])


def png(pixels):
    """H x W x 3 bytes as a PNG file."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write_faces(folder, size=8):
    """Pictures as UTKFace names them; brighter with age."""
    (folder / "faces").mkdir()
    rng = np.random.default_rng(0)
    for i, age in enumerate(rng.integers(1, 100, size=120)):
        pixels = np.clip(2.2 * age + rng.normal(size=(size, size, 3)) * 10, 0, 255).astype(np.uint8)
        (folder / f"faces/{age}_{i % 2}_{i % 5}_{20170101000000000 + i}.png").write_bytes(png(pixels))


@needs_tool
def test_utkface_ages_and_simulated_outcomes(folder):
    write_faces(folder)
    quick = ("--data", "faces", "--model", "cnn", "--epochs", "2", "--device", "cpu", "--threads", "1")
    run = folder.run("train", *quick, "--scenario", "sigmoid", "--method", "cape-bin", "--out", "risk")
    if "no libpng" in run.err:
        pytest.skip(run.err.strip())
    assert run.code == 0 and "mse_p" in run.out, run.err
    truth = [np.load(folder / f"risk/{part}/truth.npy") for part in ("train", "validation", "test")]
    assert [len(t) for t in truth] == [84, 24, 12]  # 16641 : 4738 : 2329
    assert json.loads((folder / "risk/config.json").read_text())["scenario"] == "sigmoid"
    predict = folder.run("predict", "risk", "--mc-dropout", "--samples", "2", "--device", "cpu", "--out", "mc")
    assert predict.code == 0 and np.array_equal(np.load(folder / "mc/truth.npy"), truth[2]), predict.err
    run = folder.run("train", *quick, "--out", "age")
    assert run.code == 0, run.err
    assert np.load(folder / "age/test/targets.npy").max() > 20
    run = folder.run("train", *quick, "--method", "focal", "--out", "none")
    assert run.code == 2 and "give --scenario" in run.err and not (folder / "none").exists()
    (folder / "faces/portrait.jpg").write_bytes(b"")
    run = folder.run("train", *quick, "--out", "none")
    assert run.code == 2 and "portrait.jpg does not begin with an age" in run.err and run.err.count("\n") == 1


@needs_tool
def test_members_of_an_ensemble_learn_from_the_same_items(folder):
    make_data(folder, n=50)
    (folder / "data/validation").rename(folder / "elsewhere")
    run = folder.run("train", *QUICK, "--epochs", "1", "--ensemble", "2", "--out", "run")
    assert run.code == 0, run.err
    for name in ("validation/labels.npy", "train/truth.npy"):
        whole = (folder / "run" / name).read_bytes()
        assert all((folder / f"run/member_{i}" / name).read_bytes() == whole for i in range(2))


def spoil(folder, file, change):
    values = np.load(folder / "data" / file)
    np.save(folder / "data" / file, change(values))


def put(row, value):
    def change(values):
        values = values.astype(float)
        values[row] = value
        return values
    return change


@needs_tool
@pytest.mark.parametrize("file, change, words", [
    ("train/labels.npy", put(3, -1), ("train/labels.npy, row 3", "-1 is not a class index")),
    ("train/labels.npy", lambda y: y[:-1], ("train/features.npy has 30 rows", "train/labels.npy has 29")),
    ("train/labels.npy", lambda y: 0 * y, ("30 items", "nothing to learn from one class")),
    ("test/features.npy", put(7, np.nan), ("test/features.npy, row 7", "nan is not a finite")),
    ("test/features.npy", lambda x: x[:, :3], ("inputs of test/ are of shape 3", "train/ of shape 4")),
    ("validation/features.npy", lambda x: x[:0], ("validation/features.npy has no rows",)),
    ("train/truth.npy", put(2, 1.5), ("train/truth.npy, row 2", "1.5 lies outside")),
], ids=lambda x: None if callable(x) else str(x)[:20])
def test_spoilt_data_are_told_in_one_sentence(folder, file, change, words):
    make_data(folder, n=30)
    spoil(folder, file, change)
    run = folder.run("train", *QUICK, "--epochs", "1", "--out", "run")
    assert run.code == 2 and run.err.count("\n") == 1 and not (folder / "run").exists()
    for word in words:
        assert word in run.err


@needs_tool
def test_a_cut_file_and_an_empty_folder(folder):
    make_data(folder, n=30)
    whole = (folder / "data/train/features.npy").read_bytes()
    (folder / "data/train/features.npy").write_bytes(whole[:200])
    run = folder.run("train", *QUICK, "--out", "run")
    assert run.code == 2 and "truncated" in run.err and not (folder / "run").exists()
    (folder / "empty").mkdir()
    run = folder.run("train", "--data", "empty", "--out", "run")
    assert run.code == 2 and "contains no data in a known layout" in run.err


@pytest.mark.parametrize("args, word", [
    (("--epochs", "-1"), "--epochs must be between"),
    (("--lr", "nan"), "not nan"),
    (("--method", "cape-bins"), 'did you mean "cape-bin"'),
    (("--method", "focal", "--tune", "1,nan"), "--tune must be between"),
    (("--data-seed", "x"), "--data-seed takes numbers"),
])
def test_options_out_of_range(folder, args, word):
    run = folder.run("train", "--data", "d", "--out", "r", *args)
    assert run.code == 2 and word in run.err and run.err.count("\n") == 1


def test_a_place_that_takes_no_files_is_told_first(folder):
    folder.text("taken", "x")
    for out in ("taken", "taken/run"):
        for run in (folder.run("train", "--data", "d", "--out", out), folder.run("predict", "run", "--out", out)):
            assert run.code == 2 and "taken is a file, not a folder" in run.err and run.err.count("\n") == 1


@needs_tool
def test_a_run_that_diverged_is_an_error(folder):
    make_data(folder)
    run = folder.run("train", *QUICK[:-2], "--lr", "1e6", "--epochs", "4", "--out", "run", "--quiet")
    assert run.code == 2 and "lower --lr" in run.err


@pytest.mark.parametrize("args,word", [(("--cape-lr", "0.1"), "cape-bin"), (("--strength", "2"), "has none"),
                                       (("--model", "linear", "--dropout", "0.5"), "linear"),
                                       (("--width", "8"), "resnet18"), (("--image-size", "8"), "holds arrays"),
                                       (("--validation-share", "0.3"), "without validation/")])
@needs_tool
def test_flags_that_would_do_nothing(folder, args, word):
    make_data(folder)
    run = folder.run("train", "--data", "data", "--device", "cpu", *args, "--out", "run")
    assert run.code == 2 and run.err.count("\n") == 1 and word in run.err and not (folder / "run").exists()


@needs_tool
def test_numbers_are_learned_from_targets_alone(folder):
    make_data(folder, n=40)
    run = folder.run("train", *QUICK, "--head", "gaussian", "--epochs", "1", "--out", "run", "--quiet")
    assert run.code == 2 and "data/train/labels.npy holds classes; save numeric targets as targets.npy" in run.err
    for part in ("train", "validation", "test"):
        np.save(folder / f"data/{part}/targets.npy", np.load(folder / f"data/{part}/labels.npy") + 100.0)
    run = folder.run("train", *QUICK, "--head", "gaussian", "--epochs", "1", "--out", "data/run", "--quiet")
    assert run.code == 2 and "is inside the data folder data" in run.err and not (folder / "data/run").exists()
    assert folder.run("train", *QUICK, "--head", "gaussian", "--epochs", "1", "--out", "run", "--quiet").code == 0
    (folder / "run").rename(folder / "data/run")  # a run that lives beside its data is predicted into its folder
    run = folder.run("predict", "data/run", "--device", "cpu", "--out", "data/run/mean")
    assert run.code == 0, run.err
    assert np.array_equal(np.load(folder / "data/run/mean/targets.npy").ravel(), np.load(folder / "data/test/targets.npy"))


@needs_tool
def test_two_processes_do_not_share_a_run(folder):
    make_data(folder, n=2000)
    args = (*QUICK, "--epochs", "100000", "--patience", "0", "--quiet", "--out", "run")
    first = subprocess.Popen([PLUMB, "train", *args], cwd=folder.path, stderr=subprocess.DEVNULL)
    try:
        deadline = time.time() + 120
        while not (folder / "run/checkpoint.pt").exists() and first.poll() is None and time.time() < deadline:
            time.sleep(0.01)
        for again in (args, ("--resume", "run", "--device", "cpu", "--threads", "1")):
            second = folder.run("train", *again)
            assert second.code == 2 and "another process is working on run" in second.err and second.err.count("\n") == 1
    finally:
        first.kill()
        first.wait()
    third = subprocess.Popen([PLUMB, "train", *args], cwd=folder.path, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)  # a killed process blocks no other process
    assert third.poll() is None, third.stderr.read()
    third.kill()
    third.communicate()


@needs_tool
def test_a_config_that_is_none_is_named(folder):
    (folder / "run").mkdir()
    (folder / "run/config.json").write_text("{}")
    for run in (folder.run("train", "--resume", "run"), folder.run("predict", "run", "--out", "out")):
        assert run.code == 2 and 'run/config.json names no "data"' in run.err and run.err.count("\n") == 1


@needs_tool
@pytest.mark.parametrize("select, better", [("nll", min), ("brier", min), ("auroc", max)])
def test_the_epoch_is_chosen_by_the_named_metric(folder, select, better):
    make_data(folder, n=120)
    run = folder.run("train", *QUICK, "--epochs", "12", "--patience", "0", "--select", select, "--out", "run", "--quiet")
    assert run.code == 0, run.err
    result = json.loads((folder / "run/result.json").read_text())
    history = json.loads((folder / "run/history.json").read_text())
    assert result["validation"][select] == better(e["validation"][select] for e in history)
    assert json.loads((folder / "run/config.json").read_text())["select"] == select


@needs_tool
def test_a_regression_is_chosen_by_its_error(folder):
    make_data(folder, n=80)
    for part in ("train", "validation", "test"):
        x = np.load(folder / f"data/{part}/features.npy")
        np.save(folder / f"data/{part}/targets.npy", x[:, 0] + 0.3 * np.random.default_rng(len(part)).normal(size=len(x)))
        (folder / f"data/{part}/labels.npy").unlink()
        (folder / f"data/{part}/truth.npy").unlink()
    train = ("train", "--data", "data", "--hidden", "64,64", "--device", "cpu", "--threads", "1", "--head", "gaussian", "--optimizer", "adam", "--lr", "0.01", "--epochs", "15",
             "--patience", "0", "--quiet")
    assert folder.run(*train, "--select", "mse", "--out", "run").code == 0
    result, history = (json.loads((folder / f"run/{name}.json").read_text()) for name in ("result", "history"))
    assert result["validation"]["mse"] == pytest.approx(min(e["validation"]["mse"] for e in history), rel=1e-6)
    for wrong, word in (("brier", "classification"), ("auroc", "classification")):
        run = folder.run(*train, "--select", wrong, "--out", "other")
        assert run.code == 2 and f"--select {wrong} is for {word}" in run.err and run.err.count("\n") == 1
