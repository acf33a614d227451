"""plumb demo KIND: what it writes fits together, follows its truth, and does not depend on how much is requested."""
import gzip
import json

import numpy as np
import pytest
from conftest import DATA, needs_data

SIGMAS = 4  # a fair draw goes beyond once in 16,000 tests, and the seeds are fixed
PARTS = ("train", "validation", "test")

SMALL = {
    "faces": ("--items", 300, "--size", 16),
    "digits": ("--items", 300),
    "linear-model": ("--items", 300, "--dimension", 20),
    "regression-images": ("--items", 300, "--size", 16),
    "segmentation": ("--items", 30, "--size", 16),
}


def demo(folder, kind, *more, out="d"):
    run = folder.run("demo", kind, "--out", out, "--quiet", *more)
    assert run.code == 0, run.err
    assert run.out == ""
    return {p.name: {f.name: np.load(f) for f in p.glob("*.npy")} for p in sorted((folder / out).iterdir()) if p.is_dir()}


def z(labels, truth, trials=1):
    return (labels - trials * truth).sum() / np.sqrt((trials * truth * (1 - truth)).sum())


@pytest.mark.parametrize("kind", SMALL)
def test_same_seed_same_files_and_another_seed_others(folder, kind):
    demo(folder, kind, *SMALL[kind], "--seed", 5, out="a")
    demo(folder, kind, *SMALL[kind], "--seed", 5, out="b")
    demo(folder, kind, *SMALL[kind], "--seed", 6, out="c")
    files = sorted(p.relative_to(folder / "a") for p in (folder / "a").rglob("*.npy"))
    assert len(files) >= 9
    for name in files:
        assert (folder / "a" / name).read_bytes() == (folder / "b" / name).read_bytes(), name
    for part in PARTS:
        images = "features.npy" if kind == "linear-model" else "images.npy"
        assert (folder / "a" / part / images).read_bytes() != (folder / "c" / part / images).read_bytes()


@pytest.mark.parametrize("kind", SMALL)
def test_more_items_begin_with_the_fewer(folder, kind):
    few = demo(folder, kind, *SMALL[kind], out="few")
    twice = [2 * x if isinstance(x, int) and i == 1 else x for i, x in enumerate(SMALL[kind])]
    many = demo(folder, kind, *twice, out="many")
    for part in PARTS:
        for name, a in few[part].items():
            b = many[part][name]
            assert len(b) > len(a)
            assert np.array_equal(b[:len(a)], a), (part, name)


@pytest.mark.parametrize("kind", SMALL)
def test_parts_do_not_share_items(folder, kind):
    d = demo(folder, kind, *SMALL[kind])
    name = "features.npy" if kind == "linear-model" else "images.npy"
    seen = [row.tobytes() for part in PARTS for row in d[part][name]]
    assert len(seen) == len(set(seen)) == SMALL[kind][1]


@pytest.mark.parametrize("kind", SMALL)
def test_readme_names_every_file_and_the_words_are_said(folder, kind):
    run = folder.run("demo", kind, *SMALL[kind], "--out", "d")
    assert run.code == 0, run.err
    readme = (folder / "d" / "README.txt").read_text()
    assert "@" not in readme
    for path in (folder / "d" / "test").iterdir():
        assert path.name in readme
    assert "plumb evaluate" in run.out and "plumb train" in run.out and "README.txt" in run.out


def test_faces_have_the_papers_sizes(folder):
    d = demo(folder, "faces", "--size", 8)
    assert [len(d[p]["images.npy"]) for p in PARTS] == [16641, 4738, 2329]


@pytest.mark.parametrize("scenario", ["linear", "sigmoid", "skewed", "centered", "discrete"])
def test_faces_follow_the_scenario(folder, scenario):
    d = demo(folder, "faces", "--scenario", scenario, "--items", 3000, "--size", 8)
    psi = {"linear": lambda a: np.minimum(1, a / 100), "sigmoid": lambda a: 1 / (1 + np.exp(-25 * (a / 100 - 0.29))),
           "skewed": lambda a: a / 250, "centered": lambda a: a / 300 + 0.35,
           "discrete": lambda a: 0.1 + 0.2 * sum((a > t).astype(float) for t in (20, 40, 60, 80))}[scenario]
    for part in PARTS:
        t = d[part]
        age = np.loadtxt(folder / "d" / part / "items.csv", delimiter=",", skiprows=1, usecols=1)
        assert t["images.npy"].shape == (len(age), 3, 8, 8) and t["images.npy"].dtype == np.uint8
        assert t["truth.npy"] == pytest.approx(psi(age), abs=1e-12)
        assert abs(z(t["labels.npy"].astype(float), t["truth.npy"])) < SIGMAS


