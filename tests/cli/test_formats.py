"""The same numbers, however the same data are given."""
import numpy as np
import pytest
from conftest import make_task, softmax, values, without_argv

LABELS = ("--labels", "labels.npy")


@pytest.fixture
def expected(folder, task):
    return without_argv(folder.evaluate("--probs", "probs.npy", *LABELS))


def check(folder, expected, *args):
    assert without_argv(folder.evaluate(*args)) == expected


def csv_of(matrix, names):
    """Shortest text that reads back exactly."""
    rows = [",".join(repr(float(x)) for x in row) for row in matrix]
    return ",".join(names) + "\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("name,change", [
    ("fortran.npy", np.asfortranarray),
    ("big.npy", lambda a: a.astype(">f8")),
    ("fortran-big.npy", lambda a: np.asfortranarray(a.astype(">f8"))),
])
def test_npy_layouts(folder, task, expected, name, change):
    folder.npy(name, change(task["probs"]))
    check(folder, expected, "--probs", name, *LABELS)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_npy_versions(folder, task, expected, version):
    with open(folder / "v.npy", "wb") as f:
        np.lib.format.write_array(f, task["probs"], version=version)
    check(folder, expected, "--probs", "v.npy", *LABELS)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(folder, task, expected, save):
    save(folder / "a.npz", probs=task["probs"], labels=task["labels"])
    check(folder, expected, "--probs", "a.npz:probs", "--labels", "a.npz:labels")


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">i4", ">f4", "?"])
def test_label_types(folder, task, dtype):
    y = task["labels"] % 2
    p = folder.npy("p.npy", task["probs"][:, 0])
    folder.npy("y.npy", y)
    folder.npy("z.npy", y.astype(dtype))
    check(folder, without_argv(folder.evaluate("--probs", p, "--labels", "y.npy")), "--probs", p, "--labels", "z.npy")


@pytest.mark.parametrize("dtype", ["f4", ">f4", "f2"])
def test_probability_types_are_widened(folder, task, dtype):
    narrow = task["probs"].astype(dtype)
    folder.npy("narrow.npy", narrow)
    folder.npy("wide.npy", narrow.astype("f8"))
    check(folder, without_argv(folder.evaluate("--probs", "wide.npy", *LABELS)), "--probs", "narrow.npy", *LABELS)


@pytest.mark.parametrize("name,change", [
    ("t.csv", lambda s: s),
    ("t.tsv", lambda s: s.replace(",", "\t")),
    ("crlf.csv", lambda s: s.replace("\n", "\r\n")),
    ("quoted.csv", lambda s: "\n".join(",".join(f'"{v}"' for v in line.split(",")) for line in s.split("\n")[:-1]) + "\n"),
    ("no-end.csv", lambda s: s[:-1]),
    ("bom.csv", lambda s: "\ufeff" + s),
])
def test_csv(folder, task, expected, name, change):
    names = ["p0", "p1", "p2", "p3", "y"]
    folder.text(name, change(csv_of(np.column_stack([task["probs"], task["labels"]]), names)))
    check(folder, expected, "--probs", f"{name}:p0,p1,p2,p3", "--labels", f"{name}:y")
    check(folder, expected, "--probs", f"{name}:p*", "--labels", f"{name}:y")


def test_shards_and_patterns(folder, task, expected):
    for i, part in enumerate(np.array_split(np.arange(400), 11)):
        folder.npy(f"probs-{i}.npy", task["probs"][part])  # probs-10 comes after probs-9
        folder.npy(f"labels-{i}.npy", task["labels"][part])
    check(folder, expected, "--probs", "probs-*.npy", "--labels", "labels-*.npy")
    files = [f"probs-{i}.npy" for i in range(11)]
    check(folder, expected, "--probs", *files, *LABELS)
    many = [x for f in files for x in ("--probs", f)]
    check(folder, expected, *many, *LABELS)


def test_mixed_shards(folder, task, expected):
    folder.npy("a.npy", np.asfortranarray(task["probs"][:100]))
    np.savez_compressed(folder / "b.npz", x=task["probs"][100:250].astype(">f8"))
    folder.text("c.csv", csv_of(task["probs"][250:], ["a", "b", "c", "d"]))
    check(folder, expected, "--probs", "a.npy", "b.npz:x", "c.csv", *LABELS)


def test_text_labels(folder, task, expected):
    names = ["cat", "dog", "bird", "a fish"]
    folder.text("y.csv", "y\n" + "".join(names[y] + "\n" for y in task["labels"]))
    got = folder.evaluate("--probs", "probs.npy", "--labels", "y.csv:y", "--classes", ",".join(names))
    assert values(got) == {k: m["value"] for k, m in expected["metrics"].items()}
    assert got["class_names"] == names


