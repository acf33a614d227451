"""plumb evaluate --layout: folders of nnU-Net and BIDS give what a manifest of the same files gives."""
import json
import shutil

import numpy as np
import pytest
from volumes import lesion, nifti, png

KEYS = ("--metrics", "ece,brier,accuracy,lsq", "--json", "-")
PARTS = ("metrics", "consensus", "per_case", "cases", "overlap")


def result(folder, *args):
    run = folder.run("evaluate", *args, *KEYS)
    assert run.code == 0, run.err
    return json.loads(run.out)


def refused(folder, *args):
    run = folder.run("evaluate", *args)
    assert run.code == 2 and run.err.count("\n") == 1, run.err
    return run.err


@pytest.fixture
def nnunet(folder):
    """Two cases, three classes, two raters; every axis has another length."""
    for name in ("predictions", "labelsTs_anna", "labels_ben"):
        (folder / "D7" / name).mkdir(parents=True)
    (folder / "D7" / "imagesTs").mkdir()
    rows = ["case,probs,rater_anna,rater_ben"]
    for i in range(2):
        p, votes = lesion(i, shape=(7, 6, 5), raters=2, classes=3)
        assert p.shape == (7, 6, 5, 3)
        np.savez_compressed(folder / "D7" / "predictions" / f"scan_{i}.npz", probabilities=np.ascontiguousarray(p.transpose(3, 2, 1, 0)))
        (folder / "D7" / "predictions" / f"scan_{i}.pkl").write_bytes(b"not to be opened")
        nifti(folder / "D7" / "predictions" / f"scan_{i}.nii.gz", votes[0])
        nifti(folder / "D7" / "labelsTs_anna" / f"scan_{i}.nii.gz", votes[0])
        nifti(folder / "D7" / "labels_ben" / f"scan_{i}.nii.gz", votes[1])
        rows.append(f"scan_{i},{nifti(folder / f'p{i}.nii.gz', p)},D7/labelsTs_anna/scan_{i}.nii.gz,D7/labels_ben/scan_{i}.nii.gz")
    folder.text("cases.csv", "\n".join(rows) + "\n")
    return folder


def same(got, expected):
    for r in (got, expected):
        for c in r["per_case"]:
            for own in (c["overlap"], *c["overlap"].get("structures", {}).values()):
                if isinstance(own["raters"], dict):
                    own["raters"] = list(own["raters"].values())
            c.pop("group", None)
    for part in PARTS:
        assert got.get(part) == expected.get(part), part


def test_nnunet(nnunet):
    got, expected = result(nnunet, "--layout", "nnunet", "D7"), result(nnunet, "--manifest", "cases.csv")
    same(got, expected)
    assert list(got["per_rater"]) == ["anna", "ben"] and got["per_rater"]["ben"] == expected["per_rater"]["rater_ben"]
    text = (nnunet / "cases.csv").read_text()
    for i in range(2):
        text = text.replace(f"p{i}.nii.gz", f"D7/predictions/scan_{i}.npz:probabilities")
    nnunet.text("cases.csv", text)
    same(result(nnunet, "--manifest", "cases.csv", "--class-axis", "nnunet"), expected)


def test_nnunet_pictures(folder):
    """One slice: K x 1 x height x width, masks not reversed."""
    (folder / "D").mkdir(), (folder / "D" / "predictions").mkdir(), (folder / "D" / "labelsTr").mkdir()
    p, votes = lesion(1, shape=(9, 6), raters=1)
    both = np.stack([1 - p, p])[:, None]
    np.savez(folder / "D" / "predictions" / "a.npz", probabilities=both)
    png(folder / "D" / "labelsTr" / "a.png", votes[0])
    folder.text("cases.csv", f"case,probs,mask\na,{folder.npy('p.npy', both[:, 0])},D/labelsTr/a.png\n")
    got = result(folder, "--layout", "nnunet", "D")
    same(got, result(folder, "--manifest", "cases.csv", "--class-axis", "first"))
    assert list(got["per_rater"]) == ["labels"]


