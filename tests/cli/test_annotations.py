"""Judgements in long form: joined by id, the same result as a matrix of ratings, and what is refused."""
import csv
import io
import json

import numpy as np
import pytest

CLASSES = ["benign", "malignant", "unsure"]
RATERS = ["anna", "ben", "chris", "dora"]


def cohort(n=120, seed=5, missing=0.3):
    """Probabilities, ids and votes by rater: ratings[i][r] is a class or -1."""
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet([1.0] * len(CLASSES), n)
    votes = np.array([[rng.choice(len(CLASSES), p=p) for _ in RATERS] for p in probs])
    votes[rng.random(votes.shape) < missing] = -1
    votes[0] = 0
    ids = [f"img_{i:04d}.png" for i in range(n)]
    return probs, ids, votes


def predictions_csv(folder, probs, ids, name="preds.csv"):
    rows = ["id," + ",".join(f"p_{c}" for c in CLASSES)]
    rows += [f"{i}," + ",".join(repr(float(x)) for x in p) for i, p in zip(ids, probs)]
    return folder.text(name, "\n".join(rows) + "\n")


def judgements(ids, votes, seed=1):
    rows = [(ids[i], RATERS[r], CLASSES[votes[i, r]])
            for i in range(len(ids)) for r in range(len(RATERS)) if votes[i, r] >= 0]
    np.random.default_rng(seed).shuffle(rows)
    return [tuple(r) for r in rows]


