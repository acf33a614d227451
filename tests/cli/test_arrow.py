"""Parquet and Arrow files: the bits of other formats, exact ids, only the columns asked for, and what is refused."""
import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import time

import numpy as np
import pytest
from conftest import PLUMB, ROOT, Folder, repetitions

PYTHON = pathlib.Path(os.environ.get("PLUMB_ARROW_PYTHON", ROOT / ".venv-arrow" / "bin" / "python"))
PLUGIN = pathlib.Path(PLUMB).resolve().parent.parent / "lib" / "plumb" / "libplumb_arrow.so"
pytestmark = pytest.mark.skipif(not PLUGIN.exists() or not PYTHON.exists(),
                                reason="the plugin for Parquet is not built (make arrow)")
NAMES = ["ant", "bee", "cat"]
FILES = ["t.parquet", "zstd.parquet", "t.feather", "t.arrow"]


def make(path, *args):
    script = pathlib.Path(__file__).with_name("arrow_files.py")
    return subprocess.run([PYTHON, script, *args], cwd=path, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("arrow"))
    rng = np.random.default_rng(4)
    probs = rng.dirichlet([1, 1, 1], 90)
    y = np.array([int(rng.choice(3, p=p)) for p in probs])
    folder.npy("probs.npy", probs), folder.npy("labels.npy", y)
    ids = [2**60 + i for i in range(90)]
    lines = [",".join([str(ids[i]), *map(repr, map(float, probs[i])), str(y[i]), NAMES[y[i]], "ab"[i % 2], f"x{i}"]) for i in range(90)]
    folder.text("t.csv", "id," + ",".join(f"p_{n}" for n in NAMES) + ",y,label,site.name,name\n" + "\n".join(lines) + "\n")
    # Judgements in another order: 5 items without a prediction, 10 predictions without one, two raters, some nulls.
    judged = [{"item": 2**60 + int(i), "rater": r, "label": NAMES[int(rng.integers(3))] if rng.random() < 0.9 else None}
              for i in rng.permutation(np.arange(10, 95)) for r in ("anna", "ben")]
    folder.text("judgements.json", json.dumps(judged))
    folder.text("judgements.csv", "item,rater,label\n" + "".join(f"{r['item']},{r['rater']},{r['label'] or ''}\n" for r in judged))
    make(folder.path)
    return folder


def parts(result):
    return {k: v for k, v in result.items() if k not in ("argv", "inputs")}


@pytest.mark.parametrize("name", FILES)
def test_the_bits_of_a_csv(table, name):
    flags = ("--probs", "{}:p_*", "--labels", "{}:label", "--by", "{}:site.name", "--ids", "{}:id", "--bootstrap", "10")
    a, b = (table.evaluate(*[f.format(n) for f in flags]) for n in ("t.csv", name))
    assert parts(a) == parts(b) and b["class_names"] == NAMES


@pytest.mark.parametrize("column", ["z", "fixed", "large"])
@pytest.mark.parametrize("name", FILES)
def test_a_list_is_a_matrix(table, name, column):
    a = table.evaluate("--probs", f"{name}:{column}", "--labels", f"{name}:y")
    assert parts(a) == parts(table.evaluate("--probs", "probs.npy", "--labels", "labels.npy"))
    assert a["inputs"][0]["shape"] == [90, 3]


@pytest.mark.parametrize("column", ["label", "large_label", "view_label", "coded_label"])
def test_text_of_every_kind(table, column):
    a = table.evaluate("--probs", "t.parquet:p_*", "--labels", f"t.feather:{column}")
    assert parts(a) == parts(table.evaluate("--probs", "t.csv:p_*", "--labels", "t.csv:label"))


@pytest.mark.parametrize("name", ["types.parquet", "types.feather"])
def test_numbers_of_every_type(table, name):
    p, y = np.load(table / "probs.npy")[:, 0], np.load(table / "labels.npy") % 2
    table.npy("y2.npy", y)
    expected = parts(table.evaluate("--probs", f"{name}:pf8", "--labels", "y2.npy"))
    for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "?", "coded"):
        assert parts(table.evaluate("--probs", f"{name}:pf8", "--labels", f"{name}:{kind}")) == expected, kind
    for kind in ("f2", "f4"):
        table.npy("narrow.npy", p.astype(kind))
        a = table.evaluate("--probs", f"{name}:p{kind}", "--labels", "y2.npy")
        assert parts(a) == parts(table.evaluate("--probs", "narrow.npy", "--labels", "y2.npy")), kind


