"""Cases of which the chosen voxels leave nothing: healthy scans are no error."""
import json

import numpy as np
import pytest
from test_manifest import evaluate, lesions, write  # noqa: F401
from volumes import nifti

COLUMNS = ["case", "probs", "rater_1", "rater_2", "rater_3"]


@pytest.fixture
def healthy(folder, lesions):  # noqa: F811
    """The five lesions and a case without a predicted voxel."""
    rows, data = lesions
    shape = data[0][0].shape
    nothing = {"case": "healthy", "probs": nifti(folder / "none.nii", np.zeros(shape, np.float32))}
    for r in range(3):
        nothing[f"rater_{r + 1}"] = nifti(folder / f"none_{r}.nii", np.zeros(shape, np.uint8))
    write(folder, [*rows, nothing], COLUMNS)
    return folder, rows


@pytest.mark.parametrize("chosen", ["--predicted", "--foreground"])
def test_it_adds_nothing(healthy, chosen):
    folder, rows = healthy
    both = evaluate(folder, chosen, "--metrics", "ece,brier")
    assert any("1 case has no voxel left and adds nothing: healthy" in note for note in both["notes"])
    assert [c["case"] for c in both["per_case"]] == [r["case"] for r in rows]
    write(folder, rows, COLUMNS)
    alone = evaluate(folder, chosen, "--metrics", "ece,brier")
    assert alone["metrics"] == both["metrics"]
    assert not any("no voxel left" in note for note in alone["notes"])


def test_other_commands(healthy):
    folder, _ = healthy
    run = folder.run("uncertainty", "--manifest", "cases.csv", "--predicted", "--json", "u.json")
    assert run.code == 0, run.err
    assert "1 case has no voxel left" in run.out
    with_it = json.loads((folder / "u.json").read_text())["measures"]
    run = folder.run("calibrate", "fit", "--manifest", "cases.csv", "--predicted", "--method", "temperature", "-o", "m.json")
    assert run.code == 0, run.err
    assert with_it["u1"]["auroc"] is not None


def test_all_of_them(folder, healthy):
    _, rows = healthy
    write(folder, [{"case": "healthy", "probs": "none.nii", "rater_1": "none_0.nii"}], COLUMNS[:3])
    run = folder.run("evaluate", "--manifest", "cases.csv", "--predicted")
    assert run.code == 2
    assert "case healthy: no voxel is left: --predicted leaves out all of them" in run.err


def test_messages(folder, lesions):  # noqa: F811
    rows, data = lesions
    for args, message in [
        (("--band", "inf"), "--band takes a distance in mm, not inf"),
        (("--probs", "p0.nii.gz"), "--probs is for arrays; with --manifest the columns of the table name the files"),
    ]:
        run = folder.run("evaluate", "--manifest", "cases.csv", *args)
        assert run.code == 2
        assert message in run.err
    affine = np.eye(4)
    affine[0, 0] = np.nan
    rows[0]["rater_2"] = nifti(folder / "nan.nii", data[0][1][1], affine=affine)
    rows[0]["logits"] = "p0.nii.gz"
    write(folder, rows, COLUMNS)
    run = folder.run("evaluate", "--manifest", "cases.csv")
    assert run.code == 2
    assert "nan.nii and " in run.err and "are not on the same grid" in run.err
    write(folder, rows, [*COLUMNS, "logits"])
    run = folder.run("evaluate", "--manifest", "cases.csv")
    assert run.code == 2
    assert "has a column probs and a column logits" in run.err


def test_describe_names_the_manifest(folder, lesions):  # noqa: F811
    assert "plumb evaluate --manifest cases.csv" in folder.run("describe", "cases.csv").out
