#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of pages and compares what they print with the pages.

transcript.py [--enter PID] [--port PORT] [--directory DIR] [--data-root DIR] --out OUTSIDE INSIDE PAGE…: every block that begins with
```console is a transcript of one shell: lines that begin with "$ " or "# " are commands (with "> " for
the lines that continue one), the lines behind them are their output. All blocks of a page run in one
bash, in DIR. Each command must end with status 0, or with the one in a comment at its end: "# status 4".
Where the page shows output, the command's must be the same, what it writes to standard error included
where the page shows that; … stands for any text in a line, and alone on a line for any lines.

A block that begins with ```console terminal is what a person sees and types: its command has a terminal
of 100 columns and 30 rows, and each later line that begins with a prompt (up to "$ ", "# " or "[y/N] ",
which must appear as it stands there) is typed behind it. [Ctrl-C] and the like, and [q], stand for keys; alone on a
line they are typed once the lines before them are on the screen.

A block of commands that cannot run is marked by a comment in the line before it: <!-- not run: why -->,
or, for a whole page, below its title: <!-- page not run: why -->. Blocks without a language, or
in sh, that have commands must have one of these.

--enter runs the pages in the namespaces and the root directory of that process. PORT stands in for the
pages' 3000, also where quickstart would choose one. --data-root is for quickstart too. A command that ends with & is given a minute until
something listens there. The status is 0 when all pages hold.
"""

import argparse
import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time

ANY = "…"
PROMPT = re.compile(r"^[$#] ")
COMMAND = re.compile(r"^([$#] )?ramet |^\$ ")
TYPED = re.compile(r"^(\S*[$#] |.*\[[Yy]/[Nn]\] |)((?<=[$#\]] ).*|(?:\[Ctrl-.\]|\[q\])+)$")
KEYS = re.compile(r"\[Ctrl-([A-Z\\\]])\]|\[(q)\]")
NOT_RUN = re.compile(r"^<!-- not run: \S.* -->$")
PAGE_NOT_RUN = re.compile(r"^<!-- page not run: (\S.*) -->$")
STATUS = re.compile(r"\s# status (\d+)$")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>()][A-Z0-9]?|\x1b\][^\x07]*\x07")
# How a terminal shows a key such as Ctrl-C.
ECHOED = re.compile(r"\^[A-Z\\\]]")
TIMEOUT = 300


class Step:
    def __init__(self, number, text, terminal):
        self.number, self.text, self.terminal, self.wanted = number, text, terminal, []
        status = STATUS.search(text)
        self.status = status.group(1) if status else "0"


def steps(path):
    """Returns the commands of a page, how many of its blocks are not run, and what is wrong with it."""
    found, skipped, faults = [], 0, []
    inside, block, previous = None, [], ""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file.read().splitlines(), 1):
            reason = PAGE_NOT_RUN.match(line)
            if reason and inside is None:
                return [], 0, []
            if line.startswith("```"):
                if inside is None:
                    inside, block, marked = line[3:], [], NOT_RUN.match(previous) is not None
                    skipped += marked
                    begin = number
                else:
                    if inside in ("", "sh") and not marked and any(COMMAND.match(one) for one in block):
                        faults.append(f"{begin}: a block of commands is neither run nor marked")
                    inside = None
            elif inside is not None:
                block.append(line)
                if marked or inside not in ("console", "console terminal"):
                    pass
                elif PROMPT.match(line) and (inside == "console" or not found or len(block) == 1):
                    found.append(Step(number, line[2:], inside == "console terminal"))
                elif line.startswith("> ") and not found[-1].wanted:
                    found[-1].text += "\n" + line[2:]
                else:
                    found[-1].wanted.append(line)
            if line:
                previous = line
    return found, skipped, faults


def in_order(wanted, lines):
    """Whether the lines are those wanted."""
    if not wanted:
        return not lines
    if wanted[0] == ANY:
        return any(in_order(wanted[1:], lines[i:]) for i in range(len(lines) + 1))
    if not lines:
        return False
    return matches(wanted[0], lines[0].rstrip()) and in_order(wanted[1:], lines[1:])


def matches(wanted, line):
    return re.fullmatch(pattern(wanted.rstrip()), line) is not None


def pattern(wanted):
    return ".*".join(re.escape(part) for part in wanted.split(ANY))


def keys(text):
    return KEYS.sub(lambda key: key.group(2) or chr(ord(key.group(1)) & 0x1F), text)


class Terminal:
    """A terminal on which one command runs: what it shows, and what is typed."""

    def __init__(self):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.shown = ""

    def read(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        self.shown += os.read(self.master, 65536).decode("utf-8", "replace")
        return True

    def screen(self):
        """The lines as a person sees them, a line that was written over as it is in the end."""
        text = ECHOED.sub("", ESCAPES.sub("", self.shown.replace("\r\n", "\n")))
        return [line.rstrip("\r").rsplit("\r", 1)[-1] for line in text.split("\n")]

    def type(self, text):
        os.write(self.master, text.encode())

    def close(self):
        os.close(self.master)
        os.close(self.slave)


class Shell:
    """One bash that runs a page's commands."""

    def __init__(self, prefix, directory, outside, inside, port, data_root=None):
        self.data_root = data_root
        self.port, self.outside, self.inside = port, outside, inside
        self.terminal = Terminal()
        self.report, write = os.pipe()
        self.process = subprocess.Popen(
            prefix + ["bash", "-s"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(write, self.terminal.slave), start_new_session=True)
        self.write = write
        os.close(write)
        # A command on a terminal of its own gets the variables of the page.
        self.send(f"cd {shlex.quote(directory)} && set -a\n"
                  f"ready() {{ for _ in $(seq 600); do (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && return 0;"
                  " sleep 0.1; done; return 1; }\n")

    def send(self, script):
        self.process.stdin.write(script.encode())
        self.process.stdin.flush()

    def run(self, index, step):
        """Runs a command; returns its status, or why there is none, and what it printed."""
        text = command(step.text, self.port, self.data_root)
        out, err = f"{self.inside}/{index}.out", f"{self.inside}/{index}.err"
        if step.terminal:
            slave = self.terminal.slave
            # script(1) gives the command a terminal of its own root directory, which it can name.
            text = f"SHELL=/bin/bash setsid -c -w script -qec {shlex.quote(text)} /dev/null <&{slave}"
            redirect = f">&{slave} 2>&{slave}"
        else:
            redirect = f">{out} 2>{err} </dev/null"
        after = "ready" if text.rstrip().endswith("&") and not step.terminal else ":"
        try:
            self.send(f"{{ {text}\n}} {redirect}\n{{ status=$?; {after} || status=not-ready; }} {self.write}>&-\n"
                      f"echo $status >&{self.write}\n")
        except BrokenPipeError:
            return "none: the shell ended", [], []
        if step.terminal:
            status = self.converse(step)
            return status, self.terminal.screen(), []
        status = self.status(time.monotonic() + TIMEOUT)
        return status, read(f"{self.outside}/{index}.out"), read(f"{self.outside}/{index}.err")

    def status(self, end, seconds=None):
        """Waits for the status of the command; None if the time runs out that a caller has."""
        end = time.monotonic() + seconds if seconds is not None else end
        while True:
            if select.select([self.report], [], [], 0.2)[0]:
                return os.read(self.report, 100).decode().strip()
            if self.process.poll() is not None:
                return "none: the shell ended"
            if time.monotonic() > end:
                return None if seconds is not None else f"none: it did not end within {TIMEOUT} s"

    def converse(self, step):
        """Types what the page says when its prompt is shown."""
        end = time.monotonic() + TIMEOUT
        terminal, shown = self.terminal, 0
        terminal.shown = ""
        for index, wanted in enumerate(step.wanted):
            typed = TYPED.match(wanted)
            while typed:
                lines = terminal.screen()
                if typed.group(1):
                    prompt = ".*" + pattern(typed.group(1)).rstrip("\\ ") + r"\s*"
                    due = len(lines) > shown and re.fullmatch(prompt, lines[-1])
                else:
                    due = in_order(visible(step.wanted[:index]) + [ANY], lines)
                if due:
                    shown = len(lines)
                    text = keys(typed.group(2))
                    terminal.type(text if KEYS.search(typed.group(2)) else text + "\r")
                    break
                if not terminal.read(0.2):
                    status = self.status(end, 0)
                    if status is not None:
                        return f"{status}: it ended before the page's {wanted!r}"
                    if time.monotonic() > end:
                        return f"none: the prompt of {wanted!r} did not appear"
        while True:
            while terminal.read(0.1):
                pass
            status = self.status(end, 0)
            if status is not None:
                while terminal.read(0.1):
                    pass
                return status
            if time.monotonic() > end:
                return f"none: it did not end within {TIMEOUT} s"

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.report)
        self.terminal.close()


