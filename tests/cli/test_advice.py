"""Gates that cannot do what they seem to, and advice that would mislead."""
import numpy as np
import pytest


@pytest.fixture
def over(folder):
    """Forecasts of the other class: wrong beyond doubt."""
    rng = np.random.default_rng(3)
    p = rng.uniform(size=300)
    folder.npy("p.npy", p)
    folder.npy("q.npy", np.clip(p + rng.uniform(-0.05, 0.05, 300), 0, 1))
    folder.npy("y.npy", (rng.uniform(size=300) < 1 - p).astype(int))
    return folder


def gate(folder, text, *more):
    return folder.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--metrics", "ece,ks,accuracy", "--quiet", "--fail-if", text, *more)


@pytest.mark.parametrize("text, enough", [("ece.p_value<0.001", 1000), ("ece.p_value<=0.001", 999), ("ks.p_value < 0.004", 250)])
def test_a_gate_below_the_smallest_p_value_is_refused(over, text, enough):
    r = gate(over, text, "--bootstrap", 200)
    assert r.code == 2 and "can never fail" in r.err and f"--bootstrap {enough} or more" in r.err, r.err
    assert gate(over, text, "--bootstrap", enough).code == 3, "the smallest p-value makes it fail"
    assert "can never fail" in gate(over, text, "--bootstrap", enough - 1).err


def test_a_gate_within_reach_is_decided(over):
    assert gate(over, "ece.p_value<0.01", "--bootstrap", 200).code == 3
    assert gate(over, "ece.p_value>0.001", "--bootstrap", 200).code == 3, "above is no matter of reach"
    assert "no p-value is that small" in gate(over, "ece.p_value<0", "--bootstrap", 200).err


def test_a_difference_has_two_sides(over):
    """Its smallest p-value is twice as large."""
    args = ("compare", "--model", "a=p.npy", "--model", "b=q.npy", "--labels", "y.npy", "--metrics", "ece,nll", "--bootstrap", 100)
    r = over.run(*args, "--fail-if", "nll.p_value<0.015", "--quiet")
    assert r.code == 2 and "--bootstrap 133 or more" in r.err, r.err


def test_a_missing_interval_names_what_to_gate_on(over):
    r = gate(over, "ks.high>0.1", "--bootstrap", 200)
    assert r.code == 2 and "ks has no interval; gate on its p-value, ks.p_value" in r.err, r.err
    r = gate(over, "accuracy.p_value<0.05", "--bootstrap", 200)
    assert r.code == 2 and "accuracy has no p-value; gate on its interval" in r.err, r.err
    assert "give --bootstrap 200" in gate(over, "ece.high>0.1").err


def test_merged_states_are_not_told_to_resample(over):
    over.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--metrics", "ece", "--save-state", "s.plumb", "--quiet")
    for text in ("verdict!=trustworthy", "ece.high>0.1", "ece.p_value<0.05"):
        r = over.run("merge", "s.plumb", "--quiet", "--fail-if", text)
        assert r.code == 2 and "merged states hold no items to resample" in r.err, r.err


def test_an_unknown_reference_names_the_models(over):
    r = over.run("compare", "--model", "old=p.npy", "--model", "new=q.npy", "--labels", "y.npy", "--reference", "ol")
    assert r.code == 2 and "--reference ol: no model has this name" in r.err and "the models are old, new" in r.err, r.err


def test_a_level_out_of_reach(over):
    out = over.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--metrics", "ece", "--bootstrap", 100, "--level", "0.9999999").out
    assert "give --level 0.95" in out and "99.99999% interval" in out and "100% interval" not in out, out
    assert "plumb evaluate --probs p.npy --labels y.npy --metrics ece --bootstrap 100 --level 0.95" in " ".join(out.replace("\\", "").split())


def test_advice_after_few_replicates_and_one_item(over):
    out = over.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--metrics", "ece", "--bootstrap", 3).out
    assert "--metrics ece --bootstrap 200" in " ".join(out.split()) and "stability" not in out, out
    over.npy("p1.npy", [0.3])
    over.npy("y1.npy", [1])
    for more in ((), ("--bootstrap", 200)):
        out = over.run("evaluate", "--probs", "p1.npy", "--labels", "y1.npy", *more).out
        assert "Next" not in out and "give --bootstrap" not in out.split("Not defined")[0], out
    r = over.run("evaluate", "--probs", "p1.npy", "--labels", "y1.npy", "--metrics", "ece_corrected", "--bootstrap", 200, "--json", "-").json
    assert r["metrics"]["ece_corrected"]["why"] == "there is only 1 item to resample"


def test_probabilities_given_as_logits_are_noticed(folder):
    rng = np.random.default_rng(5)
    z = rng.dirichlet(np.ones(3), 200)
    folder.npy("z.npy", z)
    folder.npy("u.npy", np.log(z))
    folder.npy("y.npy", rng.integers(3, size=200))
    note = "if they are probabilities, give them as"
    told = folder.evaluate("--logits", "z.npy", "--labels", "y.npy", "--metrics", "ece")["notes"]
    assert any(note in n for n in told), told
    for args in (("--logits", "u.npy"), ("--probs", "z.npy")):
        assert not any(note in n for n in folder.evaluate(*args, "--labels", "y.npy", "--metrics", "ece")["notes"])
    r = folder.run("calibrate", "fit", "--logits", "z.npy", "--labels", "y.npy", "--method", "temperature", "-o", "m.json")
    assert note in " ".join((r.out + r.err).split()), r.out + r.err


def test_ids_with_leading_zeros_are_names(folder):
    folder.text("a.csv", "id,p\n" + "".join(f"{i:05d},{i / 40}\n" for i in range(1, 40)))
    out = folder.run("describe", "a.csv").out
    lines = out.splitlines()
    at = next(i for i, x in enumerate(lines) if "a.csv:id" in x)
    assert lines[at + 1].split() == ["text", "39"], out


def test_no_value_is_best_over_other_data(over):
    """The page ranks values of the same items alone."""
    for name, n in (("all", 300), ("half", 150)):
        for file in ("p", "y"):
            over.npy(f"{file}_{name}.npy", np.load(over / f"{file}.npy")[:n])
        over.run("evaluate", "--probs", f"p_{name}.npy", "--labels", f"y_{name}.npy", "--metrics", "ece", "--json", f"{name}.json", "--quiet")
    over.run("evaluate", "--probs", "q.npy", "--labels", "y.npy", "--metrics", "ece", "--json", "other.json", "--quiet")
    for files, ranked in ((("all.json", "half.json"), False), (("all.json", "other.json"), True)):
        r = over.run("report", *files, "-o", "r.html")
        assert r.code == 0, r.err
        assert ('"better":"lower"' in (over / "r.html").read_text().replace('": ', '":')) == ranked, files


def test_apply_ends_with_the_command_that_judges(over):
    assert over.run("calibrate", "fit", "--method", "platt", "--probs", "p.npy", "--labels", "y.npy", "-o", "m.json", "--quiet").code == 0
    r = over.run("calibrate", "apply", "m.json", "--probs", "q.npy", "-o", "new.npy")
    assert r.code == 0 and "plumb evaluate --probs new.npy --labels LABELS" in r.out, r.out + r.err
    assert over.run("calibrate", "apply", "m.json", "--probs", "q.npy", "-o", "new.npy", "--quiet").out == ""
