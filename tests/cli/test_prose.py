"""What people read: every page can be reached from the index, lines are wrapped, old wordings do not come back, comments are not torn
by the formatter and cite only existing files, enumerators have one style. test_docs.py tests that links resolve and examples run.
"""
import os
import pathlib
import re
import runpy

import pytest

from conftest import ROOT, run_plumb

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
SOURCES = [path for folder in ("src", "include", "cli", "shell", "train") for path in sorted((ROOT / folder).rglob("*.[ch]pp"))]
TESTS = [path for path in sorted((ROOT / "tests").rglob("*")) if path.suffix in (".cpp", ".hpp", ".py") and path.name != "test_prose.py"]
PYTHON = sorted((ROOT / "python" / "plumb").rglob("*.py"))
WEB = sorted((ROOT / "web" / "src").rglob("*.ts"))
WIDTH = 120
TEXTS = ("README.md", "HACKING.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "python/README.md", "Makefile", "tools/setup")

# Not yet wrapped and reworded; remove a file from the set when it is.
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
    r"\bastray\b": "diverged",
    r"\b(?:would|may) write over\b": "overwrite",
    r"\bnever changes a number\b": "does not change the results",
    r"\blearns? \w+ \w+ \w+ by heart\b|\bschools of thought\b|\bclimb the walls\b": "overfits; agree with each other; are high",
    r"\bflatters? (?:it|the calibrator)\b": "is optimistic",
    r"\bthere is but\b": "there is only",
    r"\bfor it looks like\b": "it looks like a rounding error",
    r"\bseems to say too\b|\bthat move numbers\b|\bnobody knows who\b": "forecasts look too low; affect the numbers; unknown",
    r"\bsteadier\b|\bless steady\b": "more stable, less stable",
    r"\bnever moves? an? (?:bit|number)\b": "does not affect the results",
    r"\b(?:[Oo]nc?e(?: row| number| name| value| vote| object)?|bytes|cycles|nanoseconds|votes|bits) an? (?:method|item|class|judgement|line|row|forecast|voxel|image|vote|element)\b(?! (?:time|has|may|gets))": "per",
    r"\bis no (?:regular file|whole number|number\b|vote\b|class\b|character|PNG|NIfTI|probability|object)": "is not a",
    r"\bwhat the model said\b|\bWhat the model said\b": "predictions",
    r"\bthe front door\b|\bsomebody(?: else)?'s\b": "the public interface; the user's",
    r"\b(?:said|told) (?:before|at once|of bad)\b": "reported",
    r"\b(?:computed|counted) anew\b": "recomputed, recounted",
    r"\btoo sure of itself\b|\bless sure of itself\b": "over-confident; less confident",
    r"\bsensible person\b": "the suggested next command",
    r"\bnothing of use\b": "unspecified",
    r"\bcounts? nowhere\b": "does not count",
    r"\bnobody is in\b": "it is empty",
    r"\bguessed wrong\b|\bto guess wrong\b": "mispredicted",
    r"\bJudge (?:it|them)\b|\bto judge a model by\b": "evaluate",
    r"\bHow sure is\b|\bRepair the\b": "get intervals for; calibrate the",
    r"\bwhere to \[|\"say nothing\"": "output folder; print nothing",
    r"\b(?:group|groups|unit|units|patient|sform|qform), else\b": "if given, otherwise",
    r"\bis no (?:array|flag|program|boundary)\b": "is not a",
    r"\blies elsewhere\b": "is not on the same grid",
    r"\bclasses (?:may )?stand\b|\bits name stands\b": "are on the axis; names",
    r"\bcan be had\b": "are available",
    r"\bread where they lie\b|\blends its memory\b": "in place; exposes its memory",
    r"\bchosen anew\b|\bcase in work\b|\berr together\b": "changed; current case; have dependent errors",
    r"\bof one piece\b|\bover a wire\b": "the same version; over the network",
    r"\b[Tt]wo words of the command line\b": "two flags have other names",
    r"\bbet on right or wrong\b|\bSo far chance\b": "odds of a right answer; chance can explain",
    r"\band 1 is right\b|\bintervals(?: of \S+)? hold\b": "a calibrated model has 1; contain",
    r"\b(?:that|which) (?:these files do not tell|tells? the crop|would tell)\b": "describes",
    r"\b(?:would|may) run any program\b|\bcan run any program\b": "can run arbitrary code",
    r"\bappears? whole\b": "appears complete",
    r"\bto sum 1\b": "to sum to 1",
    r"(?:kB|MB|votes|voxels|images|seconds|bytes) an? (?:case|vote|voxel|epoch|image|row)\b": "per",
    r"\bCertainly off\b|\band not by chance\b": "Clearly off; more than chance explains",
    r"\b[Ii]t takes (?:--|⟦)?bootstrap": "without --bootstrap, miscalibration cannot be told from chance",
    r"\b[Ww]ho are the raters\b|\bsay together\?|\bhow far (?:they|the raters) agree\b": "accuracy, bias, agreement and consensus of the raters",
    r"\b(?:these|the|prediction) sets hold\b|\bset of an? (?:new )?item holds\b": "contain",
    r"\bfiles? without a name\b": "unnamed temporary file",
    r"\bhand(?:s|ed)? (?:over to a person|the most uncertain)\b|\bto hand over\b": "defer",
    r"\b(?:plain|guaranteed|such|further) cuts?\b": "threshold",
    r"\bneeds (?:all voxels|the forecasts) in order\b|\bmetrics of order\b": "sorted",
    r"\bits packed data\b|\bit unpacks to\b": "compressed data, decompresses",
    r"\bnot named like one\b": "give it a name that ends in",
    r"\bdoes not go with\b": "cannot be combined with",
    r"\bfits? (?:the )?memory\b": "fit in memory",
    r"\bp-values rest on\b|\bto judge by\b|\bjudge the consensus\b": "are based on; evaluate",
    r"\bcurve follows chance\b|\bfit follows chance\b|\bno factor can repair\b": "fits noise; correct",
    r"\bnobody (?:needs|asks|has)\b|\bfor want of\b|\bare but two\b": "not needed; without; only two",
    r"\bto try things on\b|\bdata that it makes itself\b": "simulated data to try Plumb on",
}
# The same in the docs only, where bins of forecasts are never cells. (Blood and tumour cells are.)
OLD_IN_DOCS = {
    r"\b(?:equal-(?:mass|width)|by|per|empty|each|a|the|these|those|`--bins`) cells?\b": "bin",
    r"\bcells of equal\b|\b(?:number|tables) of cells\b|\bcell's\b": "bin",
    r"\b(?:bytes|doubles) an? (?:item|logit|output|value)\b": "bytes per item",
    r"\b(?:groups?|units?), else items?\b": "groups if given, otherwise items",
    r"\bany threads\b": "any number of threads",
    r"\b(?:is|are) said\b": "is reported",
    r"\bmay be there or not\b": "are optional",
    r"\blooked for in\b": "searched for in",
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
    for page in [*(ROOT / page for page in TEXTS if page.endswith(".md")),
                 *sorted((ROOT / "experiments").rglob("README.md")), *settled(PAGES)]:
        found += [f"{name(page)}:{number}: {len(line)} characters: {line[:60]}..." for number, line in long_lines(page.read_text())]
    assert not found, "\n".join(found)


def wordings(path, text, old_to_new):
    for old, new in old_to_new.items():
        for match in re.finditer(old, text):
            yield f'{name(path)}:{text.count(chr(10), 0, match.start()) + 1}: "{match.group()}"; write: {new}'


def test_old_wordings_do_not_come_back():
    found = []
    for path in [*(ROOT / page for page in TEXTS), *settled([*PAGES, *SOURCES, *TESTS, *PYTHON, *WEB])]:
        found += wordings(path, path.read_text(), OLD)
    for page in [ROOT / "README.md", *settled(PAGES)]:
        found += wordings(page, without_code(page.read_text()), OLD_IN_DOCS)
    assert not found, "\n".join(found)


COMMANDS = ["", "evaluate", "evaluate --mean", "compare", "uncertainty", "raters", "evaluate --sets x", "calibrate fit --method sets", "calibrate", "calibrate fit", "calibrate apply", "calibrate show",
            "calibrate export", "stability", "evaluate --manifest", "compare --manifest", "stability --manifest", "uncertainty --manifest",
            "calibrate fit --manifest", "calibrate apply --manifest", "report", "train", "predict", "merge", "describe", "list", "reproduce", "demo", "demo regression"]


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


def test_comments_are_not_torn():
    torn = runpy.run_path(str(ROOT / "tools" / "wrap_comments.py"))["torn"]
    found = [f"{name(path)}:{number}" for path in [*SOURCES, *TESTS] if path.suffix != ".py" for number in torn(path.read_text())]
    assert not found, '"make format" wraps these comments again:\n' + "\n".join(found)
    assert list(torn("// so many words that the line is full of them, and one is left over\n// alone\n")) == [1]
    assert list(torn("int x;\n// a line that ends far too soon,\n// and goes on here with more than one word\n")) == [2]
    assert not list(torn("// One sentence.\n// another.\n//   a   table\n//   b\n"))


def chopped(text):
    """Line numbers of string literals that go on in the next line although no line of output ends there."""
    for match in re.finditer(r'"((?:[^"\\\n]|\\.)*)"\n\s+"', text):
        if match.group(1) and not match.group(1).endswith("\\n"):
            yield text.count("\n", 0, match.start()) + 1


def test_string_literals_are_not_chopped():
    found = [f"{name(path)}:{number}" for path in SOURCES for number in chopped(path.read_text())]
    assert not found, "write these literals in one piece, so that a search finds them:\n" + "\n".join(found)
    assert list(chopped('f("one sentence that "\n  "goes on");\ng("line\\n"\n  "line");')) == [1]


def enumerators(text):
    for body in re.findall(r"\benum (?:class |struct )?\w*(?: : [\w:]+)? *\{([^}]*)\}", text):
        yield from re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"//[^\n]*", "", body))


