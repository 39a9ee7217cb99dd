# SPDX-License-Identifier: MIT
"""A client of `tutti serve`, in one file that needs the standard library only.

    from tutti.client import Tutti

    tutti = Tutti("http://127.0.0.1:8082")
    session = tutti.session(name="tank study")
    session.upload("watertank.fmu", "watertankcontroller.fmu")
    session.scenario = "scenario.json"
    run = session.run(endTime=30).wait()
    time, level = run.series("{x2}.tank.level")

A run can be watched while it goes (`for rows in run.live(): ...`), paused,
resumed and stopped, or performed step by step:

    run = session.stepwise()
    run.step(set={"{c}.c1.u": 1.5}, get=["{c}.c1.y"])

What the service refuses is a TuttiError with its message and status.
"""
import base64
import http.client
import json
import os
import socket
import ssl
import struct
import time
import urllib.parse

__all__ = ["Tutti", "Session", "Run", "TuttiError"]

BUSY = ("queued", "running", "paused", "stopping")


class TuttiError(Exception):
    """The service refused, or a run did not end well."""

    def __init__(self, message, status=None, run=None, retry_after=None):
        super().__init__(message)
        self.status = status
        self.run = run
        self.retry_after = retry_after  # s, when the service is full


class Tutti:
    """A service. `token` as given to `tutti serve --token`; `verify` False, or
    the file of a certificate, for a TLS certificate that is not signed; `patience`,
    how many seconds to go on asking while the service is full."""

    def __init__(self, url="http://127.0.0.1:8082", token=None, timeout=60,
                 verify=True, patience=0):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"'{url}' is no http:// or https:// address")
        self.host = parts.hostname
        self.port = parts.port or (443 if parts.scheme == "https" else 80)
        self.token, self.timeout, self.patience = token, timeout, patience
        self.tls = _tls(verify) if parts.scheme == "https" else None

    def _headers(self):
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def _ask(self, method, path, body=None):
        """The content of the answer; again and again while it is too full."""
        until = time.monotonic() + self.patience
        while True:
            try:
                return self._ask_once(method, path, body)
            except TuttiError as e:
                if e.retry_after is None or \
                        time.monotonic() + e.retry_after > until:
                    raise
                time.sleep(e.retry_after)

    def _ask_once(self, method, path, body):
        if self.tls:
            wire = http.client.HTTPSConnection(
                self.host, self.port, timeout=self.timeout, context=self.tls)
        else:
            wire = http.client.HTTPConnection(self.host, self.port,
                                              timeout=self.timeout)
        headers = self._headers()
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        elif hasattr(body, "fileno"):  # sent piece by piece
            headers["Content-Length"] = str(os.fstat(body.fileno()).st_size)
        try:
            wire.request(method, "/api/v1" + path, body, headers)
            answer = wire.getresponse()
            data = answer.read()
        finally:
            wire.close()
        if answer.status >= 400:
            later = answer.headers.get("Retry-After", "")
            raise TuttiError(_message(data), answer.status, retry_after=int(
                later) if later.isdigit() else None)
        return data

    def get(self, path, **query):
        query = {k: v for k, v in query.items() if v is not None}
        if query:
            path += "?" + urllib.parse.urlencode(query)
        return self._ask("GET", path)

    def json(self, method, path, body=None):
        data = self._ask(method, path, body)
        return json.loads(data) if data else None

    def about(self):
        """Version and limits of the service."""
        return self.json("GET", "")

    def examples(self):
        return self.json("GET", "/examples")

    def session(self, name=None, example=None, scenario=None):
        """A new session, empty or filled with an example."""
        body = {"name": name, "example": example, "scenario": scenario}
        body = {k: v for k, v in body.items() if v is not None}
        return Session(self, self.json("POST", "/sessions", body)["id"])

    def sessions(self):
        return [Session(self, s["id"]) for s in self.json("GET", "/sessions")]