def test_faces_are_the_same_people_in_all_scenarios(folder):
    a = demo(folder, "faces", *SMALL["faces"], "--scenario", "linear", out="a")
    b = demo(folder, "faces", *SMALL["faces"], "--scenario", "discrete", out="b")
    assert np.array_equal(a["train"]["images.npy"], b["train"]["images.npy"])


def test_clahe_changes_images_alone(folder):
    d = demo(folder, "faces", *SMALL["faces"], "--clahe")
    assert set(d) == {*PARTS, "test-clahe"}
    assert np.array_equal(d["test"]["labels.npy"], d["test-clahe"]["labels.npy"])
    before, after = d["test"]["images.npy"].astype(float), d["test-clahe"]["images.npy"].astype(float)
    assert after.shape == before.shape
    assert after.std(axis=(1, 2, 3)).mean() > before.std(axis=(1, 2, 3)).mean()
    assert (folder / "d" / "test" / "items.csv").read_text() == (folder / "d" / "test-clahe" / "items.csv").read_text()


def test_digits_votes_in_three_modes(folder):
    d = demo(folder, "digits", "--items", 7000, "--validation-votes", 5)
    for part, votes in zip(PARTS, (1, 5, 10)):
        t = d[part]
        assert (t["counts.npy"].sum(axis=1) == votes).all()
        assert abs(z(t["counts.npy"][:, 1], t["truth.npy"], votes)) < SIGMAS
        mean = np.array([0, 1, .2, .4, .6, .8, .2, .4, .6, .8])[t["numeral.npy"]]
        assert t["expected.npy"] == pytest.approx(mean, abs=0)
    assert d["train"]["images.npy"].shape == (5000, 1, 28, 28)
    train = d["train"]
    assert np.array_equal(train["labels.npy"], train["counts.npy"][:, 1])
    unclear = lambda lo, hi: ((train["truth.npy"] > .05) & (train["truth.npy"] < .95))[(train["numeral.npy"] >= lo) & (train["numeral.npy"] <= hi)].mean()
    assert unclear(2, 5) < 0.25 and unclear(6, 9) > 0.9


@needs_data
def test_mnist_in_three_modes(folder):
    d = demo(folder, "digits", "--mnist", DATA / "mnist", "--items", 700)
    with gzip.open(DATA / "mnist" / "t10k-images-idx3-ubyte.gz") as f:
        images = np.frombuffer(f.read(), np.uint8)[16:].reshape(-1, 28, 28)
    with gzip.open(DATA / "mnist" / "t10k-labels-idx1-ubyte.gz") as f:
        labels = np.frombuffer(f.read(), np.uint8)[8:]
    for part, first in zip(PARTS, (0, 10000 - 2 * 1429, 10000 - 1429)):
        n = len(d[part]["numeral.npy"])
        assert np.array_equal(d[part]["images.npy"][:, 0], images[first:first + n])
        assert np.array_equal(d[part]["numeral.npy"], labels[first:first + n])
    run = folder.run("demo", "digits", "--mnist", DATA / "mnist", "--items", 20000, "--out", "e")
    assert run.code == 2 and "has 10,000 digits" in run.err


def test_a_folder_without_mnist(folder):
    run = folder.run("demo", "digits", "--mnist", ".")
    assert run.code == 2 and "there is no train-images-idx3-ubyte" in run.err


def test_linear_model(folder):
    d = demo(folder, "linear-model", "--dimension", 30)
    assert d["train"]["features.npy"].shape == (500, 30) and d["train"]["features.npy"].dtype == np.float32
    for part in PARTS:
        t = d[part]
        assert t["truth.npy"] == pytest.approx(1 / (1 + np.exp(-t["features.npy"][:, 0].astype(float))), abs=1e-14)
        assert abs(z(t["labels.npy"].astype(float), t["truth.npy"])) < SIGMAS


@pytest.mark.parametrize("outputs", [1, 2])
def test_regression_images(folder, outputs):
    d = demo(folder, "regression-images", "--items", 3000, "--size", 16, "--outputs", outputs)
    for part in PARTS:
        t = d[part]
        n = len(t["images.npy"])
        assert t["targets.npy"].shape == ((n,) if outputs == 1 else (n, 2))
        s = (t["targets.npy"] - t["mean.npy"]) / np.sqrt(t["variance.npy"])
        assert abs(s.mean()) < SIGMAS / np.sqrt(s.size) and abs((s**2).mean() - 1) < SIGMAS * np.sqrt(2 / s.size)


