# SPDX-License-Identifier: MIT
"""A client of /api/v1, and what its tests share. Standard library only."""
import base64
import json
import os
import socket
import time
import urllib.parse

from rig import MISBEHAVE, ServiceTest, misbehave

BASE = "/api/v1"


class Socket:
    """A WebSocket, as a browser's: masked frames, a subprotocol."""

    def __init__(self, port, path, *headers, protocols="tutti.v1", buffer=0,
                 wait=True):
        self.wire = socket.socket()
        if buffer:
            self.wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.wire.settimeout(60)
        self.wire.connect(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        offer = [f"Sec-WebSocket-Protocol: {protocols}"] if protocols else []
        self.wire.sendall("\r\n".join([
            f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}",
            "Upgrade: websocket", "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13",
            *offer, *headers, "", ""]).encode())
        if wait:
            self.opened()

    def opened(self):
        """The service's answer: is it open?"""
        self.stream = self.wire.makefile("rb")
        self.status = self.stream.readline()
        self.headers = {}
        while (line := self.stream.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode().partition(":")
            self.headers[name.strip().lower()] = value.strip()
        self.open = self.status.split(b" ")[1:2] == [b"101"]
        return self.open

    def say(self, message, opcode=1):
        data = message if isinstance(message, bytes) else \
            json.dumps(message).encode()
        mask = os.urandom(4)
        size = len(data)
        head = bytes([0x80 | opcode])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 65536:
            head += bytes([0x80 | 126]) + size.to_bytes(2, "big")
        else:
            head += bytes([0x80 | 127]) + size.to_bytes(8, "big")
        self.wire.sendall(head + mask + bytes(
            b ^ mask[i % 4] for i, b in enumerate(data)))

    def next(self):
        """A message, or the close code; None when the wire was cut."""
        head = self.stream.read(2)
        if len(head) < 2:
            return None
        kind, size = head
        if size in (126, 127):
            size = int.from_bytes(self.stream.read(2 if size == 126 else 8),
                                  "big")
        data = self.stream.read(size)
        if kind == 0x88:
            return int.from_bytes(data[:2], "big")
        assert kind == 0x81, kind
        return json.loads(data)

    def all(self):
        """Every message, until the service closes with code 1000."""
        found = []
        while isinstance(m := self.next(), dict):
            found.append(m)
        assert m == 1000, m
        return found

    def close(self):
        self.stream.close()
        self.wire.close()


class ApiTest(ServiceTest):
    def ask(self, method, path, body=None, status=200, **more):
        """The answer's JSON, or text, of this status."""
        answer = self.service.ask(method, BASE + path, body, **more)
        self.assertEqual(answer.status, status, answer.text)
        kind = answer.headers.get("Content-Type", "")
        return answer.json() if kind == "application/json" else answer.text

    def refused(self, answer, status, message):
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        self.assertEqual(answer.json(), {
            "error": {"status": status, "message": message}})
        self.assertEqual(answer.status, status)

    def bad(self, method, path, status, message, body=None, **more):
        self.refused(self.service.ask(method, BASE + path, body, **more),
                     status, message)

    def session(self, example="water-tank", **more):
        """The path of a new session with an example in it."""
        made = self.ask("POST", "/sessions", {"example": example, **more}, 201)
        return "/sessions/" + made["id"]

    def scenario(self, scenario):
        """The path of a new session with this scenario."""
        path = "/sessions/" + self.ask("POST", "/sessions", {}, 201)["id"]
        self.ask("PUT", path + "/scenario", scenario, 204)
        return path

    def misbehaving(self, *args, end=1, **more):
        """... with the instance that does what it should not."""
        path = self.scenario({**misbehave(*args, **more),
                              "fmus": {"{m}": "misbehave.fmu"},
                              "startTime": 0, "endTime": end})
        with open(MISBEHAVE, "rb") as f:
            self.ask("PUT", path + "/files/misbehave.fmu", f.read(), 201)
        return path

    def start(self, path, **body):
        """The path of a new run."""
        return f"{path}/runs/{self.ask('POST', path + '/runs', body, 201)['id']}"

    def until(self, run, *states):
        """Wait until the run is in one of these."""
        while (now := self.ask("GET", run))["state"] not in states:
            self.assertNotIn(now["state"], ("finished", "failed", "stopped"),
                             now)
            time.sleep(0.005)
        return now

    def ended(self, run):
        return self.until(run, "finished", "failed", "stopped")

    def finished(self, path, **body):
        """The path of a new run that has finished."""
        run = self.start(path, **body)
        now = self.ended(run)
        self.assertEqual(now["state"], "finished", now)
        return run

    def watch(self, run, *headers, **more):
        return Socket(self.service.port, BASE + run + "/live", *headers, **more)


def quote(text):
    return urllib.parse.quote(text, safe="")
