"""Random tasks, many of them ugly, in several ways that must give the same bits: threads, order of rows, shards in one run, merged states.
PLUMB_LONG=1 tries many more; a failure prints the seed that makes the task again."""
import numpy as np
import pytest

from conftest import Folder, repetitions, softmax, values, without_argv

WHOLE, BRIEF = 400, 10


def ugly_probabilities(rng, n, k):
    """Rows that sum to 1: ordinary, saturated, on a coarse grid, one-hot, with tiny entries, all equal."""
    kind = rng.integers(6)
    z = rng.normal(size=(n, k)) * rng.choice([0.5, 2.0, 20.0])
    if kind == 0:
        p = np.round(softmax(z) * 4) / 4
        p[:, 0] = 1 - p[:, 1:].sum(axis=1)
        return np.where((p[:, :1] < 0) | (p[:, :1] > 1), np.eye(k)[0], p)
    if kind == 1:
        return np.eye(k)[rng.integers(0, k, size=n)]
    if kind == 2:
        return np.full((n, k), 1 / k)
    if kind == 3:
        tiny = np.full((n, k), 1e-310)
        tiny[np.arange(n), rng.integers(0, k, size=n)] = 1
        return tiny
    return softmax(z).astype(np.float32 if kind == 4 else np.float64)


def make(rng):
    """Arrays by the flag that takes them, and options."""
    n, k = int(rng.choice([1, 2, 3, 7, 40, 300])), int(rng.choice([2, 3, 6]))
    p = ugly_probabilities(rng, n, k)
    arrays = {"probs": p[:, 1] if k == 2 and rng.random() < 0.5 else p}
    votes = rng.integers(0, 5, size=n)
    votes[rng.integers(n)] = 3
    if rng.random() < 0.5:
        arrays["labels"] = rng.integers(0, k, size=n)
    else:
        arrays["counts"] = np.stack([rng.multinomial(v, np.full(k, 1 / k)) for v in votes])
    if rng.random() < 0.4:
        arrays["weights"] = rng.choice([0.0, 0.25, 1.0, 2.0, 1000.0], size=n)
        arrays["weights"][0] = 1.0
    if rng.random() < 0.3:
        arrays["groups"] = rng.integers(0, 4, size=n)
    options = ["--metrics", "all", "--bandwidth", "0.05", "--bins", str(rng.choice([1, 2, 15, 97])), "--seed", str(rng.integers(1000))]
    if rng.random() < 0.3:
        options += ["--binning", "mass"]
    if rng.random() < 0.3:
        options += ["--clip", "1e-6"]
    return n, arrays, options


def flags(folder, arrays, prefix=""):
    out = []
    for name, array in arrays.items():
        out += [f"--{name}", folder.npy(f"{prefix}{name}.npy", array)]
    return out


def result(folder, *args):
    """The result, or the sentence that refuses the task."""
    run = folder.run("evaluate", *args, "--json", "-")
    return without_argv(run.json) if run.code == 0 else (run.code, run.err)


@pytest.mark.parametrize("block", range(5))
def test_one_answer(tmp_path, block):
    for i in range(repetitions(WHOLE, BRIEF) // 5):
        seed = 1000 * block + i
        rng = np.random.default_rng(seed)
        folder = Folder(tmp_path)
        n, arrays, options = make(rng)
        draws = ["--bootstrap", "12"] if rng.random() < 0.5 else []
        one = result(folder, *flags(folder, arrays), *options, *draws, "--threads", "1")
        assert one == result(folder, *flags(folder, arrays), *options, *draws, "--threads", "3"), (seed, "threads")
        if isinstance(one, tuple):
            assert one[0] == 2, (seed, one)
            continue

        order = rng.permutation(n)
        turned = result(folder, *flags(folder, {k: a[order] for k, a in arrays.items()}, "turned-"), *options)
        plain = one if not draws else result(folder, *flags(folder, arrays), *options)
        assert values(turned) == values(plain), (seed, "order of rows")

        cut = int(rng.integers(0, n + 1))
        parts = [{k: a[:cut] for k, a in arrays.items()}, {k: a[cut:] for k, a in arrays.items()}]
        if cut in (0, n):
            continue
        args = []
        for name in arrays:
            args += [f"--{name}", folder.npy(f"a-{name}.npy", parts[0][name]), folder.npy(f"b-{name}.npy", parts[1][name])]
        assert one == result(folder, *args, *options, *draws), (seed, "shards in one run")
        for part, name in zip(parts, "ab"):
            run = folder.run("evaluate", *flags(folder, part, name + "-"), *options, "--quiet", "--save-state", name + ".state")
            if run.code != 0:  # a shard without votes or weights is refused
                assert run.code == 2, (seed, run.err)
                break
        else:
            merged = folder.run("merge", "b.state", "a.state", "--json", "-").json
            for key, metric in merged["metrics"].items():
                if metric["value"] is not None:
                    assert metric["value"] == plain["metrics"][key]["value"], (seed, "merged states", key)
