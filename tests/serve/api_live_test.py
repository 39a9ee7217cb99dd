# SPDX-License-Identifier: MIT
"""The live stream of /api/v1."""
import csv
import io
import json
import os
import selectors
import threading
import time
import unittest

from api import BASE, ApiTest

LEVEL, VALVE = "{x2}.tank.level", "{x1}.controller.valve"
CROWD = 1000
# Of the run's speed with a crowd: it takes less than a tenth, which only a
# machine that nobody else uses shows.
KEPT = 0.9 if os.environ.get("TUTTI_QUIET") else 0.5
ROWS = b'{"type":"rows"'


def rows_of(messages):
    """All rows, as [time, values...]."""
    found = []
    for m in messages:
        if m["type"] == "rows":
            found += [list(r) for r in zip(m["time"], *m["values"])]
    return found


def number(text):
    return {"true": 1, "false": 0}.get(text) if text in ("true", "false") \
        else float(text)


class Live(ApiTest):
    def setUp(self):
        super().setUp()
        self.sockets = []

    def tearDown(self):
        for socket in self.sockets:
            socket.close()
        super().tearDown()

    def watch(self, *args, **more):
        socket = super().watch(*args, **more)
        self.sockets.append(socket)
        return socket

    def table(self, run, *columns):
        text = self.ask("GET", run + "/results.csv")
        return [[number(r[c]) for c in ("time", *columns)]
                for r in csv.DictReader(io.StringIO(text))]

    def until_time(self, socket, time_):
        """Messages up to the row of this time."""
        found = []
        while not (rows := rows_of(found)) or rows[-1][0] < time_:
            found.append(socket.next())
        return found