def test_shards_pattern_and_a_slice(table):
    a = table.evaluate("--probs", "part*.parquet:p_*", "--labels", "part*.parquet:y", "--ids", "part*.parquet:id")
    assert parts(a) == parts(table.evaluate("--probs", "t.csv:p_*", "--labels", "t.csv:y", "--ids", "t.csv:id"))
    table.npy("some.npy", np.load(table / "probs.npy")[5:65]), table.npy("some_y.npy", np.load(table / "labels.npy")[5:65])
    a = table.evaluate("--probs", "slice.feather:fixed", "--labels", "slice.feather:y")
    assert parts(a) == parts(table.evaluate("--probs", "some.npy", "--labels", "some_y.npy"))


def test_from_standard_input(table):
    done = subprocess.run([PLUMB, "evaluate", "--probs", "-:z", "--labels", "-:y", "--json", "-"], cwd=table.path,
                          input=(table / "t.parquet").read_bytes(), capture_output=True, timeout=300)
    assert done.returncode == 0 and json.loads(done.stdout)["items"] == 90, done.stderr


@pytest.mark.parametrize("votes", ["judgements.parquet", "judgements.csv"])
@pytest.mark.parametrize("preds", ["t.parquet", "t.feather", "t.csv"])
def test_judgements_join_by_large_ids(table, preds, votes):
    a = table.evaluate("--probs", f"{preds}:p_*", "--ids", f"{preds}:id", "--annotations", votes)
    b = table.evaluate("--probs", "t.csv:p_*", "--ids", "t.csv:id", "--annotations", "judgements.csv")
    named = lambda notes: [n.replace(votes, "judgements.csv").replace(preds, "t.csv") for n in notes]
    assert parts(a) | {"notes": named(a["notes"])} == parts(b)
    counts = a["annotations"]
    assert counts["items_without_prediction"] == 5 and counts["predictions_without_annotation"] >= 10
    assert counts["without_label"] > 0 and set(a["per_rater"]) == {"anna", "ben"}


def test_only_the_columns_asked_for_are_read(table):
    assert table.evaluate("--probs", "half.parquet:p", "--labels", "half.parquet:y")["items"] == 2000
    done = table.run("evaluate", "--probs", "half.parquet:junk", "--labels", "half.parquet:y")
    assert done.code == 2 and "half.parquet cannot be read" in done.err, done.err


def test_describe_ends_with_the_command(table):
    told = table.run("describe", "t.parquet").out
    assert "t.parquet:fixed\n    float64 90 x 3" in told and "could be --probs: rows sum to 1" in told
    assert "t.parquet:site.name\n    text 90, values a, b" in told and "holds timestamps" in told
    assert "plumb evaluate --probs t.parquet:" in told.split("Next:")[1]
    told = table.run("describe", "t.parquet", "judgements.parquet").out
    assert "--annotations judgements.parquet" in told.split("Next")[1]