def test_labels_counts_and_ratings_of_the_same_votes(folder, task, expected):
    one_hot = np.eye(4, dtype=int)[task["labels"]]
    folder.npy("counts1.npy", one_hot)
    folder.npy("ratings1.npy", task["labels"][:, None])
    for flag, name in (("--counts", "counts1.npy"), ("--ratings", "ratings1.npy")):
        got = folder.evaluate("--probs", "probs.npy", flag, name)
        # Keys that need two votes per item are asked of counts and ratings alone, and have no value here.
        assert {k: v for k, v in values(got).items() if k in expected["metrics"]} == {
            k: m["value"] for k, m in expected["metrics"].items()
        }, flag


def test_counts_and_ratings_of_several_votes(folder, task):
    ratings = np.full((400, 6), -1.0)
    for i, row in enumerate(task["counts"]):
        votes = np.repeat(np.arange(4), row)
        ratings[i, task["rng"].permutation(6)[: len(votes)]] = votes
    folder.npy("ratings.npy", ratings)
    folder.npy("nan.npy", np.where(ratings < 0, np.nan, ratings))
    names = ["w", "x", "y", "z"]
    text = lambda v: "" if v < 0 else names[int(v)]
    folder.text("ratings.csv", "a,b,c,d,e,f\n" + "".join(",".join(map(text, row)) + "\n" for row in ratings))
    counts = values(folder.evaluate("--probs", "probs.npy", "--counts", "counts.npy"))
    assert values(folder.evaluate("--probs", "probs.npy", "--ratings", "ratings.npy")) == counts
    assert values(folder.evaluate("--probs", "probs.npy", "--ratings", "nan.npy")) == counts
    got = folder.evaluate("--probs", "probs.npy", "--ratings", "ratings.csv", "--classes", ",".join(names))
    assert values(got) == counts


def test_logits_are_softmaxed(folder, task, expected):
    got = values(folder.evaluate("--logits", "logits.npy", *LABELS))
    for key, m in expected["metrics"].items():
        assert got[key] == pytest.approx(m["value"], abs=1e-9), key  # numpy's exp and ours differ in the last bits


def test_binary_as_one_column_or_two(folder, task):
    p, y = task["probs"][:, 0], (task["labels"] == 0).astype(int)
    folder.npy("p.npy", p)
    folder.npy("p1.npy", p[:, None])
    folder.npy("p2.npy", np.column_stack([1 - p, p]))
    folder.npy("y.npy", y)
    check(folder, without_argv(folder.evaluate("--probs", "p.npy", "--labels", "y.npy")), "--probs", "p1.npy", "--labels", "y.npy")
    one, two = (folder.evaluate("--probs", f, "--labels", "y.npy") for f in ("p.npy", "p2.npy"))
    assert one["task"] == two["task"] == "binary" and one["classes"] == two["classes"] == 2
    assert values(one) == values(two)
    log_odds = folder.npy("l.npy", np.log(p) - np.log1p(-p))
    for key, x in values(folder.evaluate("--logits", log_odds, "--labels", "y.npy")).items():
        assert x == pytest.approx(values(one)[key], abs=1e-6), key


def test_samples(folder, task):
    other = softmax(task["logits"][:, ::-1] * 0.3)
    passes = np.stack([task["probs"], other])
    folder.npy("all.npy", passes)
    folder.npy("all-f.npy", np.asfortranarray(passes))
    folder.npy("one.npy", passes[0])
    folder.npy("two.npy", passes[1])
    mean = folder.npy("mean.npy", passes.mean(axis=0))
    expected = values(folder.evaluate("--samples", "all.npy", *LABELS))
    assert values(folder.evaluate("--samples", "all-f.npy", *LABELS)) == expected
    assert values(folder.evaluate("--samples", "one.npy", "two.npy", *LABELS)) == expected
    for key, x in values(folder.evaluate("--probs", mean, *LABELS)).items():
        assert x == pytest.approx(expected[key], abs=1e-9), key
    binary = folder.npy("b.npy", passes[:, :, 0])
    y = folder.npy("y.npy", (task["labels"] == 0).astype(int))
    assert folder.evaluate("--samples", binary, "--labels", y)["settings"]["samples"] == 2


def test_normalize(folder, task, expected):
    folder.npy("big.npy", task["probs"] * 4)
    assert folder.run("evaluate", "--probs", "big.npy", *LABELS).code == 2
    small = folder.npy("small.npy", task["probs"] * 0.5)
    got = folder.evaluate("--probs", small, *LABELS, "--normalize")
    assert got["settings"]["normalize"] is True
    for key, m in expected["metrics"].items():
        assert values(got)[key] == pytest.approx(m["value"], abs=1e-9), key


