"""plumb calibrate apply --manifest: files like those that came in, against arrays and against nibabel."""
import csv
import gzip
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest
from conftest import ROOT
from test_manifest import write
from volumes import lesion, nifti, png

NIFTI_PYTHON = pathlib.Path(os.environ.get("PLUMB_NIFTI_PYTHON", ROOT / ".venv-nifti" / "bin" / "python"))
needs_nibabel = pytest.mark.skipif(not (NIFTI_PYTHON.parent.parent / "ready").exists() and "PLUMB_NIFTI_PYTHON" not in os.environ,
                                   reason="nibabel is not installed (tools/setup nifti)")


@pytest.fixture
def model(folder):
    """A temperature for two classes and one for three."""
    rng = np.random.default_rng(3)
    p = rng.uniform(0.01, 0.99, 400)
    folder.npy("fp.npy", p), folder.npy("fy.npy", (rng.uniform(size=400) < 1 / (1 + ((1 - p) / p) ** 0.5)).astype(np.int32))
    q = rng.dirichlet([1, 1, 1], 400)
    folder.npy("fq.npy", q), folder.npy("fk.npy", np.array([rng.choice(3, p=r**0.5 / (r**0.5).sum()) for r in q], np.int32))
    for name, probs, labels in (("m.json", "fp.npy", "fy.npy"), ("k.json", "fq.npy", "fk.npy")):
        run = folder.run("calibrate", "fit", "--method", "temperature", "--probs", probs, "--labels", labels, "-o", name)
        assert run.code == 0, run.err


def temperature(folder, name):
    return json.loads((folder / name).read_text())["steps"][0]["parameters"]["T"]["values"][0]


def naive(folder, p, name="m.json"):
    beta = 1 / temperature(folder, name)
    p = np.asarray(p, np.float64)
    if name == "m.json":
        return p**beta / (p**beta + (1 - p) ** beta)
    return p**beta / (p**beta).sum(-1, keepdims=True)


def apply(folder, *args, model="m.json", out="out"):
    run = folder.run("calibrate", "apply", model, "--manifest", "cases.csv", "-o", out, *args)
    assert run.code == 0, run.err
    return run


def voxels(path):
    """Of a NIfTI-1 file of ours, by the offsets of the format alone."""
    raw = gzip.decompress(path.read_bytes()) if path.name.endswith(".gz") else path.read_bytes()
    shape = np.frombuffer(raw, "<i2", 8, 40)
    kind = {16: "<f4", 64: "<f8"}[int(np.frombuffer(raw, "<i2", 1, 70)[0])]
    offset = int(np.frombuffer(raw, "<f4", 1, 108)[0])
    return np.frombuffer(raw, kind, offset=offset).reshape(shape[1:1 + shape[0]], order="F")