@pytest.mark.parametrize("probs,labels,sentence", [
    ("t.parquet:p_an", "t.parquet:y", 'has no column "p_an" (did you mean "p_ant"?)'),
    ("t.parquet:p_*,label", "t.parquet:y", 'column "label" holds text where numbers are needed'),
    ("t.parquet:maybe", "t.parquet:y", 't.parquet, row 7, column "maybe": the value is null; fill it or drop the row'),
    ("t.parquet:half", "t.parquet:y", 'row 3, column "half": the list is null'),
    ("t.parquet:uneven", "t.parquet:y", 'row 89, column "uneven" has 1 value where the first list has 2'),
    ("t.parquet:nested", "t.parquet:y", "lists of lists, which no flag takes"),
    ("t.parquet:maps", "t.parquet:y", "holds maps, which no flag takes"),
    ("t.parquet:when", "t.parquet:y", "holds timestamps, which no flag takes; cast it to text or to a number"),
    ("t.parquet:money", "t.parquet:y", "holds decimals, which no flag takes; cast it to float64 or int64"),
    ("t.parquet:bytes", "t.parquet:y", "holds binary values, which no flag takes"),
    ("t.parquet:site", "t.parquet:y", 'has no column "site"'),
    ("t.parquet:p_*", "t.parquet:name", '"x0"'),
    ("cut.parquet:p_*", "t.parquet:y", "cut.parquet cannot be read ("),
    ("cut.feather:p_*", "t.parquet:y", "cut.feather cannot be read ("),
    ("words.parquet", "t.parquet:y", "words.parquet cannot be read ("),
    ("old.feather", "t.parquet:y", "version 1 of the Feather format"),
    ("t.csv.parquet", "t.parquet:y", "t.csv.parquet"),
])
def test_what_is_refused(table, probs, labels, sentence):
    (table / "cut.parquet").write_bytes((table / "t.parquet").read_bytes()[:-100])
    (table / "cut.feather").write_bytes((table / "t.feather").read_bytes()[:2000])
    (table / "words.parquet").write_bytes(b"PAR1 but nothing else that would fit PAR1")
    (table / "old.feather").write_bytes(b"FEA1" + bytes(100) + b"FEA1")
    shutil.copy(table / "t.csv", table / "t.csv.parquet")
    done = table.run("evaluate", "--probs", probs, "--labels", labels)
    assert done.code == 2 and sentence in done.err, done.err
    assert len(done.err.strip().splitlines()) == 1, done.err


@pytest.mark.parametrize("ids,votes,sentence", [
    ("t.parquet:site.name", "judgements.parquet", "names the predictions in row 0 and in row 2; each needs its own id"),
    ("t.parquet:name", "judgements.parquet", 'the annotations have "1152921504606846986", '),
])
def test_ids_that_do_not_fit(table, ids, votes, sentence):
    done = table.run("evaluate", "--probs", "t.parquet:p_*", "--ids", ids, "--annotations", votes)
    assert done.code == 2 and sentence in done.err, done.err


def test_unknown_label_names_the_nearest_class(table):
    done = table.run("evaluate", "--probs", "t.parquet:p_*", "--classes", "ant,bees,cat", "--labels", "t.parquet:label")
    assert done.code == 2 and "bee" in done.err, done.err


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.arrow"])
def test_damaged_files_are_refused_in_one_sentence(table, name):
    good, rng, refused = (table / name).read_bytes(), random.Random(5), 0
    for i in range(repetitions(400, 25)):
        data = bytearray(good)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data)) if rng.random() < 0.5 else len(data) - 1 - rng.randrange(2000)
            data[at] = rng.randrange(256) if rng.random() < 0.7 else data[at] ^ 0x80
        (table / ("bad-" + name)).write_bytes(data)
        done = table.run("evaluate", "--probs", f"bad-{name}:p_*", "--labels", f"bad-{name}:label", "--ids", f"bad-{name}:id",
                         "--metrics", "brier")
        assert done.code in (0, 2), (i, done.code, done.err)
        refused += done.code == 2
        assert done.code == 0 or len(done.err.strip().splitlines()) == 1, done.err
    assert refused > 0


def test_without_the_plugin_or_with_another(table, tmp_path):
    (tmp_path / "bin").mkdir()
    alone = shutil.copy(PLUMB, tmp_path / "bin" / "plumb")

    def said(**env):
        done = subprocess.run([alone, "evaluate", "--probs", "t.parquet:p_*", "--labels", "t.parquet:y"], cwd=table.path,
                              env=dict(os.environ, **env), capture_output=True, text=True, timeout=300)
        return done.returncode, done.stderr

    code, err = said()
    assert code == 2 and "needs libplumb_arrow.so" in err and '"make arrow"' in err and len(err.strip().splitlines()) == 1
    assert said(PLUMB_PLUGINS=str(PLUGIN.parent))[0] == 0
    wrong = PLUGIN.parent.parent.parent / "wrong_version"
    if wrong.exists():
        code, err = said(PLUMB_PLUGINS=str(wrong))
        assert code == 2 and "was built for Arrow 25.0.0, but Arrow 26.0.1 was loaded" in err


