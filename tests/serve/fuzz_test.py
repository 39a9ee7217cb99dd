# SPDX-License-Identifier: MIT
"""Requests nobody should send, made by a seeded die: some thousands of them.
The service answers or hangs up, and afterwards holds what it held before."""
import json
import os
import random
import socket
import struct
import time
import unittest

from rig import Service, tank

TURNS = int(os.environ.get("TUTTI_FUZZ_TURNS", "2500"))
WORDS = ["", "/", "..", "%2e%2e", "%2f", "%00", "\\", "session.json", "a" * 600,
         "status", "result", "plain", "zip", "upload", "initialize", "simulate",
         "destroy", "createSession", "attachSession", "api", "v1", "sessions",
         "files", "runs", "0", "-1", "99999999999999999999", "{session}", "?",
         "#", "%", "\xff", "ping", "version", "index.html", "live"]
VERBS = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "G\x00T",
         "get", "", "A" * 300]
SOCKET = ("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
          "AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n")


# What is there, asked for with bodies that are not.
DOORS = [("POST", "/initialize/{}")] * 2 + [("POST", "/upload/{}")] * 4 + [
    ("POST", "/simulate/{}"), ("POST", "/simulateasync/{}"),
    ("POST", "/executeViaCLI/{}"), ("GET", "/result/{}/plain"),
    ("GET", "/result/{}/zip"), ("GET", "/status/{}"), ("GET", "/createSession"),
    ("GET", "/destroy/{}"), ("POST", "/stopsimulation/{}"),
    ("POST", "/api/v1/sessions"), ("PUT", "/api/v1/sessions/{}/scenario"),
    ("PUT", "/api/v1/sessions/{}/files/a.fmu"),
    ("POST", "/api/v1/sessions/{}/check"), ("POST", "/api/v1/sessions/{}/runs"),
    ("DELETE", "/api/v1/sessions/{}/files/a.fmu"),
    ("GET", "/api/v1/sessions/{}/units"), ("GET", "/api/v1/sessions/{}")]


class Die(random.Random):
    def some(self, *makers):
        return self.choice(makers)()

    def path(self, name):
        parts = [name if self.random() < 0.4 else self.choice(WORDS)
                 for _ in range(self.randrange(1, 6))]
        return self.choice(["/", "", "//"]) + "/".join(parts)

    def json(self, depth=0):
        if depth > 4 or self.random() < 0.3:
            return self.choice([None, True, 0, -1, 1e308, "x", "", "{x}.y.z",
                                2 ** 70, "\ud800"])
        if self.random() < 0.5:
            return [self.json(depth + 1) for _ in range(self.randrange(4))]
        keys = ["fmus", "connections", "algorithm", "type", "size", "endTime",
                "startTime", "parameters", "livestream", "{a}", "x", ""]
        return {self.choice(keys): self.json(depth + 1)
                for _ in range(self.randrange(5))}

    def bent(self, data):
        """A few bytes of it changed, lost or repeated."""
        data = bytearray(data)
        for _ in range(self.randrange(1, 6)):
            at = self.randrange(len(data) + 1)
            data[at:at + self.randrange(3)] = self.randbytes(self.randrange(4))
        return bytes(data)

    def form(self):
        parts = "".join(
            f'--b\r\nContent-Disposition: form-data; name="f"; filename="'
            f'{self.choice(WORDS)}"\r\n\r\n{"x" * self.randrange(3000)}\r\n'
            for _ in range(self.randrange(4)))
        return self.bent((parts + "--b--\r\n").encode("utf-8", "replace"))

    def body(self):
        return self.some(
            lambda: b"", lambda: self.randbytes(self.randrange(3000)),
            lambda: json.dumps(self.json()).encode(),
            lambda: self.bent(json.dumps(tank()).encode()),
            lambda: b"[" * self.randrange(100000), self.form)

    def request(self, name):
        body = self.body()
        length = self.choice([len(body)] * 6 + [
            0, -1, len(body) + 10, max(0, len(body) - 5), 2 ** 63, 2 ** 64, "x",
            ""])
        verb, path = self.choice(VERBS), self.path(name)
        if self.random() < 0.5:
            verb, path = self.choice(DOORS)
            path = path.format(name)
        head = [f"{verb} {path} HTTP/{self.choice(['1.1'] * 5 + ['1.0', '2', ''])}",
                "Host: localhost", f"Content-Length: {length}"]
        if self.random() < 0.6:
            head.append("Content-Type: multipart/form-data; boundary=b")
        if self.random() < 0.1:
            head.append("Transfer-Encoding: chunked")
        if self.random() < 0.1:
            head.append("Expect: 100-continue")
        if self.random() < 0.1:
            head.append(SOCKET.strip())
        if self.random() < 0.1:
            head.append("X: " + "y" * self.randrange(10000))
        data = ("\r\n".join(head) + "\r\n\r\n").encode("utf-8", "replace")
        return (self.bent(data) if self.random() < 0.3 else data) + body

    def frames(self, name):
        """A WebSocket that is let in, and then talks nonsense."""
        head = (f"GET /attachSession/{name} HTTP/1.1\r\n"
                "Host: localhost\r\n" + SOCKET +
                "\r\n").encode()
        frames = b"".join(
            bytes([self.randrange(256), self.randrange(256)]) +
            self.choice([b"", struct.pack(">H", self.randrange(65536)),
                         struct.pack(">Q", self.randrange(2 ** 64))]) +
            self.randbytes(self.randrange(200))
            for _ in range(self.randrange(1, 5)))
        return head + frames