def test_enumerators_have_one_style():
    found = [f"{name(path)}: {e}" for path in SOURCES for e in enumerators(path.read_text()) if not re.fullmatch(r"[a-z][a-z0-9_]*|PLUMB_[A-Z_]+", e)]  # of a C interface
    assert not found, "\n".join(found)
    assert list(enumerators("enum class A : int { kOne = 1, two,  // three, Four\n five };")) == ["kOne", "two", "five"]


# Names that do not say what a thing is.
VAGUE = re.compile(r"\b(?:auto|void|bool|double|int|std::\w+|[A-Z]\w+)[&*]? (put\w*|of|yes|whole|shown|numeral\w*)\(")


def test_functions_have_telling_names():
    found = [f"{name(path)}: {called}" for path in SOURCES for called in VAGUE.findall(path.read_text())]
    assert not found, "\n".join(found)
    assert VAGUE.findall("std::string shown(double x); Text put(int); x.put(1)") == ["shown", "put"]


CITED = re.compile(r"\b(?:docs/[\w/-]+\.(?:md|json)|[A-Z]{4,}\.md)\b")


NOT_HERE = re.compile(r"\bcontract,? sections?\b|\bof the contract\b|\bthe contract's\b|\bfrom the contract\b")


def cited_files(text):
    """Names of source files in // comments."""
    for comment in re.findall(r"//(.*)$", text, flags=re.M):
        yield from re.findall(r"\b([a-z_0-9]+\.(?:cpp|hpp|py))\b", comment)


def test_comments_cite_what_is_here():
    found = []
    names = {path.name for folder in ("src", "include", "cli", "shell", "train", "tests", "tools", "bench", "plugins", "fuzz", "python", "experiments")
             for path in (ROOT / folder).rglob("*.*")}
    for path in [*SOURCES, *TESTS]:
        if path.suffix != ".py":
            found += [f"{name(path)}: {cited}" for cited in cited_files(path.read_text()) if cited not in names]
    assert list(cited_files('f();  // as in no_such.cpp\n"a.cpp"')) == ["no_such.cpp"]
    for path in settled([*SOURCES, *TESTS]):
        text = path.read_text()
        found += [f"{name(path)}: {cited}" for cited in NOT_HERE.findall(text)]
        if path.name != "test_rooms.py":  # which makes a house of its own
            found += [f"{name(path)}: {cited}" for cited in CITED.findall(text) if not (ROOT / cited).exists()]
    assert not found, "\n".join(found)
