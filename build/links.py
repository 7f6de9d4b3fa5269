#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the links of the documentation.

links.py ROOT: looks at every Markdown file of the project. A relative link must lead to a file of
the project, and its fragment to a heading there. Pages of docs/ must be reachable from
docs/README.md. Links to other hosts are not followed. The status is 0 when there is no finding.
"""

import os
import re
import subprocess
import sys

LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*$")


def pages(root):
    names = subprocess.run(
        ["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        check=True, capture_output=True, text=True).stdout.splitlines()
    return sorted({name for name in names if os.path.isfile(os.path.join(root, name))})


def lines_outside_blocks(text):
    """Yields number and line of everything that is not inside a fenced block."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            yield number, line


def slug(heading):
    """The fragment that a heading gets where pages are shown: GitHub's rule."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(text):
    found = {}
    for _, line in lines_outside_blocks(text):
        match = HEADING.match(line)
        if match:
            name = slug(match.group(2))
            count = found.get(name)
            found[name] = 0 if count is None else count + 1
            if count is not None:
                found[f"{name}-{count + 1}"] = 0
    return set(found)


def main(root):
    texts = {}
    for name in pages(root):
        with open(os.path.join(root, name), encoding="utf-8") as file:
            texts[name] = file.read()
    findings = []
    leads = {name: set() for name in texts}
    for name, text in texts.items():
        for number, line in lines_outside_blocks(text):
            # Code spans may contain brackets that are no link.
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, fragment = target.partition("#")
                to = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
                where = f"{name}:{number}: {target}"
                if not os.path.exists(os.path.join(root, to)):
                    findings.append(f"{where}: there is no {to}")
                    continue
                if to in texts:
                    leads[name].add(to)
                    if fragment and fragment not in anchors(texts[to]):
                        findings.append(f"{where}: {to} has no heading for it")
                elif fragment and to.endswith(".md"):
                    findings.append(f"{where}: {to} is not a page of the project")
    seen, next_pages = set(), ["docs/README.md"]
    while next_pages:
        name = next_pages.pop()
        if name in seen or name not in texts:
            continue
        seen.add(name)
        next_pages.extend(to for to in leads[name] if to.startswith("docs/"))
    for name in texts:
        if name.startswith("docs/") and name not in seen:
            findings.append(f"{name}: no page leads here from docs/README.md")
    for finding in findings:
        print(finding)
    if not findings:
        print(f"  the links of {len(texts)} pages lead somewhere")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
