"""Shell completion and manual pages: made from the flags that the commands really have."""
import re
import shutil
import subprocess

import pytest
from conftest import run_plumb

COMMANDS = ["evaluate", "audit", "compare", "uncertainty", "raters", "calibrate fit", "calibrate apply", "calibrate show",
            "calibrate export", "stability", "report", "train", "predict", "merge", "describe", "list", "reproduce", "demo"]


def flags_in_help(command, *args):
    text = run_plumb(*command.split(), *args, "--help").out
    return set(re.findall(r"^  (?:-\w,)?(--[a-z][a-z0-9-]*)", text, re.M))


def completed(script, *words):
    """What bash would offer for the last of these words."""
    line = " ".join(f"'{w}'" for w in words)
    code = f"source '{script}'; COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _plumb; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True).stdout.split()


@pytest.fixture(scope="module")
def bash(tmp_path_factory):
    script = tmp_path_factory.mktemp("completion") / "plumb.bash"
    script.write_text(run_plumb("completion", "bash").out)
    return script


def test_every_command_is_completed(bash):
    listed = re.findall(r"^  ([a-z]+) +\S", run_plumb().out.split("Commands:")[1], re.M)
    assert set(listed) >= {c.split()[0] for c in COMMANDS}
    assert set(completed(bash, "plumb", "")) >= set(listed)
    assert completed(bash, "plumb", "eval") == ["evaluate"]
    assert completed(bash, "plumb", "calibrate", "") == ["fit", "apply", "show", "export"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_flag_is_completed_and_in_the_manual(bash, command):
    wanted = flags_in_help(command)
    assert wanted, command
    assert wanted <= set(completed(bash, "plumb", *command.split(), "--"))
    page = run_plumb("manual", *command.split()).out.replace("\\-", "-")
    assert not {flag for flag in wanted if not re.search(rf"^\.B .*{flag}\b", page, re.M)}


@pytest.mark.parametrize("args", [["--mean", "x"], ["--manifest", "x"], ["--sets", "x"]])
def test_flags_of_every_kind_of_evaluation(bash, args):
    assert flags_in_help("evaluate", *args) <= set(completed(bash, "plumb", "evaluate", "--"))


def test_values_of_flags(bash):
    assert completed(bash, "plumb", "evaluate", "--binning", "") == ["width", "mass"]
    assert completed(bash, "plumb", "calibrate", "fit", "--method", "quad") == ["quadratic"]
    assert "ece_kde" in completed(bash, "plumb", "evaluate", "--metrics", "ece")
    assert completed(bash, "plumb", "evaluate", "--bandwidth", "") == ["auto", "likelihood"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_scripts_parse(shell, tmp_path):
    script = run_plumb("completion", shell).out
    assert "ece_kde" in script and "--binning" in script.replace(" -l ", " --")
    if shutil.which(shell):
        (tmp_path / "script").write_text(script)
        subprocess.run([shell, "-n", tmp_path / "script"], check=True)


def test_manual_pages_are_written(tmp_path):
    assert run_plumb("manual", "--out", tmp_path / "pages").code == 0
    names = {p.name for p in (tmp_path / "pages").iterdir()}
    assert {"plumb.1", "plumb-evaluate.1", "plumb-calibrate-fit.1"} <= names
    for page in (tmp_path / "pages").iterdir():
        macros = set(re.findall(r"^(\.\S*)", page.read_text(), re.M))
        assert macros <= {".TH", ".SH", ".SS", ".TP", ".B", ".BR", ".nf", ".fi"}, page.name


def test_bad_names():
    assert run_plumb("completion", "tcsh").code == 2
    assert 'not "tcsh"' in run_plumb("completion", "tcsh").err
    assert run_plumb("completion").code == 2
    assert 'did you mean "evaluate"' in run_plumb("manual", "evalute").err