class Stream(Live):
    def test_all_rows_and_the_end(self):
        run = self.start(self.session())
        socket = self.watch(run)
        self.assertEqual(socket.headers["sec-websocket-protocol"], "tutti.v1")
        messages = socket.all()
        self.assertEqual(messages[0]["type"], "state")
        self.assertEqual(messages[0]["run"]["id"], 1)
        self.assertEqual(messages[-1], {"type": "end",
                                        "run": self.ask("GET", run)})
        (columns,) = [m for m in messages if m["type"] == "columns"]
        text = self.ask("GET", run + "/results.csv")
        self.assertEqual(columns["columns"],
                         text.split("\n")[0].split(",")[1:])
        rows = rows_of(messages)
        first, last = self.table(run, *columns["columns"])[::1000]
        self.assertEqual((rows[0], rows[-1]), (first, last))
        self.assertEqual(rows, sorted(rows, key=lambda r: r[0]))

    def test_events_come_along(self):
        run = self.start(self.session("traffic-light"), stepwise=True)
        socket = self.watch(run)
        self.ask("POST", run + "/resume")
        messages = [m for m in socket.all() if m["type"] == "events"]
        seen = []
        for m in messages:
            self.assertEqual(m["first"], len(seen))
            seen += zip(m["time"], m["microstep"], m["instance"], m["port"],
                        m["value"])
        want = self.ask("GET", run + "/events")
        self.assertEqual(want["total"], 6)
        self.assertEqual(seen, list(zip(*(want[k] for k in (
            "time", "microstep", "instance", "port", "value")))))

    def test_a_selection_of_a_finished_run(self):
        run = self.finished(self.session(), set={"endTime": 10})
        socket = self.watch(run)
        socket.say({"variables": [LEVEL, VALVE], "rows": 1000, "from": 5})
        messages = socket.all()
        self.assertEqual([m["columns"] for m in messages
                          if m["type"] == "columns"][-1], [LEVEL, VALVE])
        self.assertEqual(
            rows_of(m for m in messages if len(m.get("values", ())) == 2),
            [r for r in self.table(run, LEVEL, VALVE) if r[0] >= 5])

    def test_few_rows_keep_the_extremes(self):
        run = self.finished(self.session())
        socket = self.watch(run, protocols=None)
        socket.say({"variables": [LEVEL], "rows": 10})
        rows = rows_of(m for m in socket.all()
                       if len(m.get("values", ())) == 1)
        table = self.table(run, LEVEL)
        self.assertLessEqual(len(rows), 10)
        for which in (min, max):
            self.assertEqual(which(r[1] for r in rows),
                             which(r[1] for r in table))
        self.assertEqual((rows[0], rows[-1]), (table[0], table[-1]))

    def test_late_ones_see_all_and_then_the_same(self):
        run = self.start(self.session(), stepwise=True, set={"endTime": 2})
        first = self.watch(run)
        first.say({"variables": [LEVEL]})
        self.ask("POST", run + "/step", {"to": 1})
        seen = [self.until_time(first, 1)]
        late = self.watch(run)
        late.say({"variables": [LEVEL]})
        other = self.watch(run)
        other.say({"variables": [VALVE], "from": 0.5})
        seen += [self.until_time(s, 1) for s in (late, other)]
        self.ask("POST", run + "/step", {"to": 1.5})
        for s, found in zip((first, late, other), seen):
            found += self.until_time(s, 1.5)
        self.ask("POST", run + "/resume")
        for s, found in zip((first, late, other), seen):
            found += s.all()
        for found, names, start in zip(seen, ([LEVEL], [LEVEL], [VALVE]),
                                       (0, 0, 0.5)):
            at = max(i for i, m in enumerate(found) if m["type"] == "columns")
            self.assertEqual(found[at]["columns"], names)
            self.assertEqual(rows_of(found[at:]), [
                r for r in self.table(run, *names) if r[0] >= start])
            self.assertEqual(found[-1]["type"], "end")

    def test_states_are_reported(self):
        run = self.start(self.session(), set={"endTime": 1e9})
        self.until(run, "running")
        socket = self.watch(run)
        self.ask("POST", run + "/pause")
        self.ask("POST", run + "/resume")
        self.ask("POST", run + "/stop")
        messages = socket.all()
        states = [m["run"]["state"] for m in messages if m["type"] == "state"]
        self.assertEqual(states[0], "running")
        self.assertEqual(messages[-1]["run"]["state"], "stopped")

    def test_a_selection_changes(self):
        run = self.start(self.session(), stepwise=True, set={"endTime": 1})
        socket = self.watch(run)
        self.ask("POST", run + "/step", {"steps": 2})
        self.until_time(socket, 0.2)
        socket.say({"variables": [LEVEL]})
        found = self.until_time(socket, 0.2)
        self.assertEqual(found[0], {"type": "columns", "columns": [LEVEL]})
        self.assertEqual([r[0] for r in rows_of(found)], [0, 0.1, 0.2])
        for said, message in (
                ({"variables": ["{x2}.tank.leve"]}, "the results have no "
                 "variable '{x2}.tank.leve'; did you mean '{x2}.tank.level'?"),
                ({"variables": "all"}, "'variables' must be an array of texts, "
                 "or null"),
                ({"variables": [3]}, "'variables' must be an array of texts, "
                 "or null"),
                ({"rate": 0}, "'rate' must be a number above 0, at most 100"),
                ({"rows": 1}, "'rows' must be a whole number from 2 to 10000"),
                ({"from": "x"}, "'from' must be a number"),
                ({"row": 3}, "there is no 'row' here; did you mean 'rows'?"),
                (b"[]", "a selection must be an object"),
                (b"{", "line 1, column 1: string or '}' expected near end of "
                 "file")):
            socket.say(said)
            self.assertEqual(socket.next(), {"type": "error",
                                             "message": message})
        self.ask("POST", run + "/step", {"steps": 1})
        found = self.until_time(socket, 0.3)
        self.assertEqual([len(r) for r in rows_of(found)], [2])
        socket.say({"variables": []})
        found = self.until_time(socket, 0.3)
        self.assertEqual([len(r) for r in rows_of(found)], [1] * 4)
        socket.say({"variables": None})
        self.assertEqual(len(socket.next()["columns"]), 5)

    def test_wrong_from_the_beginning(self):
        slow = {"endTime": 1e9, "simulationProgramDelay": True}
        path = self.session()
        for _ in range(2):  # both slots are taken, so the third waits
            self.start(path, set=slow)
        run = self.start(path)
        socket = self.watch(run)
        socket.say({"variables": ["nothing"]})
        self.assertEqual(socket.next()["run"]["state"], "queued")
        self.ask("DELETE", path + "/runs/1", None, 204)
        *_, last = socket.all()
        self.assertEqual(last, {"type": "error", "message": "the results have "
                                "no variable 'nothing'"})

    def test_a_run_that_goes(self):
        run = self.start(self.session(), stepwise=True)
        sockets = [self.watch(run) for _ in range(3)]
        self.ask("POST", run + "/step")
        for s in sockets:
            self.until_time(s, 0.1)
        self.ask("DELETE", run, None, 204)
        for s in sockets:
            self.assertEqual(s.all(), [])

    def test_who_may_not_watch(self):
        path = self.session()
        run = self.start(path, stepwise=True)
        before = self.service.descriptors()
        for wrong in (path + "/runs/2", path + "/runs/01", path + "/runs/1x",
                      "/sessions/x/runs/1", path, run + "/live"):
            self.assertFalse(self.watch(wrong).open)
        self.assertFalse(self.watch(run, "Origin: http://evil.example").open)
        while self.service.descriptors() > before:
            time.sleep(0.01)

    def test_garbage(self):
        run = self.start(self.session(), stepwise=True)
        before = self.service.descriptors()
        for data, opcode in ((b"\xff\xfe", 2), (b"\x00" * 1000, 1),
                             (b"x" * (5 << 20), 1), (b"", 9), (b"ab", 3)):
            socket = self.watch(run)
            try:
                socket.say(data, opcode)
            except OSError:
                pass
            socket.close()
        while self.service.descriptors() > before:
            time.sleep(0.01)
        self.assertEqual(self.ask("POST", run + "/step", {})["time"], 0.1)


