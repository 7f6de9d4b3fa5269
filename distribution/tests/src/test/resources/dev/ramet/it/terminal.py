# SPDX-License-Identifier: Apache-2.0
#
# terminal.py COMMAND...: runs a command on a pseudo-terminal of 100 columns and 30 rows. Each line of
# standard input is a step: "expect TEXT" waits, for two minutes at most, until the terminal shows it
# after what was found before, "type TEXT" types it (with Python's escapes), "size COLUMNS ROWS" changes the size, "signal
# NUMBER" signals the command, "done" closes the input. Prints the answer to each step on a line,
# and at the end "exit STATUS MODES", where MODES says whether the terminal's modes were restored.
import ast
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

PATIENCE_SECONDS = 120


def resize(fd, columns, rows):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def unescape(text):
    return ast.literal_eval("b'" + text.replace("'", "\\'") + "'")


ours, theirs = pty.openpty()
resize(ours, 100, 30)
modes = termios.tcgetattr(theirs)
pid = os.fork()
if pid == 0:
    os.login_tty(theirs) if hasattr(os, "login_tty") else None
    if not hasattr(os, "login_tty"):
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
        for fd in (0, 1, 2):
            os.dup2(theirs, fd)
    os.close(ours)
    # A program started in the background by a script ignores these two, and so would this one.
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    os.execvp(sys.argv[1], sys.argv[1:])

shown = b""
ended = None


def pump(seconds):
    """Reads what there is; returns whether the command still runs."""
    global shown, ended
    if select.select([ours], [], [], seconds)[0]:
        shown += os.read(ours, 65536)
    elif ended is None:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            ended = os.waitstatus_to_exitcode(status)
    return ended is None


def expect(text):
    global shown
    end = time.monotonic() + PATIENCE_SECONDS
    while text not in shown:
        if time.monotonic() > end:
            return "not shown in time; there is %r" % shown
        if not pump(0.2) and text not in shown:
            return "missing in %r" % shown
    shown = shown[shown.index(text) + len(text):]
    return "ok"


for line in sys.stdin:
    verb, _, rest = line.rstrip("\n").partition(" ")
    answer = "ok"
    if verb == "expect":
        answer = expect(unescape(rest))
    elif verb == "type":
        os.write(ours, unescape(rest))
    elif verb == "size":
        resize(ours, *map(int, rest.split()))
    elif verb == "signal":
        os.kill(pid, int(rest))
    elif verb == "done":
        break
    print(answer, flush=True)
while pump(0.2):
    pass
print("exit", ended, "restored" if termios.tcgetattr(theirs) == modes else "changed", flush=True)
