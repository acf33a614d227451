"""--figure, --plots and their sizes: figures that are well-formed, of the size that was asked for, and the same every time."""
import json
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from conftest import PLUMB, Folder, make_task
from volumes import lesion, nifti

SVG = "{http://www.w3.org/2000/svg}"
QUICK = ("--bandwidth", "0.05", "--quiet")
NOT_BUILT = "libplumb_figures.so"


def figures_or_skip(run):
    if run.code == 2 and (NOT_BUILT in run.err or "libplumb_pictures.so" in run.err):
        pytest.skip("figures were not built: " + run.err.strip())
    assert run.code == 0, run.err
    return run


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """raw.json and reliability.svg of a multiclass task with slices and intervals, made once."""
    folder = Folder(tmp_path_factory.mktemp("saved"))
    t = make_task()
    for name in ("probs", "counts"):
        folder.npy(name + ".npy", t[name])
    folder.text("items.csv", "site\n" + "".join(f"{'north' if i % 3 else 'south'}\n" for i in range(400)))
    figures_or_skip(folder.run("evaluate", "--probs", "probs.npy", "--counts", "counts.npy", "--by", "items.csv:site", "--bootstrap", "20", *QUICK,
                               "--json", "raw.json", "--figure", "reliability.svg"))
    return folder


@pytest.fixture
def result(folder, saved):
    for name in ("raw.json", "reliability.svg"):
        shutil.copy(saved / name, folder / name)
    return folder


def drawn(path):
    """The root of a figure, after what holds for every figure has been checked."""
    text = path.read_text()
    root = ET.fromstring(text)
    assert root.tag == SVG + "svg"
    for element in root.iter():
        assert element.tag.startswith(SVG) and element.tag != SVG + "script", element.tag
        for name, value in element.attrib.items():
            assert "NaN" not in value and "Infinity" not in value and "undefined" not in value, (name, value)
            assert not name.startswith("on") and "href" not in name, name
    return root


def texts(root):
    return [t.text for t in root.iter() if t.tag in (SVG + "text", SVG + "tspan") and t.text]


def size_mm(root):
    return tuple(float(re.fullmatch(r"([\d.]+)mm", root.get(side)).group(1)) for side in ("width", "height"))


def marks(root, kind):
    return [p for g in root.iter(SVG + "g") if kind in g.get("class", "").split() for p in g.iter(SVG + "path")]


def plot_area(root):
    """Width and height inside the axes, from the lines that draw them."""
    found = {}
    for g in root.iter(SVG + "g"):
        if "role-axis-domain" in g.get("class", "").split():
            for line in g.iter(SVG + "line"):
                found["width" if line.get("x2") not in (None, "0") else "height"] = abs(float(line.get("x2") or 0)) or abs(float(line.get("y2") or 0))
    return found


def test_a_reliability_diagram_has_title_axes_marks_and_statistics(result):
    root = drawn(result / "reliability.svg")
    words = texts(root)
    assert root.find(SVG + "title").text == "Reliability diagram" and "Reliability diagram" in words
    assert {"predicted probability", "observed frequency", "0%", "100%"} <= set(words)
    ece = json.loads((result / "raw.json").read_text())["metrics"]["ece"]
    line = " ".join(words)
    assert f"ECE {ece['value']:.3f} [" in line and "400 items" in line
    rows = json.loads((result / "raw.json").read_text())["tables"]["reliability"]
    assert len(marks(root, "mark-symbol")) >= sum(r["items"] > 0 for r in rows)
    area = plot_area(root)
    assert abs(area["width"] - area["height"]) < 0.5, area


def test_the_size_is_what_was_asked_for(result):
    for width, height, font in ((85, None, 8), (180, 60, 7), (60, 140, 6), (40, 40, 8), (300, 300, 20)):
        more = [] if height is None else ["--figure-height", height]
        run = result.run("report", "raw.json", "--figure", "reliability=a.svg,confusion=b.svg", "--figure-width", width, "--figure-font", font, *more)
        assert run.code == 0, run.err
        for name in ("a.svg", "b.svg"):
            root = drawn(result / name)
            w, h = size_mm(root)
            assert w == width and (height is None or h == height), (name, w, h)
            box = [float(x) for x in root.get("viewBox").split()]
            if width >= 60 and height is None:  # there is room: the font has its size
                units = box[2] / (width * 72 / 25.4)
                assert units == pytest.approx(12 / font, rel=0.01), (name, units)