def visible(wanted):
    """The lines of a terminal's block as they are on the screen, where keys may show something or nothing."""
    lines = []
    for line in wanted:
        typed = TYPED.match(line)
        if typed and KEYS.search(line):
            lines.append(typed.group(1) + ANY if typed.group(1) else ANY)
        else:
            lines.append(line)
    return lines


def holds(step, out, err, port):
    wanted = [line.replace("3000", port) for line in step.wanted]
    if not wanted:
        return True
    if step.terminal:
        wanted = visible(wanted)
        while out and not out[-1]:
            out = out[:-1]
        return in_order(wanted, out)
    return any(in_order(wanted, printed) for printed in (out, err + out, out + err))


def command(text, port, data_root):
    text = text.replace("3000", port)
    options = f"--port {port}" + (f" --data-root {shlex.quote(data_root)}" if data_root else "")
    return re.sub(r"^\./quickstart(?!.*--stop)", lambda found: f"./quickstart {options}", text)


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", errors="replace") as file:
        return ESCAPES.sub("", file.read()).splitlines()


def run_page(page, given, prefix):
    name = os.path.basename(page)
    found, skipped, faults = steps(page)
    for fault in faults:
        print(f"{name}:{fault}", file=sys.stderr)
    if faults:
        return False
    if not found:
        return True
    begin = time.monotonic()
    shell = Shell(prefix, given.directory, given.out[0], given.out[1], given.port, given.data_root)
    try:
        for index, step in enumerate(found):
            status, out, err = shell.run(index, step)
            if status == step.status and holds(step, out, err, given.port):
                continue
            fault = "it prints something else" if status == step.status else f"status {status}"
            said = "\n".join(out + err)
            print(f"{name}:{step.number}: {step.text}\n  {fault}:\n{said}", file=sys.stderr)
            return False
    finally:
        shell.close()
    left = f", {skipped} blocks say why they are not run" if skipped else ""
    print(f"  {name}: {len(found)} commands do what it says{left}, {time.monotonic() - begin:.0f}s", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--enter", metavar="PID")
    parser.add_argument("--port", default="3000")
    parser.add_argument("--directory", default=".")
    parser.add_argument("--data-root", metavar="DIR")
    parser.add_argument("--out", nargs=2, metavar=("OUTSIDE", "INSIDE"), required=True,
                        help="a directory for what commands print, and its path in the pages' root directory")
    parser.add_argument("pages", nargs="+")
    given = parser.parse_args()
    # A program that a script starts in the background ignores these, and so would the pages' commands.
    for number in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: sys.exit(1))
    prefix = []
    if given.enter:
        # The pages install, remove and configure: never in this machine's own root directory.
        if os.path.samefile(f"/proc/{given.enter}/root", "/"):
            sys.exit(f"process {given.enter} has this machine's root directory")
        prefix = ["nsenter", "--target", given.enter, "--mount", "--pid", "--net", "--uts", "--root", "--wd",
                  "env", "-i", "HOME=/root", "LANG=C.UTF-8", "TERM=xterm", "USER=root", f"RAMET_SERVER=http://127.0.0.1:{given.port}",
                  "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]
    return 0 if all([run_page(page, given, prefix) for page in given.pages]) else 1


if __name__ == "__main__":
    sys.exit(main())
