"""Runs the tool, finds the data and keeps the files of one experiment."""
import json
import os
import pathlib
import shutil
import subprocess

import numpy as np

PLUMB = os.environ.get("PLUMB_BIN", "plumb")
NO_TRAIN = "plumb-train is not beside plumb; \"make train\" builds it"


class Failed(Exception):
    """A command of the tool that did not end as it should, or data that cannot be used: one sentence."""


class Setting:
    """One experiment: quick or in full, its data, its folder, its tables and charts."""

    def __init__(self, name, keys, out, data, quick):
        self.name, self.keys, self.quick = name, keys, quick
        self.out = pathlib.Path(out).resolve()
        self.work = self.out / "work"
        self.work.mkdir(parents=True, exist_ok=True)
        self.data = pathlib.Path(data).resolve() if data else None
        self.tables, self.charts, self.notes = [], [], []

    def size(self, quick, full):
        return quick if self.quick else full

    # The tool.

    def plumb(self, *args):
        """Runs a command in the work folder; what it printed."""
        words = [str(a) for a in args]
        done = subprocess.run([PLUMB, *words], cwd=self.work, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"plumb {' '.join(words[:3])} ...: {done.stderr.strip() or 'exit code ' + str(done.returncode)}")
        return done.stdout

    def result(self, *args):
        """The JSON of a command."""
        return json.loads(self.plumb(*args, "--quiet", "--json", "-"))

    def evaluate(self, *args):
        return self.result("evaluate", *args)

    def has_train(self):
        found = shutil.which(PLUMB)
        return found is not None and pathlib.Path(found).resolve().with_name("plumb-train").exists()

    def demo(self, kind, folder, *args):
        """Simulated data, written once."""
        if not (self.work / folder / "README.txt").exists():
            self.plumb("demo", *([kind] if kind else []), "--out", folder, "--quiet", *args)
        return folder

    def train(self, run, *args):
        """Trains a run, unless it is finished; an interrupted one is continued. Its result.json."""
        folder = self.work / run
        if not (folder / "result.json").exists():
            if (folder / "config.json").exists() and (folder / "checkpoint.pt").exists():
                self.plumb("train", "--resume", run, "--threads", self.size("1", "2"), "--quiet")
            else:
                self.plumb("train", "--out", run, "--threads", self.size("1", "2"), "--quiet", *args)
        return json.loads((folder / "result.json").read_text())

    def history(self, run):
        return json.loads((self.work / run / "history.json").read_text())

    def predict(self, run, out, *args):
        if not (self.work / out / "probs.npy").exists() and not (self.work / out / "mean.npy").exists():
            self.plumb("predict", run, "--out", out, "--threads", self.size("1", "2"), "--quiet", *args)
        return out

    # Files.

    def file(self, name):
        """A file of the data folder, or None."""
        if self.data is None or not (self.data / name).exists():
            return None
        return self.data / name

    def save(self, name, array):
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, array)
        return name

    def load(self, name):
        return np.load(self.work / name)

    # What it shows.

    def table(self, title, columns, rows):
        self.tables.append({"title": title, "columns": columns, "rows": rows})

    def chart(self, name, title, svg):
        (self.out / f"{name}.svg").write_text(svg)
        self.charts.append({"file": f"{name}.svg", "title": title})
