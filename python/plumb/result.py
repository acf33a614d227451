"""The results of evaluations."""
import csv
import datetime
import difflib
import html
import io
import json
import os

from plumb._core import core


class Metric:
    """A number with its interval; ``float(metric)`` is the value."""
    __slots__ = ("key", "value", "low", "high", "interval", "interval_why", "null_mean", "p_value", "items", "why")

    def __init__(self, key, found):
        self.key = key
        for name in self.__slots__[1:]:
            setattr(self, name, found.get(name))

    def __float__(self):
        if self.value is None:
            raise ValueError(f"{self.key} is undefined: {self.why}")
        return self.value

    def __repr__(self):
        if self.value is None:
            return f"<{self.key}: undefined, {self.why}>"
        bounds = "" if self.low is None else f" [{self.low:.4g}, {self.high:.4g}]"
        return f"<{self.key}: {self.value:.4g}{bounds}>"

    def __getstate__(self):
        return {name: getattr(self, name) for name in self.__slots__}

    def __setstate__(self, state):
        for name, value in state.items():
            setattr(self, name, value)


class Plot(dict):
    """A Vega-Lite specification with its data. Jupyter draws it; ``to_altair()`` makes a chart of it."""

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"application/vnd.vegalite.v6+json": dict(self), "application/vnd.vegalite.v5+json": dict(self)}

    def to_altair(self):
        try:
            import altair
        except ImportError:
            raise ImportError("a chart of Altair needs altair; run: pip install altair") from None
        return altair.Chart.from_dict(dict(self))

    def save(self, path):
        core.write_file(os.fspath(path), json.dumps(self))


