#!/usr/bin/python3
"""tools/wrap_comments.py FILE...: wraps again the comments that clang-format has torn: a block of full comment lines with one
word alone on its last line, or with a line that ends far too soon. "make format" runs it; tests/cli/test_prose.py uses torn()."""
import re
import sys
import textwrap

WIDTH = 110  # ColumnLimit of .clang-format
# A full line of comment with one space after the slashes; more spaces mark what must not be wrapped.
COMMENT = re.compile(r"(\s*)(///?) (\S.*)")


def blocks(lines):
    """(first line, lines) of each block of comment lines with the same indentation and marker."""
    found, at = [COMMENT.fullmatch(line) for line in lines] + [None], 0
    while at < len(lines):
        end = at
        while found[at] and found[end] and found[end].group(1, 2) == found[at].group(1, 2):
            end += 1
        if end > at:
            yield at, [found[i][3] for i in range(at, end)]
        at = max(end, at + 1)


def torn(text):
    """The number of the first line of each torn block."""
    lines = text.splitlines()
    for first, block in blocks(lines):
        indent = len(lines[first]) - len(block[0])
        ended = lambda line: line.endswith((".", ":", ";", ")", "?"))
        alone = len(block) > 1 and " " not in block[-1] and block[-1].strip("-") and not ended(block[-2])
        short = any(not ended(a) and indent + len(a) + 1 + len(b.split()[0]) < 90 and b[0].islower() and len(a) > 25
                    for a, b in zip(block, block[1:]))
        if (alone or short) and not any("  " in line or "---" in line for line in block):
            yield first + 1


def wrapped(block, width):
    """The block as lines; the last has more than one word if that takes no further line."""
    wrap = lambda w: textwrap.wrap(" ".join(block), w, break_long_words=False, break_on_hyphens=False)
    best = wrap(width)
    for narrower in range(width, 60, -1):
        lines = wrap(narrower)
        if len(lines) > len(best):
            break
        if " " in lines[-1]:
            return lines
    return best


def main(paths):
    for path in paths:
        text = open(path, encoding="utf-8").read()
        lines, numbers = text.splitlines(), set(torn(text))
        for first, block in reversed([b for b in blocks(lines) if b[0] + 1 in numbers]):
            head = lines[first][:len(lines[first]) - len(block[0])]
            lines[first:first + len(block)] = [head + line for line in wrapped(block, WIDTH - len(head))]
        if numbers:
            open(path, "w", encoding="utf-8").write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
