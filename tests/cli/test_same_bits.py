"""The same result for any number of threads, row order and split."""
import itertools

import numpy as np
import pytest
from conftest import Folder, make_task, values, without_argv


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """20,000 items with several votes, a binary column of them, weights and groups."""
    f = Folder(tmp_path_factory.mktemp("big"))
    t = make_task(n=20000, k=5, seed=3)
    t["probs"] = t["probs"].astype(np.float32)
    t["weights"] = t["rng"].integers(0, 5, size=20000) / 4
    t["groups"] = t["rng"].integers(0, 300, size=20000)
    t["binary"] = t["probs"][:, 1]
    t["hits"] = np.column_stack([t["counts"].sum(axis=1) - t["counts"][:, 1], t["counts"][:, 1]])
    for name in ("probs", "labels", "counts", "weights", "groups", "binary", "hits"):
        f.npy(name + ".npy", t[name])
    f.task = t
    return f


TASKS = {
    "labels": ("--probs", "probs.npy", "--labels", "labels.npy"),
    "counts": ("--probs", "probs.npy", "--counts", "counts.npy", "--weights", "weights.npy"),
    "binary": ("--probs", "binary.npy", "--counts", "hits.npy"),
}


def renamed(args, prefix):
    return [a if a.startswith("--") else prefix + a for a in args]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("more", [(), ("--groups", "groups.npy"), ("--binning", "mass")], ids=["items", "groups", "mass"])
def test_threads(big, task, more):
    results = [without_argv(big.evaluate(*TASKS[task], *more, "--bootstrap", 12, "--threads", n)) for n in (1, 2, 16)]
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("task", TASKS)
def test_row_order(big, task):
    order = np.random.default_rng(5).permutation(20000)
    for name in ("probs", "labels", "counts", "weights", "binary", "hits"):
        big.npy(f"shuffled-{name}.npy", big.task[name][order])
    got = big.evaluate(*TASKS[task]), big.evaluate(*renamed(TASKS[task], "shuffled-"))
    assert without_argv(got[0]) == without_argv(got[1])


def test_shards_keep_every_bit_of_the_resampling_too(big):
    cuts = [0, 17, 5000, 5001, 12345, 20000]
    for i, (a, b) in enumerate(itertools.pairwise(cuts) if hasattr(itertools, "pairwise") else zip(cuts, cuts[1:])):
        for name in ("probs", "counts", "weights"):
            big.npy(f"cut-{i}-{name}.npy", big.task[name][a:b])
    whole = big.evaluate(*TASKS["counts"], "--bootstrap", 12)
    parts = big.evaluate("--probs", "cut-*-probs.npy", "--counts", "cut-*-counts.npy", "--weights", "cut-*-weights.npy",
                         "--bootstrap", 12)
    assert without_argv(whole) == without_argv(parts)


@pytest.mark.parametrize("task", TASKS)
def test_seven_random_shards_merged(big, task):
    """Any split, saved and merged in any order, gives the bits of one run, its automatic bandwidth included."""
    rng = np.random.default_rng(11)
    shard = rng.integers(0, 7, size=20000)
    states = []
    for s in range(7):
        for name in ("probs", "labels", "counts", "weights", "binary", "hits"):
            big.npy(f"shard-{name}.npy", big.task[name][shard == s])
        states.append(f"{task}-{s}.plumb")
        assert big.run("evaluate", *renamed(TASKS[task], "shard-"), "--save-state", states[-1], "--quiet", "--metrics", "ece").code == 0
    one = big.run("evaluate", *TASKS[task], "--json", "-").json
    streaming = {m["key"] for m in big.run("list", "--json").json["metrics"] if m["room"] == "streaming"}
    streaming.add("ece_debiased")  # the other name of ece_l2_debiased
    for _ in range(2):
        rng.shuffle(states)
        merged = big.run("merge", *states, "--json", "-").json
        assert (merged["items"], merged["votes"]) == (one["items"], one["votes"])
        assert merged["tables"]["reliability"] == one["tables"]["reliability"]
        for part in ("metrics", "consensus"):
            assert (part in merged) == (part in one)
            if part not in one:
                continue
            assert set(merged[part]) == set(one[part])
            assert any(key in streaming for key in one[part])
            # Resampled, of all classes' columns, or in order: of the majority labels and of weighted votes a state has only sums.
            no_state = {"ece_corrected", "ece_kde_canonical"} | ({"ece_kde_classwise"} if task != "binary" else set())
            only_sums = part == "consensus" or "--weights" in TASKS[task]
            for key, m in merged[part].items():
                if key in no_state or (only_sums and key not in streaming):
                    assert m["value"] is None and m["why"].startswith("needs "), key
                else:
                    assert m == one[part][key], (part, key)
        assert {k: v for k, v in merged["per_class"].items() if k in streaming} == \
               {k: v for k, v in one["per_class"].items() if k in streaming}


def test_merge_of_merges(big):
    for s in range(4):
        part = np.arange(20000) % 4 == s
        big.npy("m-probs.npy", big.task["probs"][part])
        big.npy("m-labels.npy", big.task["labels"][part])
        assert big.run("evaluate", "--probs", "m-probs.npy", "--labels", "m-labels.npy", "--save-state", f"m{s}.plumb",
                       "--metrics", "ece", "--quiet").code == 0
    assert big.run("merge", "m0.plumb", "m1.plumb", "--save-state", "m01.plumb", "--quiet").code == 0
    assert big.run("merge", "m2.plumb", "m3.plumb", "--save-state", "m23.plumb", "--quiet").code == 0
    a, b = (big.run("merge", *files, "--json", "-").json for files in (["m[0-3].plumb"], ["m23.plumb", "m01.plumb"]))
    assert without_argv(a) == without_argv(b)


def test_seed_moves_the_bounds_and_nothing_else(big):
    a, b = (big.evaluate(*TASKS["labels"], "--bootstrap", 12, "--seed", s) for s in (0, 1))
    assert values(a) == values(b)
    assert a["metrics"]["nll"]["low"] != b["metrics"]["nll"]["low"]


def test_more_threads_than_cores_say_nothing(folder):
    """Loops inside of loops ask for as many threads as were given, which the outer ones must allow: TBB prints a warning otherwise."""
    rng = np.random.default_rng(5)
    p = rng.random(200_000)
    folder.npy("p.npy", p)
    folder.npy("y.npy", rng.random(p.size) < p)
    runs = [folder.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--threads", threads, "--json", "-") for threads in (1, 24)]
    assert [r.err for r in runs] == ["", ""]
    assert runs[0].json["metrics"] == runs[1].json["metrics"]