class Result:
    """The result of one call: what ``plumb ... --json`` writes, and ways to look at it.

    ``result["ece"]`` is a :class:`Metric` (of ``compare`` the metric's differences, of ``uncertainty`` a measure, of
    ``stability`` an estimator). The members of the JSON are attributes: ``result.verdict``, ``result.items``,
    ``result.settings``, ``result.tables``, ``result.notes``; ``print(result)`` shows the table of the command line.
    """

    def __init__(self, found, text=None, arrays=None):
        self._core = None if isinstance(found, str) else found
        self._json = found if isinstance(found, str) else None
        self._arrays = arrays or {}  # that the JSON does not have
        self._text = text
        self._dict = None

    @classmethod
    def load(cls, path):
        """A result that ``save()`` or ``plumb ... --json FILE`` wrote."""
        with open(path, encoding="utf-8") as file:
            result = cls(file.read())
        if not isinstance(result.to_dict(), dict) or "plumb" not in result.to_dict():
            raise ValueError(f"{os.fspath(path)} is not a result of plumb")
        return result

    def to_json(self):
        """The text that ``plumb ... --json`` writes."""
        if self._json is None:
            self._json = self._core.json()
        return self._json

    def to_dict(self):
        if self._dict is None:
            self._dict = json.loads(self.to_json())
        return self._dict

    def save(self, path):
        """Writes the JSON; the file appears complete or not at all."""
        core.write_file(os.fspath(path), self.to_json())

    def __getattr__(self, name):
        if not name.startswith("_") and name in self._arrays:
            return self._arrays[name]
        if not name.startswith("_") and name in self.to_dict():
            return self.to_dict()[name]
        raise AttributeError(f"a result of {self.to_dict()['command']} has no {name!r}")

    def __dir__(self):
        return [*super().__dir__(), *self.to_dict(), *self._arrays]

    def _metrics(self):
        found = self.to_dict()
        if found["command"] == "compare":
            return found["compare"]["metrics"]
        if found["command"] == "uncertainty":
            return found["measures"]
        if found["command"] == "stability":
            return found["stability"]
        return found["metrics"]

    def __getitem__(self, key):
        found = self._metrics()
        if key not in found:
            near = difflib.get_close_matches(str(key), list(found), 1)
            raise KeyError(f"the result has no {key!r}" + (f" (did you mean {near[0]!r}?)" if near else ""))
        one = found[key]
        return Metric(key, one) if "metrics" in self.to_dict() and found is self.to_dict()["metrics"] else one

    def __contains__(self, key):
        return key in self._metrics()

    def __iter__(self):
        return iter(self._metrics())

    def __len__(self):
        return len(self._metrics())

    def keys(self):
        return self._metrics().keys()

    def to_frame(self, table=None):
        """The metrics, one row each, or one of ``result.tables``, as a data frame of pandas or, without it, polars.

        For ``uncertainty`` there is one row per measure, for ``stability`` one per estimator and size. "cases" is a row for each
        case of ``evaluate_cases``.
        """
        found = self.to_dict()
        if table == "cases" and "per_case" in found:
            return _frame([_case_row(case) for case in found["per_case"]])
        if table is not None and table not in found["tables"]:
            raise KeyError(f"the result has no table {table!r}; it has {', '.join(found['tables']) or 'none'}")
        if table is not None:
            return _frame(found["tables"][table])
        if found["command"] == "compare":
            return _frame([{"metric": key, "model": model, **value}
                           for key, one in found["compare"]["metrics"].items() for model, value in one["values"].items()])
        if found["command"] == "uncertainty":
            return _frame([{"measure": name, **_scalars(one)} for name, one in found["measures"].items()])
        if found["command"] == "stability":
            return _frame([{"estimator": name, "labels": labels, "fraction": fraction, "mean": mean, "sd": sd}
                           for name, one in found["stability"].items() for labels in ("multi", "single") if one.get(labels)
                           for fraction, mean, sd in zip(*(one[labels][c] for c in ("fractions", "mean", "sd")))])
        columns = Metric.__slots__[1:]
        return _frame([{"metric": key, **{c: one.get(c) for c in columns}} for key, one in found["metrics"].items()])

    @property
    def plots(self):
        """The names that ``plot()`` takes."""
        return list(core.plots([(None, self.to_json())]))

    def plot(self, name="reliability"):
        """One of ``result.plots`` as a Vega-Lite specification."""
        found = core.plots([(None, self.to_json())])
        if name not in found:
            raise ValueError(f"there is no plot {name!r} of this result; there are {', '.join(found) or 'none'}")
        return Plot(json.loads(found[name]))

    def save_figure(self, path, plot=None, *, view=None, **style):
        """Writes a plot as .svg, .pdf or .png, drawn as by ``--figure``; without ``plot`` the file's name says which.

        ``view`` chooses a class, metric or measure of plots that have several. ``width`` and ``height`` are in mm, ``font`` in
        pt, ``dpi`` is for .png, and ``title=""`` leaves the title out.
        """
        path = os.fspath(path)
        stem, suffix = os.path.splitext(os.path.basename(path))
        if suffix.lower() not in (".svg", ".pdf", ".png"):
            raise ValueError(f"a figure is .svg, .pdf or .png, and {path} is neither; name it {stem or 'figure'}.pdf")
        for name in style:
            if name not in ("width", "height", "font", "title", "dpi"):
                raise TypeError(f"save_figure() has no argument {name}=")
        core.save_figure([(None, self.to_json())], plot or stem, view or "", path, suffix[1:].lower(), style)

    def tripod(self, path=None):
        """The rows that TRIPOD+AI asks a paper to report: a list of dicts, or a file .csv or .html (``--tripod``)."""
        if self._core is None:
            raise ValueError("a result that was loaded has no rows for TRIPOD+AI; evaluate again")
        if path is None:
            return list(csv.DictReader(io.StringIO(self._core.tripod_csv())))
        path = os.fspath(path)
        if not path.endswith((".csv", ".html")):
            raise ValueError(f"tripod() writes .csv or .html, not {path}")
        return core.write_file(path, self._core.tripod_html() if path.endswith(".html") else self._core.tripod_csv())

    def report(self, path, title=""):
        """Writes the report: one .html file that needs no network, or with Chromium a .pdf."""
        report(self, path=path, title=title)

    def __str__(self):
        if self._core is not None:
            return self._core.text(100, False)
        return self._text if self._text is not None else repr(self)

    def __repr__(self):
        found = self.to_dict()
        verdict = found.get("verdict", {}).get("verdict")
        return (f"<plumb {found['command']}: {found['items']} items, {found['task']}" +
                (f", {verdict}" if verdict else "") + ">")

    def _repr_html_(self):
        if not core.has_page():
            return f"<pre>{html.escape(str(self))}</pre>"
        page = core.page([(None, self.to_json())], "", "")
        return (f'<iframe srcdoc="{html.escape(page, quote=True)}" style="width:100%;height:640px;border:0" '
                'sandbox="allow-scripts"></iframe>')

    def __reduce__(self):
        return Result, (self.to_json(), str(self), self._arrays)

    def __eq__(self, other):
        return isinstance(other, Result) and self.to_json() == other.to_json()

    __hash__ = None


