# SPDX-License-Identifier: MIT
"""In an FMU: answers what its binary asks (fmu/python_link.h)."""
import json
import os
import pickle
import socket
import struct
import sys
import traceback
import types

KINDS = {"d": ("d", float), "i": ("i", int), "b": ("i", bool)}


def load_class():
    """The class of the model, from the source beside this file."""
    with open("unit.json", encoding="utf-8") as f:
        about = json.load(f)
    sys.path[:0] = about["path"]
    try:
        import tutti  # noqa: F401  the model may use all of it
    except ImportError:  # the FMU is where Tutti is not
        import unit as base
        stub = types.ModuleType("tutti")
        stub.Unit = base.Unit
        sys.modules["tutti"] = stub
    with open("model.py", encoding="utf-8") as f:
        code = compile(f.read(), os.path.abspath("model.py"), "exec")
    module = types.ModuleType("tutti_model")
    sys.modules["tutti_model"] = module
    exec(code, module.__dict__)
    return getattr(module, about["class"]), about


class Model:
    """One instance, and what is asked of it."""

    def __init__(self):
        self.cls, about = load_class()
        self.names = about["names"]
        self.token = about["token"]
        self.evaluates = hasattr(self.cls, "evaluate")
        self.reset(b"")

    def reset(self, _):
        self.unit = self.cls()
        for kind in (self.cls.inputs, self.cls.outputs, self.cls.parameters):
            for name, value in kind.items():
                setattr(self.unit, name, value)
        self.started = False
        self.running = False
        self.stale = self.evaluates

    def open(self, token):
        if token.decode() != self.token:
            raise ValueError("the FMU's token is another one")

    def nothing(self, _):
        pass

    def exit(self, _):
        self.begin()
        self.running = True

    def begin(self):
        """With what is known by now: again, if values change afterwards."""
        if not self.started and not self.running:
            self.unit.start()
            self.stale = self.evaluates
        self.started = True

    def refs(self, body):
        n, = struct.unpack_from("=I", body, 1)
        return (chr(body[0]), [self.names[i] for i in
                               struct.unpack_from(f"={n}I", body, 5)],
                5 + 4 * n)

    def set(self, body):
        kind, names, at = self.refs(body)
        for name in names:
            if kind == "s":
                n, = struct.unpack_from("=I", body, at)
                value = body[at + 4:at + 4 + n].decode()
                at += 4 + n
            else:
                letter, of = KINDS[kind]
                value = of(struct.unpack_from("=" + letter, body, at)[0])
                at += struct.calcsize("=" + letter)
            setattr(self.unit, name, value)
        self.stale = self.evaluates
        self.started = self.running

    def get(self, body):
        kind, names, _ = self.refs(body)
        self.begin()
        if self.stale:
            self.unit.evaluate()
            self.stale = False
        values = [getattr(self.unit, name) for name in names]
        if kind == "s":
            return b"".join(str(v).encode() + b"\0" for v in values)
        return struct.pack(f"={len(values)}{KINDS[kind][0]}", *values)

    def step(self, body):
        t, h = struct.unpack("=2d", body)
        reached = self.unit.step(t, h)
        self.stale = self.evaluates
        return struct.pack("=d", t + h if reached is None else reached)

    def pack(self, _):
        return pickle.dumps(self.unit.__dict__)

    def unpack(self, body):
        self.unit.__dict__.clear()
        self.unit.__dict__.update(pickle.loads(body))
        self.started = self.running = True
        self.stale = self.evaluates

    WAYS = {"O": open, "E": nothing, "i": nothing, "x": exit, "S": set,
            "G": get, "D": step, "P": pack, "U": unpack, "R": reset,
            "T": nothing}


def receive(link, n):
    data = b""
    while len(data) < n:
        piece = link.recv(n - len(data))
        if not piece:
            sys.exit(0)  # the FMU was freed
        data += piece
    return data


def explain(e):
    """The last line of the model's own code, and what happened there."""
    frames = [f for f in traceback.extract_tb(e.__traceback__)
              if f.filename.endswith("model.py")]
    place = f" (line {frames[-1].lineno}, in {frames[-1].name})" if frames \
        else ""
    return f"{type(e).__name__}: {e}{place}"


def main():
    link = socket.socket(fileno=3)
    model, why = None, None
    while True:
        op, n = struct.unpack("=cI", receive(link, 5))
        body = receive(link, n)
        answer = b""
        try:
            model = model or Model()
            if why is None:
                answer = Model.WAYS[op.decode()](model, body) or b""
        except Exception as e:  # whatever the model does
            why = explain(e)
        if op == b"S":
            continue  # has no answer: the next one brings what was wrong
        data = answer if why is None else why.encode()
        link.sendall(struct.pack("=BI", why is not None, len(data)) + data)
        sys.stdout.flush()
        why = None


main()
