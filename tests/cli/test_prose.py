"""What people read: every page can be reached from the index, lines are wrapped, old wordings do not come back, and comments cite
only files that are here. That links lead somewhere and examples run is tested in test_docs.py.
"""
import os
import pathlib
import re

import pytest

from conftest import ROOT, run_plumb

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
SOURCES = [path for folder in ("src", "include", "cli", "shell", "train") for path in sorted((ROOT / folder).rglob("*.[ch]pp"))]
TESTS = [path for path in sorted((ROOT / "tests").rglob("*")) if path.suffix in (".cpp", ".hpp", ".py") and path.name != "test_prose.py"]
WEB = sorted((ROOT / "web" / "src").rglob("*.ts"))
WIDTH = 120

# Not yet wrapped and reworded; take a file out of the set when it is.
LATER = set()

# Old wording (a regular expression) -> what to write instead. The terms are in docs/glossary.md.
OLD = {
    r"nobody hears": "would be ignored",
    r"\bto mend\b|\bmends?\b": "correct, calibrate",
    r"\bis no slip\b": "is not an error",
    r"votes got a probability": "the model gave the votes a probability of",
    r"\b[Ee]ach two raters\b": "each pair of raters",
    r"[Nn]early right after": "say what was measured",
    r"[Ww]here to\? Name": "no output file given; name it with -o",
    r"\bdrawn anew\b": "redrawn",
    r"\bof one mind\b": "agree",
    r"\bnobody's\b": "not stable, not owned",
    r"\bwhat can be had\b": "what is achievable",
    r"\bthan those you judge by\b": "than those you evaluate on",
    r"\bfront door\b": "public interface",
    r"\bnever believed\b": "never trusted",
    r"\bfollows? the noise\b": "overfits",
    r"\bpushed away for good\b": "pushed towards zero probability",
    r"\bthe least log-loss\b": "minimising the log-loss",
    r"\bcomplaints were made\b": "errors were reported",
    r"\ba word for it\b": "reports it",
    r"\bblocks nobody\b": "blocks no other process",
    r"\bWhere to (?:go|read) on\b": "Next",
    r"\bexclude each other\b": "cannot be combined",
    r"\b(?:what did the model say|what was observed|what was predicted|how sure was the model|describe what|merge what)\?": "no ... given; use ...",
    r"\bwas cut (?:short|off)\b": "is truncated",
    r"\bone (?:class|number|name|column|outcome|concentration) an? (?:item|class|rater|sample)\b": "per",
    r"\bthis is no\b|(?<!there )\bis no (?:calibrator|JSON|file|digit|finite number|folder)\b": "is not a",
    r"\bwent astray\b": "diverged",
    r"\b(?:would|may) write over\b": "overwrite",
    r"\bnever changes a number\b": "does not change the results",
    r"\blearns? \w+ \w+ \w+ by heart\b|\bschools of thought\b|\bclimb the walls\b": "overfits; agree with each other; are high",
    r"\bflatters? (?:it|the calibrator)\b": "is optimistic",
    r"\bthere is but\b": "there is only",
    r"\bfor it looks like\b": "it looks like a rounding error",
    r"\bseems to say too\b|\bthat move numbers\b|\bnobody knows who\b": "forecasts look too low; affect the numbers; unknown",
    r"\bsteadier\b|\bless steady\b": "more stable, less stable",
}
# The same in the docs only, where bins of forecasts are never cells. (Blood and tumour cells are.)
OLD_IN_DOCS = {
    r"\b(?:equal-(?:mass|width)|by|per|empty|each|a|the|these|those|`--bins`) cells?\b": "bin",
    r"\bcells of equal\b|\b(?:number|tables) of cells\b|\bcell's\b": "bin",
    r"\b(?:bytes|doubles) an? (?:item|logit|output|value)\b": "bytes per item",
    r"\b(?:groups?|units?), else items?\b": "groups if given, otherwise items",
    r"\bany threads\b": "any number of threads",
    r"\b(?:is|are) said\b": "is reported",
    r"\bsays too (?:much|little)\b": "forecasts are too high, too low",
}


def name(path):
    return path.relative_to(ROOT).as_posix()


def settled(paths):
    return [path for path in paths if name(path) not in LATER]


def without_code(text):
    """The prose of a page: no code blocks, no display maths; line numbers stay."""
    blank = lambda match: re.sub(r"[^\n]", "", match.group())
    return re.sub(r"^ *(```|\$\$).*?^ *\1$", blank, text, flags=re.S | re.M)


