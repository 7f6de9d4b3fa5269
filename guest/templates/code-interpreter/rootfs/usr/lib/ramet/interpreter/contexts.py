# SPDX-License-Identifier: Apache-2.0
"""Contexts: processes that run code and keep what it leaves behind."""

import codecs
import json
import os
import queue
import secrets
import select
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LANGUAGES = {"python": "python", "python3": "python", "bash": "bash", "sh": "bash"}

# What waits for a slow reader; then the code's own writes wait.
QUEUED_EVENTS = 256
KEEPALIVE_SECONDS = 5
TICK_SECONDS = 0.5


class UnknownLanguage(Exception):
    pass


class Context:
    """One process, and one execution at a time; further ones wait for their turn."""

    def __init__(self, name, language, cwd):
        self.id = name
        self.language = language
        self.cwd = cwd
        self.turn = threading.Lock()
        self.process = None
        self.start()

    def start(self):
        request_in, self.requests = os.pipe()
        self.events, event_out = os.pipe()

        # The process finds the two where it looks for them, whatever numbers they had; either may
        # have the other's number, so they step aside first.
        def place():
            os.dup2(request_in, 200)
            os.dup2(event_out, 201)
            os.dup2(200, 3)
            os.dup2(201, 4)
            os.closerange(5, 256)

        program = {
            "python": [sys.executable, os.path.join(HERE, "kernel.py")],
            "bash": ["/bin/bash", os.path.join(HERE, "kernel.sh")],
        }[self.language]
        self.process = subprocess.Popen(
            program,
            cwd=self.cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            close_fds=False,
            preexec_fn=place,
            start_new_session=True,
        )
        os.close(request_in)
        os.close(event_out)
        # Its first event says that it is ready; none comes when it ends before that.
        while os.read(self.events, 1) not in (b"\n", b""):
            pass

    def stop(self):
        # All that it started and that did not go its own way.
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def close(self):
        self.stop()
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()
        os.close(self.requests)
        os.close(self.events)

    def interrupt(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)

    def execute(self, code, env):
        """The events of an execution, as they happen, and None now and then while there are none.

        Whoever stops listening ends it.
        """
        with self.turn:
            if self.process.poll() is not None:
                self.close()
                self.start()
            yield from Execution(self, code, env).events()


class Execution:
    def __init__(self, context, code, env):
        self.context = context
        self.mark = "\x1b[" + secrets.token_hex(16) + "~"
        self.queue = queue.Queue(QUEUED_EVENTS)
        self.abandoned = False
        self.over = False
        if context.language == "python":
            request = json.dumps({"code": code, "env": env, "mark": self.mark}) + "\n"
        else:
            names = [name for name in env if name.isidentifier()]
            before = "".join(f"export {name}={quoted(env[name])}\n" for name in names)
            after = f"\n__status=$?; unset {' '.join(names)}; (exit $__status)" if names else ""
            request = (before + code + after).replace("\0", "") + "\0" + self.mark + "\0"
        self.request = request.encode()

    def put(self, event):
        while not self.abandoned:
            try:
                return self.queue.put(event, timeout=1)
            except queue.Full:
                pass

    def events(self):
        process = self.context.process
        readers = [
            threading.Thread(target=self.read_output, args=(process.stdout, "stdout"), daemon=True),
            threading.Thread(target=self.read_output, args=(process.stderr, "stderr"), daemon=True),
            threading.Thread(target=self.read_events, daemon=True),
            threading.Thread(target=self.write_request, daemon=True),
        ]
        for reader in readers:
            reader.start()
        left = 3
        finished = False
        spoken = time.monotonic()
        try:
            while left:
                try:
                    event = self.queue.get(timeout=TICK_SECONDS)
                except queue.Empty:
                    if time.monotonic() - spoken < KEEPALIVE_SECONDS:
                        yield None
                        continue
                    event = {"type": "keepalive"}
                if event is None:
                    left -= 1
                else:
                    spoken = time.monotonic()
                    yield event
            finished = True
            if process.poll() is not None:
                yield {
                    "type": "error",
                    "name": "ContextEnded",
                    "value": f"the context's process ended with status {process.returncode}",
                    "traceback": "it starts anew with the next execution, without what it knew",
                }
            yield {"type": "end_of_execution"}
        finally:
            if not finished:
                self.end_early(readers)

    def end_early(self, readers):
        """Nobody listens any more: the code is told to stop, and ended when it does not."""
        self.abandoned = True
        self.context.interrupt()
        end = time.monotonic() + 5
        for reader in readers:
            reader.join(max(0, end - time.monotonic()))
        if any(reader.is_alive() for reader in readers):
            self.context.stop()
            for reader in readers:
                reader.join()

    def write_request(self):
        data = memoryview(self.request)
        try:
            while data:
                data = data[os.write(self.context.requests, data) :]
        except OSError:
            pass  # it is gone, and the readers notice

    def read_output(self, stream, kind):
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        mark = self.mark.encode()
        rest = b""
        while True:
            # Whoever else has it open may keep it so for ever.
            while not select.select([stream], [], [], TICK_SECONDS)[0] and not self.over:
                pass
            data = b"" if self.over else os.read(stream.fileno(), 65536)
            rest += data
            at = rest.find(mark)
            if at >= 0 or not data:
                keep = 0
                content = rest[:at] if at >= 0 else rest
            else:
                # A part of the mark may be at the end.
                keep = next((n for n in range(min(len(mark), len(rest)), 0, -1) if mark.startswith(rest[-n:])), 0)
                content = rest[: len(rest) - keep]
            rest = rest[len(content) :]
            last = at >= 0 or not data
            text = decoder.decode(content, last)
            if text:
                self.put({"type": kind, "text": text, "timestamp": time.time_ns()})
            if last:
                return self.put(None)

    def read_events(self):
        rest = b""
        while True:
            data = os.read(self.context.events, 65536)
            if not data:
                # The process is gone; what it wrote is in the pipes.
                time.sleep(TICK_SECONDS)
                self.over = True
                return self.put(None)
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                event = json.loads(line)
                if event["type"] == "done":
                    return self.put(None)
                self.put(event)


def quoted(text):
    return "'" + str(text).replace("'", "'\\''") + "'"


class Contexts:
    """All contexts of the machine. Without one named, a language's own is meant."""

    def __init__(self):
        self.lock = threading.Lock()
        self.all = {}
        self.default = {}

    def create(self, language, cwd):
        language = LANGUAGES.get((language or "python").lower())
        if language is None:
            raise UnknownLanguage()
        context = Context(secrets.token_hex(8), language, cwd or os.path.expanduser("~"))
        with self.lock:
            self.all[context.id] = context
        return context

    def get(self, name):
        with self.lock:
            return self.all.get(name)

    def of(self, language):
        language = LANGUAGES.get((language or "python").lower())
        if language is None:
            raise UnknownLanguage()
        with self.lock:
            found = self.default.get(language)
            if found is None or found.id not in self.all:
                found = Context(secrets.token_hex(8), language, os.path.expanduser("~"))
                self.default[language] = found
                self.all[found.id] = found
            return found

    def list(self):
        with self.lock:
            return list(self.all.values())

    def remove(self, name):
        with self.lock:
            found = self.all.pop(name, None)
        if found is not None:
            found.stop()
        return found is not None

    def restart(self, name):
        found = self.get(name)
        if found is not None:
            # What runs in it ends, and the next execution finds a new process.
            found.stop()
        return found is not None
