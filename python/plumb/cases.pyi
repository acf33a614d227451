"""Signatures of plumb.cases, written by python/stubs."""
import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy

from plumb.result import Result

def evaluate_cases(cases: Any, *, by: Any = None, layout: str = 'none', classes: Optional[Sequence[str]] = None, class_axis: str = 'by-shape', ignore_label: Any = None, full_scale: float = 1.0, normalize: bool = False, foreground: bool = False, predicted: bool = False, exclude_background: bool = False, regions: bool = False, band: float = 0.0, spacing: Any = None, on_error: str = 'stop', metrics: Union[str, Sequence[str], None] = None, bins: int = 15, binning: str = 'width', ties: str = 'half', bootstrap: int = 0, level: float = 0.95, tolerance: Optional[float] = None, clip: float = 0.0, bandwidth: Union[str, float] = 'auto', leave_out: str = 'vote', curve: str = 'loess', thresholds: Any = None, seed: int = 0, threads: int = 0, save_state: bool = False, name: Optional[str] = None, progress: Union[None, bool, Callable[[float], Any]] = None) -> Result: ...