def test_every_format_gives_a_file_of_its_kind(folder, model):
    p, votes = lesion(1)
    masks = {f"rater_{r}": nifti(folder / f"v{r}.nii.gz", v) for r, v in enumerate(votes)}
    b = np.clip(np.round(p[..., 0] * 255), 1, 254).astype(np.uint8)
    rows = [{"case": "packed", "probs": nifti(folder / "a.nii.gz", p), **masks},
            {"case": "plain", "probs": nifti(folder / "b.nii", p.astype(np.float64)), **masks},
            {"case": "array", "probs": folder.npy("c.npy", p), **masks},
            {"case": "site, 1/x", "probs": png(folder / "d.png", b), "rater_0": folder.npy("d0.npy", votes[0][..., 0])}]
    np.savez_compressed(folder / "e.npz", probabilities=np.asfortranarray(p), other=b)
    rows.append({"case": "named", "probs": "e.npz:probabilities", "rater_1": masks["rater_1"], "site": 'a "b"'})
    columns = ["case", "probs", "rater_0", "rater_1", "rater_2", "site"]
    rows[3]["case"] = '"site, 1/x"'
    rows[4]["site"] = '"a ""b"""'
    write(folder, rows, columns)
    for dtype, error in (("float32", 1e-7), ("float64", 1e-14)):
        run = apply(folder, "--dtype", dtype)
        assert "plumb evaluate --manifest out/manifest.csv" in run.out and dtype in run.out
        names = {"packed.nii.gz", "plain.nii", "array.npy", "site, 1_x.npy", "named.npy", "manifest.csv"}
        assert set(os.listdir(folder / "out")) == names
        for name, want in (("packed.nii.gz", p), ("plain.nii", p), ("array.npy", p), ("named.npy", p), ("site, 1_x.npy", b / 255.0)):
            path = folder / "out" / name
            ours = np.load(path) if name.endswith(".npy") else voxels(path)
            assert ours.dtype == dtype and ours.shape == want.shape
            assert np.abs(ours - naive(folder, want)).max() < error, name
    table = list(csv.DictReader((folder / "out" / "manifest.csv").open()))
    assert [t["case"] for t in table] == ["packed", "plain", "array", "site, 1/x", "named"]
    assert table[4]["site"] == 'a "b"' and table[4]["rater_0"] == "" and table[0]["rater_1"] == "../v1.nii.gz"
    before = folder.run("evaluate", "--manifest", "cases.csv", "--calibrator", "m.json", "--metrics", "ece", "--json", "-")
    after = folder.run("evaluate", "--manifest", "out/manifest.csv", "--metrics", "ece,brier", "--json", "-")
    assert after.code == 0 and after.json["items"] == 4 * p.size + b.size, after.err
    assert before.code == 2  # the calibrator is applied to files first


def test_the_bytes_do_not_depend_on_threads(folder, model):
    p, votes = lesion(2, shape=(70, 80, 60))
    write(folder, [{"case": "x", "probs": nifti(folder / "a.nii.gz", p), "mask": nifti(folder / "v.nii", votes[0])}], ["case", "probs", "mask"])
    for t in "12":
        apply(folder, "--threads", t, out="out" + t)
    one, two = ((folder / f"out{t}" / "x.nii.gz").read_bytes() for t in "12")
    assert one == two and one[4:8] == bytes(4)


@pytest.mark.parametrize("masks", [True, False])
def test_classes_on_either_axis_and_logits(folder, model, masks):
    p, votes = lesion(1, classes=3)
    mask = {"mask": nifti(folder / "v.nii", votes[0])} if masks else {}
    rows = [{"case": "last", "probs": nifti(folder / "a.nii.gz", p), **mask},
            {"case": "first", "probs": nifti(folder / "b.nii", np.moveaxis(p, -1, 0)), **mask},
            {"case": "array", "probs": folder.npy("c.npy", np.moveaxis(p, -1, 0)), **mask},
            {"case": "end", "probs": folder.npy("d.npy", p), **mask}]
    write(folder, rows, ["case", "probs", *mask])
    run = apply(folder, "--dtype", "float64", "--normalize", model="k.json")
    assert ("plumb evaluate" in run.out) == masks
    want = naive(folder, p, "k.json")
    assert np.abs(voxels(folder / "out" / "last.nii.gz") - want).max() < 1e-6
    assert np.abs(voxels(folder / "out" / "first.nii") - np.moveaxis(want, -1, 0)).max() < 1e-6
    assert np.abs(np.load(folder / "out" / "array.npy") - np.moveaxis(want, -1, 0)).max() < 1e-6
    assert np.abs(np.load(folder / "out" / "end.npy") - want).max() < 1e-6
    z = np.log(p.astype(np.float64))
    write(folder, [{"case": "z", "logits": folder.npy("z.npy", z + 3), **mask}], ["case", "logits", *mask])
    apply(folder, "--dtype", "float64", model="k.json", out="z")
    assert np.abs(np.load(folder / "z" / "z.npy") - want).max() < 1e-6
    assert (folder / "z" / "manifest.csv").read_text().startswith("case,probs")