def test_weights_are_repeats(folder):
    t = make_task(n=50)
    w = t["rng"].integers(0, 4, size=50)
    folder.npy("p.npy", t["probs"])
    folder.npy("y.npy", t["labels"])
    folder.npy("w.npy", w)
    folder.npy("p2.npy", np.repeat(t["probs"], w, axis=0))
    folder.npy("y2.npy", np.repeat(t["labels"], w))
    keys = ("--metrics", "accuracy,agreement,nll,brier,ece,ece_l2,mce,ece_mass,ks,auroc,aurc")
    once = values(folder.evaluate("--probs", "p.npy", "--labels", "y.npy", "--weights", "w.npy", *keys))
    twice = values(folder.evaluate("--probs", "p2.npy", "--labels", "y2.npy", *keys))
    for key, x in once.items():
        assert x == pytest.approx(twice[key], abs=1e-12), key


def test_items_without_votes_are_left_out_and_counted(folder, task):
    counts = task["counts"].copy()
    counts[::10] = 0
    some = folder.npy("some.npy", counts)
    kept = counts.sum(axis=1) > 0
    folder.npy("p9.npy", task["probs"][kept])
    folder.npy("n9.npy", counts[kept])
    got = folder.evaluate("--probs", "probs.npy", "--counts", some)
    assert values(got) == values(folder.evaluate("--probs", "p9.npy", "--counts", "n9.npy"))
    assert any("40 items" in note for note in got["notes"])


def test_by_and_groups_may_be_numbers_or_text(folder, task):
    site = np.arange(400) % 3
    folder.npy("site.npy", site)
    folder.text("site.csv", "site\n" + "".join(f"{s}\n" for s in site))
    a = folder.evaluate("--probs", "probs.npy", *LABELS, "--by", "site.npy", "--groups", "site.npy", "--bootstrap", 8)
    b = folder.evaluate("--probs", "probs.npy", *LABELS, "--by", "site.csv:site", "--groups", "site.csv:site", "--bootstrap", 8)
    assert without_argv(a) == without_argv(b)
    assert [g["group"] for g in a["per_group"]] == ["0", "1", "2"]
    for g in range(3):
        folder.npy("pg.npy", task["probs"][site == g])
        folder.npy("yg.npy", task["labels"][site == g])
        assert a["per_group"][g]["metrics"] == values(folder.evaluate("--probs", "pg.npy", "--labels", "yg.npy"))


def test_a_file_for_each_rater(folder, task):
    ratings = np.stack([task["labels"], (task["labels"] + 1) % 4, np.where(np.arange(400) % 3 == 0, -1, 2)], axis=1)
    folder.npy("all.npy", ratings)
    for r in range(3):
        folder.npy(f"r{r}.npy", ratings[:, r])
    folder.npy("head.npy", ratings[:150])
    folder.npy("tail.npy", ratings[150:])
    want = without_argv(folder.evaluate("--probs", "probs.npy", "--ratings", "all.npy"))
    files = without_argv(folder.evaluate("--probs", "probs.npy", "--ratings", "r0.npy", "r1.npy", "r2.npy"))
    for row in files["tables"]["raters"] + files["tables"]["rater_pairs"]:  # the files name the raters
        row.update({k: int(row[k][1]) for k in ("rater", "other") if k in row})
    files["per_rater"] = {name[1]: values for name, values in files["per_rater"].items()}
    assert files == want
    check(folder, want, "--probs", "probs.npy", "--ratings", "head.npy", "tail.npy")
    names = np.array(["a", "b", "c", "d"])
    for r in range(2):
        folder.text(f"t{r}.csv", "who\n" + "\n".join(names[ratings[:, r]]) + "\n")
    text = folder.evaluate("--probs", "probs.npy", "--ratings", "t0.csv:who", "t1.csv:who", "--classes", "a,b,c,d")
    assert values(text) == values(folder.evaluate("--probs", "probs.npy", "--ratings", "r0.npy", "r1.npy"))
    mixed = folder.run("evaluate", "--probs", "probs.npy", "--ratings", "t0.csv:who", "r1.npy", "--classes", "a,b,c,d")
    assert mixed.code == 2 and len(mixed.err.strip().splitlines()) == 1


def test_names_with_commas(folder, task):
    names = ['"a, b"', "c", "d", "e"]
    folder.text("y.csv", "y\n" + "\n".join(names[k] for k in task["labels"]) + "\n")
    r = folder.evaluate("--probs", "probs.npy", "--labels", "y.csv:y", "--classes", ",".join(names))
    assert values(r) == values(folder.evaluate("--probs", "probs.npy", "--labels", "labels.npy"))
