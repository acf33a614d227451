"""The summary of "make test": seconds of each part, everything skipped, and skips that are not on the list."""
import subprocess
import sys

from conftest import ROOT

TESTS = ROOT / "tests"
GTEST = """<testsuites><testsuite><testcase name="A" classname="Real" time="31"/>
<testcase name="B" classname="Real" time="0"><skipped message="/x/y_test.cpp:12&#x0A;no data"/></testcase>
</testsuite></testsuites>"""


def part(tmp_path, name, command):
    env = {"PLUMB_RESULTS": str(tmp_path / "results"), "PATH": "/usr/bin:/bin"}
    return subprocess.run([TESTS / "part", name, "bash", "-c", command], env=env, capture_output=True, text=True)


def summary(tmp_path, *args, allowed="unit Real.B: no data # not here\n"):
    listed = tmp_path / "allowed.txt"
    listed.write_text("# a comment\n" + allowed)
    command = [sys.executable, TESTS / "summary.py", tmp_path / "results", "--allowed", listed, *args]
    return subprocess.run(command, capture_output=True, text=True)


def make_results(tmp_path):
    (tmp_path / "unit.xml").write_text(GTEST)
    assert part(tmp_path, "unit", f"cp {tmp_path}/unit.xml ${{GTEST_OUTPUT#xml:}}").returncode == 0


def test_seconds_slow_tests_and_skips_are_told(tmp_path):
    make_results(tmp_path)
    part(tmp_path, "browser", "echo SKIPPED browser: there is no Chromium")
    run = summary(tmp_path)
    assert run.returncode == 0, run.stderr
    for line in ("  unit\n", "  browser\n", "in all, 3 tests", "31  unit Real.A", "unit Real.B: no data", "browser browser: there is no Chromium"):
        assert line in run.stdout, run.stdout


def test_a_skip_that_is_not_listed_fails_where_it_is_strict(tmp_path):
    make_results(tmp_path)
    assert summary(tmp_path, "--strict").returncode == 0
    run = summary(tmp_path, "--strict", allowed="unit Real.C: *\n")
    assert run.returncode == 1 and "Real.B: no data  NOT LISTED" in run.stdout
    assert summary(tmp_path, allowed="").returncode == 0


def test_a_failed_part_fails_and_is_named(tmp_path):
    run = part(tmp_path, "install", "exit 7")
    assert run.returncode == 7 and "FAILED: install" in run.stdout
    run = summary(tmp_path)
    assert run.returncode == 1 and "install  FAILED" in run.stdout and "Nothing was skipped." in run.stdout
