# SPDX-License-Identifier: Apache-2.0
"""Runs code for clients of the code interpreter's protocol: HTTP/1.1 on port 49999.

    POST /execute {code, context_id?, language?, env_vars?}   events, a line of JSON each
    POST /contexts {language?, cwd?}   GET /contexts   DELETE /contexts/ID   POST /contexts/ID/restart
    GET /health

Contexts are processes of this machine, so they are part of its snapshots.
"""

import json
import os
import select
import socket
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from contexts import Contexts, UnknownLanguage

PORT = 49999
MOST_BYTES = 64 << 20

contexts = Contexts()


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def text(body, name):
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise Refused(400, f"{name} must be a string")
    return value


def shown(context):
    return {"id": context.id, "language": context.language, "cwd": context.cwd}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "ramet-interpreter"
    timeout = 600

    def log_message(self, *ignored):
        pass

    def answer(self, status, value=None):
        content = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        if value is not None:
            self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            content = b""
            while True:
                size = int(self.rfile.readline(64).split(b";")[0], 16)
                if len(content) + size > MOST_BYTES:
                    raise Refused(413, "too much code")
                content += self.rfile.read(size)
                self.rfile.readline(4)
                if size == 0:
                    break
        else:
            length = int(self.headers.get("Content-Length") or 0)
            if length > MOST_BYTES:
                self.close_connection = True
                raise Refused(413, "too much code")
            content = self.rfile.read(length)
        if not content:
            return {}
        value = json.loads(content)
        if not isinstance(value, dict):
            raise Refused(400, "the body must be a JSON object")
        return value

    def handle_method(self):
        try:
            body = self.body() if self.command == "POST" else {}
            self.route(self.path.split("?")[0].strip("/").split("/"), body)
        except Refused as refused:
            self.answer(refused.status, {"code": refused.status, "message": str(refused)})
        except UnknownLanguage:
            self.answer(400, {"code": 400, "message": "this template runs python and bash only"})
        except (ValueError, UnicodeError) as error:
            self.close_connection = True
            self.answer(400, {"code": 400, "message": f"bad request: {error}"})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST = do_DELETE = handle_method

    def route(self, path, body):
        match self.command, path:
            case "GET", ["health"]:
                self.answer(200, {"status": "ok"})
            case "GET", ["contexts"]:
                self.answer(200, [shown(context) for context in contexts.list()])
            case "POST", ["contexts"]:
                cwd = text(body, "cwd")
                if cwd and not os.path.isdir(cwd):
                    raise Refused(400, f"no such directory: {cwd}")
                self.answer(201, shown(contexts.create(text(body, "language"), cwd)))
            case "DELETE", ["contexts", name]:
                if not contexts.remove(name):
                    raise Refused(404, f"context {name} not found")
                self.answer(204)
            case "POST", ["contexts", name, "restart"]:
                if not contexts.restart(name):
                    raise Refused(404, f"context {name} not found")
                self.answer(204)
            case "POST", ["execute"]:
                self.execute(body)
            case _:
                raise Refused(404, "no such route")

    def execute(self, body):
        code, name, language = text(body, "code"), text(body, "context_id"), text(body, "language")
        env = body.get("env_vars") or {}
        if code is None:
            raise Refused(400, "code is missing")
        if not isinstance(env, dict) or not all(isinstance(value, str) for value in env.values()):
            raise Refused(400, "env_vars must be an object of strings")
        if name and language:
            raise Refused(400, "give either context_id or language")
        context = contexts.get(name) if name else contexts.of(language)
        if context is None:
            raise Refused(404, f"context {name} not found")
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        events = context.execute(code, env)
        try:
            for event in events:
                if event is None:
                    self.check_client()
                    continue
                line = json.dumps(event).encode() + b"\n"
                self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        finally:
            events.close()


    def check_client(self):
        """Nothing has to be written for a client's leaving to be noticed."""
        if select.select([self.connection], [], [], 0)[0] and not self.connection.recv(1, socket.MSG_PEEK):
            raise ConnectionResetError


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


if __name__ == "__main__":
    # The first execution finds its process there.
    contexts.of("python")
    Server(("0.0.0.0", PORT), Handler).serve_forever()