def links(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", without_code(page.read_text())):
        if not re.match(r"[a-z]+:", target):
            yield pathlib.Path(os.path.normpath(page.parent / target))


def test_every_page_can_be_reached_from_the_index():
    seen, todo = set(), [DOCS / "README.md"]
    while todo:
        page = todo.pop()
        if page in seen or page.suffix != ".md" or DOCS not in page.parents:
            continue
        seen.add(page)
        todo.extend(links(page))
    missing = sorted(name(page) for page in set(PAGES) - seen)
    assert not missing, f"no link leads from docs/README.md to {missing}"


def test_the_readme_links_to_the_index():
    assert DOCS / "README.md" in links(ROOT / "README.md")


def long_lines(text):
    """Lines of prose over the limit. Tables, code and what cannot be broken (links, long words) are left out."""
    for number, line in enumerate(without_code(text).splitlines(), 1):
        if len(line) > WIDTH and not re.match(r"\||    |!\[|<!--", line) and " " in line[:WIDTH].strip():
            yield number, line


def test_prose_is_wrapped():
    found = []
    for page in [*(ROOT / page for page in ("README.md", "HACKING.md", "CONTRIBUTING.md", "SECURITY.md")),
                 *sorted((ROOT / "experiments").rglob("README.md")), *settled(PAGES)]:
        found += [f"{name(page)}:{number}: {len(line)} characters: {line[:60]}..." for number, line in long_lines(page.read_text())]
    assert not found, "\n".join(found)


def wordings(path, text, old_to_new):
    for old, new in old_to_new.items():
        for match in re.finditer(old, text):
            yield f'{name(path)}:{text.count(chr(10), 0, match.start()) + 1}: "{match.group()}"; write: {new}'


def test_old_wordings_do_not_come_back():
    found = []
    for path in [ROOT / "README.md", *settled([*PAGES, *SOURCES, *WEB])]:
        found += wordings(path, path.read_text(), OLD)
    for page in [ROOT / "README.md", *settled(PAGES)]:
        found += wordings(page, without_code(page.read_text()), OLD_IN_DOCS)
    assert not found, "\n".join(found)


COMMANDS = ["", "evaluate", "evaluate --mean", "compare", "uncertainty", "calibrate", "calibrate fit", "calibrate apply", "calibrate show",
            "calibrate export", "stability", "report", "train", "predict", "merge", "describe", "list", "demo", "demo regression"]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c or "plumb")
def test_help_has_no_old_wordings(command):
    run = run_plumb(*command.split(), "--help")
    assert run.code == 0 and len(run.out) > 100
    found = [f'"{match.group()}"; write: {new}' for old, new in OLD.items() for match in re.finditer(old, run.out)]
    # A flag's line says what the value is, not "of the ...".
    found += [line.strip() for line in run.out.splitlines() if re.match(r" +(?:-\w,)?--\S+(?: \S+)? {2,}(?:of the|by this|at most)\b", line)]
    assert not found, "\n".join(found)


def test_the_checks_see_what_they_look_for():
    assert list(wordings(ROOT / "README.md", "one\nlabels drawn anew", OLD)) == ['README.md:2: "drawn anew"; write: redrawn']
    assert list(wordings(ROOT / "README.md", "equal-mass cells, blood cells", OLD_IN_DOCS)) == ['README.md:1: "equal-mass cells"; write: bin']
    words = "word " * 30
    assert [number for number, _ in long_lines(f"short\n{words}\n| {words}\n```sh\n{words}\n```\n{words}")] == [2, 7]


CITED = re.compile(r"\b(?:docs/[\w/-]+\.(?:md|json)|[A-Z]{4,}\.md)\b")


NOT_HERE = re.compile(r"\bcontract,? sections?\b|\bof the contract\b|\bthe contract's\b|\bfrom the contract\b")


def test_comments_cite_what_is_here():
    found = []
    for path in settled([*SOURCES, *TESTS]):
        text = path.read_text()
        found += [f"{name(path)}: {cited}" for cited in NOT_HERE.findall(text)]
        if path.name != "test_rooms.py":  # which makes a house of its own
            found += [f"{name(path)}: {cited}" for cited in CITED.findall(text) if not (ROOT / cited).exists()]
    assert not found, "\n".join(found)
