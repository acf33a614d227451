"""A key under another name can be requested, gated on, compared and read from the JSON."""
import pytest

from conftest import values


@pytest.fixture
def flags(task):
    return ["--probs", "probs.npy", "--labels", "labels.npy"]


def test_both_names_are_in_the_json(folder, flags):
    old = folder.evaluate(*flags, "--metrics", "ece_debiased,ece", "--bootstrap", 20)
    new = folder.evaluate(*flags, "--metrics", "ece_l2_debiased,ece", "--bootstrap", 20)
    assert old["metrics"] == new["metrics"]
    assert list(values(old)) == ["ece", "ece_l2_debiased", "ece_debiased"]
    assert old["metrics"]["ece_debiased"] == old["metrics"]["ece_l2_debiased"]


def test_gates_take_either(folder, flags):
    for key in ("ece_debiased", "ece_l2_debiased"):
        assert folder.run("evaluate", *flags, "--fail-if", f"{key}>-2", "--quiet").code == 3
        assert folder.run("evaluate", *flags, "--fail-if", f"{key}>2", "--quiet").code == 0


def test_compare_and_stability_take_it(folder, flags):
    models = ["--model", "a=probs.npy", "--model", "b=probs.npy", "--labels", "labels.npy", "--bootstrap", 5]
    compared = folder.run("compare", *models, "--metrics", "ece_debiased", "--json", "-").json["compare"]["metrics"]
    assert compared["ece_debiased"] == compared["ece_l2_debiased"]
    assert folder.run("compare", *models, "--fail-if", "ece_debiased>1", "--quiet").code == 0
    assert folder.run("compare", *models, "--fail-if", "b.ece_debiased>-1", "--quiet").code == 3
    stable = folder.run("stability", *flags, "--estimators", "ece_debiased", "--repeats", 2, "--json", "-").json
    assert stable["stability"]["ece_debiased"] == stable["stability"]["ece_l2_debiased"]


def test_list_marks_it(folder):
    assert "(alias: ece_debiased)" in folder.run("list", "ece_debiased").out
    rows = {row["key"]: row for row in folder.run("list", "--json").json["metrics"]}
    assert rows["ece_l2_debiased"]["alias"] == "ece_debiased" and "ece_debiased" not in rows
    assert "alias" not in rows["ece"]


def test_a_page_has_it_once(folder, flags):
    folder.run("evaluate", *flags, "--json", "r.json", "--quiet")
    text = (folder / "r.json").read_text()
    assert text.count("ece_debiased") == 1
    folder.text("old.json", text.replace("ece_l2_debiased", "left_out"))  # a result from before the key
    for name in ("r.json", "old.json"):
        assert folder.run("report", name, "-o", "page.html").code == 0
        page = (folder / "page.html").read_text()
        assert "ece_l2_debiased" in page and '"ece_debiased"' not in page
