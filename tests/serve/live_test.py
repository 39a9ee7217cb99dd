# SPDX-License-Identifier: MIT
"""The live stream, as Maestro 2 sends it over a WebSocket."""
import csv
import io
import os
import unittest

from rig import ServiceTest, messages, tank

LIVE = {"livestream": {"{x2}.tank": ["level", "outflow"],
                       "{x1}.controller": ["valve"]}}
NORMAL = 1000


def due(start, end, interval):
    """When Maestro sends: its time is added up, and a row that is due is the
    first at or after that."""
    t, after, times = start, start, []
    while True:
        if t >= after:
            times.append(t)
            after += interval
        if not t + 0.1 <= end:
            return times
        t += 0.1


class Live(ServiceTest):
    def rows(self, name):
        text = self.service.get(f"/result/{name}/plain").text
        return list(csv.DictReader(io.StringIO(text)))

    def test_every_row_to_every_socket(self):
        ask, name = self.service, self.service.session(tank(**LIVE))
        sockets = [ask.attach("/attachSession/" + name) for _ in range(3)]
        ask.post("/simulate/" + name, {"endTime": 10})
        wanted = [{"time": float(r["time"]), "data": {
            "{x1}": {"controller": {"valve": r["{x1}.controller.valve"]}},
            "{x2}": {"tank": {"level": float(r["{x2}.tank.level"]),
                              "outflow": float(r["{x2}.tank.outflow"])}}}}
                  for r in self.rows(name)]
        self.assertEqual(len(wanted), 101)
        for socket in sockets:
            self.assertEqual(list(messages(socket)), wanted + [NORMAL])

    def test_the_interval(self):
        ask, name = self.service, self.service.session(tank(**LIVE))
        socket = ask.attach("/attachSession/" + name)
        ask.post("/simulate/" + name, {"endTime": 10, "liveLogInterval": 2})
        *frames, code = messages(socket)
        self.assertEqual(code, NORMAL)
        self.assertEqual([f["time"] for f in frames], due(0, 10, 2))

    def test_who_wants_no_variables_sees_how_far_it_is(self):
        ask = self.service
        for more, times in (
                ({}, due(1, 11, 1)),
                ({"liveLogInterval": 5}, due(1, 11, 5)),
                ({"reportProgress": False}, [])):
            name = ask.session(tank(startTime=1, endTime=11))
            socket = ask.attach("/attachSession/" + name)
            ask.post("/simulate/" + name, more)
            self.assertEqual(list(messages(socket)), [
                {"time": t, "data": {}} for t in times] + [NORMAL])

    def test_messages_come_while_it_runs(self):
        ask = self.service
        name = ask.session(tank(**LIVE, simulationProgramDelay=True))
        socket = ask.attach("/attachSession/" + name)
        ask.post("/simulateasync/" + name, {"endTime": 1000})
        stream = messages(socket)
        self.assertEqual([next(stream)["time"] for _ in range(2)], [0, 0.1])
        self.assertEqual(ask.state(name), "Simulating")
        ask.get("/destroy/" + name)
        *_, code = stream
        self.assertEqual(code, NORMAL)

    def test_nested_names(self):
        path = os.path.join(self.service.folder.name, "heat.csv")
        with open(path, "w", encoding="utf-8") as f:
            f.write("time,heater.T,heater.P,x\n0,1.5,2,3\n1,2.5,2,3\n")
        ask, name = self.service, self.service.session({
            "fmus": {"{s}": "file://" + path}, "connections": {},
            "livestream": {"{s}.one": ["heater.T", "x", "heater.P"]},
            "algorithm": {"type": "fixed-step", "size": 1}})
        socket = ask.attach("/attachSession/" + name)
        ask.post("/simulate/" + name, {"endTime": 1})
        self.assertEqual([f["data"] for f in list(messages(socket))[:-1]], [
            {"{s}": {"one": {"heater": {"T": 1.5, "P": 2}, "x": 3}}},
            {"{s}": {"one": {"heater": {"T": 2.5, "P": 2}, "x": 3}}}])
        os.remove(path)

    def test_who_may_not_attach(self):
        ask, name = self.service, self.service.session(tank(**LIVE))
        for path in ("/attachSession/x", "/attachSession/", "/ping",
                     "/attachSession/../" + name):
            self.assertIsNone(ask.attach(path))
        self.assertIsNone(ask.attach("/attachSession/" + name,
                                     "Origin: http://evil.example"))
        ask.await_idle()
        own = f"Origin: http://127.0.0.1:{ask.port}"
        ask.attach("/attachSession/" + name, own).close()


class Token(ServiceTest):
    OPTIONS = ("--token", "s3cret")

    def test_sockets_want_it_too(self):
        ask = self.service
        right = {"Authorization": "Bearer s3cret"}
        name = ask.get("/createSession", headers=right).json()["sessionId"]
        self.assertIsNone(ask.attach("/attachSession/" + name))
        ask.attach("/attachSession/" + name,
                   "Authorization: Bearer s3cret").close()


if __name__ == "__main__":
    unittest.main()