def test_two_columns_stay_two(folder, model):
    p, votes = lesion(1)
    two = np.stack([1 - p.astype(np.float64), p.astype(np.float64)], -1)
    write(folder, [{"case": "x", "probs": nifti(folder / "a.nii", two), "mask": nifti(folder / "v.nii", votes[0])}], ["case", "probs", "mask"])
    apply(folder, "--dtype", "float64")
    q = voxels(folder / "out" / "x.nii")
    assert q.shape == two.shape and np.abs(q[..., 1] - naive(folder, p)).max() < 1e-14 and np.abs(q.sum(-1) - 1).max() < 1e-15


@needs_nibabel
def test_nibabel_reads_the_header_that_it_wrote(folder, model):
    """Affine, units, description, intent and extensions of files made by nibabel, versions 1 and 2, both endiannesses."""
    script = folder.text("make.py", """
import sys, numpy as np, nibabel as nib
rng = np.random.default_rng(0)
p = rng.uniform(0.01, 0.99, (5, 6, 4)).astype(np.float32)
np.save("p.npy", p)
affine = np.array([[1.5, 0.1, 0, -20], [0, 2, 0.2, 10], [0.1, 0, 3, 7], [0, 0, 0, 1]])
for name, kind, endian in (("a.nii.gz", nib.Nifti1Image, "<"), ("b.nii", nib.Nifti1Image, ">"), ("c.nii.gz", nib.Nifti2Image, "<"), ("d.nii", nib.Nifti2Image, ">")):
    header = kind.header_class(endianness=endian)
    header.set_xyzt_units("mm", "sec")
    header["descrip"] = b"a model's probabilities"
    header.set_intent("estimate", (), name="foreground")
    image = kind(p, None, header)
    image.set_qform(affine, 1, strip_shears=True)
    image.set_sform(affine, 2)
    image.header.extensions.append(nib.nifti1.Nifti1Extension("comment", b"kept as it is"))
    nib.save(image, name)
integers = nib.Nifti1Image(np.round(p * 1000).astype(np.int16), affine)
integers.header.set_slope_inter(0.001, 0)
integers.header["cal_max"] = 1
nib.save(integers, "e.nii.gz")
""")
    read = folder.text("read.py", """
import sys, numpy as np, nibabel as nib
beta = 1 / float(sys.argv[1])
p = np.load("p.npy").astype(np.float64)
for name in ("a.nii.gz", "b.nii", "c.nii.gz", "d.nii", "e.nii.gz"):
    old, new = nib.load(name), nib.load("out/" + name)
    q = np.asarray(old.dataobj, np.float64) if name == "e.nii.gz" else p
    assert type(old) is type(new) and old.header.endianness == new.header.endianness
    assert new.get_data_dtype() == np.dtype(np.float64).newbyteorder(new.header.endianness), new.get_data_dtype()
    assert np.array_equal(old.affine, new.affine) and np.array_equal(old.get_qform(), new.get_qform())
    for field in old.header.keys():
        if field not in ("datatype", "bitpix", "scl_slope", "scl_inter"):
            assert old.header[field].tobytes() == new.header[field].tobytes(), (name, field)
    assert [(e.get_code(), e.get_content()) for e in old.header.extensions] == [(e.get_code(), e.get_content()) for e in new.header.extensions]
    got = np.asarray(new.dataobj)
    assert np.abs(got - q**beta / (q**beta + (1 - q)**beta)).max() < (1e-7 if name == "e.nii.gz" else 1e-14), name
print("the same")
""")
    subprocess.run([NIFTI_PYTHON, script], cwd=folder.path, check=True)
    names = ["a.nii.gz", "b.nii", "c.nii.gz", "d.nii", "e.nii.gz"]
    write(folder, [{"case": n.split(".")[0], "probs": n} for n in names], ["case", "probs"])
    apply(folder, "--dtype", "float64")
    out = subprocess.run([NIFTI_PYTHON, read, str(temperature(folder, "m.json"))], cwd=folder.path, capture_output=True, text=True)
    assert out.stdout == "the same\n", out.stderr


