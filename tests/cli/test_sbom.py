"""The list of what the project is built from is complete and the same each time."""
import json
import re
import subprocess

from conftest import ROOT


def sbom():
    done = subprocess.run([ROOT / "tools" / "sbom"], capture_output=True, text=True, check=True)
    return done.stdout


def test_the_same_bytes_each_time():
    assert sbom() == sbom()


def test_every_pinned_package_is_listed_with_its_hash():
    listed = {(p["externalRefs"][0]["referenceLocator"]): p for p in json.loads(sbom())["packages"]}
    names = [path for path in ROOT.rglob("requirements*.txt")
             if not any(part.startswith(".venv") or part == "node_modules" or part.startswith("build") for part in path.relative_to(ROOT).parts)]
    assert len(names) >= 8
    for path in names:
        for name, version in re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", path.read_text(), re.M):
            assert listed[f"pkg:pypi/{name}@{version}"]["checksums"], name
    lock = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    for path, entry in lock.items():
        if path:
            name = path.rpartition("node_modules/")[2].replace("@", "%40")
            assert listed[f"pkg:npm/{name}@{entry['version']}"]["checksums"][0]["algorithm"] == "SHA512"


def test_the_document_is_valid_spdx():
    document = json.loads(sbom())
    ids = [p["SPDXID"] for p in document["packages"]]
    assert len(ids) == len(set(ids)) and all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", i) for i in ids)
    assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0"
    for relation in document["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= {*ids, "SPDXRef-DOCUMENT"}
    assert {r["relationshipType"] for r in document["relationships"]} == {"DEPENDS_ON", "DEV_DEPENDENCY_OF"}
