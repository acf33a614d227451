"""The experiments: FOLDER/NAME.json declares the claims, FOLDER/NAME.py measures them with run(x)."""
import importlib.util
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAPERS = ("mimori", "riera", "finlay", "liu", "laves")


def experiments():
    """{name: declaration}, in the order of the papers. Other JSON files of these folders declare no claims."""
    found = {}
    for paper in PAPERS:
        for path in sorted((ROOT / paper).glob("*.json")):
            declared = json.loads(path.read_text())
            if "claims" in declared:
                found[path.stem] = dict(declared, name=path.stem, folder=paper)
    return found


def headline(declared):
    """The first sentence of what it is about; "Fig." ends none."""
    return re.split(r"(?<!Fig)\. ", declared["what"])[0].rstrip(".")


def script(declared):
    path = ROOT / declared["folder"] / (declared["name"].replace("-", "_") + ".py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
