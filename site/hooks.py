"""What the site needs beyond docs/ as it is read on GitHub: formulas as MathML, and the navigation from the index docs/README.md."""
import html
import re

from latex2mathml.converter import convert

FORMULA = re.compile(r'<(span|div) class="arithmatex">(?:\\\((.*?)\\\)|\\\[(.*?)\\\])</\1>', re.DOTALL)


def on_config(config):
    config["nav"] = navigation((config["docs_dir"] + "/README.md"))
    return config


def navigation(index):
    """Each section of the index with the pages that it links, in order; a page stands where it is linked first."""
    seen, sections, title = {"README.md"}, [{"Plumb": "README.md"}], None
    for line in open(index, encoding="utf-8").read().splitlines():
        heading = re.match(r"## (.+)|\*\*(.+?)\*\*", line)
        if heading:
            title = heading.group(1) or heading.group(2)
            sections.append({title: []})
        for page in re.findall(r"\]\(([\w/-]+\.md)", line):
            if page not in seen:
                seen.add(page)
                if title is None:
                    sections.append(page)
                else:
                    sections[-1][title].append(page)
    sections.append({"Reference": ["reference.md", "commands.md", "hacking.md", "changes.md"]})
    return [s for s in sections if isinstance(s, str) or next(iter(s.values()))]


def on_page_markdown(markdown, page, config, files):
    # "sh run" tells the tests to run a block; here it is a language.
    return re.sub(r"^(\s*```\w+) run\b.*$", r"\1", markdown, flags=re.MULTILINE)


def on_page_content(content, page, config, files):
    def formula(match):
        inline, block = match.group(2), match.group(3)
        text = html.unescape(inline if inline is not None else block).strip()
        return convert(text, display="inline" if inline is not None else "block")

    return FORMULA.sub(formula, content)
