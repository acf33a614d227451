"""Segmentations in memory: the bits of the manifest, cases read one at a time, and what is wrong said with the name of the case."""
import gc
import weakref

import numpy as np
import pytest

import plumb
from test_every_command import equal

RNG = np.random.default_rng(1)


def made(count=5, shape=(9, 8)):
    out = []
    for i in range(count):
        p = RNG.random(shape)
        out.append({"case": f"scan{i}", "probs": p, "rater_1": (RNG.random(shape) < p).astype(np.uint8), "rater_2": (RNG.random(shape) < p).astype(np.uint8),
                    "group": f"p{i // 2}", "scanner": "AB"[i % 2]})
    return out


CASES = made()


def manifest(folder, cases):
    lines = ["case,probs,rater_1,rater_2,group,scanner"]
    for c in cases:
        for name in ("probs", "rater_1", "rater_2"):
            np.save(folder.path / f"{c['case']}_{name}.npy", c[name])
        lines.append(f"{c['case']},{c['case']}_probs.npy,{c['case']}_rater_1.npy,{c['case']}_rater_2.npy,{c['group']},{c['scanner']}")
    (folder.path / "cases.csv").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("how", [{}, {"by": "scanner", "bootstrap": 20, "regions": True, "band": 2, "spacing": [1, 1]}, {"predicted": True},
                                 {"classes": ["0", "1"], "full_scale": 2.0}])
def test_the_bits_of_the_manifest(folder, how):
    manifest(folder, CASES)
    flags = [x for name, value in how.items() for x in (["--" + name.replace("_", "-")] if value is True else
             ["--" + name.replace("_", "-"), ",".join(map(str, value)) if isinstance(value, list) else value])]
    tool = folder.json("evaluate", "--manifest", "cases.csv", *flags, "--metrics", "ece,brier,auroc,el")
    ours = plumb.evaluate_cases(CASES, **how, metrics=["ece", "brier", "auroc", "el"])
    equal(ours, tool)
    equal(plumb.evaluate_cases(folder.path / "cases.csv", **how, metrics=["ece", "brier", "auroc", "el"]), tool)


def test_ways_to_give_cases(folder):
    expected = plumb.evaluate_cases(CASES, metrics="ece").metrics

    class Lazy:
        def __len__(self):
            return len(CASES)

        def __getitem__(self, i):
            return {key: np.asfortranarray(value) if isinstance(value, np.ndarray) else value for key, value in CASES[i].items()}
    listed = [{"probs": c["probs"], "ratings": [c["rater_1"], c["rater_2"]], "group": c["group"]} for c in CASES]
    named = {c["case"]: {"probs": c["probs"], "ratings": {"rater_1": c["rater_1"], "rater_2": c["rater_2"]}} for c in CASES}
    for cases in (Lazy(), listed, named, tuple(CASES)):
        assert plumb.evaluate_cases(cases, metrics="ece").metrics == expected
    classes = [{**c, "probs": np.stack([1 - c["probs"], c["probs"]], -1)} for c in CASES]
    assert plumb.evaluate_cases(classes, metrics="brier")["brier"].value == pytest.approx(plumb.evaluate_cases(CASES, metrics="brier")["brier"].value)
    first = [{**c, "probs": np.stack([1 - c["probs"], c["probs"]], 0)} for c in CASES]
    assert plumb.evaluate_cases(first, metrics="ece", class_axis="first").metrics == plumb.evaluate_cases(classes, metrics="ece").metrics


def test_a_state_and_a_frame(folder):
    manifest(folder, CASES)
    folder.run("evaluate", "--manifest", "cases.csv", "--save-state", "s.plumb", "--quiet", "--per-case", "cases-out.csv")
    result = plumb.evaluate_cases(CASES, save_state=True)
    assert result.state == (folder.path / "s.plumb").read_bytes()
    assert plumb.merge([result.state])["brier"].value == result["brier"].value
    pandas = pytest.importorskip("pandas")
    table, frame = pandas.read_csv(folder.path / "cases-out.csv", float_precision="round_trip"), result.to_frame("cases")
    assert list(table.columns) == list(frame.columns)
    assert np.array_equal(table["ece"], frame["ece"]) and list(table["case"]) == list(frame["case"])


def test_nothing_stays_in_memory():
    alive = []

    class Volume(np.ndarray):
        pass

    class Lazy:
        def __len__(self):
            return 12

        def __getitem__(self, i):
            p = RNG.random((30, 30)).view(Volume)
            alive.append(weakref.ref(p))
            most.append(sum(one() is not None for one in alive))
            return {"probs": p, "ratings": [p > 0.4]}
    most = []
    plumb.evaluate_cases(Lazy(), metrics="ece", threads=1)
    gc.collect()
    assert not any(one() is not None for one in alive)
    assert max(most) <= 4, most


def without(case, *names):
    return {key: value for key, value in case.items() if key not in names}


@pytest.mark.parametrize("cases, how, words", [
    ([], {}, "there are no cases"),
    (5, {}, "cases takes a list or dict"),
    ([CASES[0], CASES[0]], {}, "two cases are called 'scan0'"),
    ([without(CASES[0], "probs")], {}, "case scan0: give probs or logits"),
    ([without(CASES[0], "rater_1", "rater_2")], {}, "case scan0: there are no masks"),
    ([CASES[0]["probs"]], {}, "a case is a dict"),
    (CASES, {"by": "site"}, "case scan0 has no 'site', which by names"),
    ([{**CASES[0], "probs": CASES[0]["probs"] * 3}], {}, "case scan0: probs, voxel ("),
    ([{**CASES[0], "rater_2": CASES[0]["rater_2"][:4]}], {}, "case scan0: rater_2 is 4 x 8"),
    ([{**CASES[0], "rater_1": CASES[0]["rater_1"] + 5}], {}, "case scan0: rater_1, voxel"),
    ([{**CASES[0], "affine": np.eye(2)}], {}, "affine is a matrix of 3 or 4 rows"),
    (CASES, {"spacing": [1, 1]}, "spacing= has no effect without band="),
    (CASES, {"full_scale": 0}, "full_scale= must be above 0"),
    (CASES, {"class_axis": "middle"}, "class_axis= takes one of by-shape, first, last, nnunet"),
    (CASES, {"layout": "nnunet"}, "layout= is for the path of a folder"),
    ("nothing.csv", {}, "nothing.csv"),
])
def test_what_is_refused(cases, how, words):
    with pytest.raises((TypeError, ValueError)) as caught:
        plumb.evaluate_cases(cases, **how)
    assert words in str(caught.value) and "⟦" not in str(caught.value)


def test_what_the_reader_throws():
    class Broken:
        def __len__(self):
            return 6

        def __getitem__(self, i):
            if i == 3:
                raise OSError("the disk is gone")
            return CASES[i % 3]
    with pytest.raises(OSError, match="the disk is gone"):
        plumb.evaluate_cases(Broken(), metrics="ece")
    bad = [CASES[0], {**CASES[1], "probs": CASES[1]["probs"] * 3}, CASES[2]]
    result = plumb.evaluate_cases(bad, on_error="skip", metrics="ece")
    assert len(result.to_frame("cases")) == 2 and any("could not be read" in note for note in result.notes)