def test_bad_nnunet_folders(nnunet):
    d = nnunet / "D7"
    cropped = np.load(d / "predictions" / "scan_1.npz")["probabilities"][:, 1:]
    np.savez(d / "predictions" / "scan_1.npz", probabilities=cropped)
    said = refused(nnunet, "--layout", "nnunet", "D7")
    assert "case scan_1: " in said and "3 x 4 x 6 x 7" in said and "classes x 5 x 6 x 7" in said and "cropped" in said and ".pkl" in said
    np.savez(d / "predictions" / "scan_1.npz", softmax=cropped)
    assert "probabilities" in refused(nnunet, "--layout", "nnunet", "D7")
    (d / "labels_anna").mkdir()
    nifti(d / "labels_anna" / "scan_0.nii", np.zeros((7, 6, 5), np.uint8))
    assert "both masks of rater anna" in refused(nnunet, "--layout", "nnunet", "D7")
    (d / "predictions" / "scan_9.npz").write_bytes((d / "predictions" / "scan_0.npz").read_bytes())
    (d / "labels_anna" / "scan_0.nii").unlink()
    assert "case scan_9: no folder labels" in refused(nnunet, "--layout", "nnunet", "D7")
    (d / "predictions_old").mkdir()
    assert "2 folders called predictions" in refused(nnunet, "--layout", "nnunet", "D7")
    (nnunet / "empty").mkdir()
    assert "0 folders called predictions" in refused(nnunet, "--layout", "nnunet", "empty")
    assert "nowhere is not a folder" in refused(nnunet, "--layout", "nnunet", "nowhere")
    assert "takes one folder" in refused(nnunet, "--layout", "nnunet")
    assert "--layout" in refused(nnunet, "--manifest", "cases.csv", "D7")