def report(*results, path, title="", **named):
    """Writes one .html file with the results side by side, or with Chromium a .pdf.

    >>> plumb.report(before=raw, after=calibrated, path="report.html")    # doctest: +SKIP
    """
    shown = [(None, r.to_json()) for r in results] + [(name, r.to_json()) for name, r in named.items()]
    if not shown:
        raise ValueError("a report shows at least one result")
    path = os.fspath(path)
    if path.endswith(".pdf"):
        return _print(shown, title, path)
    if not path.endswith((".html", ".htm")):
        raise ValueError(f"a report is an HTML page or a PDF; give it a name that ends in .html or .pdf, not {path}")
    core.write_file(path, core.page(shown, title, datetime.date.today().isoformat()))


def _print(shown, title, path):
    """A PDF, which the command makes with Chromium."""
    import shutil
    import subprocess
    import tempfile
    tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "plumb")
    tool = tool if os.path.isfile(tool) else shutil.which("plumb")
    if tool is None:
        raise ValueError(f"{path}: a PDF is printed by the command plumb, which is not there; write .html")
    with tempfile.TemporaryDirectory() as folder:
        files, names = [], []
        for i, (name, text) in enumerate(shown):
            files.append(os.path.join(folder, f"{i}.json"))
            names.append(name or json.loads(text).get("name") or json.loads(text)["command"])
            with open(files[-1], "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([tool, "report", *files, "--names", ",".join(names), "--pdf", path, *(["--title", title] if title else [])],
                              capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip().removeprefix("plumb: "))


def _scalars(found):
    """Numbers of a measure, and the bounds of those that have an interval: auroc, auroc_low, auroc_high."""
    out = {}
    for name, value in found.items():
        if isinstance(value, dict) and "value" in value:
            out[name] = value["value"]
            out.update({f"{name}_{bound}": value[bound] for bound in ("low", "high") if bound in value})
        elif not isinstance(value, (dict, list)):
            out[name] = value
    return out


def _case_row(case):
    """What ``--per-case`` writes of a case: its name, sizes, metrics and overlap."""
    out = {}
    for name, value in case.items():
        if name == "metrics":
            renamed = dict(core.aliases())
            out.update({key: one.get("value") if isinstance(one, dict) else one for key, one in value.items() if key not in renamed})
        elif name == "overlap":
            out.update({key: one for key, one in value.items() if not isinstance(one, (dict, list))})
        elif not isinstance(value, (dict, list)):
            out[name] = value
    return out


def _frame(rows):
    try:
        import pandas
    except ImportError:
        try:
            import polars
        except ImportError:
            raise ImportError("a data frame needs pandas or polars; to_dict() needs neither") from None
        return polars.DataFrame(rows)
    return pandas.DataFrame(rows)
