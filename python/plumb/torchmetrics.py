"""Calibration errors with the names, arguments and conventions of torchmetrics, and exact counts.

>>> import torch
>>> metric = BinaryCalibrationError(n_bins=2, norm="l1")
>>> metric(torch.tensor([0.25, 0.25, 0.55, 0.75, 0.75]), torch.tensor([0, 0, 1, 1, 1]))
tensor(0.2900)

The state is a table of whole numbers (``table``, int64, four rows by ``n_bins``) that adds up across batches and processes
(``dist_reduce_fx="sum"``): memory does not grow with the data, counts do not stop at 2^24, and the value does not depend on
the order or the split. It is that of ``plumb.metrics.ece``, ``ece_l2`` or ``mce``, rounded to the metric's dtype
(``metric.set_dtype(torch.float64)`` keeps all digits). Without data the value is NaN.

Conventions that differ from those of torchmetrics: p = 1 lies in the last bin and not in one of its own; edges of bins are
not rounded to float32; logits are converted in double; with ``validate_args`` rows of probabilities that do not sum to 1
are refused. The table is computed on the CPU; tensors that are elsewhere are copied there.
"""
try:
    import torch
    from torchmetrics import Metric
    from torchmetrics.functional.classification import calibration_error as _theirs  # noqa: F401
except ImportError as error:
    raise ImportError(f"plumb.torchmetrics needs torch and torchmetrics, and one of them is missing ({error}); "
                      "run: pip install torch torchmetrics") from None

import importlib

import numpy as np

from plumb._core import core

# The package's attribute of the same name is a function, so the module is asked for by its name.
_checks = importlib.import_module("torchmetrics.functional.classification.calibration_error")
_SUM_TOLERANCE = 0.01  # of a row of probabilities; bfloat16 has 8 bits

__all__ = ["BinaryCalibrationError", "CalibrationError", "MulticlassCalibrationError", "binary_calibration_error",
           "calibration_error", "multiclass_calibration_error"]


def _are_probabilities(preds):
    return bool(((preds >= 0) & (preds <= 1)).all())


def _table(confidences, hits, n_bins):
    """Forecasts, hits and the sum of p in two parts, by bin."""
    if confidences.numel() == 0:
        return torch.zeros((4, n_bins), dtype=torch.int64)
    return torch.from_numpy(core.calibration_table(confidences, hits.to(torch.uint8), n_bins))


def _binary_table(preds, target, n_bins, ignore_index, validate_args):
    if validate_args:
        _checks._binary_calibration_error_tensor_validation(preds, target, ignore_index)
    preds, target = preds.detach().flatten(), target.flatten()
    if ignore_index is not None:
        keep = target != ignore_index
        preds, target = preds[keep], target[keep]
    if not _are_probabilities(preds):
        preds = preds.double().sigmoid()
    return _table(preds, target, n_bins)


def _multiclass_table(preds, target, num_classes, n_bins, ignore_index, validate_args):
    if validate_args:
        _checks._multiclass_calibration_error_tensor_validation(preds, target, num_classes, ignore_index)
    preds, target = preds.detach().transpose(0, 1).flatten(1).transpose(0, 1), target.flatten()
    if ignore_index is not None:
        keep = target != ignore_index
        preds, target = preds[keep], target[keep]
    if not _are_probabilities(preds):
        preds = preds.double().softmax(1)
    elif validate_args:
        off = (preds.double().sum(1) - 1).abs()
        if bool((off > _SUM_TOLERANCE).any()):
            row = int(off.argmax())
            raise ValueError(f"preds, row {row}: the values lie in [0, 1] but sum to {float(preds[row].double().sum()):.6g}, so they "
                             "are neither probabilities nor recognisable as logits; apply softmax first")
    confidences, predictions = preds.max(dim=1) if len(preds) else (preds.new_zeros(0), target)
    return _table(confidences, predictions == target, n_bins)


def _error(table, norm, dtype):
    found = core.calibration_error(np.ascontiguousarray(table.cpu().numpy()), norm)
    return torch.tensor(found, dtype=dtype, device=table.device)


def _dtype(preds):
    return torch.float64 if preds.dtype == torch.float64 else torch.float32


