# SPDX-License-Identifier: MIT
"""Fields, numbers and formats as clients of Maestro 2 parse them."""
import os
import re
import unittest

from rig import ServiceTest, TUTTI, tank

UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
NOBODY = "00000000-0000-4000-8000-000000000000"


class Dialect(ServiceTest):
    def test_greetings(self):
        self.assertEqual(self.service.words,
                         f"open http://127.0.0.1:{self.service.port}/ in a "
                         "browser; the service answers there too\n")
        answer = self.service.get("/ping")
        self.assertEqual((answer.status, answer.text), (200, "OK"))
        answer = self.service.get("/version")
        self.assertEqual(answer.headers["Content-Type"], "text/plain")
        first = re.search(r"[\d.]+", answer.json()["version"]).group(0)
        self.assertEqual(first, "2.0.0")  # how the application reads it

    def test_a_session_is_made_shown_and_destroyed(self):
        made = self.service.get("/createSession").json()
        name = made["sessionId"]
        self.assertRegex(name, f"^{UUID}$")
        self.assertEqual(made, {"status": "Session exists", "sessionId": name,
                                "lastExecTime": 0, "warnings": None,
                                "errors": None})
        shown = {"status": "Unitialized", "sessionId": name, "lastExecTime": 0,
                 "progress": 0}
        self.assertEqual(self.service.get("/status/" + name).json(), shown)
        answer = self.service.get("/status")
        self.assertEqual(answer.json(), [shown])
        self.assertEqual(answer.headers["Content-Type"], "text/plain")
        answer = self.service.get("/destroy/" + name)
        self.assertEqual((answer.status, answer.text), (200, ""))
        self.assertEqual(self.service.get("/status").json(), [])
        self.refused(self.service.get("/destroy/" + name), 404,
                     f"no session '{name}'")

    def test_the_flow_of_the_water_tank(self):
        ask, name = self.service, self.service.session()
        answer = ask.post("/initialize/" + name, tank()).json()
        levels = answer.pop("availableLogLevels")
        self.assertEqual(answer, {"status": "initialized", "sessionId": name,
                                  "lastExecTime": 0, "warnings": None,
                                  "errors": None})
        self.assertEqual(sorted(levels), ["{x1}", "{x2}"])
        self.assertIn({"name": "logAll", "description": None}, levels["{x1}"])
        answer = ask.post("/simulate/" + name, {"startTime": 0, "endTime": 10})
        done = answer.json()
        self.assertIsInstance(done.pop("lastExecTime"), int)
        self.assertEqual(done, {"status": "Simulation completed",
                                "sessionId": name, "errors": [],
                                "warnings": []})
        self.assertEqual(ask.state(name), "Finished")
        answer = ask.get(f"/result/{name}/plain")
        self.assertEqual(answer.headers["Content-Type"], "text/plain")
        self.assertEqual(answer.headers["Content-Disposition"],
                         'attachment; filename="outputs.csv"')
        lines = answer.text.split("\n")
        self.assertEqual(lines[0], "time,{x1}.controller.valve,"
                         "{x2}.tank.level,{x2}.tank.volumeIn,"
                         "{x2}.tank.volumeOut,{x2}.tank.outflow")
        self.assertEqual(lines[1], "0.0,false,1.0,0.0,0.0,0.0")
        self.assertEqual(len(lines), 1 + 101 + 1)
        self.assertEqual(lines[101].split(",")[0], "9.99999999999998")

    def test_a_session_simulates_again(self):
        name = self.service.session(tank())
        for end, last in ((1, "0.9999999999999999"), (2, "1.9000000000000006")):
            answer = self.service.post("/simulate/" + name, {"endTime": end})
            self.assertEqual(answer.status, 200)
            text = self.service.get(f"/result/{name}/plain").text
            self.assertEqual(text.split("\n")[-2].split(",")[0], last)

    def test_what_is_not_there(self):
        ask = self.service
        self.refused(ask.get("/pin"), 404,
                     "no '/pin' here; did you mean '/ping'?")
        name = ask.session()
        self.refused(ask.post(f"/initialise/{name}", {}), 404,
                     f"no '/initialise/{name}' here; did you mean "
                     "'/initialize/{session}'?")
        self.refused(ask.get("/ping/x/y/z"), 404, "no '/ping/x/y/z' here")
        self.refused(ask.get("/result/" + NOBODY), 404,
                     f"no '/result/{NOBODY}' here; did you mean "
                     "'/result/{session}/zip'?")
        for path in ("/status/", "/destroy/", "/stopsimulation/"):
            self.refused(ask.get(path + NOBODY), 404, f"no session '{NOBODY}'")
        for path in ("/initialize/", "/simulate/", "/simulateasync/"):
            self.refused(ask.post(path + "x", {}), 404, "no session 'x'")

    def test_what_maestro_has_and_tutti_has_not(self):
        ask, name = self.service, self.service.session(tank())
        answer = ask.post("/executeViaCLI/" + name, {"executeViaCLI": True})
        self.assertEqual((answer.status, answer.text), (200, ""))
        for body in ("", "x", "[]", '{"executeViaCLI": 1}'):
            self.refused(ask.post("/executeViaCLI/" + name, body), 400,
                         'executeViaCLI needs {"executeViaCLI": true}, or '
                         "false; every simulation is a process of its own")
        for path in ("/sigverSimulate/" + name, "/verifyAlgorithm",
                     "/generateAlgorithmFromScenario", "/visualizeTrace",
                     "/generateAlgorithmFromMultiModel", "/executeAlgorithm"):
            self.refused(ask.post(path, "{}"), 422,
                         f"'{path}' is of the scenario verifier, which is not "
                         "supported: tutti writes and proves the order of "
                         "operations itself (tutti score shows it); use "
                         "/initialize and /simulate")

    def test_wrong_verbs(self):
        ask, name = self.service, self.service.session()
        self.refused(ask.post("/ping"), 405, "'/ping' takes GET only")
        self.refused(ask.ask("PUT", "/ping", ""), 405, "'/ping' takes GET only")
        self.refused(ask.ask("DELETE", "/destroy/" + name), 405,
                     "'/destroy/{session}' takes GET only")
        self.refused(ask.get("/simulate/" + name), 405,
                     "'/simulate/{session}' takes POST only")
        self.refused(ask.ask("DELETE", "/stopsimulation/" + name), 405,
                     "'/stopsimulation/{session}' takes GET and POST only")

    def test_bad_configurations(self):
        ask, name = self.service, self.service.session()
        for body, message in (
                ('{"fmus":3}', "initialize.json:1:9: 'fmus' must be an object,"
                 " not an integer"),
                ('{"fmus":{"{a}":"http://x/y.fmu"},"connections":{}}',
                 "initialize.json:1:16: FMU '{a}': 'http:' locations are not "
                 "supported here: download the file and give its path")):
            self.assertEqual(ask.post("/initialize/" + name, body).message(),
                             message)
        for change, message in (
                ({"connections": {"{x2}.tank.levl": ["{x1}.controller.level"]}},
                 "instance '{x2}.tank' has no variable 'levl', did you mean "
                 "'level'?"),
                ({"livestream": {"{x2}.tank": ["lvel"]}}, "instance '{x2}.tank' has "
                 "no variable 'lvel', did you mean 'level'?")):
            answer = ask.post("/initialize/" + name, tank(**change))
            self.assertEqual(answer.status, 400)
            self.assertRegex(answer.message(), r"^initialize\.json:1:\d+: " +
                             re.escape(message) + "$")
        self.assertEqual(ask.state(name), "Unitialized")
        for body in ("", "{", "[]", "\x00\x01", "{" * 10000):
            answer = ask.post("/initialize/" + name, body)
            self.assertEqual(answer.status, 400)
            self.assertRegex(answer.message(), r"^initialize\.json:")
        self.refused(ask.post("/simulate/" + name, {}), 409,
                     f"session '{name}' is not initialized")
        self.refused(ask.get(f"/result/{name}/plain"), 404,
                     f"session '{name}' has no results yet "
                     "(it is Unitialized)")

    def test_warnings_come_with_initialize(self):
        ask, name = self.service, self.service.session()
        answer = ask.post("/initialize/" + name,
                          tank(quux=1, livestream={"{x2}.tank": ["level", "speed"]}))
        self.assertEqual(answer.status, 200)
        warnings = answer.json()["warnings"]
        self.assertEqual(len(warnings), 2)
        self.assertRegex(warnings[0], r"^warning: initialize\.json:1:\d+: "
                         "unknown field 'quux' is ignored$")
        self.assertRegex(warnings[1], r"^warning: initialize\.json:1:\d+: instance "
                         r"'\{x2\}\.tank' has no variable 'speed'$")

    def test_times_and_step_may_come_with_simulate(self):
        ask = self.service
        bare = {k: v for k, v in tank().items() if k != "algorithm"}
        name = ask.session(bare)
        self.assertEqual(ask.post("/simulate/" + name, {
            "endTime": 1, "algorithm": {"type": "fixed-step",
                                        "size": 0.5}}).status, 200)
        self.assertEqual(len(ask.get(f"/result/{name}/plain").text.split()), 4)
        self.refused(ask.post("/simulate/" + name, {"endTime": 1}), 400,
                     'no step size: set "algorithm": {"type": "fixed-step", '
                     '"size": H} in the scenario or --step on the command '
                     "line")

    def test_progress_by_the_times_of_the_configuration(self):
        ask = self.service
        name = ask.session(tank(startTime=2, endTime=1e7))
        ask.post("/simulateasync/" + name, {})
        while not ask.get("/status/" + name).json()["progress"]:
            pass
        ask.get("/destroy/" + name)

    def test_bad_simulations(self):
        ask, name = self.service, self.service.session(tank())
        for body, message in (
                ("[]", "simulate.json: must be an object"),
                ('{"endTime":"x"}',
                 "simulate.json: 'endTime' must be a number"),
                ('{"endTime":-5}', "simulate.json:1:12: the end time -5 s is "
                 "not after the start time 0 s")):
            self.refused(ask.post("/simulate/" + name, body), 400, message)


class Usage(unittest.TestCase):
    def test_bad_options(self):
        import subprocess
        for options, message in (
                (["x.json"], "'tutti serve' takes no files: 'x.json'"),
                (["--port", "70000"],
                 "--port needs a whole number from 0 to 65535"),
                (["--max-runs", "0"],
                 "--max-runs needs a whole number from 1 to 1024"),
                (["--expire", "-1"],
                 "--expire needs a number of seconds, not negative"),
                (["--token", ""], "--token needs a value: --token T"),
                (["--token", "t", "--token-file", "f"],
                 "--token and --token-file: give one of them"),
                (["--token-file", "/nowhere/token"],
                 "cannot read /nowhere/token: No such file or directory"),
                (["--token-file", os.devnull],
                 "/dev/null: a token has 16 to 1023 characters, this has 0"),
                (["--bind", "0.0.0.0"], "--bind 0.0.0.0 lets other machines "
                 "in: give a --token")):
            done = subprocess.run([TUTTI, "serve", *options], text=True,
                                  capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (2, "", f"tutti: {message}\n"))


if __name__ == "__main__":
    unittest.main()
