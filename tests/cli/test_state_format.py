"""docs/state.md is enough to read a state file."""
import json
import re
import struct

import numpy as np
import pytest
from conftest import ROOT, run_plumb

class Bytes:
    """A reader of docs/state.md: numbers, lists, sums."""

    def __init__(self, content):
        self.content, self.at = content, 0

    def number(self, kind):
        size = struct.calcsize("<" + kind)
        value = struct.unpack_from("<" + kind, self.content, self.at)[0]
        self.at += size
        return value

    def list(self, one):
        return [one() for _ in range(self.number("Q"))]

    def sum(self):
        which = self.number("B")
        fill = 2**64 - 1 if which & 64 else 0
        limbs = [self.number("Q") if which >> i & 1 else fill for i in range(6)]
        value = sum(limb << 64 * i for i, limb in enumerate(limbs))
        return (value - 2**384 if value >> 383 else value) / 2**192

    def edges(self):
        return self.number("i"), self.number("?"), self.list(lambda: self.number("d"))

    def bin(self):
        return {"items": self.number("Q"), "votes": self.number("Q"), "w": self.sum(), "wp": self.sum(), "wy": self.sum(), "ww": self.sum(),
                "wwyy": self.sum()}


def test_the_page_is_enough_to_read_a_state(tmp_path):
    rng = np.random.default_rng(0)
    p = rng.random(500)
    y = rng.random(500) < p
    np.save(tmp_path / "p.npy", p)
    np.save(tmp_path / "y.npy", y.astype("u1"))
    done = run_plumb("evaluate", "--probs", tmp_path / "p.npy", "--labels", tmp_path / "y.npy", "--bins", 5, "--save-state", tmp_path / "s", "--json", "-")
    assert done.code == 0, done.err
    content = (tmp_path / "s").read_bytes()
    file = Bytes(content)
    assert content[:8] == b"PLUMBSTA"
    file.at = 8
    assert file.number("I") == 5
    assert file.number("Q") == len(content) - 8 - 4 - 8 - 8
    checksum = 0xcbf29ce484222325
    for byte in content[20:-8]:
        checksum = (checksum ^ byte) * 0x100000001b3 % 2**64
    assert checksum == struct.unpack("<Q", content[-8:])[0]
    classes, bins, clip, bandwidth = file.number("i"), file.number("i"), file.number("d"), file.number("d")
    assert (classes, bins, clip, bandwidth) == (2, 5, 0, 0)
    assert [file.number("?") for _ in range(3)] == [False, False, False] and file.number("Q") == 500
    assert file.list(lambda: file.number("Q")) == []  # names of classes
    assert file.edges() == (5, True, [])
    table = file.list(file.bin)
    assert sum(b["items"] for b in table) == 500 and sum(b["wy"] for b in table) == y.sum()
    ece = sum(abs(b["wp"] - b["wy"]) for b in table) / 500
    assert ece == pytest.approx(json.loads(done.out)["metrics"]["ece"]["value"], abs=1e-14)  # the sums are exact, this is not


def test_the_page_names_every_field():
    """A field that is added to a state is added to the page."""
    page = (ROOT / "docs" / "state.md").read_text()
    source = (ROOT / "src" / "evaluate" / "state_visit.hpp").read_text()
    for call in re.findall(r"(?:detail::fields|visit_optional)\(io,(.*?)\);", source, re.S):
        for name in re.findall(r"\w+\.(\w+)", call):
            assert f"`{name}`" in page, name
