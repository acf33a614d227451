"""A researcher has tables in CSV: a risk score with outcomes, and readings of three raters."""
import json
import re

import numpy as np
import pytest
from conftest import next_command

# How the examples call what the researcher has in cohort.csv.
OWN = [("probs.npy", "cohort.csv:p"), ("labels.npy", "cohort.csv:y"), ("items.csv:patient", "cohort.csv:patient")]


def write_cohort(walk, patients, visits=4):
    rng = np.random.default_rng(3)
    rows = ["patient,site,p,y"]
    for patient in range(patients):
        for _ in range(visits):
            u = rng.normal(-1, 1.2)
            p, truth = 1 / (1 + np.exp(-2 * u)), 1 / (1 + np.exp(-u))
            rows.append(f"P{patient:04d},{('north', 'harbour')[patient % 2]},{p:.5f},{int(rng.random() < truth)}")
    (walk.path / "cohort.csv").write_text("\n".join(rows) + "\n")


def write_readings(walk, n=400):
    rng = np.random.default_rng(4)
    q = rng.beta(1, 2, size=n)
    (walk.path / "probs.csv").write_text("benign,malignant\n" + "".join(f"{1 - p:.6f},{p:.6f}\n" for p in q.round(6)))
    votes = np.where(rng.random((n, 3)) < q[:, None], "malignant", "benign")
    votes[rng.random((n, 3)) < 0.2] = ""
    (walk.path / "votes.csv").write_text("rater_a,rater_b,rater_c\n" + "".join(",".join(v) + "\n" for v in votes))


def example(walk, command, *words):
    return next(c for c in walk.help_commands(command) if all(w in c for w in words))


def test_what_is_in_the_table(walk):
    write_cohort(walk, 100)
    described = walk.shell(example(walk, "describe", "cohort.csv").split(' "')[0])
    for column, flag in (("p", "--probs"), ("y", "--labels"), ("site", "--by"), ("patient", "--groups")):
        part = re.search(rf"^cohort\.csv:{column}\n(.*?)(?=^cohort|\Z)", described, re.M | re.S)[1]
        assert f"could be {flag}" in part, described


def test_patients_as_the_unit_to_a_verdict(walk):
    write_cohort(walk, 400)
    printed = walk.shell(example(walk, "evaluate", "items.csv:patient", "--bootstrap"), instead=OWN)
    assert "Clearly off" in printed and "In words" in printed
    assert float(re.search(r"^  calibration_slope +([0-9.]+)", printed, re.M)[1]) < 0.7
    fit = next_command(printed)
    assert "--groups cohort.csv:patient" in fit
    steps = walk.follow(fit)
    assert any("calibrated.npy" in c and c.startswith("plumb evaluate") and re.search("^(Trustworthy|Cannot tell)", out, re.M)
               for c, out in steps)


def test_by_site_as_json(walk):
    write_cohort(walk, 400)
    printed = walk.shell(example(walk, "evaluate", "cohort.csv:p", "--json -"))
    assert json.loads(printed)["items"] == 1600 and '"harbour"' in printed and '"north"' in printed


def test_too_few_patients(walk):
    write_cohort(walk, 6, visits=5)
    printed = walk.shell(example(walk, "evaluate", "items.csv:patient", "--bootstrap"), instead=OWN)
    assert re.search("^Cannot tell", printed, re.M)
    assert walk.follow(next_command(printed))


def test_readings_of_several_raters(walk):
    write_readings(walk)
    printed = walk.shell(example(walk, "evaluate", "votes.csv:rater_*"))
    assert re.match(r"\d+ items, 2 classes, [\d,]+ votes", printed), printed  # readings, not one label
    assert re.search(r"^  agreement ", printed, re.M)


def test_a_page_to_mail(walk):
    write_cohort(walk, 200)
    made = example(walk, "report", "evaluate", "--json")
    shown = example(walk, "report", "plumb report raw.json -o")
    walk.shell(made, instead=OWN)
    said = walk.shell(shown + " || true")
    if "no report page" in said:
        pytest.skip(said.strip())
    assert "report.html" in said
    text = (walk.path / "report.html").read_text()
    assert "Clearly off" in text and "http://" not in re.sub(r"http://www\.w3\.org\S*", "", text.split("<script", 1)[0])