class Slow(Live):
    def test_a_slow_reader_misses_rows_but_not_the_last(self):
        run = self.start(self.session(), stepwise=True,
                         set={"endTime": 60000})
        slow = self.watch(run, buffer=4096)
        slow.say({"rate": 100, "rows": 2000})
        quick = self.watch(run)
        quick.say({"rate": 100, "rows": 2000})
        self.ask("POST", run + "/resume")
        fast = len(quick.all())
        self.assertEqual(self.ask("GET", run)["state"], "finished")
        messages = slow.all()
        self.assertLess(len(messages), fast)
        self.assertEqual(messages[-1]["type"], "end")
        self.assertEqual(rows_of(messages)[-1][0], 60000)


class Rate(Live):
    def test_messages_are_not_more_than_wanted(self):
        run = self.start(self.session(), stepwise=True, set={
            "endTime": 1.2, "simulationProgramDelay": True})
        socket = self.watch(run)
        begun, times = time.monotonic(), []
        socket.say({"variables": [LEVEL], "rate": 4})
        self.ask("POST", run + "/resume")
        while isinstance(m := socket.next(), dict):
            if m["type"] == "rows" and len(m["values"]) == 1:
                times.append(time.monotonic())
        spent = times[-1] - begun
        self.assertLessEqual(len(times), 4 * spent + 2)
        self.assertGreaterEqual(len(times), 2)


class Token(Live):
    OPTIONS = ("--token", "s3cret")

    def ask(self, *args, **more):
        return super().ask(*args, headers={"Authorization": "Bearer s3cret"},
                           **more)

    def test_a_browser_offers_it(self):
        run = self.start(self.session(), stepwise=True)
        for offer in (None, "tutti.v1", "tutti.v1, bearer.s3cre",
                      "tutti.v1, bearer.", "tutti.v1, s3cret"):
            self.assertFalse(self.watch(run, protocols=offer).open)
        socket = self.watch(run, protocols="tutti.v1, bearer.s3cret")
        self.assertTrue(socket.open)
        self.assertEqual(socket.headers["sec-websocket-protocol"], "tutti.v1")
        self.assertTrue(self.watch(run, "Authorization: Bearer s3cret").open)


