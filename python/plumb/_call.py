"""Keyword arguments on their way to the compiled module."""
import os

from plumb._arrays import columns_of


def written(function, given):
    """The call, for the result's provenance: plumb.evaluate(probs, labels, bootstrap=200)."""
    parts = []
    for name, value in given.items():
        short = isinstance(value, (bool, int, float)) or (isinstance(value, (str, list, tuple)) and len(repr(value)) < 60)
        parts.append(f"{name}={value!r}" if short else f"{name}={name}")
    return f"plumb.{function}({', '.join(parts)})"


def _defaults(function):
    code, given = function.__code__, function.__defaults__ or ()
    positional = code.co_varnames[:code.co_argcount]
    return {**dict.fromkeys(code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]), **dict(zip(positional[len(positional) - len(given):], given)), **(function.__kwdefaults__ or {})}


def changed(function, given):
    """The arguments that are not the defaults."""
    defaults = _defaults(function)
    return {name: value for name, value in given.items() if value is not defaults[name] and not _same(value, defaults[name])}


def _same(value, default):
    return isinstance(value, (bool, int, float, str)) and isinstance(default, type(value)) and value == default


def slices(by):
    """{name: column} of what to report by: a column, a frame, or a dict."""
    if by is None:
        return None
    if isinstance(by, dict):
        return by
    frame = columns_of(by)
    if frame is not None:
        return frame
    name = getattr(by, "name", None)
    return {str(name) if name else "by": by}


def judgements(annotations):
    """{item, rater, label} of a frame or dict with these columns, or of two or three columns."""
    if annotations is None:
        return None
    if isinstance(annotations, (tuple, list)) and len(annotations) in (2, 3):
        item, *rater, label = annotations
        return {"item": item, "rater": rater[0] if rater else None, "label": label}
    columns = annotations if isinstance(annotations, dict) else columns_of(annotations)
    if columns is None or "item" not in columns or "label" not in columns:
        raise TypeError("annotations takes columns item, rater and label (a data frame or a dict), or (item, rater, label)")
    return {"item": columns["item"], "rater": columns.get("rater"), "label": columns["label"]}


def class_list(classes):
    if isinstance(classes, str):
        raise TypeError(f"classes takes a list of names, not {classes!r}")
    return None if classes is None else [str(name) for name in classes]


def rater_weights(given):
    """{name: weight}, or a number for each rater in their order."""
    if given is None:
        return {}
    if hasattr(given, "items"):
        return {"weighted_raters": [str(name) for name in given.keys()], "rater_weights": [float(w) for w in given.values()]}
    return {"rater_weights": [float(w) for w in given]}


def cuts(given):
    """{"age": [40, 65], "bmi": 4}: at numbers, or into so many parts of equal size."""
    if given is None:
        return {}
    if not hasattr(given, "items"):
        raise TypeError('cut takes a dict, as in cut={"age": [40, 65], "bmi": 4}')
    def text(how):
        return f"quantile{how}" if isinstance(how, int) else how if isinstance(how, str) else ",".join(repr(float(x)) for x in how)
    return {"cut": [f"{name}={text(how)}" for name, how in given.items()]}


def calibrator(given):
    """(the compiled model, its name in the settings)"""
    if given is None:
        return None
    from plumb import models
    if isinstance(given, (str, os.PathLike)):
        return models.load(given)._core, os.fspath(given)
    if not isinstance(given, models.Model):
        raise TypeError(f"calibrator takes a model of plumb.fit() or the path of one, not {type(given).__name__}")
    return given._core, " then ".join(step["method"] for step in given.to_dict()["steps"])


def state_bytes(state):
    if isinstance(state, (str, os.PathLike)):
        with open(state, "rb") as file:
            return file.read()
    return bytes(state)


def bar(progress):
    """True: a bar of tqdm, where it is installed; a callable gets the fraction done."""
    if progress is None or progress is False:
        return None
    if callable(progress):
        return progress
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    shown = tqdm(total=100, unit="%", leave=False)

    def tell(share):
        shown.update(round(100 * share) - shown.n)
        if share >= 1:
            shown.close()
    return tell
