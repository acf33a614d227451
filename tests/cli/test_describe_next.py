"""plumb describe ends with the command to run, and the command runs."""
import json
import shlex
import subprocess

import numpy as np
import pytest
from volumes import nifti, png

CLASSES = ["benign", "malignant"]


@pytest.fixture
def files(folder):
    rng = np.random.default_rng(6)
    p = rng.random(40)
    votes = (rng.random((40, 3)) < p[:, None]).astype(int)
    folder.npy("probs.npy", np.stack([1 - p, p], 1))
    folder.npy("logits.npy", np.stack([np.zeros(40), np.log(p / (1 - p))], 1))
    folder.npy("labels.npy", votes[:, 0])
    folder.npy("counts.npy", np.stack([(votes == 0).sum(1), votes.sum(1)], 1))
    folder.text("preds.csv", "id,p_benign,p_malignant,patient\n" +
                "".join(f"scan{i},{1 - x!r},{x!r},P{i // 4}\n" for i, x in enumerate(p)))
    folder.text("long.csv", "image,annotator,choice,lead_time\n" +
                "".join(f"scan{i},r{r},{CLASSES[votes[i, r]]},0.5\n" for i in range(40) for r in range(3)))
    folder.text("plain.csv", "item,rater,label\n" +
                "".join(f"scan{i},r{r},{CLASSES[votes[i, r]]}\n" for i in range(40) for r in range(3)))
    folder.text("long.jsonl", "".join(
        json.dumps({"meta": {"file": f"scan{i}"}, "_annotator_id": f"r{r}", "accept": [CLASSES[votes[i, r]]]}) + "\n"
        for i in range(40) for r in range(3)))
    folder.text("wide.csv", "rater_1,rater_2,rater_3\n" +
                "".join(",".join(CLASSES[k] for k in v) + "\n" for v in votes))
    folder.text("one.csv", "p,y,site\n" + "".join(f"{x!r},{k},{'ab'[i % 2]}\n" for i, (x, k) in enumerate(zip(p, votes[:, 0]))))
    return folder


CASES = [
    (["preds.csv", "long.csv"], ["--probs preds.csv:p_benign,p_malignant", "--ids preds.csv:id",
                                 "--annotations long.csv:image,annotator,choice", "--groups preds.csv:patient"]),
    (["preds.csv", "plain.csv"], ["--annotations plain.csv"]),
    (["preds.csv", "long.jsonl"], ["--annotations long.jsonl:meta.file,_annotator_id,accept"]),
    (["preds.csv", "wide.csv"], ["--ratings 'wide.csv:rater_*'"]),
    (["probs.npy", "counts.npy"], ["--probs probs.npy", "--counts counts.npy"]),
    (["logits.npy", "labels.npy"], ["--logits logits.npy", "--labels labels.npy"]),
    (["one.csv"], ["--probs one.csv:p", "--labels one.csv:y"]),
]


@pytest.mark.parametrize("given, parts", CASES)
def test_the_next_command_runs(files, given, parts):
    out = files.run("describe", *given).out
    assert "\nNext:\n" in out, out
    command = out.rstrip().splitlines()[-1].strip()
    for part in parts:
        assert part in command, command
    words = shlex.split(command)
    done = files.run(*words[1:], "--metrics", "ece,nll", "--clip", "1e-9")
    assert done.code == 0, done.err


def test_a_label_that_is_always_the_same_says_nothing(files):
    """Prodigy's answer is "accept" wherever nobody rejects; the chosen option is the label."""
    rows = [json.loads(line) for line in (files / "long.jsonl").read_text().splitlines()]
    for answers in (["accept"], ["accept", "ignore"]):
        files.text("p.jsonl", "".join(json.dumps(dict(answer=answers[i % len(answers)], **r)) + "\n" for i, r in enumerate(rows)))
        assert "--annotations p.jsonl:meta.file,_annotator_id,accept" in files.run("describe", "preds.csv", "p.jsonl").out


def test_volumes_and_pictures_get_a_table_of_cases(files):
    rng = np.random.default_rng(2)
    p = rng.random((6, 5, 4)).astype("f4")
    for name, voxels in (("p.nii.gz", p), ("m 1.nii.gz", (p > 0.5).astype("u1")), ("m2.nii", (p > 0.3).astype("u1"))):
        nifti(files / name, voxels)
    files.npy("flat.npy", rng.random((6, 5)))
    png(files / "mask.png", (rng.random((6, 5)) > 0.5).astype("u1"))
    for given in (["p.nii.gz", "m 1.nii.gz", "m2.nii"], ["flat.npy", "mask.png"]):
        out = files.run("describe", *given).out
        write, evaluate = out.rstrip().splitlines()[-2:]
        assert "\nNext:\n" in out and "--ratings" not in out, out
        subprocess.run(write, shell=True, cwd=files.path, check=True)
        done = files.run(*shlex.split(evaluate)[1:], "--metrics", "ece,brier")
        assert done.code == 0, done.err
    assert "case1,PREDICTIONS,mask.png" in files.run("describe", "mask.png").out
    assert "case1,p.nii.gz,MASK" in files.run("describe", "p.nii.gz").out


def test_what_is_missing_stands_in_capitals(files):
    out = files.run("describe", "long.csv").out
    assert out.rstrip().endswith("--probs PREDICTIONS --ids PREDICTIONS:id --annotations long.csv:image,annotator,choice")
    assert files.run("describe", "probs.npy").out.rstrip().endswith("--probs probs.npy --labels LABELS")


def test_nothing_to_say(folder):
    folder.text("t.csv", "name\nx\ny\n")
    assert "Next" not in folder.run("describe", "t.csv").out