class Reader(threading.Thread):
    """Reads all sockets as fast as they come; keeps the end of each."""

    def __init__(self, sockets):
        super().__init__()
        self.selector = selectors.DefaultSelector()
        self.tail, self.told = {}, {}
        for s in sockets:
            s.stream.close()
            s.wire.setblocking(False)
            self.tail[s.wire] = b""
            self.told[s.wire] = 0
            self.selector.register(s.wire, selectors.EVENT_READ)

    def run(self):
        left = len(self.tail)
        while left:
            for key, _ in self.selector.select():
                data = key.fileobj.recv(1 << 20)
                if data:
                    tail = self.tail[key.fileobj]
                    self.told[key.fileobj] += (
                        tail[1 - len(ROWS):] + data).count(ROWS)
                    self.tail[key.fileobj] = (tail + data)[-20000:]
                else:
                    self.selector.unregister(key.fileobj)
                    left -= 1


def cpu_seconds(service):
    """The time the processes below the service were on a processor."""
    parents, found = {service}, {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
                stat = f.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        found[int(pid)] = int(stat[1]), int(stat[11]) + int(stat[12])
    for _ in range(3):  # the run, and the process its units play in
        parents |= {pid for pid, (above, _) in found.items()
                    if above in parents}
    return sum(found[p][1] for p in parents if p != service) / os.sysconf(
        "SC_CLK_TCK")


class Crowd(Live):
    def speed(self, run):
        """Simulated seconds per second of the run's own time, the best of
        several."""
        def look():
            return (self.ask("GET", run)["time"],
                    cpu_seconds(self.service.process.pid))
        best = 0
        for _ in range(4):
            a = b = look()
            while b[1] - a[1] < 0.2:
                time.sleep(0.05)
                b = look()
            best = max(best, (b[0] - a[0]) / (b[1] - a[1]))
        return best

    def attach_crowd(self, run):
        sockets = [self.watch(run, wait=False) for _ in range(CROWD)]
        for s in sockets:
            self.assertTrue(s.opened())
            s.say({"variables": [LEVEL], "rows": 100})
        reader = Reader(sockets)
        reader.start()
        return reader

    def test_a_crowd_does_not_slow_the_run(self):
        """A run that told its rows to all of them itself would have next to
        nothing of its speed; one that shares caches with others has most."""
        path = self.session()
        for _ in range(3):  # other programs come and go, too
            run = self.start(path, set={"endTime": 1e9})
            while not self.ask("GET", run)["time"]:
                time.sleep(0.01)
            alone = self.speed(run)
            begun = time.monotonic()
            reader = self.attach_crowd(run)
            crowded = self.speed(run)
            self.ask("POST", run + "/stop")
            last = self.ended(run)["time"]
            reader.join()
            spent = time.monotonic() - begun
            # what they cost does not grow with the run's speed: so many
            # messages in a second, and those at their begin and end
            self.assertLessEqual(max(reader.told.values()), 20 * spent + 3)
            for tail in reader.tail.values():
                self.assertIn(b'{"type":"end","run":', tail)
                rows = tail[tail.rindex(ROWS):].decode("latin-1")
                rows = json.JSONDecoder().raw_decode(rows)[0]
                self.assertEqual(rows["time"][-1], last)
            print(f"{CROWD} watchers: the run has {crowded / alone:.2f} of its "
                  f"speed, each hears {max(reader.told.values()) / spent:.1f} "
                  "messages a second")
            if crowded / alone > KEPT:
                return
        self.fail("a crowd slows the run")


if __name__ == "__main__":
    unittest.main()
