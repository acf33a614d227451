#!/usr/bin/python3
"""The C++ blocks of the docs, compiled as one file and run against what they show.

docs.py make PAGE...          prints a program of all blocks ```cpp run
docs.py check OUTPUT PAGE...  compares what it printed with the block ```text that follows each of them, if any

A block with a main() is a program of its own. The other blocks of a page are one function, from the first to the last, so that a
block may use what an earlier one declares.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"^```cpp run\n(.*?)^```\n(?:\s*^```text\n(.*?)^```\n)?", re.S | re.M)
MARK = "=== "


def blocks(paths):
    """(name, code, shown output or None) of every block."""
    for path in paths:
        text = pathlib.Path(path).read_text()
        for found in BLOCK.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{pathlib.Path(path).name}:{line}", found.group(1), found.group(2)


def make(paths):
    includes, spaces, calls = {"#include <cstdio>"}, [], []
    for path in paths:
        body = ""
        for name, code, _ in blocks([path]):
            includes |= set(re.findall(r"^#include .*$", code, re.M))
            code = re.sub(r"^#include .*\n", "", code, flags=re.M)
            mark = f'std::puts("{MARK}{name}");\n'
            if "int main()" in code:
                code = code.rstrip().removesuffix("}") + "  return 0;\n}\n"  # only the real main() may leave it out
                spaces.append(f"namespace block_{len(spaces)} {{\n{code}}}\n")
                calls.append(f"{mark}if (block_{len(spaces) - 1}::main() != 0) return 1;\n")
            else:
                body += mark + code
        if body:
            spaces.append(f"namespace block_{len(spaces)} {{\nvoid run() {{\n{body}}}\n}}\n")
            calls.append(f"block_{len(spaces) - 1}::run();\n")
    return "\n".join(sorted(includes)) + "\n" + "".join(spaces) + "int main() {\n" + "".join(calls) + "}\n"


def check(output, paths):
    printed = dict(part.split("\n", 1) for part in pathlib.Path(output).read_text().split(MARK)[1:])
    bare = [path for path in paths if not list(blocks([path]))]
    for path in bare:
        print(f"{path} has no block that is run", file=sys.stderr)
    wrong = [name for name, _, shown in blocks(paths) if shown is not None and printed.get(name) != shown]
    for name in wrong:
        print(f"{name} prints\n{printed.get(name)}", file=sys.stderr)
    return 1 if wrong or bare else 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        print(make(sys.argv[2:]), end="")
    else:
        sys.exit(check(sys.argv[2], sys.argv[3:]))