def resident(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        (line,) = [x for x in f if x.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


class Fuzz(unittest.TestCase):
    def throw(self, data, read):
        try:
            with socket.create_connection(("127.0.0.1", self.ask.port),
                                          10) as wire:
                wire.sendall(data)
                if read:
                    wire.settimeout(self.patience)
                    self.seen.add(wire.recv(4096)[9:12])
        except OSError:
            pass  # hanging up is an answer

    def round(self, die, turns):
        for turn in range(turns):
            if turn % 100 == 0:  # the die destroys some
                self.names = [self.ask.session() for _ in range(3)]
            name = self.names[turn % len(self.names)]
            data = die.some(lambda: die.request(name), lambda: die.request(name),
                            lambda: die.frames(name),
                            lambda: die.randbytes(die.randrange(2000)))
            self.throw(data, read=turn % 3 == 0)

    def settle(self):
        """Who broke off is forgotten, jobs have ended."""
        before = -1
        while self.ask.descriptors() != before:
            before = self.ask.descriptors()
            time.sleep(1)
        return before

    def test_nothing_of_it_hurts(self):
        self.ask = ask = Service("--max-upload", "1M", "--max-time", "5")
        self.seen = set()
        self.patience = 0.05  # s: most of what is thrown has no answer
        self.names = []
        idle = ask.descriptors()
        die = Die(20260)
        self.round(die, TURNS // 5)  # what is made once is made now
        self.settle()
        memory = resident(ask.process.pid)
        half = [ask.raw(die.request(self.names[0])[:die.randrange(1, 60)],
                        close=False) for _ in range(50)]
        self.assertEqual(len(half), 50)
        self.round(die, TURNS)
        self.assertIsNone(ask.process.poll())
        # the die reached more than the front door; where answers come late
        # because the machine is busy, some are waited for longer
        wanted = {b"101", b"200", b"400", b"404", b"405", b"411", b"413"}
        for _ in range(6):
            if wanted <= self.seen:
                break
            self.patience *= 2
            self.round(die, TURNS // 10)
        self.assertLessEqual(wanted, self.seen)
        self.assertEqual(ask.get("/ping").text, "OK")
        for _ in range(600):
            if ask.descriptors() <= idle:
                break
            time.sleep(0.1)
        self.assertLessEqual(ask.descriptors(), idle)
        self.assertLess(resident(ask.process.pid), memory + (8 << 20))
        name = ask.session(tank())
        self.assertEqual(ask.post("/simulate/" + name,
                                  {"endTime": 1}).status, 200)
        self.assertEqual(ask.end(), (0, "", "", []))


if __name__ == "__main__":
    unittest.main()
