# SPDX-License-Identifier: MIT
"""A live worker, and runs with instances elsewhere. Standard library only."""
import glob
import json
import os
import re
import signal
import struct
import socket
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "build"
TUTTI = os.path.join(BUILD, "tutti")
UNITS = os.path.join(BUILD, "tests", "units")
TOKEN = "correct horse battery staple"


def is_apart(path):
    """Instances that are integrated together stay in one process."""
    with open(path, encoding="utf-8") as f:
        return "together" not in json.load(f)


SCENARIOS = sorted(filter(is_apart, glob.glob(
    os.path.join(BUILD, "examples", "*", "scenario*.json"))))


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Desk:
    """A folder, and runs that write there."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.token = write(self.path("token"), TOKEN + "\n")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def close(self):
        self.folder.cleanup()

    def json(self, name, value):
        return write(self.path(name), json.dumps(value))

    def command(self, files, *options, out="out.csv"):
        return [TUTTI, "run", *files, "-o", self.path(out), *options]

    def run(self, files, *options, out="out.csv", within=()):
        return subprocess.run([*within,
                               *self.command(files, *options, out=out)],
                              capture_output=True, text=True, timeout=120,
                              check=False)

    def tutti(self, *words):
        return subprocess.run([TUTTI, *words], capture_output=True, text=True,
                              timeout=120, check=False)

    def hosts(self, scenario, address):
        """A file to lay over the scenario: all its FMUs on that host."""
        with open(scenario, encoding="utf-8") as f:
            fmus = json.load(f)["fmus"]
        return self.json("hosts.json", {
            "hosts": {k: address for k, v in fmus.items()
                      if str(v).endswith(".fmu")},
            "tokenFile": "token"})

    def misbehave(self, what, when=0.5, amount=0.05, fmu="misbehave.fmu"):
        return self.json("misbehave.json", {
            "fmus": {"{m}": os.path.join(UNITS, fmu)},
            "instances": {"{m}": ["m"]}, "connections": {},
            "logVariables": {"{m}.m": ["y"]},
            "parameters": {"{m}.m.what": what, "{m}.m.when": when,
                           "{m}.m.amount": amount},
            "algorithm": {"type": "fixed-step", "size": 0.1},
            "startTime": 0, "endTime": 1})


class Worker:
    def __init__(self, desk, *options, address="127.0.0.1:0", within=()):
        self.errors = open(desk.path("worker.err"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [*within, TUTTI, "worker", "--listen", address, "--token-file", desk.token,
             "-v", *options],
            stdout=subprocess.PIPE, stderr=self.errors, text=True)
        line = self.process.stdout.readline()
        match = re.fullmatch(r"tutti worker listens at (.*):(\d+)\n", line)
        assert match, line
        self.host, self.port = match.group(1), int(match.group(2))
        self.address = f"{self.host}:{self.port}"

    def said(self):
        with open(self.errors.name, encoding="utf-8") as f:
            return f.read()

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def children(self):
        return children(self.process.pid)

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        self.errors.close()
        assert code == 0, code


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return [int(p) for p in f.read().split()]
    except FileNotFoundError:
        return []


def descendants(pid):
    out = []
    for child in children(pid):
        out += [child] + descendants(child)
    return out


# --- the wire, by hand ------------------------------------------------------

MAGIC = 0x31545554
REQUEST, ANSWER = 1, 2
HELLO, OPEN, HAVE, PUT, MAKE = 1, 2, 3, 4, 5
BYE = 28


def head(n, kind=REQUEST, seq=1, magic=MAGIC, rest=0):
    return struct.pack("<IIIHH", magic, n, seq, kind, rest)


def message(body, **more):
    return head(len(body), **more) + body


def counted(data):
    return struct.pack("<I", len(data)) + data


VERSION = 17  # of the protocol


def hello(token=TOKEN, version=VERSION):
    return bytes([HELLO]) + struct.pack("<I", version) + counted(
        token.encode())


class Caller:
    """A master that may say anything."""

    def __init__(self, worker):
        self.socket = socket.create_connection((worker.host, worker.port), 30)

    def send(self, data):
        self.socket.sendall(data)

    def read(self, n):
        data = b""
        while len(data) < n:
            more = self.socket.recv(n - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def answer(self):
        """All results, as (command, code, bytes)."""
        magic, n, _, kind, _ = struct.unpack("<IIIHH", self.read(16))
        assert (magic, kind) == (MAGIC, ANSWER)
        body, out = self.read(n), []
        while body[0]:
            command, code, size = struct.unpack("<BBI", body[:6])
            out.append((command, code, body[6:6 + size]))
            body = body[6 + size:]
        return out

    def is_hung_up(self):
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def close(self):
        self.socket.close()
