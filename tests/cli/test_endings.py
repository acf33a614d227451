"""What a command ends with: the next one, with the user's own files; and lines that a narrow terminal holds."""
import shlex

import numpy as np
import pytest

NARROW = {"COLUMNS": "80"}


@pytest.fixture
def models(folder):
    random = np.random.default_rng(3)
    p = random.random(400)
    folder.npy("p.npy", p), folder.npy("q.npy", np.clip(1.2 * p - 0.1, 0.001, 0.999))
    folder.npy("y.npy", (random.random(400) < p).astype(int))
    folder.text("items.csv", "the site\n" + "".join(f"{'ab'[i % 2]}\n" for i in range(400)))
    return folder


def next_words(run):
    """The last command of the output as a shell reads it."""
    assert run.code == 0, run.err
    text = run.out[run.out.rindex("\nNext\n"):].split("\n", 3)[3]
    return shlex.split(text.replace("\\\n", " "))


def follow(folder, words):
    assert words[0] == "plumb"
    return folder.run(*words[1:])


COMPARE = ("compare", "--model", "old=p.npy", "--model", "new=q.npy", "--labels", "y.npy", "--bootstrap", "20")


def test_compare_ends_with_its_page_and_then_one_model(models):
    words = next_words(models.run(*COMPARE, "--json", "c.json"))
    assert words[1] == "compare" and "--json" not in words and words[-2] == "--report"
    has_page = follow(models, words)
    if has_page.code != 0:  # a build without the page says so
        assert "page" in has_page.err
        return
    words = next_words(has_page)
    assert words[:4] == ["plumb", "evaluate", "--probs", "p.npy"]
    assert follow(models, words).code == 0


def test_stability_ends_with_its_curves(models):
    run = models.run("stability", "--probs", "p.npy", "--labels", "y.npy", "--groups", "items.csv:the site",
                     "--estimators", "ece,auroc", "--repeats", "3", "--bins", "10")
    words = next_words(run)
    assert words == ["plumb", "stability", "--probs", "p.npy", "--labels", "y.npy", "--groups", "items.csv:the site",
                     "--estimators", "ece,auroc", "--repeats", "3", "--bins", "10", "--report", "stability.html"]
    again = follow(models, words)
    assert again.code == 0 or "no report page" in again.err
    assert "Next:" not in again.out


@pytest.mark.parametrize("command", [
    ("uncertainty", "--probs", "p.npy", "--labels", "y.npy"),
    ("uncertainty", "--probs", "p.npy", "--labels", "y.npy", "--bootstrap", "20"),
    ("calibrate", "fit", "--method", "auto", "--probs", "p.npy", "--labels", "y.npy", "-o", "m.json"),
    ("calibrate", "fit", "--method", "temperature", "--probs", "p.npy", "--labels", "y.npy", "-o", "m.json"),
    ("stability", "--probs", "p.npy", "--labels", "y.npy", "--repeats", "3"),
    COMPARE,
    ("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--by", "items.csv:the site", "--bootstrap", "20"),
])
def test_lines_fit_80_columns(models, command):
    run = models.run(*command, env=NARROW)
    assert run.code == 0, run.err
    assert [line for line in run.out.splitlines() if len(line) > 80] == []


def test_too_many_bins_to_draw_are_refused(models):
    run = models.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--bins", "10001", "--bootstrap", "20")
    assert run.code == 2
    assert "with --bootstrap there may be at most 10000 bins; give fewer --bins, or leave --bootstrap out" in run.err
    assert models.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--bins", "10001").code == 0