def test_png_has_the_pixels_of_its_size(result):
    run = result.run("report", "raw.json", "--figure", "reliability=a.png", "--figure-width", "90", "--figure-height", "60", "--figure-dpi", "200")
    figures_or_skip(run)
    data = (result / "a.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n") and b"pHYs" in data[:60]
    assert struct.unpack(">II", data[16:24]) == (round(90 / 25.4 * 200), round(60 / 25.4 * 200))


def test_pdf_has_its_size_and_no_date(result):
    for name in ("a.pdf", "b.pdf"):
        figures_or_skip(result.run("report", "raw.json", "--figure", "reliability=" + name, "--figure-width", "90", "--figure-height", "60"))
    data = (result / "a.pdf").read_bytes()
    assert data == (result / "b.pdf").read_bytes() and data.startswith(b"%PDF-") and b"CreationDate" not in data
    box = [float(x) for x in re.search(rb"/MediaBox \[([^\]]*)\]", data).group(1).split()]
    assert box == pytest.approx([0, 0, 90 * 72 / 25.4, 60 * 72 / 25.4], abs=0.01)


def test_every_plot_of_a_folder_is_drawn_without_node(result):
    run = result.run("report", "raw.json", "--plots", "plots", "--figure-width", "85", env={"PATH": "/nonexistent"})
    assert run.code == 0, run.err
    names = {p.name for p in (result / "plots").iterdir()}
    specs = {n.removesuffix(".vl.json") for n in names if n.endswith(".vl.json")}
    assert len(specs) > 6 and names == {s + e for s in specs for e in (".vl.json", ".svg")}
    for name in specs:
        root = drawn(result / "plots" / (name + ".svg"))
        assert size_mm(root)[0] == 85 and root.find(SVG + "title").text
        assert len(list(root.iter(SVG + "path"))) > 2


def test_a_view_is_chosen_by_name_and_said_in_the_title(result):
    run = result.run("report", "raw.json", "--figure", "slices:accuracy=a.svg,slices=b.svg,reliability:2=c.svg")
    assert run.code == 0, run.err
    titles = [drawn(result / n).find(SVG + "title").text for n in ("a.svg", "b.svg", "c.svg")]
    assert titles == ["Metrics by slice: accuracy", "Metrics by slice: calibration error (ece)", "Reliability diagram: class 2"]
    run = result.run("report", "raw.json", "--figure", "slices=a.svg", "--figure-title", "none")
    assert run.code == 0 and not any("Metrics" in t for t in texts(drawn(result / "a.svg")))
    long = "A long title that does not have room on a single line of a figure of this width and has to be broken"
    assert result.run("report", "raw.json", "--figure", "slices=a.svg", "--figure-title", long).code == 0
    assert long.split()[-1] in " ".join(texts(drawn(result / "a.svg")))


def test_figures_of_every_command(folder, task):
    labels = ("--probs", "probs.npy", "--labels", "labels.npy")
    counts = ("--probs", "probs.npy", "--counts", "counts.npy")
    commands = {
        "reliability": ("evaluate", *labels, *QUICK),
        "calibration_dispersion": ("compare", "--model", "a=probs.npy", "--model", "b=probs.npy", "--counts", "counts.npy", "--quiet",
                                   "--bandwidth", "0.05"),
        "deferral": ("uncertainty", *labels, "--quiet"),
        "stability": ("stability", *counts, "--repeats", "3", "--metrics", "ece", "--quiet"),
        "confidence": ("calibrate", "fit", "--method", "temperature", *labels, "-o", "m.json", "--quiet"),
    }
    for plot, command in commands.items():
        figures_or_skip(folder.run(*command, "--figure", plot + ".svg"))
        assert drawn(folder / (plot + ".svg")).find(SVG + "title").text