class Session:
    """A folder of the service: FMUs, tables, a scenario, and its runs."""

    def __init__(self, tutti, name):
        self.tutti, self.id = tutti, name
        self.path = "/sessions/" + name

    def about(self):
        return self.tutti.json("GET", self.path)

    def upload(self, *files):
        """Files of this machine, under their own names."""
        for file in files:
            name = urllib.parse.quote(os.path.basename(file))
            with open(file, "rb") as f:
                self.tutti.json("PUT", f"{self.path}/files/{name}", f)

    def download(self, name):
        return self.tutti.get(f"{self.path}/files/{urllib.parse.quote(name)}")

    @property
    def scenario(self):
        return json.loads(self.tutti.get(self.path + "/scenario"))

    @scenario.setter
    def scenario(self, value):
        """An object, or the path of a JSON file (as it stands there, so that
        messages name its lines)."""
        if not isinstance(value, dict):
            with open(value, "rb") as f:
                value = f.read()
        self.tutti.json("PUT", self.path + "/scenario", value)

    def check(self):
        """Problems, warnings and decisions."""
        return self.tutti.json("POST", self.path + "/check")

    def units(self):
        """What the FMUs are."""
        return self.tutti.json("GET", self.path + "/units")["fmus"]

    def run(self, name=None, stepwise=None, **fields):
        """Start a run; fields of the scenario are laid over the stored one."""
        body = {"name": name, "stepwise": stepwise, "set": fields or None}
        body = {k: v for k, v in body.items() if v is not None}
        return Run(self, self.tutti.json("POST", self.path + "/runs", body))

    def stepwise(self, name=None, **fields):
        """A run that waits: each step is asked for."""
        return self.run(name, True, **fields)

    def runs(self):
        return [Run(self, r)
                for r in self.tutti.json("GET", self.path + "/runs")]

    def delete(self):
        self.tutti.json("DELETE", self.path)


class Run:
    """One simulation. Its state is what it was when last asked for."""

    def __init__(self, session, about):
        self.session, self.tutti = session, session.tutti
        self.about = about
        self.path = f"{session.path}/runs/{about['id']}"

    @property
    def id(self):
        return self.about["id"]

    @property
    def state(self):
        return self.refresh().about["state"]

    def refresh(self):
        self.about = self.tutti.json("GET", self.path)
        return self

    def wait(self, timeout=None):
        """Until it has ended. A run that failed is a TuttiError."""
        until = None if timeout is None else time.monotonic() + timeout
        pause = 0.01
        while self.refresh().about["state"] in BUSY:
            if until is not None and time.monotonic() > until:
                raise TimeoutError(f"run {self.id} is still "
                                   f"{self.about['state']}")
            time.sleep(pause)
            pause = min(1.5 * pause, 1)
        if self.about["state"] in ("failed", "interrupted"):
            raise TuttiError(self.about["message"], run=self)
        return self

    def pause(self):
        self.about = self.tutti.json("POST", self.path + "/pause")

    def resume(self):
        self.about = self.tutti.json("POST", self.path + "/resume")

    def stop(self):
        self.about = self.tutti.json("POST", self.path + "/stop")

    def delete(self):
        self.tutti.json("DELETE", self.path)

    def step(self, steps=None, to=None, set=None, get=None):
        """Time and values after so many steps, one unless given."""
        body = {"steps": steps, "to": to, "set": set, "get": get}
        body = {k: v for k, v in body.items() if v is not None}
        return self.tutti.json("POST", self.path + "/step", body)

    def results(self, *variables, start=None, end=None, points=None):
        """Columns, time and values; of all variables, or of these."""
        return json.loads(self.tutti.get(
            self.path + "/results", variables=",".join(variables) or None,
            **{"from": start, "to": end}, points=points))

    def series(self, variable, **more):
        """Time and values of one variable."""
        table = self.results(variable, **more)
        return table["time"], table["values"][0]

    def csv(self):
        return self.tutti.get(self.path + "/results.csv").decode()

    def log(self):
        return self.tutti.get(self.path + "/log").decode()

    def summary(self):
        return json.loads(self.tutti.get(self.path + "/summary"))

    def report(self):
        """The report, one HTML file."""
        return self.tutti.get(self.path + "/report.html").decode()

    def steps(self, points=None):
        """Attempts at steps, where they vary."""
        return json.loads(self.tutti.get(self.path + "/steps", points=points))

    def events(self, search=None, start=None, end=None, points=None):
        """Events that instances put out; those with every word of a search."""
        return json.loads(self.tutti.get(
            self.path + "/events", search=search,
            **{"from": start, "to": end}, points=points))

    def live(self, variables=None, rate=None, rows=None):
        """Messages of the live stream while the run goes, as dictionaries:
        "columns", "rows", "events", "state", and "end", which is the last."""
        wish = {"variables": variables, "rate": rate, "rows": rows}
        wish = {k: v for k, v in wish.items() if v is not None}
        stream = _WebSocket(self.tutti, "/api/v1" + self.path + "/live")
        try:
            if wish:
                stream.send(json.dumps(wish))
            for text in stream:
                message = json.loads(text)
                yield message
                if message["type"] == "end":
                    return
        finally:
            stream.close()


