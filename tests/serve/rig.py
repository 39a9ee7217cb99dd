# SPDX-License-Identifier: MIT
"""A live service, and what a client does with it. Standard library only."""
import http.client
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "build"
TUTTI = os.path.join(BUILD, "tutti")
TANK = os.path.join(BUILD, "examples", "water-tank")
MISBEHAVE = os.path.join(BUILD, "tests", "units", "misbehave.fmu")
CRASH, SLEEP = 6, 8
with open(TUTTI, "rb") as program:
    # its search for leaks makes calls the sandbox refuses
    SANITIZED = b"__asan_init" in program.read()


def tank(**more):
    with open(os.path.join(TANK, "scenario.json"), encoding="utf-8") as f:
        scenario = json.load(f)
    scenario["fmus"] = {k: "file://" + os.path.join(TANK, v)
                        for k, v in scenario["fmus"].items()}
    for name in ("startTime", "endTime"):
        del scenario[name]
    return {**scenario, **more}


def misbehave(what, when=0.5, amount=0.05, size=0.1):
    return {"fmus": {"{m}": "file://" + MISBEHAVE},
            "connections": {}, "logVariables": {"{m}.one": ["y"]},
            "parameters": {"{m}.one.what": what, "{m}.one.when": when,
                           "{m}.one.amount": amount},
            "algorithm": {"type": "fixed-step", "size": size}}


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.data = response.read()

    @property
    def text(self):
        return self.data.decode()

    def json(self):
        return json.loads(self.text)

    def message(self):
        """Of an error, which has the dialect's shape."""
        (error,) = self.json()
        assert sorted(error) == ["logref", "message"], error
        return error["message"]


# Nothing of a test goes into the folder of who runs it.
USER = tempfile.TemporaryDirectory()
os.environ["XDG_DATA_HOME"] = USER.name
# Under a shell's "&" SIGINT comes ignored, which these tests are not about.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Service:
    """`tutti serve`. What is not told to go elsewhere is in its folder: `temp`,
    and in `data`, the user's, what stays for the next one. `boxed`: it is in the
    sandbox also when it is sanitized; then nothing looks for leaks.
    `descriptors`: it may have so many."""

    def __init__(self, *options, data=None, lead=(), env=None, boxed=False,
                 descriptors=None):
        self.folder = tempfile.TemporaryDirectory()
        self.temp = os.path.join(self.folder.name, "temp")
        self.data = data or os.path.join(self.folder.name, "data")
        os.mkdir(self.temp)
        self.process = subprocess.Popen(
            [*lead, TUTTI, "serve", "--port", "0",
             *(["--no-sandbox"] if SANITIZED and not boxed else []),
             *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=(lambda: resource.setrlimit(
                resource.RLIMIT_NOFILE, (descriptors, descriptors)))
            if descriptors else None,
            # crashes stay crashes, and what is freed is free
            env={**os.environ, "TMPDIR": self.temp, "XDG_DATA_HOME": self.data,
                 "ASAN_OPTIONS": "handle_segv=0:quarantine_size_mb=1" +
                 (":detect_leaks=0" if boxed else ""),
                 **(env or {})})
        line = self.process.stderr.readline()
        self.port = int(re.fullmatch(r"Server acquired port: \{(\d+)\}\n",
                                     line).group(1))
        self.words = self.process.stdout.readline()
        self.place = self.process.stdout.readline()
        self.guards = self.process.stdout.readline()
        self.idle = self.descriptors()

    def ask(self, method, path, body=None, headers=None):
        wire = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        try:
            wire.request(method, path, body, headers or {})
            return Answer(wire.getresponse())
        finally:
            wire.close()

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.ask("POST", path, body, **more)

    def session(self, scenario=None):
        name = self.get("/createSession").json()["sessionId"]
        if scenario is not None:
            answer = self.post("/initialize/" + name, scenario)
            assert answer.status == 200, answer.text
        return name

    def state(self, session):
        return self.get("/status/" + session).json()["status"]

    def await_state(self, session, wanted):
        while self.state(session) != wanted:
            time.sleep(0.01)

    def raw(self, data, close=True):
        """Bytes on a socket; what comes back, when anything does."""
        with socket.create_connection(("127.0.0.1", self.port), 10) as s:
            try:
                s.sendall(data)
                if close:
                    s.shutdown(socket.SHUT_WR)
                    s.settimeout(10)
                    return s.recv(65536)
            except OSError:
                pass
        return b""

    def reply(self, data):
        """Bytes on a socket that stays open; all that comes back."""
        with socket.create_connection(("127.0.0.1", self.port), 10) as s:
            s.sendall(data)
            return b"".join(iter(lambda: s.recv(65536), b""))

    def attach(self, path, *headers, host=None):
        """A WebSocket, or None when it is refused."""
        wire = socket.create_connection(("127.0.0.1", self.port), 60)
        wire.sendall("\r\n".join([
            f"GET {path} HTTP/1.1",
            f"Host: {host or f'127.0.0.1:{self.port}'}",
            "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
            "Sec-WebSocket-Version: 13", *headers, "", ""]).encode())
        stream = wire.makefile("rb")
        wire.close()  # the stream keeps it open
        status = stream.readline()
        while stream.readline() not in (b"\r\n", b""):
            pass
        if status.split(b" ")[1:2] == [b"101"]:
            return stream
        stream.close()
        return None

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def await_idle(self):
        """Until all who were there have been let in, and have gone."""
        self.get("/ping")
        while self.descriptors() > self.idle:
            time.sleep(0.01)

    def kill(self):
        """The machine's way: no word, no time to clean up."""
        self.process.kill()
        self.process.communicate(timeout=60)
        self.folder.cleanup()

    def end(self, sig=signal.SIGTERM):
        """Asked to end, it does, and leaves nothing in the way."""
        self.process.send_signal(sig)
        out, err = self.process.communicate(timeout=60)
        left = os.listdir(self.temp)
        self.folder.cleanup()
        return self.process.returncode, out, err, left


def messages(stream):
    """Text frames until the service closes; its close code comes last."""
    with stream:
        while True:
            kind, size = stream.read(2)
            if size == 126:
                size = int.from_bytes(stream.read(2), "big")
            data = stream.read(size)
            if kind == 0x88:
                yield int.from_bytes(data[:2], "big")
                return
            assert kind == 0x81, kind
            yield json.loads(data)


class ServiceTest(unittest.TestCase):
    OPTIONS = ()
    BOXED = False

    def setUp(self):
        self.service = Service(*self.OPTIONS, boxed=self.BOXED)

    def tearDown(self):
        self.assertEqual(self.service.end(), (0, "", "", []))

    def refused(self, answer, status, message):
        self.assertEqual((answer.status, answer.message()), (status, message))

    def later(self, answer, message):
        """Refused now, but not for ever."""
        self.refused(answer, 503, message)
        self.assertEqual(answer.headers["Retry-After"], "5")
