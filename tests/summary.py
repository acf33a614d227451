#!/usr/bin/env python3
"""tests/summary.py [--strict] [RESULTS]: the seconds of each part of the tests and everything that was skipped, as recorded by
tests/part. With --strict a skip that tests/allowed_skips.txt does not list is a failure."""
import argparse
import fnmatch
import pathlib
import re
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
SLOW_S = 20


def read_parts(results):
    """(name, status, wall seconds, CPU seconds) of each part, in the order in which they ran."""
    for line in (results / "parts").read_text().splitlines():
        name, status, wall, user, system = line.split()
        yield name, int(status), float(wall), float(user) + float(system)


def read_tests(results, part):
    """(name, seconds, why it was skipped or None) of each test of a part."""
    for path in sorted((results / part).glob("*.xml")):
        for case in ElementTree.parse(path).iter("testcase"):
            skipped = case.find("skipped")
            # GoogleTest puts the file and the line before the message.
            why = None if skipped is None else re.sub(r"^\S+:\d+\n", "", skipped.get("message", "")).strip()
            yield f"{case.get('classname')}.{case.get('name')}", float(case.get("time", 0)), why
    for line in (results / part / "output").read_text(errors="replace").splitlines():
        said = re.match(r"SKIPPED ([\w/.-]+): (.*)", line)
        if said:
            yield said[1], 0.0, said[2]


def read_allowed(path):
    """The patterns of the list; what follows " # " in a line is the reason."""
    lines = path.read_text().splitlines()
    return [line.partition(" # ")[0].strip() for line in lines if line.strip() and not line.startswith("#")]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="?", type=pathlib.Path, default=HERE.parent / "build" / "results")
    parser.add_argument("--allowed", type=pathlib.Path, default=HERE / "allowed_skips.txt")
    parser.add_argument("--strict", action="store_true")
    args = parser.parse_args()
    parts = list(read_parts(args.results))
    tests = [(part, *test) for part, *_ in parts for test in read_tests(args.results, part)]

    print("\n seconds      CPU  part")
    for name, status, wall, cpu in parts:
        print(f"{wall:8.0f} {cpu:8.0f}  {name}{'  FAILED' if status else ''}")
    print(f"{sum(p[2] for p in parts):8.0f} {sum(p[3] for p in parts):8.0f}  in all, {len(tests)} tests")

    slow = sorted(((seconds, part, name) for part, name, seconds, _ in tests if seconds >= SLOW_S), reverse=True)
    if slow:
        print(f"\nTests of {SLOW_S} s and more:")
        for seconds, part, name in slow:
            print(f"{seconds:8.0f}  {part} {name}")

    skipped = [f"{part} {name}: {why}" for part, name, _, why in tests if why is not None]
    print("\nSkipped:" if skipped else "\nNothing was skipped.")
    allowed = read_allowed(args.allowed)
    unlisted = [skip for skip in skipped if not any(fnmatch.fnmatchcase(skip, pattern) for pattern in allowed)]
    for skip in skipped:
        print(f"  {skip}{'  NOT LISTED in ' + args.allowed.name if args.strict and skip in unlisted else ''}")
    return 1 if any(p[1] for p in parts) or (args.strict and unlisted) else 0


if __name__ == "__main__":
    raise SystemExit(main())
