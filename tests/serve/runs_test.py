# SPDX-License-Identifier: MIT
"""Simulations: each on its own, several at once, stopped, crashed."""
import concurrent.futures
import unittest

from rig import CRASH, SLEEP, ServiceTest, misbehave, tank


class Runs(ServiceTest):
    OPTIONS = ("--max-runs", "2")

    def test_many_at_once_all_finish_and_agree(self):
        ask = self.service
        names = [ask.session(tank()) for _ in range(20)]
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(
                lambda n: ask.post("/simulate/" + n, {"endTime": 10}), names))
        self.assertEqual([a.status for a in answers], [200] * 20)
        results = {ask.get(f"/result/{n}/plain").text for n in names}
        self.assertEqual(len(results), 1)
        self.assertEqual(len(results.pop().split("\n")), 103)

    def test_a_crash_ends_that_run_only(self):
        ask = self.service
        good, bad = ask.session(tank()), ask.session(misbehave(CRASH))
        ask.post("/simulateasync/" + good, {"endTime": 100})
        answer = ask.post("/simulate/" + bad, {"endTime": 1})
        self.refused(answer, 500, "instance '{m}.one': crashed in step (SIGSEGV) "
                     "at t=0.4; results so far: outputs.csv (5 rows to "
                     "t=0.4)")
        self.assertEqual(ask.state(bad), "Error")
        rows = ask.get(f"/result/{bad}/plain").text.split("\n")
        self.assertEqual(rows[0], "time,{m}.one.y")
        self.assertEqual(rows[-2].split(",")[0], "0.4")
        ask.await_state(good, "Finished")
        ask.post("/initialize/" + bad, misbehave(0))
        self.assertEqual(ask.post("/simulate/" + bad, {"endTime": 1}).status,
                         200)

    def test_async_answers_at_once_and_shows_progress(self):
        ask = self.service
        name = ask.session({**tank(), "simulationProgramDelay": True})
        answer = ask.post("/simulateasync/" + name, {"endTime": 1000})
        self.assertEqual(answer.json(), {
            "status": "Simulating", "sessionId": name, "lastExecTime": 0,
            "progress": 0})
        self.refused(ask.post("/simulate/" + name, {}), 409,
                     f"session '{name}' is simulating already")
        self.refused(ask.post("/initialize/" + name, tank()), 409,
                     f"session '{name}' is simulating; stop it first")
        seen = []
        while len(set(seen)) < 4:
            status = ask.get("/status/" + name).json()
            self.assertEqual(status["status"], "Simulating")
            seen.append(status["progress"])
        self.assertEqual(seen, sorted(seen))
        self.assertTrue(0 <= seen[0] and 0 < seen[-1] < 1, seen)
        ask.get("/stopsimulation/" + name)
        ask.await_state(name, "Finished")
        ask.post("/simulateasync/" + name, {"endTime": 0.2})
        ask.await_state(name, "Finished")
        self.assertEqual(ask.get("/status/" + name).json()["progress"], 1)

    def test_stopped_by_the_user(self):
        ask = self.service
        name = ask.session({**tank(), "simulationProgramDelay": True})
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            run = pool.submit(ask.post, "/simulate/" + name, {"endTime": 1000})
            while ask.get(f"/result/{name}/plain").text.count("\n") < 3:
                pass
            answer = ask.post("/stopsimulation/" + name)
            self.assertEqual((answer.status, answer.text), (200, ""))
            self.refused(run.result(), 500, "Simulation stopped by user")
        self.assertEqual(ask.state(name), "Finished")
        self.assertGreater(ask.get(f"/result/{name}/plain").text.count("\n"), 2)

    def test_stopped_before_its_turn(self):
        ask = self.service
        slow = {**tank(), "simulationProgramDelay": True}
        names = [ask.session(slow) for _ in range(3)]
        for name in names:
            ask.post("/simulateasync/" + name, {"endTime": 1000})
        ask.get("/stopsimulation/" + names[2])
        self.assertEqual([ask.state(n) for n in names],
                         ["Simulating", "Simulating", "Initialized"])

    def test_destroyed_while_it_hangs(self):
        ask = self.service
        name = ask.session(misbehave(SLEEP, amount=1000))
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            run = pool.submit(ask.post, "/simulate/" + name, {"endTime": 1})
            ask.await_state(name, "Simulating")
            ask.get("/destroy/" + name)
            self.refused(run.result(), 500,
                         f"session '{name}': it was destroyed")
        self.assertEqual(ask.get("/status").json(), [])


if __name__ == "__main__":
    unittest.main()
