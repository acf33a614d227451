"""plumb evaluate --manifest --resume: a run that was killed goes on, and ends with the same bits."""
import json
import os
import random
import signal
import subprocess
import time

import pytest
from conftest import PLUMB
from volumes import lesion, nifti

CASES = 8
ARGS = ("evaluate", "--manifest", "cases.csv", "--metrics", "ece,brier,lsq,auroc,ece_mass,accuracy", "--bootstrap", "20", "--by", "site")


@pytest.fixture
def cases(folder):
    lines = ["case,probs,rater_1,rater_2,rater_3,site"]
    for i in range(CASES):
        p, votes = lesion(i, sharpen=1.5)
        lines.append(",".join([f"c{i}", nifti(folder / f"p{i}.nii.gz", p), *[nifti(folder / f"m{i}_{k}.nii", v) for k, v in enumerate(votes)],
                               "ab"[i % 2]]))
    folder.text("cases.csv", "\n".join(lines) + "\n")
    return folder


def result(folder, *more):
    run = folder.run(*ARGS, *more, "--json", "-")
    assert run.code == 0, run.err
    out = json.loads(run.out)
    out.pop("argv")
    return out


def refused(folder, *more):
    run = folder.run(*ARGS, *more)
    assert run.code == 2 and run.err.count("\n") == 1 and "run.plumb" in run.err, run.err
    return run.err


def test_cut_anywhere(cases):
    """Whatever was on the disk when the process died, the rest gives the same result."""
    whole = result(cases)
    assert result(cases, "--resume", "run.plumb") == whole
    saved = (cases / "run.plumb").read_bytes()
    rng = random.Random(3)
    for at in [len(saved), len(saved) - 1, *(rng.randrange(1200, len(saved)) for _ in range(6))]:
        (cases / "run.plumb").write_bytes(saved[:at])
        assert result(cases, "--resume", "run.plumb") == whole, at
        assert (cases / "run.plumb").read_bytes() == saved, "the cut record took its place again"


def test_finished_cases_are_not_read_again(cases):
    whole = result(cases, "--resume", "run.plumb")
    times = {}
    for f in cases.path.glob("*.nii*"):
        times[f] = f.stat()
        f.write_bytes(b"\0" * f.stat().st_size)
        os.utime(f, ns=(times[f].st_atime_ns, times[f].st_mtime_ns))
    assert result(cases, "--resume", "run.plumb") == whole
    more = result(cases, "--resume", "run.plumb", "--level", "0.9")
    assert more["metrics"]["ece"]["value"] == whole["metrics"]["ece"]["value"]
    assert more["metrics"]["ece"]["high"] < whole["metrics"]["ece"]["high"], "intervals may be asked for anew"


@pytest.mark.parametrize("records", [1, 3, 6])
def test_kill(cases, records):
    whole = result(cases)
    result(cases, "--resume", "all.plumb")
    size = (cases / "all.plumb").stat().st_size // CASES  # of a record, about
    for attempt in range(20):
        path = cases / "run.plumb"
        path.unlink(missing_ok=True)
        run = subprocess.Popen([PLUMB, *ARGS, "--resume", "run.plumb", "--threads", "1", "--quiet"], cwd=cases.path, stdout=subprocess.DEVNULL)
        while run.poll() is None and not (path.exists() and path.stat().st_size > records * size):
            time.sleep(0.0005)
        run.send_signal(signal.SIGKILL)
        if run.wait() == -signal.SIGKILL:
            break
    else:
        pytest.fail("it was always faster than the signal")
    kept = path.stat().st_size
    assert kept > 0.9 * records * size
    assert result(cases, "--resume", "run.plumb") == whole
    assert not list(cases.path.glob("*unfinished*"))


def test_what_is_refused(cases):
    result(cases, "--resume", "run.plumb")
    assert "another --bins" in refused(cases, "--resume", "run.plumb", "--bins", "10")
    assert "another --predicted" in refused(cases, "--resume", "run.plumb", "--predicted")
    saved = (cases / "run.plumb").read_bytes()
    for at in (len(saved) // 3, len(saved) // 2):
        (cases / "run.plumb").write_bytes(saved[:at] + bytes([saved[at] ^ 1]) + saved[at + 1:])
        assert "damaged" in refused(cases, "--resume", "run.plumb")
    (cases / "run.plumb").write_bytes(b"something else")
    assert "not written by --resume" in refused(cases, "--resume", "run.plumb")
    (cases / "run.plumb").write_bytes(saved)
    text = (cases / "cases.csv").read_text()
    cases.text("cases.csv", text.replace("c2,p2.nii.gz", "c2,p3.nii.gz"))
    assert "case c2: " in refused(cases, "--resume", "run.plumb")
    cases.text("cases.csv", text)
    p, _ = lesion(77)
    nifti(cases / "p4.nii.gz", p)
    said = refused(cases, "--resume", "run.plumb")
    assert "case c4: p4.nii.gz has changed" in said
    run = cases.run(*ARGS, "--resume", "cases.csv")
    assert run.code == 2 and "cases.csv" in run.err and (cases / "cases.csv").read_text() == text


def test_one_run_at_a_time(cases):
    import fcntl
    result(cases, "--resume", "run.plumb")
    with open(cases / "run.plumb") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        assert "in use by another run" in refused(cases, "--resume", "run.plumb")


def test_skipped_cases_are_tried_again(cases):
    whole = result(cases)
    good = (cases / "p3.nii.gz").read_bytes()
    (cases / "p3.nii.gz").write_bytes(good[:-50])
    r = result(cases, "--resume", "run.plumb", "--on-error", "skip")
    assert [s["case"] for s in r["skipped"]] == ["c3"]
    (cases / "p3.nii.gz").write_bytes(good)
    again = result(cases, "--resume", "run.plumb", "--on-error", "skip")
    for x in (whole, again):
        x["settings"].pop("on_error")
    assert again == whole