def test_figures_of_cases(folder):
    """--manifest: every command draws what it draws for arrays, and what is particular to cases."""
    for model, sharpen in (("raw", 1.0), ("sharp", 3.0)):
        rows = []
        for i in range(4):
            probs, masks = lesion(i, shape=(8, 7, 5), sharpen=sharpen)
            files = [nifti(folder / f"{model}{i}.nii.gz", probs)]
            files += [nifti(folder / f"m{i}{k}.nii.gz", m) for k, m in enumerate(masks)]
            rows.append(f"c{i}," + ",".join(files))
        folder.text(model + ".csv", "case,probs,rater_1,rater_2,rater_3\n" + "\n".join(rows) + "\n")
    stability = ("stability", "--manifest", "raw.csv", "--step", "0.4", "--repeats", "3", "--quiet")
    compare = ("compare", "--manifest", "raw=raw.csv", "--manifest", "sharp=sharp.csv", "--bootstrap", "5", "--quiet")
    commands = {"stability": stability, "within_cases": (*stability, "--within", "case", "--single", "random"), "reliability": compare,
                "case_strip": compare}
    for plot, command in commands.items():
        figures_or_skip(folder.run(*command, "--figure", plot + ".svg"))
        root = drawn(folder / (plot + ".svg"))
        assert root.find(SVG + "title").text and marks(root, "mark-symbol") + marks(root, "mark-line") + marks(root, "mark-rule")
    assert {"raw", "sharp"} <= set(texts(drawn(folder / "reliability.svg")))
    assert len(marks(drawn(folder / "within_cases.svg"), "mark-symbol")) == 4  # a point for each case
    before = folder.names()
    for command in (stability, compare):
        run = folder.run(*command, "--figure", "learning.svg", "--json", "out.json")
        assert run.code == 2 and run.err.count("\n") == 1 and not (folder / "learning.svg").exists(), run.err
        run = folder.run(*command, "--figure", "reliability=m00.nii.gz")
        assert run.code == 2 and run.err.count("\n") == 1, run.err
    assert folder.names() == before


def test_a_figure_of_one_run_and_of_its_result_is_the_same(result):
    first = (result / "reliability.svg").read_bytes()
    assert result.run("report", "raw.json", "--figure", "reliability=again.svg").code == 0
    assert (result / "again.svg").read_bytes() == first


HOSTILE = ['"quoted" \'name\'', "<script>alert(1)</script>", "]]>&amp;&lt;", "emoji \U0001f600\U0001f469\u200d\U0001f52c", "x" * 10_000,
           "\u202eright to left", "\x01\x02 control", "${datum} #{x} \\u0022", "文字の名前", "</svg><svg onload=1>", "null", "  "]


def test_hostile_class_names_stay_text(folder):
    names = [n for n in HOSTILE if n.strip()]
    t = make_task(n=300, k=len(names), seed=3)
    folder.npy("p.npy", t["probs"])
    folder.npy("y.npy", t["labels"])
    folder.text("classes.txt", "\n".join(names) + "\n")
    run = folder.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--classes", "classes.txt", *QUICK, "--plots", "plots",
                     "--figure", "confusion.svg,class_errors.svg,class_errors=c.pdf,reliability:4=r.svg")
    figures_or_skip(run)
    for path in [folder / "confusion.svg", folder / "class_errors.svg", *(folder / "plots").glob("*.svg")]:
        root = drawn(path)
        assert all(len(t) < 2000 for t in texts(root)), path
    words = texts(drawn(folder / "class_errors.svg"))
    assert any("<script>alert(1)" in w for w in words) and any("文字の名前" in w for w in words)
    assert any(w.startswith("xxxx") and w.endswith("…") for w in words)


def test_a_hostile_result_never_ends_the_program_badly(result):
    """Numbers and names of a result replaced at random: a figure or one sentence."""
    text = (result / "raw.json").read_text()
    rng = np.random.default_rng(5)
    numbers = list(re.finditer(r"-?\d+\.\d+", text))
    for trial in range(8):
        bad = text
        for m in reversed([numbers[i] for i in sorted(rng.choice(len(numbers), 30, replace=False))]):
            bad = bad[:m.start()] + str(rng.choice(["1e308", "-1e308", "null", "0", '"x"', "5e-324", "[]"])) + bad[m.end():]
        (result / "bad.json").write_text(bad)
        run = result.run("report", "bad.json", "--figure", "reliability=z.svg,slices=y.svg")
        assert run.code in (0, 2), run.err
        if run.code == 2:
            assert run.err.count("\n") == 1, run.err
        else:
            drawn(result / "z.svg")


