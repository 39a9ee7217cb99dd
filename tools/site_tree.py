#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a copy of the documents fit for Sphinx: tools/site_tree.py FOLDER. A
link to a folder leads to its first page; behind the first page of all comes a
table of contents, from the lists that people read there."""
import os
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)#]+\.md)\)")
FOLDER = re.compile(r"(\]\((?![a-z]+:)[^)\s]*/)\)")
HEADING = re.compile(r"^\*\*(.+?)\*\*", re.M)


def sections(text):
    """(heading, the part below it)"""
    found = list(HEADING.finditer(text))
    ends = [m.start() for m in found[1:]] + [len(text)]
    for m, end in zip(found, ends):
        yield m.group(1), text[m.end():end]


def document(folder, link):
    """From the root, without ending, as Sphinx names it."""
    return os.path.normpath(os.path.join(folder, link))[:-len(".md")]


def toctree(caption, names):
    return ("\n```{toctree}\n:hidden:\n:caption: " + caption + "\n\n"
            + "".join(f"/{n}\n" for n in names) + "```\n")


def pages(root):
    for folder, _, files in os.walk(root):
        for name in files:
            if name.endswith(".md"):
                yield os.path.relpath(os.path.join(folder, name), root)


def lead_to_pages(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(FOLDER.sub(r"\1README.md)", text))


def main():
    root = sys.argv[1]
    for page in pages(root):
        lead_to_pages(os.path.join(root, page))
    first = os.path.join(root, "docs", "README.md")
    with open(first, encoding="utf-8") as f:
        text = f.read()
    seen, trees = {"docs/README"}, ""
    for heading, part in sections(text):
        names = [n for n in (document("docs", k) for k in LINK.findall(part))
                 if n not in seen]
        seen.update(names)
        if names:
            trees += toctree(heading, dict.fromkeys(names))
    rest = [p[:-3] for p in pages(root) if p[:-3] not in seen]
    trees += toctree("More", sorted(rest))
    with open(first, "a", encoding="utf-8") as f:
        f.write(trees)


if __name__ == "__main__":
    main()
