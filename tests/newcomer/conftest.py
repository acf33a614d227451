"""A newcomer's walk: commands come from README.md, docs/start.md, `--help` and what the tool prints, never from a test.

A newcomer has files of their own. Where an example names other files, `instead` says which of theirs stands for each.
"""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLUMB = pathlib.Path(os.environ.get("PLUMB_BIN", ROOT / "build" / "bin" / "plumb"))
LIMIT_S = 300


def page(name):
    return (ROOT / name).read_text()


def blocks(name, language):
    """The fenced blocks of a page in this language ("sh run" is "sh")."""
    return re.findall(rf"^```{language}\b[^\n]*\n(.*?)^```", page(name), re.S | re.M)


def commands_in(text):
    """Indented lines that begin with "plumb"; a backslash at the end goes on."""
    joined = re.sub(r"\\\n\s*", "", text)
    return [line.strip() for line in joined.splitlines() if re.match(r" +plumb ", line)]


def next_command(printed):
    """The command under the last "Next", or None."""
    _, found, after = printed.rpartition("\nNext\n")
    return commands_in(after)[0] if found else None


class Walk:
    """A folder, and a shell in which `plumb` is on the PATH."""

    def __init__(self, path):
        self.path = path
        self.env = dict(os.environ, PATH=f"{PLUMB.parent}{os.pathsep}{os.environ['PATH']}", COLUMNS="80")

    def shell(self, command, code=0, instead=()):
        """What the command prints; `instead` has pairs (name in the example, own file)."""
        for example, own in instead:
            command = re.sub(rf"(?<![\w./]){re.escape(example)}(?![\w.:])", own, command)
        run = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=self.path, env=self.env, capture_output=True, text=True,
                             timeout=LIMIT_S)
        assert run.returncode == code, f"{command}\n{run.stdout}{run.stderr}"
        return run.stdout + run.stderr

    def help_commands(self, command=""):
        """The examples of `plumb COMMAND --help`."""
        return commands_in(self.shell(f"plumb {command} --help"))

    def follow(self, command, most=8):
        """[(command, what it printed)] as long as there is a next one; it must run as printed, and never lead back to an earlier command."""
        done = []
        while command is not None:
            assert command not in [c for c, _ in done], f"the tool advises in a circle: {command}"
            assert len(done) < most, f"no end after {most} steps: {done}"
            done.append((command, self.shell(command)))
            command = next_command(done[-1][1])
        return done


@pytest.fixture
def walk(tmp_path):
    return Walk(tmp_path)
