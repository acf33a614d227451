"""The text is tested: every block ```sh run of README.md and docs/ is run, in order, in its own folder.

"plumb" is the tool that was built, and `plumb demo --out demo` has been run. A line "# exit 3" before a command says which exit
code it has; without one it is 0. A line "# gives ece 0.135" after a command says what the prose around it says: the table that
the command prints has that metric with that value, rounded to the digits given. Blocks ```sh run train are left out where
plumb-train was not built. A block ```text after a block of commands shows what they print: its lines are among those
printed, one after the other and in that order; "..." stands for lines, or the end of a line, that are left out.
"""
import os
import pathlib
import re
import subprocess

import pytest
from conftest import LIMIT_S, PLUMB, ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```sh run( train)?\n(.*?)^```\n(?:(?:(?!```)[^\n]*\n)*^```text\n(.*?)^```)?", re.S | re.M)
HAS_PARQUET = (pathlib.Path(PLUMB).resolve().parent.parent / "lib/plumb/libplumb_arrow.so").exists()
HAS_TRAIN = pathlib.Path(PLUMB).with_name("plumb-train").exists()
WITH_BLOCKS = [page for page in PAGES if BLOCK.search(page.read_text())]


def commands(block):
    """[text, exit code, {metric: value}] of each command; a backslash at the end goes on."""
    out, code, text = [], 0, ""
    for line in block.splitlines():
        mark = re.fullmatch(r"# exit (\d+)", line.strip())
        if mark:
            code = int(mark.group(1))
            continue
        mark = re.fullmatch(r"# gives (\S+) (\S+)", line.strip())
        if mark:
            out[-1][2][mark.group(1)] = mark.group(2)
            continue
        if not text and (not line.strip() or line.startswith("#")):
            continue
        text += line + "\n"
        if not line.endswith("\\"):
            out.append([text, code, {}])
            code, text = 0, ""
    return out


def rounds_to(printed, said):
    digits = len(said.partition(".")[2])
    return abs(float(printed) - float(said)) <= 0.5 * 10**-digits + 1e-9


def shown_wrongly(shown, printed):
    """The first part of what a page shows that was not printed, or None."""
    def same(have, want):
        return have.startswith(want[:-3]) if want.endswith("...") else have == want

    lines, at = [line.rstrip() for line in printed.splitlines()], 0
    for part in re.split(r"^ *\.\.\.\n", shown, flags=re.M):
        want = [line.rstrip() for line in part.splitlines()]
        found = next((i for i in range(at, len(lines) - len(want) + 1) if all(map(same, lines[i:i + len(want)], want))), None)
        if found is None:
            return part
        at = found + len(want)
    return None


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    path = tmp_path_factory.mktemp("docs")
    subprocess.run([PLUMB, "demo", "--out", "demo", "--quiet"], cwd=path, check=True)
    return path


def test_the_first_pages_are_run():
    names = {page.relative_to(ROOT).as_posix() for page in WITH_BLOCKS}
    assert {"README.md", "docs/start.md"} <= names


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_page(page, place):
    env = dict(os.environ, PATH=str(pathlib.Path(PLUMB).parent) + os.pathsep + os.environ["PATH"])
    left_out = 0
    for train, block, shown in BLOCK.findall(page.read_text()):
        printed = ""
        if train and not HAS_TRAIN:
            left_out += 1
            continue
        for text, code, values in commands(block):
            if ".parquet" in text and not HAS_PARQUET:
                pytest.skip("the plugin for Parquet is not built (make arrow)")
            run = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=place, env=env, capture_output=True, text=True,
                                 timeout=LIMIT_S)
            if "no report page" in run.stderr or "needs libplumb_" in run.stderr:
                pytest.skip(run.stderr.strip())
            assert run.returncode == code, f"{page.name}: {text}{run.stdout}{run.stderr}"
            printed += run.stdout + run.stderr
            for key, said in values.items():
                row = re.search(rf"^ *{re.escape(key)} +(-?[0-9.]+)", run.stdout, re.M)
                assert row and rounds_to(row.group(1), said), f"{page.name} says {key} {said}: {run.stdout}"
        wrong = shown_wrongly(shown, printed)
        assert wrong is None, f"{page.name} shows\n{wrong}\nwhich is not among\n{printed}"
    if left_out:
        pytest.skip(f"plumb-train was not built, so {left_out} blocks were left out")


def test_what_is_shown_is_compared():
    printed = "a\nb\n  c 1\nd\n"
    assert shown_wrongly("a\nb\n", printed) is None and shown_wrongly("b\n...\nd\n", printed) is None and shown_wrongly("  c...\n", printed) is None
    assert shown_wrongly("a\n  c 1\n", printed) and shown_wrongly("d\n...\nb\n", printed) and shown_wrongly("  c 2\n", printed)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