def read_back(folder, name):
    found = json.loads(make(folder.path, name))
    return found["columns"], found["types"]


@pytest.fixture(scope="module")
def model(table):
    assert table.run("calibrate", "fit", "--method", "temperature", "--probs", "t.parquet:p_*", "--labels", "t.parquet:label",
                     "-o", "m.json", "--quiet").code == 0
    assert table.run("calibrate", "apply", "m.json", "--probs", "t.parquet:p_*", "-o", "q.npy").code == 0
    return "m.json"


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "arrow", "feather"])
def test_calibrated_probabilities_by_suffix(table, model, suffix):
    name, flags = f"q.{suffix}", ("--labels", "t.parquet:label", "--classes", "ant,bee,cat")
    run = table.run("calibrate", "apply", model, "--probs", "t.parquet:p_*", "-o", name, "--disagreement", f"d.{suffix}")
    assert run.code == 0, run.err
    assert parts(table.evaluate("--probs", name, *flags)) == parts(table.evaluate("--probs", "q.npy", *flags))
    if suffix in ("parquet", "arrow", "feather"):
        columns, types = read_back(table, name)
        assert list(columns) == ["p_ant", "p_bee", "p_cat"] and set(types.values()) == {"double"}
        assert np.array_equal(np.column_stack(list(columns.values())), np.load(table / "q.npy"))
        assert list(read_back(table, f"d.{suffix}")[0]) == ["disagreement"]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_calibrated_probabilities_with_ids_join_again(table, model, suffix):
    name = f"w.{suffix}"
    run = table.run("calibrate", "apply", model, "--probs", "t.parquet:p_*", "--ids", "t.parquet:id", "-o", name)
    assert run.code == 0 and f"{name}:p_*" in run.out, run.err + run.out
    if suffix == "parquet":
        assert read_back(table, name)[0]["id"] == [str(2**60 + i) for i in range(90)]
    votes = ("--annotations", "judgements.csv")
    a = table.evaluate("--probs", f"{name}:p_*", "--ids", f"{name}:id", *votes)
    b = table.evaluate("--probs", "q.npy", "--ids", "t.csv:id", "--classes", "ant,bee,cat", *votes)
    assert a["metrics"] == b["metrics"] and a["per_rater"] == b["per_rater"]


def test_ids_have_no_place_in_an_array(table, model):
    done = table.run("calibrate", "apply", model, "--probs", "t.parquet:p_*", "--ids", "t.parquet:id", "-o", "w.npy")
    assert done.code == 2 and "name it .csv or .parquet" in done.err and "w.npy" not in table.names()


def test_out_of_fold_probabilities_by_suffix(table):
    fit = ("calibrate", "fit", "--method", "temperature", "--probs", "t.csv:p_*", "--labels", "t.csv:label", "--cross-fit", "3", "--quiet")
    for name in ("oof.npy", "oof.parquet"):
        assert table.run(*fit, "-o", "n.json", "--out-probs", name).code == 0
    columns, _ = read_back(table, "oof.parquet")
    assert np.array_equal(np.column_stack(list(columns.values())), np.load(table / "oof.npy")) and "p_bee" in columns


def test_suspects_as_parquet_are_those_of_the_csv(table):
    flags = ("uncertainty", "--probs", "t.parquet:p_*", "--labels", "t.parquet:label", "--ids", "t.parquet:id", "--quiet")
    for name in ("s.csv", "s.parquet"):
        assert table.run(*flags, "--suspects-csv", name).code == 0
    columns, types = read_back(table, "s.parquet")
    rows = [line.split(",") for line in (table / "s.csv").read_text().splitlines()]
    assert rows[0] == list(columns) and types["id"] == "string" and types["row"] == "int64" and types["score"] == "double"
    assert [r[0] for r in rows[1:]] == columns["id"]
    assert [float(r[5]) for r in rows[1:]] == columns["score"]