@pytest.mark.parametrize("args, words", [
    (("--figure", "relability.pdf"), 'did you mean "reliability"'),
    (("--figure", "fig1.pdf"), "as in --figure reliability=fig1.pdf"),
    (("--figure", "reliability.jpg"), ".svg, .pdf or .png"),
    (("--figure", "reliability"), ".svg, .pdf or .png"),
    (("--figure", "reliability="), "names no file"),
    (("--figure", "raters.svg"), "no data for the plot raters; it has data for reliability"),
    (("--figure", "slices:acuracy=s.svg"), 'did you mean "accuracy"'),
    (("--figure", "confusion:a=s.svg"), "one view only"),
    (("--figure", "a=raw.json.svg"), 'no plot "a"'),
    (("--figure", "reliability.svg", "--figure", "./reliability.svg"), "twice"),
    (("--figure", "reliability.svg", "--plots", "."), "may overwrite"),
    (("--figure", "reliability=link.svg"), "overwrite the input"),
    (("--figure", "reliability=nowhere/a.svg"), "nowhere"),
    (("--figure", "reliability.svg,"), "names no file"),
    (("--figure", "reliability.svg", "--figure-width", "5"), "between 20 and 1000 mm"),
    (("--figure", "reliability.svg", "--figure-height", "5"), "between 20 and 1000 mm"),
    (("--figure", "reliability.svg", "--figure-height", "tall"), "positive number or auto"),
    (("--figure", "reliability.svg", "--figure-font", "nan"), "between 3 and 72 pt"),
    (("--figure", "reliability.svg", "--figure-dpi", "1e9"), "pixels per inch"),
    (("--figure-width", "90"), "no effect without a figure"),
])
def test_bad_figures_are_one_sentence_and_leave_nothing(result, args, words):
    (result / "reliability.svg").unlink()
    (result / "link.svg").symlink_to("raw.json")
    before = {name: (result / name).read_bytes() for name in result.names()}
    run = result.run("report", "raw.json", *args)
    assert run.code == 2 and run.err.count("\n") == 1 and words in run.err, run.err
    assert {name: (result / name).read_bytes() for name in result.names()} == before


def test_without_the_plugins_it_says_how_to_get_them(result, tmp_path):
    alone = tmp_path / "bin"
    alone.mkdir()
    shutil.copy(PLUMB, alone / "plumb")
    run = subprocess.run([alone / "plumb", "report", "raw.json", "--figure", "reliability=n.pdf"], cwd=result.path, capture_output=True, text=True)
    assert run.returncode == 2 and run.stderr.count("\n") == 1 and NOT_BUILT in run.stderr and "tools/setup" in run.stderr
    run = subprocess.run([alone / "plumb", "report", "raw.json", "--plots", "p"], cwd=result.path, capture_output=True, text=True)
    assert run.returncode == 0 and NOT_BUILT in run.stderr and (result / "p" / "reliability.vl.json").exists()
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "libplumb_figures.so").write_text("not a library")
    run = result.run("report", "raw.json", "--figure", "reliability=n.pdf", env={"PLUMB_PLUGINS": str(tmp_path / "bad")})
    assert run.code == 2 and run.err.count("\n") == 1 and "cannot be loaded" in run.err


# The report as PDF.

def fake_browser(folder, script):
    path = folder / "browser"
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    return {"PLUMB_CHROMIUM": str(path), "PLUMB_CHROMIUM_SECONDS": "0.7", "TMPDIR": str(folder.path)}


@pytest.fixture
def page(result):
    run = result.run("report", "raw.json", "-o", "page.html")
    if run.code == 2 and "no report page" in run.err:
        pytest.skip(run.err.strip())
    return result


