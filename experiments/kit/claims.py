"""Claims of a paper, what was measured for them, and the verdict that follows.

A claim names a region, written down before the run. What is measured has an interval. The verdict is a function of the two:
the interval lies in the region (holds), lies outside it (does not hold), or crosses its border (not settled). Where something is
missing, there is no number but a sentence that says what is missing (not testable here).
"""
import dataclasses
import math

import numpy as np

HOLDS, FAILS, OPEN, ABSENT = "holds", "does not hold", "not settled", "not testable here"

# Student's t, 97.5%, for 1 to 30 degrees of freedom.
T975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
        2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)
Z975 = 1.959964


@dataclasses.dataclass
class Measured:
    """A number with its 95% interval; `how` says what the interval is. An exact number is its own interval."""
    value: float
    low: float
    high: float
    how: str
    note: str = ""

    def __post_init__(self):
        self.value, self.low, self.high = float(self.value), float(self.low), float(self.high)


@dataclasses.dataclass
class Missing:
    """Why there is no number."""
    why: str


def exact(value, note=""):
    return Measured(value, value, value, "exact", note)


def normal(value, error, how="normal, 95%", note=""):
    return Measured(value, value - Z975 * error, value + Z975 * error, how, note)


def t_quantile(freedom):
    return T975[freedom - 1] if freedom <= 30 else Z975 * (1 + (Z975**2 + 1) / (4 * freedom))


def mean_of(values, what="runs", note=""):
    """The mean of independent repetitions with Student's interval."""
    x = np.asarray(values, dtype=float)
    if len(x) < 2:
        raise ValueError("an interval needs at least two repetitions")
    half = t_quantile(len(x) - 1) * x.std(ddof=1) / math.sqrt(len(x))
    return Measured(x.mean(), x.mean() - half, x.mean() + half, f"t over {len(x)} {what}", note)


def quantiles_of(value, draws, how="bootstrap, percentile", note=""):
    low, high = np.quantile(np.asarray(draws, dtype=float), [0.025, 0.975])
    return Measured(value, min(low, value), max(high, value), how, note)


def metric_of(result, key, part="metrics", note=""):
    """A metric of a result of the tool, with the interval that the tool gives it."""
    entry = result[part][key]
    if entry.get("value") is None or entry.get("low") is None:
        return Missing(entry.get("why") or entry.get("interval_why") or f"{key} has no interval")
    return Measured(entry["value"], entry["low"], entry["high"], entry.get("interval", "95%"), note)


def every(rows, below):
    """One number for a claim about all rows: that of the row furthest on the wrong side. `below`: the claim says that the rows
    lie below a bound, otherwise above one. If all intervals lie in the region, so does the one returned. On the side that would
    refute the claim the intervals are those of m rows at once (Bonferroni, on the normal scale)."""
    widen = [1.0, 1.144, 1.222, 1.274, 1.314, 1.346, 1.373, 1.395, 1.415, 1.432][min(len(rows), 10) - 1]
    if len(rows) > 10:
        widen = math.sqrt(2 * math.log(40 * len(rows))) / Z975  # above the quantile
    name, worst = (max if below else min)(rows.items(), key=lambda item: item[1].value)
    if below:
        low = max(row.value - widen * (row.value - row.low) for row in rows.values())
        high = max(row.high for row in rows.values())
    else:
        low = min(row.low for row in rows.values())
        high = min(row.value + widen * (row.high - row.value) for row in rows.values())
    return Measured(worst.value, min(low, worst.value), max(high, worst.value), f"furthest of {len(rows)} rows; {worst.how}", name)


def magnitude(row):
    """The absolute value, for a claim about all rows on both sides of 0."""
    far, near = max(abs(row.low), abs(row.high)), min(abs(row.low), abs(row.high))
    return Measured(abs(row.value), 0.0 if row.low <= 0 <= row.high else near, far, row.how, row.note)


def verdict(measured, region):
    if isinstance(measured, Missing):
        return ABSENT
    low, high = (-math.inf if region[0] is None else region[0]), (math.inf if region[1] is None else region[1])
    if low <= measured.low and measured.high <= high:
        return HOLDS
    if measured.high < low or measured.low > high:
        return FAILS
    return OPEN


def region_text(region):
    low, high = region
    if low is None:
        return f"at most {high:g}"
    if high is None:
        return f"at least {low:g}"
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def number(x):
    """Four digits, as in a table."""
    if x == 0:
        return "0"
    return f"{x:.4g}" if 1e-4 <= abs(x) < 1e6 else f"{x:.2e}"


def ours_text(measured):
    if isinstance(measured, Missing):
        return measured.why
    if measured.low == measured.high:
        return number(measured.value)
    return f"{number(measured.value)} ({number(measured.low)} to {number(measured.high)})"
