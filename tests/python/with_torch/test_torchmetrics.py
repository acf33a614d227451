"""plumb.torchmetrics against torchmetrics itself, a naive table, and the bits of plumb.metrics."""
import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest
import torch
import torchmetrics
from torchmetrics.classification import (BinaryAccuracy, BinaryCalibrationError, CalibrationError,
                                         MulticlassCalibrationError)
from torchmetrics.functional.classification import binary_calibration_error, calibration_error, multiclass_calibration_error

import plumb
import plumb.torchmetrics as ours
from conftest import ROOT

NORMS = {"l1": plumb.metrics.ece, "l2": plumb.metrics.ece_l2, "max": plumb.metrics.mce}
FLOAT32 = 2e-6  # theirs is summed in float32


def binary(n=4000, seed=0):
    g = torch.Generator().manual_seed(seed)
    p = torch.rand(n, generator=g)
    return p, (torch.rand(n, generator=g) < p ** 2).int()


def classes(n=3000, k=4, seed=0):
    g = torch.Generator().manual_seed(seed)
    logits = 2 * torch.randn(n, k, generator=g)
    return logits, torch.randint(k, (n,), generator=g)


def naive(confidences, hits, bins, norm):
    """In double, one bin at a time."""
    confidences, hits = np.asarray(confidences, float), np.asarray(hits, float)
    cell = np.minimum((confidences * bins).astype(int), bins - 1)
    gaps = [(np.mean(cell == b), abs(confidences[cell == b].mean() - hits[cell == b].mean())) for b in np.unique(cell)]
    if norm == "max":
        return max(gap for _, gap in gaps)
    return sum(w * gap for w, gap in gaps) if norm == "l1" else np.sqrt(sum(w * gap ** 2 for w, gap in gaps))


@pytest.mark.parametrize("pair", [(ours.BinaryCalibrationError, BinaryCalibrationError),
                                  (ours.MulticlassCalibrationError, MulticlassCalibrationError),
                                  (ours.binary_calibration_error, binary_calibration_error),
                                  (ours.multiclass_calibration_error, multiclass_calibration_error),
                                  (ours.calibration_error, calibration_error)], ids=lambda p: p[0].__name__)
def test_the_same_signatures(pair):
    mine, theirs = (inspect.signature(f.__init__ if inspect.isclass(f) else f).parameters for f in pair)
    assert [(p.name, p.default) for p in mine.values()] == [(p.name, p.default) for p in theirs.values()]
    new = [inspect.signature(c.__new__).parameters for c in (ours.CalibrationError, CalibrationError)]
    assert [(p.name, p.default) for p in new[0].values()] == [(p.name, p.default) for p in new[1].values()]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("bins", [1, 2, 15, 100])
def test_binary(norm, bins):
    p, y = binary()
    theirs = float(binary_calibration_error(p, y, n_bins=bins, norm=norm))
    value = float(ours.binary_calibration_error(p.double(), y, n_bins=bins, norm=norm))
    assert value == NORMS[norm](p, y, bins=bins)
    assert abs(value - naive(p, y, bins, norm)) < 1e-12 and abs(value - theirs) < FLOAT32
    metric = ours.BinaryCalibrationError(n_bins=bins, norm=norm).set_dtype(torch.float64)
    for i in range(0, len(p), 700):
        metric.update(p[i:i + 700], y[i:i + 700])
    assert float(metric.compute()) == value
    assert float(ours.calibration_error(p.double(), y, "binary", bins, norm)) == value


@pytest.mark.parametrize("norm", NORMS)
def test_multiclass(norm):
    logits, y = classes()
    p = logits.softmax(1)
    theirs = float(multiclass_calibration_error(p, y, 4, norm=norm))
    value = float(ours.multiclass_calibration_error(p.double(), y, 4, norm=norm))
    top = p.max(1)
    assert abs(value - naive(top.values, top.indices == y, 15, norm)) < 1e-12 and abs(value - theirs) < FLOAT32
    assert abs(float(ours.multiclass_calibration_error(logits, y, 4, norm=norm)) - theirs) < FLOAT32
    metric = ours.CalibrationError("multiclass", num_classes=4, norm=norm)
    assert isinstance(metric, ours.MulticlassCalibrationError)
    assert abs(float(metric(p, y)) - theirs) < FLOAT32


def test_two_columns_are_judged_by_their_top_label():
    p, y = binary()
    both = torch.stack([1 - p, p], 1)
    theirs = float(multiclass_calibration_error(both, y, 2))
    assert abs(float(ours.multiclass_calibration_error(both, y, 2)) - theirs) < FLOAT32


