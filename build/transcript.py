#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a page and compares what they print with the page.

transcript.py PAGE PORT: every block that begins with ```console is a transcript of one shell: lines
that begin with "$ " are commands (with "> " for the lines that continue one), the lines behind them
are their output. All blocks of the page run in one bash, in the current directory. Each command must
end with status 0. Where the page shows output, the command's standard output must be the same: … stands
for any text in a line, and alone on a line for any lines.

The pages use port 3000, for which PORT is put in, also where quickstart would choose one. A command that ends with & is given a minute
until something listens there. The status is 0 when the page holds.
"""

import os
import re
import subprocess
import sys
import tempfile

ANY = "…"


def steps(path):
    """Returns the commands of a page, each as its line number, text and expected output."""
    found, inside = [], False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file.read().splitlines(), 1):
            if line.startswith("```"):
                inside = not inside and line == "```console"
            elif inside and line.startswith("$ "):
                found.append((number, line[2:], []))
            elif inside and line.startswith("> ") and not found[-1][2]:
                found[-1] = (found[-1][0], found[-1][1] + "\n" + line[2:], [])
            elif inside:
                found[-1][2].append(line)
    return found


def in_order(wanted, lines):
    """Whether the lines are those wanted."""
    if not wanted:
        return not lines
    if wanted[0] == ANY:
        return any(in_order(wanted[1:], lines[i:]) for i in range(len(lines) + 1))
    if not lines:
        return False
    pattern = ".*".join(re.escape(part) for part in wanted[0].split(ANY))
    return re.fullmatch(pattern, lines[0].rstrip()) is not None and in_order(wanted[1:], lines[1:])


def command(text, port):
    text = text.replace("3000", port)
    return re.sub(r"^\./quickstart(?!.*--stop)", f"./quickstart --port {port}", text)


def script(found, port, out):
    """Returns a script that runs the commands one after the other and keeps what they print."""
    lines = ["ready() {", "  for _ in $(seq 600); do",
             f"    (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && return 0; sleep 0.1",
             "  done; return 1", "}"]
    for index, (_, text, _) in enumerate(found):
        text = command(text, port)
        lines += ["{", text, f"}} >{out}/{index}.out 2>{out}/{index}.err </dev/null"]
        lines.append(f"status=$?; echo $status >{out}/{index}.status; [ $status = 0 ] || exit 1")
        if text.rstrip().endswith("&"):
            lines.append("ready || exit 1")
    return "\n".join(lines) + "\n"


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def main(page, port):
    found = steps(page)
    name = os.path.basename(page)
    if not found:
        print(f"{page} has no commands", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as out:
        with open(f"{out}/script", "w", encoding="utf-8") as file:
            file.write(script(found, port, out))
        try:
            subprocess.run(["bash", f"{out}/script"], timeout=1200, check=False)
        except subprocess.TimeoutExpired:
            print(f"{name}: did not end within 20 minutes", file=sys.stderr)
        for index, (number, text, wanted) in enumerate(found):
            printed = read(f"{out}/{index}.out") or ""
            status = (read(f"{out}/{index}.status") or "").strip()
            wanted = [line.replace("3000", port) for line in wanted]
            if status == "0" and (not wanted or in_order(wanted, printed.splitlines())):
                continue
            fault = f"status {status}" if status != "0" else "it prints something else"
            said = printed + (read(f"{out}/{index}.err") or "")
            print(f"{name}:{number}: {text}\n  {fault or 'it did not end'}:\n{said}", file=sys.stderr)
            return 1
    print(f"  {name}: {len(found)} commands do what it says")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
