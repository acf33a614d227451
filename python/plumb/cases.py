"""Images and volumes, evaluated one after the other: ``plumb.evaluate_cases``."""
import os

from plumb import _call
from plumb._core import core
from plumb.result import Result


def evaluate_cases(cases, *, by=None, layout="none", classes=None, class_axis="by-shape", ignore_label=None, full_scale=1.0,
                   normalize=False, foreground=False, predicted=False, exclude_background=False, regions=False, band=0.0,
                   spacing=None, on_error="stop", metrics=None, bins=15, binning="width", ties="half", bootstrap=0, level=0.95,
                   tolerance=None, clip=0.0, bandwidth="auto", leave_out="vote", curve="loess", thresholds=None, seed=0, threads=0,
                   save_state=False, name=None, progress=None):
    """All voxels together, each case and each rater of a segmentation (``plumb evaluate --manifest``).

    ``cases`` are dicts, as rows of a manifest with arrays in place of files: ``probs`` (or ``logits``), of the shape of the image
    with or without an axis of classes, and the mask of each rater as ``rater_NAME`` or all of them as ``ratings`` (a list or a
    dict by name); optionally ``case`` (its name), ``group`` (the patient), ``roi``, ``affine`` (of NIfTI) and the columns that
    ``by`` names. They come in a list, a dict by name, or anything with a length and an index, such as a dataset of torch: one
    case is in memory at a time. A path is that of a manifest or, with ``layout="nnunet"`` or ``"bids"``, of a folder.

    ``classes`` are the names of the classes, or their values in the masks; ``ignore_label`` is a value that means no vote.
    ``band`` also reports the voxels within so many mm of a boundary. ``result.to_frame("cases")`` has a row for each case. With
    ``save_state=True`` the state is ``result.state``, which ``plumb.merge`` takes.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> images = [rng.random((16, 16)) for _ in range(6)]
    >>> cases = [{"probs": p, "ratings": [rng.random(p.shape) < p for _ in range(3)]} for p in images]
    >>> result = plumb.evaluate_cases(cases, bootstrap=50)
    >>> result["ece"].value < 0.1, len(result.to_frame("cases"))
    (True, 6)
    """
    given = _call.changed(evaluate_cases, dict(locals()))
    columns = {"_call": _call.written("evaluate_cases", given), "name": given.pop("name", None),
               "progress": _call.bar(given.pop("progress", None))}
    del given["cases"]
    columns_by = [by] if isinstance(by, str) else [str(column) for column in by or ()]
    options = {**given, "by": columns_by, "classes": _call.class_list(classes)}
    if isinstance(ignore_label, bool) or isinstance(ignore_label, str):
        raise TypeError(f"ignore_label takes a number, not {ignore_label!r}")
    if isinstance(cases, (str, os.PathLike)):
        found, state = core.evaluate_case_files(os.fspath(cases), columns, options)
    else:
        if layout != "none":
            raise TypeError("layout= is for the path of a folder")
        names, read, grouped = _reader(cases, columns_by)
        found, state = core.evaluate_cases(names, read, columns, {**options, "grouped": grouped})
    return Result(found, arrays={"state": state} if save_state else None)


def _reader(cases, by):
    """The names, a function that gives case i as the compiled module takes it, and whether cases have groups."""
    if hasattr(cases, "keys"):
        names, at = [str(name) for name in cases.keys()], list(cases.values()).__getitem__
    elif isinstance(cases, (list, tuple)):
        names, at = [str(_field(case, "case", i)) for i, case in enumerate(cases)], cases.__getitem__
    elif hasattr(cases, "__len__") and hasattr(cases, "__getitem__"):
        names, at = [str(i) for i in range(len(cases))], cases.__getitem__
    else:
        raise TypeError(f"cases takes a list or dict of cases, or the path of a manifest, not {type(cases).__name__}")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two cases are called {twice!r}; give each a name of its own")
    if not names:
        raise ValueError("there are no cases")
    grouped = _field(at(0), "group", None) is not None
    return names, lambda i: _prepared(at(i), names[i], by), grouped


def _field(case, name, default):
    if not hasattr(case, "keys"):
        raise TypeError(f"a case is a dict with probs and ratings, not {type(case).__name__}")
    return case[name] if name in case else default


def _prepared(case, name, by):
    given = [key for key in ("probs", "logits") if _field(case, key, None) is not None]
    if len(given) != 1:
        raise ValueError(f"case {name}: give probs or logits" + ("" if given else ", the array of the model") +
                         (", not both" if given else ""))
    ratings = _field(case, "ratings", None)
    masks = list(ratings.items() if hasattr(ratings, "items") else
                 ((f"rater_{i + 1}", mask) for i, mask in enumerate(ratings if ratings is not None else ())))
    masks += [(key, mask) for key, mask in case.items() if str(key).startswith(("rater_", "mask_")) and mask is not None]
    if not masks:
        raise ValueError(f"case {name}: there are no masks; give ratings, or rater_1, rater_2, ...")
    missing = [column for column in by if column not in case]
    if missing:
        raise ValueError(f"case {name} has no {missing[0]!r}, which by names")
    group = _field(case, "group", None)
    return {given[0]: case[given[0]], "ratings": masks, "roi": _field(case, "roi", None),
            "affine": _affine(_field(case, "affine", None), name), "group": "" if group is None else str(group),
            "slices": [str(case[column]) for column in by]}


def _affine(affine, name):
    if affine is None:
        return None
    rows = [[float(x) for x in row] for row in affine]
    if len(rows) not in (3, 4) or any(len(row) != 4 for row in rows):
        raise ValueError(f"case {name}: affine is a matrix of 3 or 4 rows and 4 columns")
    return [x for row in rows[:3] for x in row]
