# SPDX-License-Identifier: Apache-2.0
"""Runs one context's Python: a process of its own, so that what it does ends with it.

Requests come as lines of JSON on descriptor 3: {"code", "env", "mark"}. What happens goes out as
lines of JSON on descriptor 4. Output is whatever anybody writes to descriptors 1 and 2, the code's
own children too; after each request the mark is written to both, so that the reader knows that it
has all of it.
"""

import ast
import asyncio
import base64
import inspect
import json
import linecache
import os
import re
import signal
import sys
import traceback

FORMATS = {
    "text/html": ("html", "_repr_html_"),
    "text/markdown": ("markdown", "_repr_markdown_"),
    "image/svg+xml": ("svg", "_repr_svg_"),
    "image/png": ("png", "_repr_png_"),
    "image/jpeg": ("jpeg", "_repr_jpeg_"),
    "application/pdf": ("pdf", "_repr_pdf_"),
    "text/latex": ("latex", "_repr_latex_"),
    "application/json": ("json", "_repr_json_"),
    "application/javascript": ("javascript", "_repr_javascript_"),
}

events = os.fdopen(4, "w", buffering=1, encoding="utf-8")


def emit(event):
    events.write(json.dumps(event, ensure_ascii=True, default=str) + "\n")


def as_text(value):
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else value


def describe(value):
    """All forms that an object has, its text at least. A form that fails is left out."""
    forms = {"text": repr(value)}
    try:
        bundle = value._repr_mimebundle_() if not isinstance(value, type) else None
        if isinstance(bundle, tuple):
            bundle = bundle[0]
    except Exception:
        bundle = None
    for kind, content in (bundle or {}).items():
        if kind == "text/plain":
            forms["text"] = str(content)
        elif kind in FORMATS:
            forms[FORMATS[kind][0]] = as_text(content)
    if not isinstance(value, type):
        for name, method in FORMATS.values():
            if name in forms:
                continue
            try:
                content = getattr(value, method)()
                if isinstance(content, tuple):
                    content = content[0]
                if content is not None:
                    forms[name] = as_text(content)
            except Exception:
                pass
    return forms


def display(*values):
    """Shows objects beside the code's own result, as notebooks do."""
    for value in values:
        flush()
        emit({"type": "result", "is_main_result": False, **describe(value)})


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass


def figures():
    """Shows what was drawn with matplotlib, if it is there and in use, and clears it."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    for number in pyplot.get_fignums() if pyplot else []:
        import io

        content = io.BytesIO()
        figure = pyplot.figure(number)
        figure.savefig(content, format="png", bbox_inches="tight")
        emit({"type": "result", "is_main_result": False, "text": repr(figure), "png": as_text(content.getvalue())})
        pyplot.close(figure)


def plain(code):
    """A line that begins with ! is the shell's, and %pip is pip's, as in notebooks."""
    code = re.sub(r"(?m)^([ \t]*)%(pip\b.*)$", r"\1!python3 -m \2", code)
    return re.sub(
        r"(?m)^([ \t]*)!(.+)$",
        lambda line: f"{line[1]}(__import__('subprocess').call({line[2]!r}, shell=True, executable='/bin/bash'), None)[1]",
        code,
    )


def compiled(code, name):
    """The code, and its last expression by itself, whose value is the result."""
    try:
        tree = ast.parse(code, name)
    except SyntaxError:
        if not re.search(r"(?m)^[ \t]*(!|%pip\b)", code):
            raise
        tree = ast.parse(plain(code), name)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    last = None
    # A semicolon at the end keeps the value to itself.
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not code.rstrip().endswith(";"):
        last = compile(ast.Expression(tree.body.pop().value), name, "eval", flags)
    return compile(tree, name, "exec", flags), last


class Kernel:
    def __init__(self):
        import types

        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        self.names = module.__dict__
        self.names["display"] = display
        self.count = 0
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)

    def value(self, code):
        result = eval(code, self.names)
        if code.co_flags & inspect.CO_COROUTINE:
            result = self.loop.run_until_complete(result)
        return result

    def run(self, code):
        self.count += 1
        name = f"<cell {self.count}>"
        emit({"type": "number_of_executions", "execution_count": self.count})
        # Tracebacks quote the lines.
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        try:
            body, last = compiled(code, name)
            self.value(body)
            if last is not None:
                value = self.value(last)
                if value is not None:
                    self.names["_"] = value
                    flush()
                    emit({"type": "result", "is_main_result": True, **describe(value)})
            figures()
        except SystemExit as end:
            if end.code not in (None, 0):
                self.error(end, 2)
        except BaseException as error:  # KeyboardInterrupt is how it is told to stop
            self.error(error, 2)

    @staticmethod
    def error(error, own_frames):
        trace = error.__traceback__
        if isinstance(error, SyntaxError) and error.filename and error.filename.startswith("<cell"):
            trace = None  # it stands where the text says, not where it was found
        for _ in range(own_frames):
            trace = trace.tb_next if trace else None
        text = "".join(traceback.format_exception(type(error), error, trace))
        emit({"type": "error", "name": type(error).__name__, "value": str(error), "traceback": text})


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kernel = Kernel()
    sys.argv = [""]
    sys.path[0] = ""
    emit({"type": "ready"})
    for line in os.fdopen(3, encoding="utf-8"):
        request = json.loads(line)
        before = {name: os.environ.get(name) for name in request["env"]}
        os.environ.update(request["env"])
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            kernel.run(request["code"])
        except KeyboardInterrupt:
            pass
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        flush()
        for descriptor in (1, 2):
            os.write(descriptor, request["mark"].encode())
        emit({"type": "done"})


main()