def test_segmentation_rows_are_the_images(folder):
    d = demo(folder, "segmentation", "--items", 120, "--size", 16, "--raters", 3)
    for part in ("validation", "test"):
        t = d[part]
        n = len(t["images.npy"])
        assert t["ratings.npy"].shape == (n, 3, 16, 16)
        assert np.array_equal(t["labels.npy"], t["ratings.npy"][:, 0])
        assert np.array_equal(t["pixel_ratings.npy"].reshape(n, 16, 16, 3), t["ratings.npy"].transpose(0, 2, 3, 1))
        assert np.array_equal(t["pixel_truth.npy"], t["truth.npy"].ravel())
        assert np.array_equal(t["pixel_image.npy"], np.repeat(np.arange(n), 256))
    assert "pixel_truth.npy" not in d["train"]
    gap = (d["train"]["ratings.npy"].mean(axis=1) - d["train"]["truth.npy"]).sum(axis=(1, 2))
    assert abs(gap.mean()) < SIGMAS * gap.std() / np.sqrt(len(gap))


def test_the_truth_is_calibrated(folder):
    demo(folder, "faces", "--items", 3000, "--size", 8)
    result = folder.evaluate("--probs", "d/train/truth.npy", "--labels", "d/train/labels.npy", "--metrics", "ece", "--bootstrap", 100)
    assert result["metrics"]["ece"]["p_value"] > 0.01


@pytest.mark.parametrize("args, words", [
    (("face",), 'no demo "face" (did you mean "faces"?)'),
    (("faces", "--scenario", "centred"), "centered"),
    (("faces", "--size", 200), "--size must be between 8 and 128, not 200"),
    (("faces", "--items", 3), "--items must be between 30 and 1000000, not 3"),
    (("regression-images", "--outputs", 3), "--outputs must be 1 or 2, not 3"),
    (("segmentation", "--raters", 0), "--raters must be between 1 and 50, not 0"),
    (("segmentation", "--items", 1000000), "not enough memory for so many pixels"),
    (("linear-model", "--dimension", 0), "--dimension must be between 1"),
    (("digits", "--validation-votes", 0), "--validation-votes must be between 1"),
])
def test_bad_flags_are_one_sentence_and_leave_nothing(folder, args, words):
    run = folder.run("demo", *args)
    assert run.code == 2 and run.out == ""
    assert words in run.err and run.err.count("\n") == 1
    assert folder.names() == []


def test_a_folder_that_cannot_be_made(folder):
    folder.text("file", "")
    run = folder.run("demo", "faces", "--out", "file/faces", "--items", 30)
    assert run.code == 2 and "cannot create the directory" in run.err


@pytest.mark.parametrize("kind", SMALL)
def test_help(folder, kind):
    run = folder.run("demo", kind, "--help")
    assert run.code == 0 and f"plumb demo {kind}" in run.out and "--items" in run.out


def test_the_kernel_line_of_the_raw_model_is_smooth_and_whole(folder):
    """The raw model is over-confident: half of its forecasts are above 0.98, where a bandwidth at its floor made the line jump
    between 0 and 1."""
    assert folder.run("demo", "--out", "d", "--quiet").code == 0
    result = folder.evaluate("--probs", "d/test/probs.npy", "--counts", "d/test/counts.npy", "--metrics", "ece,ece_kde")
    p = np.load(folder / "d/test/probs.npy").max(axis=1)
    table = [row for row in result["tables"]["reliability_kde"] if max(p.min(), 0.01) <= row["p"] <= min(p.max(), 0.99)]
    assert len(table) >= 70
    line = np.array([row["estimate"] for row in table], float)
    assert np.isfinite(line).all(), "the line has gaps"
    assert np.abs(np.diff(line)).max() < 0.05, "the line jumps"
    assert np.abs(np.diff(line, 2)).max() < 0.01, "the line has corners"
    (folder / "raw.json").write_text(json.dumps(result))
    assert folder.run("report", "raw.json", "--plots", "plots").code == 0
    drawn = json.loads((folder / "plots/reliability.vl.json").read_text())["datasets"]["curve"]
    steps = np.diff([row["p"] for row in drawn])
    assert np.allclose(steps, 0.01) and drawn[-1]["p"] == 0.99
    shown = (p >= drawn[0]["p"]) & (p <= 1)
    assert shown.mean() > 0.98, "the line leaves forecasts out"
