"""Evaluation of data that come in batches, on one machine or on many."""
import difflib
import threading

from plumb import _call, functions
from plumb._core import core
from plumb.result import Result


def _check(options):
    """A misspelt option would otherwise be one that is not given."""
    known = sorted(set(functions.evaluate.__kwdefaults__) - {*functions._ITEMS, *functions._REGRESSION, *functions._OTHERS, *functions.ABOUT_VOTES, "progress"} | {"range", "check_ids"})
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise TypeError(f"there is no option {name}=" + (f" (did you mean {near[0]}=?)" if near else ""))


class _Sums:
    _core = None  # the compiled class

    def __init__(self, **options):
        _check(options)
        self._lock = threading.RLock()  # an update runs without the interpreter's lock
        self._options = options
        self._sums = self._core(dict(options))
        self._empty = True

    def update(self, **columns):
        """Adds a batch; the arguments are those of ``plumb.evaluate``."""
        if columns.get("by") is not None:
            raise TypeError("by= needs all the data in one run; sums have no slices")
        if columns.get("groups") is not None and not self._options.get("bootstrap"):
            raise TypeError("groups= is the unit of resampling; also give bootstrap=")
        columns["annotations"] = _call.judgements(columns.get("annotations"))
        columns["classes"] = _call.class_list(columns.get("classes"))
        with self._lock:
            self._sums.update(columns)
            self._empty = False
        return self

    def merge(self, other):
        """Adds the batches of another accumulator. Any split gives the same bits as one pass."""
        if not isinstance(other, type(self)):
            raise TypeError(f"only another {type(self).__name__} can be merged, not {type(other).__name__}")
        first, second = sorted((self, other), key=id)  # one order for all, so that no two wait for each other
        with first._lock, second._lock:
            self._sums.merge(other._sums)
            self._empty = self._empty and other._empty
        return self

    def compute(self, name=None):
        """The result so far. Metrics that need all the data at once are undefined in it, with the reason."""
        with self._lock:
            return Result(self._sums.compute(name))

    def reset(self):
        with self._lock:
            self._sums = self._core(dict(self._options))
            self._empty = True

    def to_bytes(self):
        """What ``plumb evaluate --save-state`` writes and ``plumb merge`` reads."""
        with self._lock:
            return self._sums.to_bytes()

    @classmethod
    def from_bytes(cls, state, **options):
        out = cls(**options)
        out._sums = cls._core.from_bytes(bytes(state), dict(options))
        out._empty = False
        return out

    def __getstate__(self):
        return {"options": self._options, "state": None if self._empty else self.to_bytes()}

    def __setstate__(self, state):
        self.__init__(**state["options"])
        if state["state"] is not None:
            self._sums = self._core.from_bytes(state["state"], dict(self._options))
            self._empty = False


class Accumulator(_Sums):
    """Streaming metrics of a classifier.

    >>> sums = plumb.Accumulator(bins=10)
    >>> _ = sums.update(probs=[0.25, 0.75], labels=[0, 1]).update(probs=[0.75, 0.5], labels=[0, 1])
    >>> sums.compute()["brier"].value
    0.234375

    The options are those of ``plumb.evaluate`` that sums can have: bins, metrics, clip, bandwidth, ties, threads. With
    ``bootstrap=200`` each batch also has ``groups=`` or ``ids=``, and the result has intervals, p-values and a verdict. With
    ``check_ids=True`` each batch has ``ids=``, and an id that occurs twice, in batches or in merged states, is refused.
    """
    _core = core.Accumulator


class RegressionAccumulator(_Sums):
    """Streaming metrics of a regression; the bins of ``uce`` need their ``range=``."""
    _core = core.RegressionAccumulator