@pytest.mark.parametrize("ignored", [-1, 0, 255])
def test_ignored_targets_and_more_dimensions(ignored):
    p, y = binary(4096)
    where = torch.rand(4096) < 0.3
    y = torch.where(where, torch.tensor(ignored, dtype=y.dtype), y)
    volume, mask = p.reshape(4, 4, 16, 16), y.reshape(4, 4, 16, 16)
    theirs = float(binary_calibration_error(volume, mask, ignore_index=ignored))
    assert abs(float(ours.binary_calibration_error(volume, mask, ignore_index=ignored)) - theirs) < FLOAT32
    logits, labels = classes(4096)
    labels[where] = ignored
    images = logits.reshape(16, 256, 4).transpose(1, 2).reshape(16, 4, 16, 16)
    maps = labels.reshape(16, 16, 16)
    theirs = float(multiclass_calibration_error(images, maps, 4, ignore_index=ignored))
    assert abs(float(ours.multiclass_calibration_error(images, maps, 4, ignore_index=ignored)) - theirs) < FLOAT32


def test_bad_arguments_are_refused_as_theirs_are():
    p, y = binary(20)
    for wrong in ({"n_bins": 0}, {"n_bins": 1.5}, {"norm": "l3"}, {"ignore_index": 1.5}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            ours.BinaryCalibrationError(**wrong)
    with pytest.raises(RuntimeError, match="Detected the following values"):
        ours.binary_calibration_error(p, y + 5)
    with pytest.raises(RuntimeError, match="same shape"):
        ours.binary_calibration_error(p, y[:5])
    with pytest.raises(ValueError, match="floating"):
        ours.binary_calibration_error(y, y)
    with pytest.raises(ValueError, match="num_classes"):
        ours.MulticlassCalibrationError(num_classes=1)
    with pytest.raises(ValueError, match="num_classes= as an int"):
        ours.CalibrationError("multiclass")
    with pytest.raises(ValueError, match="multilabel"):
        ours.calibration_error(p, y, "multilabel")
    with pytest.raises(ValueError, match="row 2: .*sum to 1.8"):
        ours.multiclass_calibration_error(torch.tensor([[0.5, 0.5], [1.0, 0.0], [0.9, 0.9]]), torch.tensor([0, 1, 1]), 2)
    with pytest.raises(ValueError, match="row 1"):
        ours.binary_calibration_error(torch.tensor([0.5, float("nan")]), torch.tensor([0, 1]), validate_args=False)


def test_counts_beyond_2_to_the_24():
    """Every forecast counts: 2^24 of one bin, then one more at a time. torchmetrics stops at 2^24."""
    many = 2 ** 24 + 2 ** 20
    p = torch.full((many,), 0.25)
    y = torch.zeros(many, dtype=torch.uint8)
    metric = ours.BinaryCalibrationError(n_bins=10).set_dtype(torch.float64)
    metric.update(p, y)
    metric.update(p[:3], torch.ones(3, dtype=torch.uint8))
    assert metric.table[0, 2] == many + 3 and metric.table[1, 2] == 3
    assert float(metric.compute()) == pytest.approx(0.25 - 3 / (many + 3), abs=1e-15)


def sums(table):
    """Forecasts, hits and the sum of p in units of 2^-50, by bin."""
    forecasts, hits, high, low = table.tolist()
    return forecasts, hits, [(h << 32) + x for h, x in zip(high, low)]


def test_any_split_and_order_gives_the_same_bits():
    p, y = binary()
    one = ours.BinaryCalibrationError().set_dtype(torch.float64)
    one.update(p, y)
    parts = [ours.BinaryCalibrationError().set_dtype(torch.float64) for _ in range(3)]
    order = torch.randperm(len(p))
    for k, part in enumerate(parts):
        for i in order[k::3].split(333):
            part.update(p[i], y[i])
    table = sum(part.table for part in parts)  # what dist_reduce_fx="sum" does
    assert sums(table) == sums(one.table) and table.dtype == torch.int64
    merged = ours.BinaryCalibrationError().set_dtype(torch.float64)
    merged.table = table
    merged._update_count = 1
    assert float(merged.compute()) == float(one.compute()) == plumb.metrics.ece(p, y)


def test_states_are_summed_across_processes():
    metric = ours.MulticlassCalibrationError(3)
    assert metric._reductions["table"] is torchmetrics.utilities.data.dim_zero_sum
    assert metric.table.dtype == torch.int64 and metric.table.shape == (4, 15)


def test_two_processes(tmp_path):
    """A real process group of two (gloo): each has half of the data, both compute the value of the whole."""
    script = tmp_path / "rank.py"
    script.write_text(f"""
import sys; sys.path.insert(0, {str(ROOT / 'build' / 'python')!r})
import torch, torch.distributed as dist, plumb.torchmetrics as ours
rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method="file://{tmp_path}/rendezvous", rank=rank, world_size=2)
g = torch.Generator().manual_seed(5)
p = torch.rand(1000, generator=g); y = (torch.rand(1000, generator=g) < p).int()
metric = ours.BinaryCalibrationError().set_dtype(torch.float64)
metric.update(p[rank::2], y[rank::2])
value = metric.compute()
whole = ours.BinaryCalibrationError(sync_on_compute=False).set_dtype(torch.float64)
whole.update(p, y)
assert float(value) == float(whole.compute()), (value, whole.compute())
print("agreed")
""")
    if not torch.distributed.is_available():
        pytest.fail("this torch has no torch.distributed")
    running = [subprocess.Popen([sys.executable, script, str(rank)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
               for rank in range(2)]
    for one in running:
        out, err = one.communicate(timeout=120)
        assert one.returncode == 0 and "agreed" in out, err


def test_inside_a_collection():
    p, y = binary()
    metrics = torchmetrics.MetricCollection({"ece": ours.BinaryCalibrationError(), "mce": ours.BinaryCalibrationError(norm="max"),
                                             "accuracy": BinaryAccuracy()}, prefix="val_")
    for i in range(0, len(p), 1000):
        batch = metrics(p[i:i + 1000], y[i:i + 1000])
        assert set(batch) == {"val_ece", "val_mce", "val_accuracy"}
        assert float(batch["val_ece"]) == np.float32(plumb.metrics.ece(p[i:i + 1000], y[i:i + 1000]))
    found = metrics.compute()
    assert float(found["val_ece"]) == np.float32(plumb.metrics.ece(p, y))
    metrics.reset()
    assert int(metrics["ece"].table.sum()) == 0
    metrics.update(p, y)
    assert ["ece", "mce"] in metrics.compute_groups.values()  # one table serves both
    assert {k: float(v) for k, v in metrics.compute().items()} == {k: float(v) for k, v in found.items()}


def test_copies_gradients_and_dtypes():
    p, y = binary(500)
    metric = ours.BinaryCalibrationError()
    metric.update(p.clone().requires_grad_(), y)
    again = pickle.loads(pickle.dumps(metric))
    assert torch.equal(again.compute(), metric.compute()) and again.compute().dtype == torch.float32
    assert torch.equal(metric.clone().compute(), metric.compute())
    whole = ours.BinaryCalibrationError()
    whole.persistent(True)
    whole.update(p, y)
    copy = ours.BinaryCalibrationError()
    copy.persistent(True)
    copy.load_state_dict(whole.state_dict())
    assert torch.equal(copy.table, whole.table)
    half = p.half()
    assert float(ours.binary_calibration_error(half, y)) == np.float32(plumb.metrics.ece(half, y))
    assert float(ours.binary_calibration_error(p.bfloat16(), y)) == np.float32(plumb.metrics.ece(p.bfloat16().float(), y))
    logits = torch.randn(200, 3).half()
    assert 0 <= float(ours.multiclass_calibration_error(logits, torch.randint(3, (200,)), 3)) <= 1


def test_nothing_gives_nan():
    nothing = torch.zeros(0), torch.zeros(0, dtype=torch.int64)
    assert torch.isnan(ours.binary_calibration_error(*nothing))
    ignored = torch.full((4,), -1)
    assert torch.isnan(ours.binary_calibration_error(torch.rand(4), ignored, ignore_index=-1))
    assert torch.isnan(ours.multiclass_calibration_error(torch.rand(4, 3), ignored, 3, ignore_index=-1))


def test_a_sentence_without_torch(tmp_path):
    code = (f"import sys; sys.path.insert(0, {str(ROOT / 'build' / 'python')!r}); sys.modules['torch'] = None\n"
            "import plumb\n"
            "for name in ('plumb.torchmetrics', 'plumb.torch'):\n"
            "    try: __import__(name)\n"
            "    except ImportError as error: print(error)\n")
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(said) == 2 and said[0].startswith("plumb.torchmetrics needs torch and torchmetrics") and "pip install" in said[1]
