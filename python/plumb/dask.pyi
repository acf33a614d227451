"""Signatures of plumb.dask, written by python/stubs."""
import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy

from plumb.result import Result

def states(df: Any, *, by: Any = None, **arguments: Any) -> Dict[Any, bytes]: ...
def evaluate(df: Any, *, by: Any = None, **arguments: Any) -> Result: ...
def apply(df: Any, model: Any, *, into: Any = 'calibrated', **columns: Any) -> Any: ...
