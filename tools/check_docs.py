#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Documents that are true: links lead somewhere, commands and options exist,
man pages and the program agree, examples of JSON parse, nobody's own paths.
Prints file:line: rule: what; exits 1 if any."""
import json
import os
import re
import shutil
import subprocess
import sys

import tree
from tree import ROOT

FENCE = re.compile(r"^ {0,3}(```+|~~~+)\s*(\w*)")
SPAN = re.compile(r"`+[^`]*`+")
LINK = re.compile(r"\[[^\]]*\]\(<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\)")
TAG = re.compile(r"<(?:img|source|a)\b[^>]*?\b(?:src|srcset|href)=\"([^\"]+)\"")
TUTTI = re.compile(r"(?:^|[\s`/(])tutti ((?:--version|--help)|[a-z][a-z-]*)")
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
LOCAL = re.compile(r"(?<![\w.~$}])/(?:work|root|home|tmp|Users|mnt|scratch)/")
ENTRY = re.compile(r'TT_OPT_\w+\(\s*"(?:-(.), )?--([a-z-]+)[^"]*",\s*[\w.]+,\s*'
                   r'(NULL\b)?', re.S)
TABLE = re.compile(r"^const struct tt_opt (tt_\w+)\[\] = \{(.*?)^\};", re.S | re.M)
SAME = re.compile(r"#define (TT_OPT_[A-Z]+)\s+(TT_OPT_[^\n]*)")
# Commands described in tutti.1 itself.
SMALL = {"completion", "help", "version"}
SKIP = ("build", "_build")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def files():
    return [f for f in tree.files()
            if not f.startswith(SKIP) and not f.endswith(".png")]


# --- what the program has ----------------------------------------------------

def entries(text, groups):
    """Options of a table: name -> (letter or None, hidden)."""
    found = {}
    for name, options in groups.items():
        if name in text:
            found.update(options)
    for name, words in SAME.findall(read("src/cli/options.h").replace("\\\n", "")):
        text = re.sub(rf"\b{name}\b(?!\()", lambda _: words, text)
    return found | {m.group(2): (m.group(1), m.group(3) is not None)
                    for m in ENTRY.finditer(text)}


def commands():
    """Name -> options, as src/cli says it."""
    groups, found = {}, {}
    for name in ("source", "filekind", "confine"):
        for table, text in TABLE.findall(read(f"src/cli/{name}.c")):
            groups[table] = entries(text, groups)
    for name in re.findall(r"&tt_cmd_(\w+)", read("src/cli/commands.c")):
        found[name] = entries(read(f"src/cli/cmd_{name}.c"), groups)
    return found


# --- markdown ----------------------------------------------------------------

def split(text):
    """Lines as (number, kind, text): prose without code spans, spans, and
    code; kind of code is the language of its block."""
    fence, language = None, ""
    for i, line in enumerate(text.split("\n"), 1):
        m = FENCE.match(line)
        if m and fence is None:
            fence, language = m.group(1)[:3], m.group(2)
        elif m and m.group(1).startswith(fence) and not m.group(2):
            fence = None
        elif fence is not None:
            yield i, "code:" + language, line
        else:
            yield i, "prose", SPAN.sub("`", line)
            for span in SPAN.findall(line):
                yield i, "code:span", span.strip("`")


def slug(heading):
    heading = re.sub(r"[^\w\- ]", "", heading.strip().lower().replace("`", ""))
    return heading.replace(" ", "-")


def anchors(path):
    out = set()
    for _, kind, line in split(read(path)):
        if kind == "prose" and line.startswith("#"):
            out.add(slug(line.lstrip("#")))
    # spans were taken out of the prose: headings with code need the raw line
    for line in read(path).split("\n"):
        if line.startswith("#"):
            out.add(slug(line.lstrip("#")))
    return out


def check_link(path, target):
    if re.match(r"[a-z]+:", target):
        return None
    name, _, anchor = target.partition("#")
    full = os.path.normpath(os.path.join(os.path.dirname(path), name)) \
        if name else path
    if full.startswith(".."):
        return f"{target} leaves the project"
    if not os.path.exists(os.path.join(ROOT, full)):
        return f"{target} leads nowhere"
    if anchor and full.endswith(".md") and anchor not in anchors(full):
        return f"{target}: no such heading"
    return None


def joined(lines):
    """Lines continued with a backslash become one."""
    number, kind, whole = 0, "", ""
    for i, k, line in lines:
        if not k.startswith("code"):
            continue
        if not whole:
            number, kind = i, k
        whole += line
        if k != "code:span" and whole.endswith("\\"):
            whole = whole[:-1]
            continue
        yield number, kind, whole
        whole = ""


def check_calls(line, known):
    """Each `tutti COMMAND --option`: do both exist?"""
    calls = list(TUTTI.finditer(line))
    for n, m in enumerate(calls):
        name = m.group(1)
        if name.startswith("--"):
            continue
        if name not in known:
            yield "command", f"there is no 'tutti {name}'"
            continue
        end = calls[n + 1].start() if n + 1 < len(calls) else len(line)
        # what follows a pipe, a semicolon or a comment is not ours
        rest = re.split(r"[|;#]|&&", line[m.end():end])[0]
        for option in OPTION.findall(rest):
            if option not in known[name] and option != "help":
                yield "option", f"'tutti {name}' has no --{option}"


def check_markdown(path, text, known):
    lines = list(split(text))
    blocks, start = [], 0
    for i, kind, line in lines:
        if kind == "prose":
            for m in list(LINK.finditer(line)) + list(TAG.finditer(line)):
                why = check_link(path, m.group(1))
                if why:
                    yield i, "link", why
        if kind == "code:json":
            if not blocks:
                start = i
            blocks.append(line)
        elif blocks:
            yield from check_json(start, blocks)
            blocks = []
    if blocks:
        yield from check_json(start, blocks)
    for i, _, line in joined(lines):
        for rule, what in check_calls(line, known):
            yield i, rule, what


def check_json(line, block):
    try:
        json.loads("\n".join(block))
    except ValueError as e:
        yield line, "json", str(e)


# --- man pages ---------------------------------------------------------------

def plain(roff):
    """A line without its escapes."""
    roff = re.sub(r"\\f.", "", roff)
    return roff.replace("\\-", "-").replace("\\(aq", "'").replace("\\&", "")


def man_options(text):
    """Options that have an entry of their own: name -> (letter, line)."""
    out, tag = {}, False
    for i, line in enumerate(text.split("\n"), 1):
        if tag and line.startswith((".B", ".BR", ".BI")):
            words = plain(re.sub(r'^\.\w+ ', "", line)).replace('"', "")
            letter = re.match(r"-([a-z])\b", words)
            for name in OPTION.findall(words):
                out[name] = (letter.group(1) if letter else None, i)
        tag = line.startswith((".TP", ".TQ"))
    return out


def check_man(path, text, known):
    name = re.match(r"tutti(?:-([a-z-]+))?\.1$", os.path.basename(path))
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS"):
        if not re.search(rf'^\.SH "?{section}"?$', text, re.M):
            yield 1, "man", f"no section {section}"
    for i, line in enumerate(text.split("\n"), 1):
        for rule, what in check_calls(plain(line), known):
            yield i, rule, what
    if not name:
        yield 1, "man", "not named tutti-COMMAND.1"
        return
    if not name.group(1):
        for command in known:
            if not re.search(rf"^\.B[RI]? tutti\\?-{command}\b|^\.B {command}\b",
                             text, re.M):
                yield 1, "man", f"does not name the command {command}"
        return
    if name.group(1) not in known:
        yield 1, "man", f"there is no command '{name.group(1)}'"
        return
    yield from check_man_options(text, name.group(1), known)


def check_man_options(text, command, known):
    has, says = known[command], man_options(text)
    for option, (letter, line) in says.items():
        if option == "help":
            continue
        if option not in has:
            yield line, "option", f"'tutti {command}' has no --{option}"
        elif letter != has[option][0]:
            yield line, "option", f"--{option} has the letter " \
                f"{has[option][0]}, not {letter}"
    for option, (_, hidden) in has.items():
        if option not in says and not hidden:
            yield 1, "option", f"--{option} is not described"


def check_groff(paths):
    """Only where there is a groff: it is not needed to build."""
    if not shutil.which("groff"):
        return
    for path in paths:
        out = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", path],
                             cwd=ROOT, capture_output=True, text=True)
        for line in out.stderr.split("\n"):
            if line.strip():
                yield path, 1, "groff", line.strip()


# --- all ---------------------------------------------------------------------

def check_local(text):
    for i, line in enumerate(text.split("\n"), 1):
        if LOCAL.search(line):
            yield i, "path", "an absolute path of somebody's machine"


def check_file(path, known):
    text = read(path)
    yield from check_local(text)
    if path.endswith(".md"):
        yield from check_markdown(path, text, known)
    elif path.endswith(".1"):
        yield from check_man(path, text, known)
    if path == "README.md":
        for want in ("make demo", "make test"):
            if not re.search(rf"^{want}$", text, re.M):
                yield 1, "start", f"no line '{want}'"


def main():
    known = commands()
    all_files = files()
    pages = [f for f in all_files if f.startswith("docs/man/")]
    found = []
    for path in all_files:
        if path.endswith(".md") or path.startswith("docs/"):
            found += [(path, *x) for x in check_file(path, known)]
    for command in known:
        page = f"docs/man/tutti-{command}.1"
        if command not in SMALL and page not in pages:
            found.append((page, 1, "man", "there is no such page"))
    found += list(check_groff(pages))
    for path, line, rule, what in found:
        print(f"{path}:{line}: {rule}: {what}")
    if found:
        print(f"docs: {len(found)} finding{'s' if len(found) > 1 else ''}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
