"""plumb audit: slices, cuts, intersections, ranks, differences from the rest."""
import json
import random

import jsonschema
import pytest

from conftest import ROOT, run_plumb

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())


@pytest.fixture(scope="module")
def wards(tmp_path_factory):
    """Calibrated but for one site, whose outcomes are more frequent; a site of a few patients."""
    rng = random.Random(4)
    lines = ["p,y,site,sex,age"]
    for i in range(1200):
        p = 0.1 + 0.7 * rng.random()
        site = "tiny" if i < 20 else rng.choice(["north", "south", "west"])
        y = rng.random() < (p ** 0.4 if site == "west" else p)
        lines.append(f"{p:.4f},{int(y)},{site},{rng.choice('fm')},{rng.randint(20, 89)}")
    path = tmp_path_factory.mktemp("audit") / "wards.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def audit(wards, *more):
    run = run_plumb("audit", "--probs", f"{wards}:p", "--labels", f"{wards}:y", "--by", f"{wards}:site", *more)
    assert run.code == 0, run.err
    return run


def test_the_slice_that_is_off_comes_first(wards):
    run = audit(wards, "--bootstrap", "60")
    assert "Slices, worst first" in run.out and "Differences from the rest" in run.out
    result = json.loads(audit(wards, "--bootstrap", "60", "--json", "-").out)
    jsonschema.validate(result, SCHEMA)
    ranks = result["tables"]["audit_ranks"]
    assert ranks[0]["slice"] == "west" and ranks[-1]["slice"] == "tiny" and ranks[-1]["small"]
    gap = {r["slice"]: r for r in result["tables"]["audit"] if r["metric"] == "gap"}
    assert gap["west"]["clear"] and gap["west"]["low"] > 0.05
    assert gap["tiny"]["low"] is None
    rows = [line.split(",") for line in wards.read_text().split()[1:]]
    west = [float(y) - float(p) for p, y, site, *_ in rows if site == "west"]
    rest = [float(y) - float(p) for p, y, site, *_ in rows if site != "west"]
    assert gap["west"]["value"] == pytest.approx(sum(west) / len(west), abs=1e-12)
    assert gap["west"]["rest"] == pytest.approx(sum(rest) / len(rest), abs=1e-12)
    assert any("fewer than 50 items" in note for note in result["notes"])


def test_cuts_and_intersections(wards):
    result = json.loads(audit(wards, "--by", f"{wards}:age", "--by", f"{wards}:sex", "--cut", "age=40,65", "--cross", "2",
                              "--min-items", "30", "--bootstrap", "40", "--metrics", "brier,ece", "--json", "-").out)
    jsonschema.validate(result, SCHEMA)
    ways = {g["by"] for g in result["per_group"]}
    assert ways == {"site", "age", "sex", "site x age", "site x sex", "age x sex"}
    assert {g["group"] for g in result["per_group"] if g["by"] == "age"} == {"below 40", "40 to below 65", "65 and above"}
    for way in ways:
        assert sum(g["items"] for g in result["per_group"] if g["by"] == way) == 1200
    quarters = json.loads(audit(wards, "--by", f"{wards}:age", "--cut", "age=quantile4", "--bootstrap", "20", "--metrics", "brier",
                                "--json", "-").out)
    assert len([g for g in quarters["per_group"] if g["by"] == "age"]) == 4


def test_the_same_bits_for_threads_and_order_of_slices(wards):
    flags = ("--by", f"{wards}:sex", "--cross", "2", "--bootstrap", "30", "--json", "-")
    one, four = (json.loads(audit(wards, *flags, "--threads", n).out)["tables"] for n in ("1", "4"))
    assert one == four


def test_a_forest_plot(wards, tmp_path):
    run = run_plumb("audit", "--probs", f"{wards}:p", "--labels", f"{wards}:y", "--by", f"{wards}:site", "--bootstrap", "30",
                    "--plots", str(tmp_path / "plots"), "--quiet")
    assert run.code == 0, run.err
    spec = json.loads((tmp_path / "plots" / "forest.vl.json").read_text())
    assert {row["slice"] for row in spec["datasets"]["rows"]} == {"site north", "site south", "site west"}


@pytest.mark.parametrize("flags, words", [
    (["--cut", "age=quantile4"], 'no --by is called "age"'),
    (["--cut", "site=quantile4"], "is not a number and cannot be cut"),
    (["--cut", "site=4,3"], "--cut takes NAME=quantile4"),
    (["--cross", "2"], "--cross is 2, and there is 1 way to slice"),
    (["--bootstrap", "0"], "an audit needs at least 20 replicates"),
    (["--min-items", "0"], "--min-items must be at least 1"),
    (["--rank", "ks"], "has no interval to rank by"),
    (["--rank", "brierr"], "there is no metric"),
])
def test_what_is_refused(wards, flags, words):
    run = run_plumb("audit", "--probs", f"{wards}:p", "--labels", f"{wards}:y", "--by", f"{wards}:site", *flags)
    assert run.code == 2 and words in run.err, run.err


def test_an_audit_needs_slices(wards):
    run = run_plumb("audit", "--probs", f"{wards}:p", "--labels", f"{wards}:y")
    assert run.code == 2 and "give one --by or more" in run.err
