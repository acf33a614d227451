"""Packages from PyPI and npm are pinned by hash, for any mirror."""
import json
import re

import pytest
from conftest import ROOT


@pytest.mark.parametrize("name", ["tests/requirements-onnx.txt", "tests/requirements-arrow.txt", "tests/requirements-nifti.txt", "bench/requirements.txt",
                                  "site/requirements.txt", "tests/requirements-scale.txt", "tests/requirements-spark.txt",
                                  "tests/requirements-pyspark.txt", "plugins/duckdb/requirements.txt", "src/cuda/plugin/requirements.txt", "python/requirements.txt",
                                  "python/requirements-torch.txt", "python/requirements-torch-current.txt",
                                  "python/requirements-frameworks.txt"])
def test_every_package_of_pypi_has_a_version_and_a_hash(name):
    text = re.sub(r"\\\n", " ", (ROOT / name).read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines
    for line in lines:
        assert re.fullmatch(r"[a-z0-9-]+==[0-9.]+( +--hash=sha256:[0-9a-f]{64})+", line), line


def test_every_package_of_npm_has_a_hash_and_no_host():
    packages = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    assert len(packages) > 1
    for name, package in packages.items():
        assert not name or package["integrity"].startswith("sha512-"), name
        assert "resolved" not in package, name
