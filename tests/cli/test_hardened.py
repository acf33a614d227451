"""The tool is built hardened: checked library calls, canaries, read-only tables of addresses, no executable stack."""
import pathlib
import platform
import re
import subprocess

import pytest
from conftest import PLUMB, ROOT


def read(*args, of=PLUMB):
    return subprocess.run([*args, of], capture_output=True, text=True, check=True).stdout


def programs():
    """The tool and its plugins."""
    here = pathlib.Path(PLUMB).resolve().parent
    return [pathlib.Path(PLUMB), *sorted(here.parent.rglob("libplumb_*.so"))]


@pytest.fixture(autouse=True)
def release_build():
    if "__asan_init" in read("readelf", "-Ws"):
        pytest.skip("sanitizers replace the checks of the hardened build")


@pytest.mark.parametrize("program", programs(), ids=lambda p: p.name)
def test_addresses_are_read_only_and_the_stack_is_not_code(program):
    segments, dynamic = read("readelf", "-Wl", of=program), read("readelf", "-Wd", of=program)
    assert "GNU_RELRO" in segments
    assert "BIND_NOW" in dynamic or re.search(r"FLAGS_1.*\bNOW\b", dynamic)
    stack = next(line for line in segments.splitlines() if "GNU_STACK" in line)
    assert " RW " in stack and "RWE" not in stack
    assert "RPATH" not in dynamic.replace("RUNPATH", "")


def test_the_tool_can_be_loaded_anywhere():
    assert "DYN (Position-Independent Executable" in read("readelf", "-Wh")


def test_calls_and_frames_are_checked():
    symbols = read("readelf", "-Ws")
    assert "__stack_chk_fail" in symbols
    assert re.search(r"__(memcpy|memmove|memset|snprintf|vsnprintf|read|fread)_chk", symbols)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="branch targets are marked on x86-64 only")
def test_branch_targets_are_marked():
    ours = [p for p in pathlib.Path(PLUMB).resolve().parents[1].glob("src/numeric/CMakeFiles/plumb_numeric.dir/*.o")]
    if not ours:
        pytest.skip("the objects of the build are not here")
    notes = read("readelf", "-Wn", of=ours[0])
    assert "IBT" in notes and "SHSTK" in notes


def test_no_path_of_the_build_is_in_the_tool():
    assert str(ROOT).encode() + b"/src" not in pathlib.Path(PLUMB).read_bytes()