def test_a_model_that_was_fitted_here_says_so(folder):
    rows = []
    for i in range(2):
        p, votes = lesion(i)
        rows.append({"case": i, "probs": nifti(folder / f"p{i}.nii.gz", p), "mask": nifti(folder / f"v{i}.nii", votes[0])})
    write(folder, rows[:1], ["case", "probs", "mask"])
    assert folder.run("calibrate", "fit", "--manifest", "cases.csv", "--method", "beta", "-o", "m.json").code == 0
    write(folder, rows, ["case", "probs", "mask"])
    assert "fitted on 1 case of these" in apply(folder).err


@pytest.mark.parametrize("change,said", [
    (lambda f: ("-o", "a.nii.gz"), "is a file"),
    (lambda f: ("-o", "."), "would be overwritten"),
    (lambda f: ("-o", "out", "--full-scale", "0"), "--full-scale"),
    (lambda f: ("-o", "out", "--dtype", "int8"), "--dtype"),
    (lambda f: ("-o", "out", "--probs", "a.nii.gz"), "--probs"),
    (lambda f: (), "-o"),
    (lambda f: f.text("cases.csv", "case,probs\nx,a.nii.gz\nx,a.nii.gz\n") and ("-o", "out"), "appears twice"),
    (lambda f: f.text("cases.csv", "case,probs\na/b,a.nii.gz\na_b,a.nii.gz\n") and ("-o", "out"), "case a_b and case a/b"),
    (lambda f: f.text("cases.csv", "case,probs\nx,gone.nii\n") and ("-o", "out"), "gone.nii"),
    (lambda f: f.text("cases.csv", "case,logit\nx,a.nii.gz\n") and ("-o", "out"), '"probs"'),
    (lambda f: f.npy("two.npy", np.full((2, 3, 3), 0.5)) and f.text("cases.csv", "case,probs\nx,two.npy\n") and ("-o", "out"), "--class-axis"),
    (lambda f: f.npy("bad.npy", np.full((4, 3, 3), 1.5)) and f.text("cases.csv", "case,probs\nx,bad.npy\n") and ("-o", "out"), "case x: "),
])
def test_refusals(folder, model, change, said):
    p, _ = lesion(1)
    nifti(folder / "a.nii.gz", p)
    folder.text("cases.csv", "case,probs\na,a.nii.gz\n")
    before = (folder / "a.nii.gz").read_bytes()
    run = folder.run("calibrate", "apply", "m.json", "--manifest", "cases.csv", *change(folder))
    assert run.code == 2 and run.err.count("\n") == 1 and said in run.err, run.err
    assert (folder / "a.nii.gz").read_bytes() == before
    assert not (folder / "out" / "manifest.csv").exists()


def test_models_of_another_kind(folder, model):
    p, votes = lesion(1, classes=3)
    write(folder, [{"case": "x", "probs": nifti(folder / "a.nii", p), "mask": nifti(folder / "v.nii", votes[0])}], ["case", "probs", "mask"])
    run = folder.run("calibrate", "apply", "m.json", "--manifest", "cases.csv", "-o", "out", "--normalize")
    assert run.code == 2 and "case x: m.json is for 2 classes" in run.err
    rng = np.random.default_rng(0)
    folder.npy("r.npy", rng.integers(0, 2, (400, 3)).astype(np.int32))
    assert folder.run("calibrate", "fit", "--method", "alpha", "--probs", "fp.npy", "--ratings", "r.npy", "-o", "alpha.json").code == 0
    run = folder.run("calibrate", "apply", "alpha.json", "--manifest", "cases.csv", "-o", "new")
    assert run.code == 2 and "alpha" in run.err and not (folder / "new").exists()
