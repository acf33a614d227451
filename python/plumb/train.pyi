"""Signatures of plumb.train, written by python/stubs."""
import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy

def empirical_probabilities(p: Any, y: Any, method: str = 'bin', *, bins: int = 5, neighbours: int = 200, sigma: float = 0.0707, threads: int = 0) -> numpy.ndarray[Any, Any]: ...