def table(header, rows, quoting=csv.QUOTE_MINIMAL):
    out = io.StringIO()
    writer = csv.writer(out, quoting=quoting, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


@pytest.fixture
def joined(folder):
    probs, ids, votes = cohort()
    predictions_csv(folder, probs, ids)
    folder.text("votes.csv", table(["item", "rater", "label"], judgements(ids, votes)))
    folder.npy("ratings.npy", votes)
    return folder


PREDS = ["--probs", "preds.csv:p_*", "--ids", "preds.csv:id"]


def numbers(result):
    return {k: m.get("value") for k, m in result["metrics"].items()}


def test_annotations_give_the_bits_of_ratings(joined):
    long = joined.evaluate(*PREDS, "--annotations", "votes.csv", "--bootstrap", "20")
    wide = joined.evaluate(*PREDS, "--ratings", "ratings.npy", "--bootstrap", "20")
    assert long["metrics"] == wide["metrics"] and long["consensus"] == wide["consensus"]
    assert long["votes"] == wide["votes"] and long["tables"]["reliability"] == wide["tables"]["reliability"]
    assert [r["rater"] for r in long["tables"]["raters"]] == RATERS
    drop = lambda rows: [{k: v for k, v in r.items() if k not in ("rater", "other")} for r in rows]
    for name in ("raters", "rater_pairs"):
        assert drop(long["tables"][name]) == drop(wide["tables"][name])
    assert list(long["per_rater"]) == RATERS and list(wide["per_rater"]) == ["0", "1", "2", "3"]
    assert list(long["per_rater"].values()) == list(wide["per_rater"].values())
    assert long["annotations"]["used"] == long["votes"] and long["notes"][:1] != []


def test_per_rater_is_what_a_run_on_that_rater_gives(joined):
    probs, ids, votes = cohort()
    result = joined.evaluate(*PREDS, "--annotations", "votes.csv")
    for r, name in enumerate(RATERS):
        rated = votes[:, r] >= 0
        joined.npy("p.npy", probs[rated])
        joined.npy("y.npy", votes[rated, r])
        alone = joined.evaluate("--probs", "p.npy", "--labels", "y.npy")
        for key, value in result["per_rater"][name].items():
            assert value == alone["metrics"][key]["value"], (name, key)


def test_a_header_names_the_raters_of_ratings(joined):
    _, _, votes = cohort()
    rows = [[CLASSES[c] if c >= 0 else "" for c in v] for v in votes]
    joined.text("wide.csv", table(RATERS, rows))
    result = joined.evaluate(*PREDS, "--ratings", "wide.csv")
    assert [r["rater"] for r in result["tables"]["raters"]] == RATERS
    assert list(result["per_rater"]) == RATERS
    for r, name in enumerate(RATERS):
        joined.text(f"{name}.csv", table(["y"], [[row[r]] for row in rows]))
    files = joined.evaluate(*PREDS, "--ratings", *[f"{name}.csv" for name in RATERS])
    assert [r["rater"] for r in files["tables"]["raters"]] == RATERS
    columns = [f"{name}.csv:y" for name in RATERS]
    assert list(joined.evaluate(*PREDS, "--ratings", *columns)["per_rater"]) == columns
    joined.text("twice.csv", "a,a\n" + "\n".join(",".join(row[:2]) for row in rows) + "\n")
    assert list(joined.evaluate(*PREDS, "--ratings", "twice.csv")["per_rater"]) == ["0", "1"]


def label_studio(rows):
    return table(["annotation_id", "annotator", "choice", "created_at", "id", "image", "lead_time"],
                 [[k, who, label, "2024-01-05T10:00:00Z", 1000 + k, item, 3.2]
                  for k, (item, who, label) in enumerate(rows)])


def mturk(rows):
    return table(["HITId", "WorkerId", "AssignmentStatus", "Input.image_url", "Answer.category.label"],
                 [[f"3{k:05d}", who, "Approved", item, label] for k, (item, who, label) in enumerate(rows)],
                 csv.QUOTE_ALL)


def prodigy(rows):
    """Prodigy's choice interface: one JSON object per line; the answer is a list."""
    return "".join(json.dumps({"text": "...", "meta": {"file": item}, "options": [{"id": c, "text": c} for c in CLASSES],
                               "accept": [label], "answer": "accept", "_annotator_id": who, "_task_hash": 17 * k}) + "\n"
                   for k, (item, who, label) in enumerate(rows))


LAYOUTS = {
    "label_studio": (label_studio, "image,annotator,choice"),
    "mturk": (mturk, "Input.image_url,WorkerId,Answer.category.label"),
    "prodigy": (prodigy, "meta.file,_annotator_id,accept"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_annotation_tools(joined, layout):
    probs, ids, votes = cohort()
    make, columns = LAYOUTS[layout]
    export = "export.jsonl" if layout == "prodigy" else "export.csv"
    joined.text(export, make(judgements(ids, votes, seed=8)))
    plain = joined.evaluate(*PREDS, "--annotations", "votes.csv")
    other = joined.evaluate(*PREDS, "--annotations", f"{export}:{columns}")
    for part in ("metrics", "consensus", "per_rater", "annotations"):
        assert other[part] == plain[part]


@pytest.mark.parametrize("ids", [[str(10 * i + 7) for i in range(120)], [f"{i:03d}" for i in range(120)]])
def test_ids_in_any_order_numbers_and_text(joined, ids):
    probs, _, votes = cohort()
    order = np.random.default_rng(2).permutation(len(ids))
    joined.text("votes.csv", table(["item", "rater", "label"], judgements(ids, votes)))
    predictions_csv(joined, probs, ids)
    a = joined.evaluate(*PREDS, "--annotations", "votes.csv")
    predictions_csv(joined, probs[order], [ids[i] for i in order])
    b = joined.evaluate(*PREDS, "--annotations", "votes.csv")
    assert numbers(a) == numbers(b) and a["per_rater"] == b["per_rater"]
    if ids[0] == "7":
        joined.npy("ids.npy", np.array([int(i) for i in ids]))
        predictions_csv(joined, probs, ids)
        c = joined.evaluate("--probs", "preds.csv:p_*", "--ids", "ids.npy", "--annotations", "votes.csv")
        assert numbers(a) == numbers(c)


def test_what_does_not_join_is_counted(joined):
    probs, ids, votes = cohort()
    rows = [r for r in judgements(ids, votes) if r[0] not in ids[100:]]
    rows += [("other_1", "anna", "benign"), ("other_2", "zoe", "unsure"), ("other_2", "ben", "unsure")]
    joined.text("votes.csv", table(["item", "rater", "label"], rows))
    result = joined.evaluate(*PREDS, "--annotations", "votes.csv")
    counts = result["annotations"]
    assert counts["items_without_prediction"] == 2 and counts["predictions_without_annotation"] >= 20
    assert counts["judgements"] == len(rows) and counts["used"] == len(rows) - 3
    assert any("other_1" in n for n in result["notes"]) and any("no annotation, for example" in n for n in result["notes"])
    assert "zoe" not in result["per_rater"]
    kept = joined.evaluate("--probs", "preds.csv:p_*", "--ids", "preds.csv:id", "--annotations", "votes.csv")
    assert kept["metrics"] == result["metrics"]


def test_repeated_judgements(folder):
    folder.text("preds.csv", "id,p\na,0.9\nb,0.2\nc,0.6\n")
    folder.text("votes.csv", "item,rater,label\na,x,0\na,y,1\nb,x,0\na,x,1\nc,y,1\nc,x,\n")
    common = ["--probs", "preds.csv:p", "--ids", "preds.csv:id", "--annotations", "votes.csv"]
    last = folder.evaluate(*common)
    assert last["votes"] == 4 and last["annotations"]["repeated"] == 1 and last["annotations"]["without_label"] == 1
    assert any("the last judgement counts" in n for n in last["notes"])
    folder.npy("counts.npy", np.array([[0, 2], [1, 0], [0, 1]]))
    assert numbers(last) == numbers(folder.evaluate("--probs", "preds.csv:p", "--counts", "counts.npy"))
    keep = folder.evaluate(*common, "--duplicates", "keep")
    folder.npy("counts.npy", np.array([[1, 2], [1, 0], [0, 1]]))
    assert keep["votes"] == 5
    assert numbers(keep) == numbers(folder.evaluate("--probs", "preds.csv:p", "--counts", "counts.npy"))
    refused = folder.run("evaluate", *common, "--duplicates", "refuse")
    assert refused.code == 2
    assert 'votes.csv:label, row 3 (line 5): "x" has judged "a" before, in row 0' in refused.err


def test_without_raters_each_row_is_a_vote(folder):
    folder.text("preds.csv", "id,p\na,0.9\nb,0.2\n")
    folder.text("votes.csv", "task,answer\na,1\na,1\na,0\nb,0\n")
    result = folder.evaluate("--probs", "preds.csv:p", "--ids", "preds.csv:id", "--annotations", "votes.csv:task,answer")
    assert result["votes"] == 4 and "raters" not in result["tables"] and "per_rater" not in result


def test_shards_of_annotations(joined):
    _, ids, votes = cohort()
    rows = judgements(ids, votes)
    joined.text("part1.csv", table(["item", "rater", "label"], rows[:50]))
    joined.text("part2.csv", table(["item", "rater", "label"], rows[50:]))
    whole = joined.evaluate(*PREDS, "--annotations", "votes.csv")
    parts = joined.evaluate(*PREDS, "--annotations", "part*.csv")
    assert parts["metrics"] == whole["metrics"] and parts["per_rater"] == whole["per_rater"]


def test_every_command_that_takes_votes(joined):
    votes = ["--annotations", "votes.csv"]
    u = joined.run("uncertainty", *PREDS, *votes, "--json", "-").json
    assert u["annotations"]["used"] == u["votes"]
    joined.text("b.csv", (joined / "preds.csv").read_text())
    c = joined.run("compare", "--model", "a=preds.csv:p_*", "--model", "b=b.csv:p_*", "--ids", "preds.csv:id", *votes,
                   "--metrics", "nll,ece", "--bootstrap", "20", "--json", "-").json
    assert c["annotations"]["used"] == u["votes"]
    s = joined.run("stability", *PREDS, *votes, "--repeats", "5", "--single", "rater:ben", "--json", "-").json
    assert s["annotations"]["used"] == u["votes"]
    near = joined.run("stability", *PREDS, *votes, "--repeats", "5", "--single", "rater:bne")
    assert near.code == 2 and 'did you mean "ben"' in near.err
    fit = joined.run("calibrate", "fit", "--method", "temperature", *PREDS, *votes, "-o", "m.json")
    assert fit.code == 0, fit.err
    joined.npy("counts.npy", np.stack([(cohort()[2] == k).sum(1) for k in range(3)], 1))
    other = joined.run("calibrate", "fit", "--method", "temperature", *PREDS[:2], "--counts", "counts.npy",
                       "-o", "m2.json")
    one, two = (json.loads((joined / f).read_text()) for f in ("m.json", "m2.json"))
    assert one["steps"][0]["parameters"] == two["steps"][0]["parameters"]


REFUSED = [
    ("id,p\na,0.9\na,0.2\n", "item,rater,label\na,x,1\n", "votes.csv", "row 0 and in row 1; each needs its own id"),
    ("id,p\na,0.9\nb,0.2\n", "item,rater,label\nq1,x,1\nq2,x,0\n", "votes.csv",
     'nothing can be joined: the annotations have "q1", "q2", the predictions "a", "b"'),
    ("id,p\na,0.9\nb,0.2\n", "item,who,label\na,x,1\n", "votes.csv", "say which columns are item, rater and label"),
    ("id,p\na,0.9\nb,0.2\n", "item,rater,label\na,x,1\n", "votes.csv:item,rater,lable", 'did you mean "label"'),
    ("id,p\na,0.9\nb,0.2\n", "item,rater,label\na,x,1\n", "votes.csv:item", "takes the columns of item, rater and label"),
    ("id,p\na,0.9\nb,0.2\n", "item,rater,label\n,x,1\n", "votes.csv", 'column "item": the value is missing'),
    ("id,p\na,0.9\nb,0.2\n", "item,rater,label\na,x,1\n,x,1\n", "votes.csv", "every item needs a name"),
    ("id,p\na,0.9\nb,0.2\n", "item,rater,label\na,,1\n", "votes.csv", 'column "rater": the value is missing'),
    ("id,p\na,0.9\nb,0.2\n", "item,rater,label\na,x,1\na,,1\n", "votes.csv", "every judgement needs a name"),
    ("id,p\na,0.9\nb,0.2\n", "item,rater,label\na,x,2\n", "votes.csv", "whole numbers from 0 to 1"),
    ("id,p\na,0.9\nb,0.2\n", "item,rater,label\na,x,\n", "votes.csv", "has a label"),
    ("id,p\na,0.9\nb,0.2\n", "item,rater,label\n", "votes.csv", "holds no judgement"),
]


@pytest.mark.parametrize("preds, votes, spec, sentence", REFUSED)
def test_bad_annotations_get_one_sentence(folder, preds, votes, spec, sentence):
    folder.text("preds.csv", preds)
    folder.text("votes.csv", votes)
    done = folder.run("evaluate", "--probs", "preds.csv:p", "--ids", "preds.csv:id", "--annotations", spec)
    assert done.code == 2 and sentence in done.err, done.err
    assert len(done.err.strip().splitlines()) == 1


def test_annotations_need_ids(joined):
    done = joined.run("evaluate", "--probs", "preds.csv:p_*", "--annotations", "votes.csv")
    assert done.code == 2 and "--ids" in done.err


def test_an_unknown_label_names_the_nearest_class(joined):
    joined.text("votes.csv", "item,rater,label\nimg_0001.png,anna,malignnt\n")
    done = joined.run("evaluate", *PREDS, "--annotations", "votes.csv")
    assert done.code == 2 and 'did you mean "malignant"?' in done.err


def test_text_labels_need_no_classes(folder):
    rng = np.random.default_rng(3)
    probs = rng.dirichlet([1, 1, 1], 60)
    y = np.array([rng.choice(3, p=p) for p in probs])
    folder.npy("p.npy", probs)
    folder.npy("y.npy", y)
    names = ["ant", "bee", "cat"]
    folder.text("y.csv", table(["y"], [[names[k]] for k in y]))
    plain = folder.evaluate("--probs", "p.npy", "--labels", "y.npy")
    text = folder.evaluate("--probs", "p.npy", "--labels", "y.csv:y")
    assert numbers(text) == numbers(plain) and text["class_names"] == names
    assert any("ant is class 0, bee is class 1, cat is class 2" in n for n in text["notes"])
    folder.npy("t.npy", np.array([names[k] for k in y]))
    assert numbers(folder.evaluate("--probs", "p.npy", "--labels", "t.npy")) == numbers(plain)
    # The header of the probabilities says it without a note; --classes overrides the sorted order.
    folder.text("p.csv", table([f"p_{c}" for c in ("cat", "ant", "bee")], [map(repr, map(float, p)) for p in probs]))
    header = folder.evaluate("--probs", "p.csv", "--labels", "y.csv:y")
    assert header["class_names"] == ["cat", "ant", "bee"] and not any("sorted" in n for n in header["notes"])
    given = folder.evaluate("--probs", "p.npy", "--labels", "y.csv:y", "--classes", "cat,ant,bee")
    assert numbers(given) == numbers(header) and numbers(given) != numbers(plain)
    ratings = folder.evaluate("--probs", "p.npy", "--ratings", "y.csv:y")
    assert ratings["class_names"] == names


def test_text_labels_of_a_binary_task(folder):
    p = np.linspace(0.05, 0.95, 20)
    y = (np.arange(20) % 3 == 0).astype(int)
    folder.npy("p.npy", p)
    folder.npy("y.npy", y)
    folder.text("y.csv", table(["y"], [["yes" if k else "no"] for k in y]))
    plain = folder.evaluate("--probs", "p.npy", "--labels", "y.npy")
    text = folder.evaluate("--probs", "p.npy", "--labels", "y.csv:y")
    assert numbers(text) == numbers(plain) and any("no is class 0, yes is class 1" in n for n in text["notes"])
    folder.text("y.csv", table(["y"], [["yes"]] * 20))
    done = folder.run("evaluate", "--probs", "p.npy", "--labels", "y.csv:y")
    assert done.code == 2 and "has 1 different label (yes) but the predictions have 2 classes" in done.err
