"""Signatures of plumb._display, written by python/stubs."""
import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy

from sklearn.calibration import CalibrationDisplay as _Display

from plumb.result import Result

class CalibrationDisplay(_Display):
    def __init__(self, prob_true: Any, prob_pred: Any, y_prob: Any, *, estimator_name: Any = None, pos_label: Any = None, band: Any = None, intervals: Any = None, result: Any = None) -> None: ...
    def plot(self, *, ax: Any = None, name: Optional[str] = None, ref_line: bool = True, band: bool = True, intervals: bool = True, **kwargs: Any) -> Any: ...
    @classmethod
    def from_predictions(cls, y_true: Any, y_prob: Any, *, n_bins: int = 5, strategy: str = 'uniform', pos_label: Any = None, name: Optional[str] = None, ax: Any = None, ref_line: bool = True, sample_weight: Any = None, groups: Any = None, bootstrap: int = 200, level: float = 0.95, seed: int = 0, **kwargs: Any) -> Any: ...