def _tls(verify):
    context = ssl.create_default_context(
        cafile=verify if isinstance(verify, str) else None)
    if verify is False:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _message(data):
    try:
        return json.loads(data)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return data.decode("utf-8", "replace")


class _WebSocket:
    """As much of RFC 6455 as the live stream needs."""

    TEXT, CLOSE, PING, PONG = 1, 8, 9, 10

    def __init__(self, tutti, path):
        wire = socket.create_connection((tutti.host, tutti.port),
                                        tutti.timeout)
        if tutti.tls:
            wire = tutti.tls.wrap_socket(wire, server_hostname=tutti.host)
        self.wire, self.stream = wire, wire.makefile("rb")
        protocols = ["tutti.v1"]
        if tutti.token:
            protocols.append("bearer." + tutti.token)
        host = f"[{tutti.host}]" if ":" in tutti.host else tutti.host
        wire.sendall("\r\n".join([
            f"GET {path} HTTP/1.1", f"Host: {host}:{tutti.port}",
            "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: "
            + base64.b64encode(os.urandom(16)).decode(),
            "Sec-WebSocket-Protocol: " + ", ".join(protocols), "", ""
        ]).encode())
        status = self.stream.readline().split(b" ")
        while self.stream.readline() not in (b"\r\n", b""):
            pass
        if status[1:2] != [b"101"]:
            self.close()
            raise TuttiError("the live stream was refused",
                             int(status[1]) if status[1:] else None)

    def close(self):
        self.stream.close()
        self.wire.close()

    def send(self, text, kind=TEXT):
        data = text.encode() if isinstance(text, str) else text
        mask = os.urandom(4)
        if len(data) < 126:
            head = struct.pack("!BB", 0x80 | kind, 0x80 | len(data))
        else:
            head = struct.pack("!BBQ", 0x80 | kind, 0xFF, len(data))
        self.wire.sendall(head + mask + bytes(
            b ^ mask[i % 4] for i, b in enumerate(data)))

    def _frame(self):
        head = self.stream.read(2)
        if len(head) < 2:
            raise TuttiError("the live stream broke off")
        size = head[1] & 0x7F
        if size == 126:
            (size,) = struct.unpack("!H", self.stream.read(2))
        elif size == 127:
            (size,) = struct.unpack("!Q", self.stream.read(8))
        return head[0], self.stream.read(size)

    def __iter__(self):
        """Texts, until the service closes."""
        text = b""
        while True:
            first, data = self._frame()
            kind = first & 0x0F
            if kind == self.CLOSE:
                return
            if kind == self.PING:
                self.send(data, self.PONG)
            elif kind in (0, self.TEXT):
                text += data
                if first & 0x80:
                    yield text.decode()
                    text = b""
