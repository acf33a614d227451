"""The stubs of the modules that need torch have the signatures of the modules."""
import ast
import inspect

import pytest

import plumb.torch
import plumb.torchmetrics
from conftest import ROOT


def shape(function):
    return [(p.name, p.default is not p.empty) for p in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("module", [plumb.torch, plumb.torchmetrics], ids=lambda m: m.__name__)
def test_signatures(module):
    tree = ast.parse((ROOT / "python" / "plumb" / (module.__name__.removeprefix("plumb.") + ".pyi")).read_text())
    names = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            names[node.name] = node
        elif isinstance(node, ast.ClassDef):
            names.update({f"{node.name}.{f.name}": f for f in node.body if isinstance(f, ast.FunctionDef)})
    assert set(module.__all__) <= {name.split(".")[0] for name in names}
    for name, node in names.items():
        found = module
        for part in name.split("."):
            found = getattr(found, part)
        namespace = {}
        bare = ast.FunctionDef(**{**node.__dict__, "decorator_list": [], "returns": None})
        for arg in [*bare.args.args, *bare.args.kwonlyargs, bare.args.kwarg]:
            if arg is not None:
                arg.annotation = None
        exec(compile(ast.fix_missing_locations(ast.Module([bare], [])), name, "exec"), namespace)
        assert shape(namespace[node.name]) == shape(found), name