@pytest.mark.parametrize("script, words", [
    ("sleep 1000\n", "had not printed the page after 0.7 seconds and was stopped"),
    ("exit 7\n", "failed to print the page"),
    ("kill -9 $$\n", "failed to print the page"),
    ("exit 0\n", "printed no page"),
    ('for a; do case $a in --print-to-pdf=*) echo text > "${a#*=}";; esac; done\n', "printed no PDF"),
])
def test_a_browser_that_does_not_print_is_one_sentence(page, script, words):
    env = fake_browser(page, script)
    before = page.names()
    run = page.run("report", "raw.json", "--pdf", "page.pdf", env=env)
    assert run.code == 2 and run.err.count("\n") == 1 and words in run.err, run.err
    assert page.names() == before, "nothing is left behind"


def test_without_a_browser_it_says_how_to_get_one(page):
    run = page.run("report", "raw.json", "--pdf", "page.pdf", env={"PATH": "/nonexistent", "PLUMB_CHROMIUM": ""})
    assert run.code == 2 and run.err.count("\n") == 1 and "Debian: chromium" in run.err, run.err
    for args, words in ((("--pdf", "page.html"), "ends in .pdf"), (("--pdf", "-"), "ends in .pdf"), (("--pdf", "a.pdf", "--figure", "reliability=a.pdf"), "same file")):
        run = page.run("report", "raw.json", *args, env=fake_browser(page, "exit 1\n"))
        assert run.code == 2 and words in run.err, run.err


def test_the_report_is_one_page_of_pdf(page):
    env = {"SOURCE_DATE_EPOCH": "86400", "TMPDIR": str(page.path)}
    run = page.run("report", "raw.json", "--pdf", "page.pdf", env=env)
    if "not on the PATH" in run.err:
        pytest.skip("there is no Chromium (tools/setup browser)")
    assert run.code == 0, run.err
    data = (page / "page.pdf").read_bytes()
    assert data.startswith(b"%PDF-") and len(re.findall(rb"/Type /Page\b(?!s)", data)) == 1
    assert set(re.findall(rb"Date \(D:(\d{14})", data)) == {b"19700102000000"}
    box = [float(x) for x in re.search(rb"/MediaBox \[([^\]]*)\]", data).group(1).split()]
    assert 600 < box[2] < 900 and box[3] > 1.5 * box[2]
    assert not any(n.startswith("plumb-") for n in page.names())


# Machado et al. 2009, severity 1: linear RGB as people without one kind of cone see it.
CONES = {
    "protanopia": [[.152286, 1.052583, -.204868], [.114503, .786281, .099216], [-.003882, -.048116, 1.051998]],
    "deuteranopia": [[.367322, .860646, -.227968], [.280085, .672501, .047413], [-.011820, .042940, .968881]],
    "tritanopia": [[1.255528, -.076749, -.178779], [-.078411, .930809, .147602], [.004733, .691367, .303900]],
    "all cones": np.eye(3),
}


def lab(linear):
    """CIELAB of linear sRGB."""
    to_xyz = np.array([[.4124564, .3575761, .1804375], [.2126729, .7151522, .0721750], [.0193339, .1191920, .9503041]])
    x = to_xyz @ np.clip(linear, 0, 1) / [.95047, 1, 1.08883]
    f = np.where(x > .008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_models_have_colours_that_everybody_tells_apart(folder):
    t = make_task(n=100)
    for i in range(6):
        folder.npy(f"p{i}.npy", t["probs"])
    folder.npy("y.npy", t["labels"])
    models = [x for i in range(6) for x in ("--model", f"m{i}=p{i}.npy")]
    figures_or_skip(folder.run("compare", *models, "--labels", "y.npy", "--metrics", "ece", "--quiet", "--figure", "reliability.svg"))
    root = drawn(folder / "reliability.svg")
    colours = {p.get("fill") for g in root.iter(SVG + "g") if "role-legend-symbol" in g.get("class", "") for p in g.iter(SVG + "path")}
    assert len(colours) == 6, colours
    linear = []
    for colour in colours:
        c = np.array([int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)])
        linear.append(np.where(c <= .04045, c / 12.92, ((c + .055) / 1.055) ** 2.4))
    for sight, cones in CONES.items():
        seen = [lab(cones @ c) for c in linear]
        nearest = min(np.linalg.norm(a - b) for i, a in enumerate(seen) for b in seen[:i])
        assert nearest > 15, (sight, nearest)  # 2 is just noticeable
