"""plumb compare --manifest: against the same voxels in memory, and what is said of manifests that do not match."""
import json

import jsonschema
import numpy as np
import pytest
from conftest import ROOT
from test_manifest import write
from test_report import document
from volumes import lesion, nifti

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())
HOW = ("--metrics", "ece,brier,nll,lsq", "--bootstrap", "60")
COLUMNS = ["case", "probs", "rater_1", "rater_2"]


@pytest.fixture
def cases(folder):
    """Eight cases of an over-confident model and of a better one; the second manifest has another order."""
    rows, data = {"raw": [], "better": []}, []
    for i in range(12):
        masks = None
        for name, sharpen in (("raw", 2.0), ("better", 1.1)):
            p, votes = lesion(i, raters=2, sharpen=sharpen)
            if masks is None:
                masks = {f"rater_{r + 1}": nifti(folder / f"m{i}_{r}.nii.gz", v) for r, v in enumerate(votes)}
                data.append([np.stack([v.ravel("F") for v in votes], 1).astype(np.int32)])
            rows[name].append({"case": f"c{i}", "probs": nifti(folder / f"{name}{i}.nii.gz", p), "group": f"g{i // 2}", **masks})
            data[-1].append(p.ravel("F"))
    for name, order in (("raw", 1), ("better", -1)):
        write(folder, rows[name][::order], COLUMNS)
        (folder / "cases.csv").rename(folder / f"{name}.csv")
    return rows, data


def compare(folder, *args, code=0):
    run = folder.run("compare", *args, "--json", "-")
    assert run.code == code, run.err
    result = json.loads(run.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(result)
    return result


MODELS = ("--manifest", "raw=raw.csv", "--manifest", "better=better.csv")


def test_pooled_is_the_comparison_of_all_voxels_and_means_those_of_cases(folder, cases):
    rows, data = cases
    ours = compare(folder, *MODELS, *HOW)
    folder.npy("v.npy", np.concatenate([d[0] for d in data]))
    folder.npy("a.npy", np.concatenate([d[1] for d in data])), folder.npy("b.npy", np.concatenate([d[2] for d in data]))
    folder.text("g.csv", "g\n" + "\n".join(f"c{i}" for i, d in enumerate(data) for _ in d[1]) + "\n")
    flat = compare(folder, "--model", "raw=a.npy", "--model", "better=b.npy", "--ratings", "v.npy", "--groups", "g.csv:g", *HOW)
    assert ours["items"] == flat["items"] and ours["votes"] == flat["votes"] and ours["settings"]["unit"] == "case"
    for key, m in flat["compare"]["metrics"].items():
        assert ours["compare"]["metrics"][key]["differences"] == m["differences"], key
    per_case = {}
    for name in ("raw", "better"):
        r = json.loads(folder.run("evaluate", "--manifest", name + ".csv", "--metrics", "ece,brier", "--json", "-").out)
        per_case[name] = {c["case"]: c["metrics"] for c in r["per_case"]}
    for key in ("ece", "brier"):
        d = [per_case["better"][c][key] - per_case["raw"][c][key] for c in per_case["raw"]]
        got = ours["compare_cases"]["metrics"][key]
        assert got["differences"][0]["difference"] == pytest.approx(np.mean(d), abs=1e-14)
        assert got["differences"][0]["low"] <= np.mean(d) <= got["differences"][0]["high"]
        assert got["best"] == "better"
    assert ours["settings"]["cases"] == 12
    table = folder.run("compare", *MODELS, *HOW).out
    assert "Means over 12 cases" in table and "The same cases are drawn" in table


def test_groups_are_the_unit_and_threads_do_not_matter(folder, cases):
    rows, _ = cases
    for name in ("raw", "better"):
        write(folder, rows[name], [*COLUMNS, "group"])
        (folder / "cases.csv").rename(folder / f"{name}.csv")
    a, b = (compare(folder, *MODELS, *HOW, "--threads", t) for t in "12")
    assert a["settings"]["unit"] == "group" and a["compare"] == b["compare"] and a["compare_cases"] == b["compare_cases"]


def test_the_page_has_both_comparisons_and_the_models(folder, cases):
    run = folder.run("compare", *MODELS, *HOW, "--json", "out.json", "--report", "direct.html", "--quiet")
    if "no report page" in run.err:
        pytest.skip(run.err.strip())
    assert run.code == 0 and folder.run("report", "out.json", "-o", "saved.html").code == 0, run.err
    saved, direct = document(folder / "saved.html"), document(folder / "direct.html")
    for page in (saved, direct):
        tables = {t["title"]: t for s in page["sections"] if s["id"] == "compare" for t in s["tables"]}
        assert list(tables) == ["Paired differences over all voxels", "Paired differences of the means over cases"]
        means = json.loads((folder / "out.json").read_text())["compare_cases"]["metrics"]
        rows = {row[0]: row for row in tables["Paired differences of the means over cases"]["rows"]}
        assert {key: row[3] for key, row in rows.items()} == {key: m["differences"][0]["difference"] for key, m in means.items()}
    assert [m["name"] for m in direct["models"]] == ["raw", "better"] and "cases" in [s["id"] for s in direct["sections"]]


def test_gates(folder, cases):
    assert folder.run("compare", *MODELS, *HOW, "--fail-if", "brier>0", "--quiet").code == 0
    assert folder.run("compare", *MODELS, *HOW, "--reference", "better", "--fail-if", "brier>0", "--quiet").code == 3


@pytest.mark.parametrize("args,said", [
    (MODELS[:2], "two models or more"),
    (("--manifest", "raw.csv", "--manifest", "better.csv"), "NAME=FILE"),
    ((*MODELS, "--predicted"), "--predicted"),
    ((*MODELS, "--foreground"), "--foreground"),
    ((*MODELS, "--metrics", "auroc"), "auroc needs all voxels sorted"),
    ((*MODELS, "--reference", "bettr"), 'did you mean "better"'),
    ((*MODELS, "--report", "r.png"), "ends in .html"),
    ((*MODELS, "--bandwidth", "0.1"), "--bandwidth"),
    (("--manifest", "raw=raw.csv", "--manifest", "raw=better.csv"), "two models are called"),
    (("--manifest", "raw=raw.csv", "--manifest", "x=fewer.csv"), "case c11 is in raw.csv but not in fewer.csv"),
    (("--manifest", "raw=fewer.csv", "--manifest", "x=raw.csv"), "case c11 is in raw.csv but not in fewer.csv"),
    (("--manifest", "raw=raw.csv", "--manifest", "x=swapped.csv"), "case c3 of model x: its masks differ"),
    (("--manifest", "raw=raw.csv", "--manifest", "x=grouped.csv"), "column group"),
])
def test_refusals(folder, cases, args, said):
    rows, _ = cases
    swapped = [dict(r) for r in rows["better"]]
    swapped[3]["rater_1"], swapped[3]["rater_2"] = swapped[3]["rater_2"], swapped[3]["rater_1"]
    for name, table, columns in (("fewer", rows["better"][:11], COLUMNS), ("swapped", swapped, COLUMNS), ("grouped", rows["better"], [*COLUMNS, "group"])):
        write(folder, table, columns)
        (folder / "cases.csv").rename(folder / f"{name}.csv")
    run = folder.run("compare", *args, "--json", "out.json")
    assert run.code == 2 and run.err.count("\n") == 1 and said in run.err, run.err
    assert not (folder / "out.json").exists()
