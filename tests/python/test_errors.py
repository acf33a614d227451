"""Whatever is wrong is said in one sentence that names the argument."""
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import plumb
from conftest import cohort

D = cohort(n=30)
P, Y = D["probs"], D["labels"]


@pytest.mark.parametrize("given, kind, words", [
    (dict(probs=P, labels=Y[:-1]), ValueError, "probs has 30 rows but labels has 29 rows"),
    (dict(probs=2 * P, labels=Y), ValueError, "probs, row 0"),
    (dict(probs=P, labels=Y + 3), ValueError, "labels, row 0 is"),
    (dict(probs=P, labels=Y, bins=0), ValueError, "bins= is 0"),
    (dict(probs=P, labels=Y, bins=2**70), ValueError, "bins= 1180591620717411303424 is out of range"),
    (dict(probs=P, labels=Y, bins="15"), TypeError, "bins= takes a whole number, not '15'"),
    (dict(probs=P, labels=Y, bins=True), TypeError, "bins= takes a whole number"),
    (dict(probs=P, labels=Y, level="x"), TypeError, "level= takes a number, not 'x'"),
    (dict(probs=P, labels=Y, level=2), ValueError, "level="),
    (dict(probs=P, labels=Y, seed=-1), ValueError, "seed= takes a whole number from 0"),
    (dict(probs=P, labels=Y, metrics="eec"), ValueError, 'did you mean "ece"'),
    (dict(probs=P, labels=Y, metrics=[1]), TypeError, "metrics= takes text, not 1"),
    (dict(probs=P, labels=Y, binning="equal"), ValueError, 'binning= takes one of width, mass, not "equal"'),
    (dict(probs=P, labels=Y, counts=D["counts"]), ValueError, "labels= and counts= cannot be combined"),
    (dict(probs=P, labels=Y, duplicates="first"), ValueError, "duplicates= takes last, keep or refuse"),
    (dict(probs=P, labels=Y, classes="abc"), TypeError, "classes takes a list"),
    (dict(logits=D["logits"], labels=Y, normalize=True), ValueError, "normalize="),
    (dict(labels=Y), ValueError, "probs= or logits="),
    (dict(probs=P), ValueError, "no data"),
    (dict(probs=P + 0j, labels=Y), TypeError, "probs has the type complex128"),
    (dict(probs=0.5, labels=Y), TypeError, "probs takes an array"),
    (dict(probs=[[0.5, 0.5], [1.0]], labels=[0, 1]), ValueError, "probs is not an array"),
    (dict(probs=P, labels=[0, "a"] * 15), TypeError, "labels"),
    (dict(probs=P, labels=np.array([0, "a"] * 15, dtype=object)), TypeError, "labels mixes text with int"),
    (dict(probs=P, labels=Y, targets=Y), TypeError, "targets= is for a regression"),
    (dict(mean=Y, variance=Y, targets=Y, labels=Y), TypeError, "labels= is for class probabilities"),
    (dict(mean=Y, variance=Y - 5.0, targets=Y), ValueError, "variance"),
    (dict(mean=Y, variance=Y + 1, targets=Y, range=[1]), ValueError, "range= takes two numbers"),
])
def test_evaluate_refuses(given, kind, words):
    if words == "labels":
        kind = (TypeError, ValueError)  # numpy makes text of the list
    with pytest.raises(kind) as caught:
        plumb.evaluate(**given)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value) and "--" not in str(caught.value) and "⟦" not in str(caught.value)


def test_the_others_refuse():
    with pytest.raises(TypeError, match="dict of models"):
        plumb.compare(P, labels=Y)
    with pytest.raises(ValueError, match="two models or more"):
        plumb.compare({"a": P}, labels=Y)
    with pytest.raises(ValueError, match='no model "c"; it has a, b'):
        plumb.compare({"a": P, "b": P}, labels=Y, reference="c")
    with pytest.raises(ValueError, match="single= takes majority"):
        plumb.stability(probs=P, labels=Y, single="nobody")
    with pytest.raises(ValueError, match="repeats= must be"):
        plumb.stability(probs=P, labels=Y, repeats=1)
    with pytest.raises(ValueError, match="top= takes 1 or 5"):
        plumb.uncertainty(probs=P, labels=Y, top=2)
    with pytest.raises(TypeError, match="dict of columns"):
        plumb.uncertainty(probs=P, labels=Y, scores=Y)
    with pytest.raises(TypeError, match="ece\\(\\) has no argument bin="):
        plumb.metrics.ece(P, Y, bin=3)
    with pytest.raises(ValueError, match="el is undefined: "):
        plumb.metrics.el(P, Y)
    with pytest.raises(TypeError):
        plumb.evaluate(P, Y)


def test_progress_and_what_it_throws():
    told = []
    plumb.evaluate(probs=P, labels=Y, bootstrap=20, metrics="ece", progress=told.append)
    assert told[-1] == 1.0 and told == sorted(told)

    class Enough(Exception):
        pass

    def stop(share):
        raise Enough
    rng = np.random.default_rng(0)
    p = rng.random(200_000)
    with pytest.raises(Enough):
        plumb.evaluate(probs=p, labels=rng.random(200_000) < p, bootstrap=5000, progress=stop)


def test_ctrl_c(tmp_path):
    """A long evaluation ends soon after the signal, with KeyboardInterrupt."""
    script = tmp_path / "long.py"
    script.write_text("""
import numpy, plumb, sys
rng = numpy.random.default_rng(0)
p = rng.random(300_000)
y = rng.random(300_000) < p
print("ready", flush=True)
try:
    plumb.evaluate(probs=p, labels=y, bootstrap=20000)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(7)
""")
    folder = os.path.dirname(os.path.dirname(plumb.__file__))
    run = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True,
                           env=dict(os.environ, PYTHONPATH=folder))
    assert run.stdout.readline().strip() == "ready"
    time.sleep(1)
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=60)
    assert out.strip() == "interrupted" and run.returncode == 7