@pytest.mark.parametrize("suffix", [".xlsx", ".tsv", ".npy"])
def test_a_table_of_text_has_no_other_suffix(table, suffix):
    done = table.run("uncertainty", "--probs", "probs.npy", "--labels", "labels.npy", "--suspects-csv", "s" + suffix, "--quiet")
    assert done.code == 2 and done.err.count("\n") == 1 and ".csv" in done.err and not (table / ("s" + suffix)).exists()


def test_outputs_that_cannot_be_written(table, model):
    apply = ("calibrate", "apply", model, "--probs", "t.parquet:p_*", "-o")
    for name, sentence in [("nowhere/q.parquet", "directory does not exist"), ("q.npz", "name it .npy, .csv or .parquet"),
                           ("t.parquet", "would overwrite the input")]:
        done = table.run(*apply, name)
        assert done.code == 2 and sentence in done.err and len(done.err.strip().splitlines()) == 1, done.err
    done = table.run("uncertainty", "--probs", "t.parquet:p_*", "--labels", "t.parquet:label", "--suspects-csv", "s.npy")
    assert done.code == 2 and "name it .csv or .parquet" in done.err
    assert not [n for n in table.names() if n.endswith(".tmp")]


def test_without_the_plugin_nothing_is_written(table, model, tmp_path):
    (tmp_path / "bin").mkdir()
    alone = shutil.copy(PLUMB, tmp_path / "bin" / "plumb")
    done = subprocess.run([alone, "calibrate", "apply", model, "--probs", "t.csv:p_*", "-o", tmp_path / "q.parquet"], cwd=table.path,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 2 and "needs libplumb_arrow.so" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["bin"]


def test_the_table_of_cases_as_parquet_is_that_of_the_csv(table):
    rng = np.random.default_rng(2)
    lines = ["case,probs,rater_1,rater_2"]
    for i in range(3):
        p = rng.random((8, 9))
        names = [f"c{i}_{what}.npy" for what in ("p", "a", "b")]
        for name, array in zip(names, (p, (rng.random(p.shape) < p).astype("u1"), (rng.random(p.shape) < p).astype("u1"))):
            table.npy(name, array)
        lines.append(f"00{i}," + ",".join(names))
    table.text("cases.csv", "\n".join(lines) + "\n")
    for name in ("per.csv", "per.parquet"):
        done = table.run("evaluate", "--manifest", "cases.csv", "--per-case", name, "--metrics", "ece,brier", "--quiet")
        assert done.code == 0, done.err
    columns, types = read_back(table, "per.parquet")
    rows = [line.split(",") for line in (table / "per.csv").read_text().splitlines()]
    assert rows[0] == list(columns) and columns["case"] == ["000", "001", "002"] and types["brier"] == "double"
    assert [float(r[rows[0].index("brier")]) for r in rows[1:]] == columns["brier"]


def test_an_export_of_a_tool_and_predictions_in_parquet(table):
    """One command: votes of several raters in the layout of Label Studio, predictions with ids as Parquet."""
    rng = np.random.default_rng(9)
    rows = [f'{k},2**60+{k},"{2**60 + i}",{rater},{NAMES[int(rng.integers(3))]},12.5,2026-01-01T00:00:00Z'
            for k, (i, rater) in enumerate((i, r) for i in rng.permutation(90) for r in (1, 2, 3))]
    table.text("export.csv", "annotation_id,id,image,annotator,choice,lead_time,created_at\n" + "\n".join(rows) + "\n")
    done = table.run("describe", "export.csv", "t.parquet")
    assert "--ids t.parquet:id --annotations export.csv:image,annotator,choice" in done.out, done.out
    result = table.evaluate("--probs", "t.parquet:p_*", "--ids", "t.parquet:id", "--annotations", "export.csv:image,annotator,choice",
                            "--bootstrap", "10")
    assert result["annotations"]["used"] == 270 and set(result["per_rater"]) == {"1", "2", "3"}


def anonymous_peak(command, **more):
    """Peak of the memory that belongs to no mapped file, in MB, while the command runs."""
    child, peak = subprocess.Popen(command, stdout=subprocess.DEVNULL, **more), 0
    while child.poll() is None:
        try:
            lines = open(f"/proc/{child.pid}/status").read().splitlines()
        except OSError:
            continue
        peak = max([peak] + [int(line.split()[1]) / 1000 for line in lines if line.startswith("RssAnon:")])
        time.sleep(0.001)
    assert child.returncode == 0
    return peak


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    path = tmp_path_factory.mktemp("large")
    make(path, "large")
    for i in range(10):
        os.link(path / "part.parquet", path / f"shard{i}.parquet")
    return path


@pytest.mark.parametrize("label", ["y", "word", "coded"])
def test_memory_does_not_grow_with_the_rows(large, label):
    """Numbers and text: 64 MiB of columns, a batch and the libraries. 25 million texts alone are 260 MB."""
    flags = ["--metrics", "ece,brier", "--threads", "2", "--quiet"]
    peak = {}
    for name in ("part.parquet", "large.parquet"):
        inputs = ["--probs", f"{name}:p", "--labels", f"{name}:{label}", *flags]
        peak[name] = anonymous_peak([PLUMB, "evaluate", *inputs, "--json", name + ".json"], cwd=large)
    assert peak["large.parquet"] < 150, peak
    # Ten files give what one gives, also in memory.
    inputs = ["--probs", "shard*.parquet:p", "--labels", f"shard*.parquet:{label}", *flags]
    assert anonymous_peak([PLUMB, "evaluate", *inputs, "--json", "shards.json"], cwd=large) < 150
    # The same million rows again and again; the same bits as from memory alone, which is used where there is no file.
    read = lambda name: {k: m["value"] for k, m in json.loads((large / name).read_text())["metrics"].items()}
    for name in ("shards.json", "part.parquet.json"):
        assert read("large.parquet.json")["brier"] == pytest.approx(read(name)["brier"], rel=1e-14)
    numbers = ["--probs", "large.parquet:p", "--labels", "large.parquet:y", *flags, "--json", "memory.json"]
    assert anonymous_peak([PLUMB, "evaluate", *numbers], cwd=large, env=dict(os.environ, TMPDIR="/proc")) > 200
    assert read("memory.json") == read("large.parquet.json")


def test_columns_larger_than_memory(large, tmp_path):
    """200 MB in a process that may have 150 MB of data: they are decoded into a mapped file, which is not counted."""
    os.link(large / "large.parquet", tmp_path / "large.parquet")
    folder = Folder(tmp_path)
    flags = ["--probs", "large.parquet:p", "--labels", "large.parquet:y", "--metrics", "ece,brier", "--threads", "2", "--quiet"]
    whole = folder.evaluate(*flags)

    def limited(spool):
        limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (150 * 10**6, 150 * 10**6))
        return subprocess.run([PLUMB, "evaluate", *flags, "--json", "limited.json"], cwd=tmp_path, preexec_fn=limit, capture_output=True,
                              text=True, timeout=300, env=dict(os.environ, TMPDIR=spool))

    done = limited(str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert parts(json.loads((tmp_path / "limited.json").read_text()))["metrics"] == whole["metrics"]
    (tmp_path / "limited.json").unlink()
    done = limited("/proc")  # takes no files
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert "fit neither in memory nor in /proc" in done.stderr and not (tmp_path / "limited.json").exists()
    assert not [n for n in folder.names() if n.endswith(".tmp")]


def test_the_demo_writes_its_predictions_as_parquet_too(folder):
    assert folder.run("demo", "--items", "300", "--out", "d", "--quiet").code == 0
    votes = ("--annotations", "d/test/annotations.csv:image,annotator,choice", "--bootstrap", "10")
    result = folder.evaluate("--probs", "d/test/predictions.parquet:p_*", "--ids", "d/test/predictions.parquet:id", *votes)
    arrays = folder.evaluate("--probs", "d/test/probs.npy", "--counts", "d/test/counts.npy", "--bootstrap", "10", "--classes", "d/classes.txt")
    for key in ("ece", "brier", "nll", "auroc"):
        assert result["metrics"][key]["value"] == arrays["metrics"][key]["value"]
    assert result["annotations"]["predictions_without_annotation"] == 0 and len(result["per_rater"]) > 2
