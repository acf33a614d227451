"""Signatures of plumb, written by python/stubs."""
import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy

from plumb._core import version as __version__
from plumb.cases import evaluate_cases as evaluate_cases
from plumb.functions import audit as audit
from plumb.functions import compare as compare
from plumb.functions import demo as demo
from plumb.functions import evaluate as evaluate
from plumb.functions import merge as merge
from plumb.functions import raters as raters
from plumb.functions import stability as stability
from plumb.functions import uncertainty as uncertainty
from plumb.models import Model as Model
from plumb.models import calibrators as calibrators
from plumb.models import cross_fit as cross_fit
from plumb.models import fit as fit
from plumb.models import load as load
from plumb.result import Metric as Metric
from plumb.result import Plot as Plot
from plumb.result import Result as Result
from plumb.result import report as report
from plumb.streaming import Accumulator as Accumulator
from plumb.streaming import RegressionAccumulator as RegressionAccumulator
from plumb import metrics as metrics
from plumb import train as train
__all__ = ['Accumulator', 'Metric', 'Model', 'Plot', 'RegressionAccumulator', 'Result', 'audit', 'calibrators', 'compare', 'cross_fit', 'demo', 'evaluate', 'evaluate_cases', 'fit', 'load', 'merge', 'metrics', 'raters', 'report', 'scorer', 'stability', 'train', 'uncertainty']
def scorer(metric: str, **options: Any) -> Callable[..., float]: ...