def binary_calibration_error(preds, target, n_bins=15, norm="l1", ignore_index=None, validate_args=True):
    """``torchmetrics.functional.classification.binary_calibration_error`` with exact counts."""
    if validate_args:
        _checks._binary_calibration_error_arg_validation(n_bins, norm, ignore_index)
    table = _binary_table(preds, target, n_bins, ignore_index, validate_args)
    return _error(table, norm, _dtype(preds)).to(preds.device)


def multiclass_calibration_error(preds, target, num_classes, n_bins=15, norm="l1", ignore_index=None, validate_args=True):
    """``torchmetrics.functional.classification.multiclass_calibration_error`` with exact counts."""
    if validate_args:
        _checks._multiclass_calibration_error_arg_validation(num_classes, n_bins, norm, ignore_index)
    table = _multiclass_table(preds, target, num_classes, n_bins, ignore_index, validate_args)
    return _error(table, norm, _dtype(preds)).to(preds.device)


def calibration_error(preds, target, task, n_bins=15, norm="l1", num_classes=None, ignore_index=None, validate_args=True):
    """``torchmetrics.functional.calibration_error`` with exact counts; ``task`` is "binary" or "multiclass"."""
    if _task(task, num_classes) == "binary":
        return binary_calibration_error(preds, target, n_bins, norm, ignore_index, validate_args)
    return multiclass_calibration_error(preds, target, num_classes, n_bins, norm, ignore_index, validate_args)


def _task(task, num_classes):
    if task not in ("binary", "multiclass"):
        raise ValueError(f"task takes \"binary\" or \"multiclass\", not {task!r}")
    if task == "multiclass" and not isinstance(num_classes, int):
        raise ValueError(f"a multiclass task needs num_classes= as an int, not {num_classes!r}")
    return task


class _CalibrationError(Metric):
    is_differentiable = False
    higher_is_better = False
    full_state_update = False
    plot_lower_bound = 0.0
    plot_upper_bound = 1.0

    def __init__(self, n_bins, norm, ignore_index, validate_args, **kwargs):
        super().__init__(**kwargs)
        self.n_bins = n_bins
        self.norm = norm
        self.ignore_index = ignore_index
        self.validate_args = validate_args
        self.add_state("table", torch.zeros((4, n_bins), dtype=torch.int64), dist_reduce_fx="sum")
        self._value_dtype = torch.get_default_dtype()

    def compute(self):
        return _error(self.table, self.norm, self._value_dtype)

    def set_dtype(self, dst_type):
        """The dtype of the value; the table keeps its whole numbers."""
        self._value_dtype = dst_type
        return self

    def plot(self, val=None, ax=None):
        return self._plot(val, ax)


class BinaryCalibrationError(_CalibrationError):
    """``torchmetrics.classification.BinaryCalibrationError`` with exact counts."""

    def __init__(self, n_bins=15, norm="l1", ignore_index=None, validate_args=True, **kwargs):
        if validate_args:
            _checks._binary_calibration_error_arg_validation(n_bins, norm, ignore_index)
        super().__init__(n_bins, norm, ignore_index, validate_args, **kwargs)

    def update(self, preds, target):
        found = _binary_table(preds, target, self.n_bins, self.ignore_index, self.validate_args)
        self.table += found.to(self.table.device)


class MulticlassCalibrationError(_CalibrationError):
    """``torchmetrics.classification.MulticlassCalibrationError`` with exact counts."""
    plot_legend_name = "Class"

    def __init__(self, num_classes, n_bins=15, norm="l1", ignore_index=None, validate_args=True, **kwargs):
        if validate_args:
            _checks._multiclass_calibration_error_arg_validation(num_classes, n_bins, norm, ignore_index)
        super().__init__(n_bins, norm, ignore_index, validate_args, **kwargs)
        self.num_classes = num_classes

    def update(self, preds, target):
        found = _multiclass_table(preds, target, self.num_classes, self.n_bins, self.ignore_index, self.validate_args)
        self.table += found.to(self.table.device)


class CalibrationError:
    """One of the two classes, by ``task``: ``CalibrationError(task="multiclass", num_classes=3)``."""

    def __new__(cls, task, n_bins=15, norm="l1", num_classes=None, ignore_index=None, validate_args=True, **kwargs):
        kwargs.update(n_bins=n_bins, norm=norm, ignore_index=ignore_index, validate_args=validate_args)
        if _task(task, num_classes) == "binary":
            return BinaryCalibrationError(**kwargs)
        return MulticlassCalibrationError(num_classes, **kwargs)