def test_bids(folder):
    rows = ["case,probs,rater_1,rater_2,group"]
    for i in range(4):
        p, votes = lesion(i, raters=2)
        sub, ses = f"sub-{i // 2}", f"ses-{i % 2}"
        for part in ("model", "anna", "ben"):
            (folder / "B" / "derivatives" / part / sub / ses / "anat").mkdir(parents=True)
        at = folder / "B" / "derivatives"
        nifti(at / "model" / sub / ses / "anat" / f"{sub}_{ses}_label-lesion_probseg.nii.gz", p)
        nifti(at / "anna" / sub / ses / "anat" / f"{sub}_{ses}_label-lesion_mask.nii.gz", votes[0])
        nifti(at / "ben" / sub / ses / "anat" / f"{sub}_{ses}_desc-benni_dseg.nii", votes[1])
        rows.append(",".join([f"{sub}_{ses}", nifti(folder / f"p{i}.nii", p), nifti(folder / f"a{i}.nii", votes[0]),
                              nifti(folder / f"b{i}.nii", votes[1]), str(i // 2)]))
    folder.text("cases.csv", "\n".join(rows) + "\n")
    got = result(folder, "--layout", "bids", "B", "--bootstrap", "20")
    same(got, result(folder, "--manifest", "cases.csv", "--bootstrap", "20"))
    assert list(got["per_rater"]) == ["anna", "benni"] and got["settings"]["unit"] == "group"
    (folder / "B" / "derivatives" / "anna" / "sub-1" / "ses-1" / "anat" / "sub-1_ses-1_label-lesion_mask.nii.gz").unlink()
    (folder / "B" / "derivatives" / "ben" / "sub-1" / "ses-1" / "anat" / "sub-1_ses-1_desc-benni_dseg.nii").unlink()
    assert "case sub-1_ses-1: there is no" in refused(folder, "--layout", "bids", "B")
    (folder / "E").mkdir()
    assert "_probseg.nii.gz" in refused(folder, "--layout", "bids", "E")


def test_other_commands_take_a_layout(nnunet):
    """The same model and the same measures as from a manifest."""
    for name, args in (("a", ("--layout", "nnunet", "D7")), ("b", ("--manifest", "cases.csv"))):
        run = nnunet.run("calibrate", "fit", *args, "--method", "temperature", "-o", f"{name}.json")
        assert run.code == 0, run.err
        run = nnunet.run("uncertainty", *args, "--json", f"u{name}.json")
        assert run.code == 0, run.err
    a, b, ua, ub = (json.loads((nnunet / f"{name}.json").read_text()) for name in ("a", "b", "ua", "ub"))
    assert a["steps"] == b["steps"] and ua["tables"] == ub["tables"] and ua["metrics"] == ub["metrics"]


def test_the_voxel_whose_probabilities_do_not_sum_to_one_is_named(nnunet):
    p, _ = lesion(1, shape=(7, 6, 5), raters=2, classes=3)
    p[3, 4, 2] *= 0.9
    nifti(nnunet / "p1.nii.gz", p)
    for command in (("evaluate",), ("calibrate", "fit", "--method", "temperature", "-o", "m.json")):
        run = nnunet.run(*command, "--manifest", "cases.csv")
        assert run.code == 2 and run.err.count("\n") == 1, run.err
        assert "case scan_1: " in run.err and "voxel (3, 4, 2): the probabilities of the classes sum to 0.9" in run.err, run.err
    roi = np.ones((7, 6, 5), np.uint8)
    roi[3, 4, 2] = 0
    lines = (nnunet / "cases.csv").read_text().splitlines()
    nnunet.text("cases.csv", f"{lines[0]},roi\n{lines[1]},\n{lines[2]},{nifti(nnunet / 'roi.nii', roi)}\n")
    result(nnunet, "--manifest", "cases.csv")
    nnunet.text("cases.csv", "\n".join(lines) + "\n")
    result(nnunet, "--manifest", "cases.csv", "--normalize")


def test_compare_and_apply_take_a_layout(nnunet):
    """Calibrated files in a layout of their own, compared with those that came in."""
    run = nnunet.run("calibrate", "fit", "--layout", "nnunet", "D7", "--method", "temperature", "-o", "m.json")
    assert run.code == 0, run.err
    run = nnunet.run("calibrate", "apply", "m.json", "--layout", "nnunet", "D7", "-o", "out")
    assert run.code == 0 and "--class-axis nnunet" in run.out, run.err
    run = nnunet.run("calibrate", "apply", "m.json", "--manifest", "cases.csv", "-o", "other")
    assert run.code == 0, run.err
    got = result(nnunet, "--manifest", "out/manifest.csv", "--class-axis", "nnunet")
    same(got, result(nnunet, "--manifest", "other/manifest.csv"))
    assert list(got["per_rater"]) == ["rater_anna", "rater_ben"]

    (nnunet / "D8" / "predictions").mkdir(parents=True)
    for labels in ("labelsTs_anna", "labels_ben"):
        (nnunet / "D8" / labels).symlink_to(nnunet / "D7" / labels)
    for i in range(2):
        np.savez(nnunet / "D8" / "predictions" / f"scan_{i}.npz", probabilities=np.load(nnunet / "out" / f"scan_{i}.npy"))
    keys = ("--metrics", "ece,brier", "--bootstrap", "20", "--json", "-")
    a = nnunet.run("compare", "--layout", "nnunet", "raw=D7", "calibrated=D8", *keys)
    b = nnunet.run("compare", "--manifest", "raw=cases.csv", "--manifest", "calibrated=other/manifest.csv", *keys)
    assert a.code == 0 and b.code == 0, a.err + b.err
    a, b = json.loads(a.out), json.loads(b.out)
    assert a["compare"] == b["compare"] and a["compare_cases"] == b["compare_cases"]
    assert [i["flag"] for i in a["inputs"]] == ["--layout", "--layout"]


def test_layouts_of_compare_and_apply_that_are_refused(nnunet):
    for args, said in (
        (("compare", "--layout", "nnunet", "raw=D7"), "two models or more; give a folder of each as NAME=DIR"),
        (("compare", "--layout", "nnunet", "--manifest", "raw=cases.csv"), "--layout"),
        (("compare", "--manifest", "raw=cases.csv", "D7"), "--layout nnunet or bids"),
        (("compare", "--axes", "NHWK"), "two models or more; give the array of each with --probs NAME=FILE"),
        (("calibrate", "apply", "m.json", "--layout", "nnunet", "-o", "out"), "give the model and then the folder"),
        (("calibrate", "apply", "m.json", "--axes", "NHW", "-o", "out"), "--axes needs an array"),
    ):
        run = nnunet.run(*args)
        assert run.code == 2 and run.err.count("\n") == 1 and said in run.err, (args, run.err)
    assert not (nnunet / "out").exists()


def test_apply_needs_no_masks(nnunet):
    nnunet.run("calibrate", "fit", "--layout", "nnunet", "D7", "--method", "temperature", "-o", "m.json")
    for labels in ("labelsTs_anna", "labels_ben"):
        shutil.rmtree(nnunet / "D7" / labels)
    run = nnunet.run("calibrate", "apply", "m.json", "--layout", "nnunet", "D7", "-o", "out", "--quiet")
    assert run.code == 0 and (nnunet / "out" / "scan_1.npy").exists(), run.err
