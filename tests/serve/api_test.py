# SPDX-License-Identifier: MIT
"""/api/v1: sessions, files, scenarios, what they are; the page."""
import json
import os
import re
import unittest

from api import BASE, ApiTest, quote
from rig import BUILD, TANK

NOBODY = "00000000-0000-4000-8000-000000000000"
SCENARIO = {"fmus": {"{t}": "watertank.fmu"}, "connections": {},
            "instances": {"{t}": ["tank"]}}


class Sessions(ApiTest):
    def test_about(self):
        about = self.ask("GET", "")
        self.assertEqual((about["name"], about["limits"]["runs"]), ("tutti", 2))

    def test_made_shown_and_deleted(self):
        made = self.ask("POST", "/sessions", None, 201)
        self.assertEqual({k: v for k, v in made.items()
                          if k not in ("id", "created", "folder")}, {
            "name": None, "scenario": False, "files": [], "runs": [],
            "maestro": "Unitialized"})
        named = self.ask("POST", "/sessions", {"name": "Größe"}, 201)
        self.assertEqual(named["name"], "Größe")
        self.assertEqual(self.ask("GET", "/sessions/" + made["id"]), made)
        self.assertEqual({s["id"] for s in self.ask("GET", "/sessions")},
                         {made["id"], named["id"]})
        self.assertEqual(self.ask("DELETE", "/sessions/" + made["id"], None,
                                  204), "")
        self.bad("DELETE", "/sessions/" + made["id"], 404,
                 f"no session '{made['id']}'")

    def test_called_otherwise(self):
        path = self.session()
        made = self.ask("GET", path)
        self.assertIn("scenario.json", os.listdir(made["folder"]))
        self.assertEqual(self.ask("PUT", path, {"name": "Größe 2"}),
                         {**made, "name": "Größe 2"})
        self.assertEqual(self.ask("PUT", path, {})["name"], "Größe 2")
        run = self.start(path, name="first")
        self.ended(run)
        self.assertEqual(self.ask("GET", run)["note"], None)
        self.ask("PUT", run, {"note": "with \"half\" the inflow"})
        self.ask("PUT", run, {"name": "half"})
        for body, message in (
                ({"name": "x" * 201, "note": "lost"},
                 "'name' has 201 bytes; at most 200"),
                ({"name": "lost", "note": "x" * 4001},
                 "'note' has 4001 bytes; at most 4000"),
                ({"nota": ""}, "there is no 'nota' here; did you mean 'note'?"),
                ({"note": 1}, "'note' must be a text")):
            self.bad("PUT", run, 400, message, body)
        self.bad("PUT", path, 400, "'name' has 201 bytes; at most 200",
                 {"name": "x" * 201})
        now = self.ask("GET", run)
        self.assertEqual((now["name"], now["note"]),
                         ("half", 'with "half" the inflow'))

    def test_sessions_are_maestros_too(self):
        name = self.service.session()
        self.assertEqual(self.ask("GET", "/sessions")[0]["id"], name)
        made = self.ask("POST", "/sessions", {}, 201)["id"]
        self.assertEqual(self.service.state(made), "Unitialized")

    def test_bad_bodies(self):
        for body, message in (
                ("{", "the body, line 1, column 1: string or '}' expected near "
                 "end of file"),
                ("[]", "the body must be an object"),
                ({"nam": "x"}, "there is no 'nam' here; did you mean 'name'?"),
                ({"name": 3}, "'name' must be a text"),
                ('{"name":"a","name":"b"}', "the body, line 1, column 18: "
                 "duplicate object key near '\"name\"'"),
                ({"name": "x" * 201}, "'name' has 201 bytes; at most 200"),
                ({"scenario": "a.json"}, "'scenario' names one of an example: "
                 "give 'example' too"),
                ({"example": "water-tanc"}, "there is no example 'water-tanc'; "
                 "did you mean 'water-tank'?"),
                ({"example": "../water-tank"}, "there is no example "
                 "'../water-tank'; did you mean 'water-tank'?"),
                ({"example": "water-tank", "scenario": "../scenario.json"},
                 "there is no scenario '../scenario.json'; did you mean "
                 "'scenario.json'?")):
            self.bad("POST", "/sessions", 400, message, body)
        self.assertEqual(self.ask("GET", "/sessions"), [])

    def test_what_is_not_there(self):
        self.bad("GET", "/session", 404, "no '/api/v1/session' here; did you "
                 "mean '/api/v1/sessions'?")
        self.refused(self.service.get("/api"), 404, "no '/api' here")
        self.bad("GET", "1", 404, "no '/api/v11' here; did you mean "
                 "'/api/v1'?")
        self.bad("GET", "/sessions/" + NOBODY, 404, f"no session '{NOBODY}'")
        self.bad("GET", "/sessions/x", 404, "no session 'x'")
        path = self.session()
        self.bad("GET", path + "/run", 404, f"no '{BASE}{path}/run' here; did "
                 "you mean '/api/v1/sessions/{session}/runs'?")
        name = path.rsplit("/", 1)[1]
        for run in ("1", "0", "01", "x", "9999999999999", "-1"):
            self.bad("GET", f"{path}/runs/{run}", 404,
                     f"session '{name}' has no run '{run}'")

    def test_wrong_verbs_and_parameters(self):
        path = self.session()
        self.bad("PUT", "/sessions", 405,
                 "'/api/v1/sessions' takes GET and POST only", "x")
        self.bad("POST", path, 405,
                 "'/api/v1/sessions/{session}' takes GET and PUT and DELETE only")
        self.bad("GET", "/sessions?a=1", 400,
                 "there is no parameter 'a' here")
        self.bad("GET", "?" + "&".join(f"a{i}=1" for i in range(20)), 400,
                 "too many parameters")


class Examples(ApiTest):
    def test_all_of_them_can_be_taken_and_checked(self):
        examples = self.ask("GET", "/examples")
        self.assertGreater(len(examples), 8)
        for example in examples:
            self.assertNotIn("\n", example["summary"])
            self.assertEqual(example["scenarios"][0], "scenario.json")
            path = self.session(example["name"])
            found = self.ask("POST", path + "/check")
            self.assertEqual((found["ok"], found["problems"]), (True, []),
                             example["name"])
        tank = [e for e in examples if e["name"] == "water-tank"][0]
        self.assertEqual(tank["title"], "Water tank with a level controller")
        self.assertTrue(tank["summary"].startswith("A tank fills steadily; a"))

    def test_what_a_session_gets(self):
        path = self.session("water-tank", scenario="scenario-fmi3.json")
        made = self.ask("GET", path)
        self.assertEqual((made["name"], made["scenario"]), ("water-tank", True))
        self.assertEqual([f["name"] for f in made["files"]],
                         ["watertank-fmi3.fmu", "watertankcontroller-fmi3.fmu"])
        with open(os.path.join(TANK, "watertank-fmi3.fmu"), "rb") as f:
            data = f.read()
        answer = self.service.get(BASE + path + "/files/watertank-fmi3.fmu")
        self.assertEqual(answer.data, data)

    def test_locations_elsewhere_are_brought_along(self):
        path = self.session("rigid-link")
        self.assertEqual([f["name"] for f in self.ask("GET", path)["files"]],
                         ["msd1.fmu"])
        self.assertEqual(self.ask("GET", path + "/scenario")["fmus"],
                         {"{mass}": "msd1.fmu", "{link}": "tutti:coupling"})


class OwnExamples(ApiTest):
    OPTIONS = ("--examples", os.path.join(BUILD, "no such folder"))

    def test_there_may_be_none(self):
        self.assertEqual(self.ask("GET", "/examples"), [])
        self.bad("POST", "/sessions", 400, "there is no example 'x'",
                 {"example": "x"})


class Files(ApiTest):
    OPTIONS = ("--max-upload", "3000000")

    def setUp(self):
        super().setUp()
        self.path = "/sessions/" + self.ask("POST", "/sessions", {}, 201)["id"]

    def put(self, name, data, status=201):
        return self.ask("PUT", f"{self.path}/files/{quote(name)}", data, status)

    def names(self):
        return [f["name"] for f in self.ask("GET", self.path)["files"]]

    def test_kept_given_and_removed(self):
        data = bytes(range(256)) * 4000
        name = "a (1) + b_2-c.fmu"
        self.assertEqual(self.put(name, data), {"name": name,
                                                "size": len(data)})
        answer = self.service.get(f"{BASE}{self.path}/files/{quote(name)}")
        self.assertEqual(answer.data, data)
        self.assertEqual(answer.headers["Content-Disposition"],
                         f'attachment; filename="{name}"')
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        self.put(name, b"")
        self.assertEqual(self.ask("GET", self.path)["files"],
                         [{"name": name, "size": 0}])
        self.ask("DELETE", f"{self.path}/files/{quote(name)}", None, 204)
        self.assertEqual(self.names(), [])
        session = self.path.rsplit("/", 1)[1]
        for method in ("GET", "DELETE"):
            self.bad(method, f"{self.path}/files/{quote(name)}", 404,
                     f"session '{session}' has no file '{name}'")

    def test_names_that_are_none(self):
        own = "is the service's own"
        for name, why in ((".x", "begins with a dot"),
                          ("a*b", "has others than letters, digits, blanks "
                           "and . _ - ( ) +"),
                          ("ä", "has others than letters, digits, blanks "
                           "and . _ - ( ) +"),
                          ("a" * 129, "is longer than 128 bytes"),
                          ("a\\b", "has a slash or a control character"),
                          ("session.json", own), ("scenario.json", own),
                          ("runs", own), ("outputs.csv", own)):
            for method in ("GET", "PUT", "DELETE"):
                self.bad(method, f"{self.path}/files/{quote(name)}", 400,
                         f"a file cannot be called '{name}': it {why}",
                         b"x" if method == "PUT" else None)
        self.assertEqual(self.names(), [])

    def test_paths_that_lead_away(self):
        root = "/sessions/" + NOBODY
        for name in ("../x", "%2e%2e/x", "%2e%2e%2fx", "..%2f..%2fx",
                     "a/../../x", "%2fetc%2fpasswd", "a%2fb", "%00",
                     "....//x"):
            for method in ("GET", "PUT", "DELETE"):
                data = self.service.reply(
                    f"{method} {BASE}{self.path}/files/{name} HTTP/1.1\r\n"
                    "Host: localhost\r\nContent-Length: 1\r\n\r\nx".encode())
                self.assertNotIn(b" 200 ", data[:20])
                self.assertNotIn(b" 201 ", data[:20])
        self.assertEqual(self.names(), [])
        self.bad("GET", root, 404, f"no session '{NOBODY}'")

    def test_too_much(self):
        self.put("a", bytes(2000000))
        room = 3000000 - 2000000
        answer = self.service.ask(
            "PUT", f"{BASE}{self.path}/files/b", bytes(2000000))
        self.assertEqual(answer.status, 413)
        left = int(re.fullmatch(
            r"a file of 2000000 bytes; this session has room for (\d+)",
            answer.json()["error"]["message"]).group(1))
        self.assertTrue(room - 2000 < left <= room, left)
        self.assertEqual(self.names(), ["a"])
        self.put("a", bytes(10))

    def test_half_a_file_is_none(self):
        self.service.raw(f"PUT {BASE}{self.path}/files/half HTTP/1.1\r\n"
                         "Host: localhost\r\nContent-Length: 1000\r\n\r\nhalf".encode(),
                         close=False)
        self.service.await_idle()
        self.assertEqual(self.names(), [])

    def test_a_session_that_goes_while_a_file_comes(self):
        import socket
        with socket.create_connection(("127.0.0.1", self.service.port)) as s:
            s.sendall(f"PUT {BASE}{self.path}/files/x HTTP/1.1\r\nHost: localhost\r\n"
                      "Content-Length: 8\r\n\r\nhalf".encode())
            self.ask("DELETE", self.path, None, 204)
            s.sendall(b"half")
            answer = b"".join(iter(lambda: s.recv(65536), b""))
        self.assertIn(b"404", answer[:20])


class Scenarios(ApiTest):
    def test_kept_as_it_was_put(self):
        path = "/sessions/" + self.ask("POST", "/sessions", {}, 201)["id"]
        name = path.rsplit("/", 1)[1]
        self.bad("GET", path + "/scenario", 404,
                 f"session '{name}' has no scenario")
        text = '{ "fmus" : {},\n\t"any": [1.50, null] }  '
        self.ask("PUT", path + "/scenario", text, 204)
        answer = self.service.get(BASE + path + "/scenario")
        self.assertEqual(answer.text, text)
        for body, message in (
                ('{"a":\n  3,,}', "scenario.json:2:5: not valid JSON: string "
                 "or '}' expected near ','"),
                ("", "scenario.json:1:1: the text is empty"),
                ("[1]", "scenario.json:1:1: the scenario must be an object, "
                 "not an array")):
            answer = self.service.ask("PUT", BASE + path + "/scenario", body)
            self.assertEqual(answer.status, 400)
            self.assertEqual(answer.json()["error"]["message"], message)
        self.assertEqual(
            self.service.get(BASE + path + "/scenario").text, text)

    def test_problems_have_places(self):
        path = self.session()
        scenario = self.ask("GET", path + "/scenario")
        scenario["connections"] = {
            "{x1}.controller.valve": ["{x2}.tank.valv"]}
        found = self.ask("POST", path + "/check",
                         json.dumps(scenario, indent=1))
        self.assertFalse(found["ok"])
        problem = found["problems"][0]
        self.assertIn("instance '{x2}.tank' has no variable 'valv'",
                      problem["message"])
        self.assertEqual((problem["file"], problem["unit"], problem["port"]),
                         ("scenario.json", "{x2}.tank", "valv"))
        line = json.dumps(scenario, indent=1).split("\n")[problem["line"] - 1]
        self.assertEqual(line[problem["column"] - 1:], '"{x2}.tank.valv"')
        self.assertTrue(self.ask("POST", path + "/check")["ok"])

    def test_nothing_to_check(self):
        path = "/sessions/" + self.ask("POST", "/sessions", {}, 201)["id"]
        name = path.rsplit("/", 1)[1]
        self.bad("POST", path + "/check", 409,
                 f"session '{name}' has no scenario")
        self.bad("POST", path + "/check", 400, "scenario.json:1:1: the "
                 "scenario must be an object, not an array", "[]")

    def test_units(self):
        path = self.session()
        self.ask("PUT", path + "/files/broken.fmu", "no zip", 201)
        self.ask("PUT", path + "/files/table.csv", "time,a,b\n0,1,2\n", 201)
        scenario = self.ask("GET", path + "/scenario")
        scenario["fmus"]["{x2}"] = "session:watertank.fmu"
        scenario["fmus"]["{gone}"] = "gone.fmu"
        self.ask("PUT", path + "/scenario", scenario, 204)
        found = {u["location"]: u for u in
                 self.ask("GET", path + "/units")["fmus"]}
        self.assertEqual({k: v["key"] for k, v in found.items()}, {
            "watertankcontroller.fmu": "{x1}",
            "session:watertank.fmu": "{x2}", "gone.fmu": "{gone}",
            "broken.fmu": None, "table.csv": None})
        tank = found["session:watertank.fmu"]["info"]
        self.assertEqual(tank["modelName"], "watertank")
        self.assertIn("level", [v["name"] for v in tank["variables"]])
        self.assertEqual([v["name"] for v in
                          found["table.csv"]["info"]["variables"]], ["a", "b"])
        self.assertEqual(found["broken.fmu"]["error"], "broken.fmu: not a "
                         "readable zip archive: Not a zip archive")
        self.assertIn("gone.fmu", found["gone.fmu"]["error"])
        self.assertNotIn("/tmp", json.dumps(found["gone.fmu"]))

    def test_a_scenario_is_a_unit_too(self):
        path = self.session("nested-water-tank")
        stage, *_ = self.ask("GET", path + "/units")["fmus"]
        self.assertEqual((stage["key"], stage["error"], stage["info"]["kind"],
                          stage["info"]["modelName"]),
                         ("{stage}", None, "composite", "stage"))
        ports = {v["name"]: v for v in stage["info"]["variables"]}
        self.assertEqual(ports["outflow"], {
            "name": "outflow", "type": "Float64", "causality": "output",
            "variability": "continuous", "initial": "calculated",
            "unit": "m3/s", "description": "flow through the valve"})
        self.assertEqual(ports["maxLevel"], {
            "name": "maxLevel", "type": "Float64", "causality": "parameter",
            "variability": "fixed", "initial": "exact", "unit": "m", "min": 0,
            "start": 8, "description": "the valve opens here"})
        self.assertIs(ports["{controller}.controller.open"]["start"], False)
        inner = json.loads(self.ask("GET", path + "/files/stage.json"))
        inner["fmus"]["{basin}"] = "basni.fmu"
        self.ask("PUT", path + "/files/stage.json", inner, 201)
        stage, *_ = self.ask("GET", path + "/units")["fmus"]
        self.assertEqual((stage["info"], stage["error"]), (
            None, "stage.json:1:22: FMU '{basin}': basni.fmu: no such file or "
            "folder; did you mean 'basin.fmu'?"))

    def test_a_scenario_in_place_is_a_unit_too(self):
        path = self.session("nested-water-tank")
        rows = self.ask("GET", self.finished(path) + "/results.csv")
        before, *_ = self.ask("GET", path + "/units")["fmus"]
        scenario = self.ask("GET", path + "/scenario")
        scenario["fmus"]["{stage}"] = json.loads(
            self.ask("GET", path + "/files/stage.json"))
        self.ask("PUT", path + "/scenario", scenario, 204)
        self.ask("DELETE", path + "/files/stage.json", None, 204)
        stage, *_ = self.ask("GET", path + "/units")["fmus"]
        self.assertEqual((stage["key"], stage["location"], stage["error"],
                          stage["info"]["modelName"]),
                         ("{stage}", "", None, "stage"))
        self.assertEqual(stage["info"]["variables"],
                         before["info"]["variables"])
        self.assertEqual(self.ask("GET", self.finished(path) + "/results.csv"),
                         rows)

    def test_no_units(self):
        path = "/sessions/" + self.ask("POST", "/sessions", {}, 201)["id"]
        self.assertEqual(self.ask("GET", path + "/units"), {"fmus": []})
        with open(os.path.join(TANK, "watertank.fmu"), "rb") as f:
            self.ask("PUT", path + "/files/one.fmu", f.read(), 201)
        (one,) = self.ask("GET", path + "/units")["fmus"]
        self.assertEqual((one["key"], one["location"]), (None, "one.fmu"))

    def test_a_session_that_goes_while_a_job_runs(self):
        import socket
        path = self.session()
        name = path.rsplit("/", 1)[1]
        with socket.create_connection(("127.0.0.1", self.service.port)) as s:
            s.sendall(f"GET {BASE}{path}/units HTTP/1.1\r\n"
                      f"Host: localhost\r\n\r\n".encode())
            self.ask("DELETE", path, None, 204)
            answer = b"".join(iter(lambda: s.recv(65536), b""))
        self.assertTrue(answer[:12] in (b"HTTP/1.1 404", b"HTTP/1.1 200"))
        if answer[9:12] == b"404":
            self.assertTrue(
                f"session '{name}': it was deleted".encode() in answer or
                f"no session '{name}'".encode() in answer, answer)


class Heads(ApiTest):
    def test_what_get_would_answer_without_the_body(self):
        path = self.session()
        for where in ("/", "/app.js", BASE, BASE + path, BASE + "/nothing",
                      f"{BASE}{path}/scenario", f"{BASE}{path}/runs/1/log"):
            get, head = (self.service.ask(m, where) for m in ("GET", "HEAD"))
            self.assertEqual((head.status, sorted(head.headers.items())),
                             (get.status, sorted(get.headers.items())))
            raw = self.service.reply(f"HEAD {where} HTTP/1.1\r\n"
                                     "Host: localhost\r\n\r\n".encode())
            self.assertTrue(raw.endswith(b"\r\n\r\n"), raw)

    def test_nothing_happens(self):
        """Not with Maestro's GET either, which does things."""
        self.assertEqual(self.service.ask("HEAD", "/createSession").status, 405)
        self.assertEqual(self.service.get("/status").json(), [])


class Page(ApiTest):
    def test_it_is_served_strictly(self):
        answer = self.service.get("/")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["Content-Type"],
                         "text/html; charset=utf-8")
        policy = answer.headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertIn("<title>Tutti</title>", answer.text)
        again = self.service.get("/index.html", headers={
            "If-None-Match": answer.headers["ETag"]})
        self.assertEqual((again.status, again.text), (304, ""))
        self.assertEqual(self.service.get("/openapi.json").status, 404)
        self.assertEqual(self.service.get("/../index.htm").status, 404)


class Token(ApiTest):
    OPTIONS = ("--token", "s3cret")

    def test_all_but_the_page_want_it(self):
        self.assertEqual(self.service.get("/").status, 200)
        want = "this service needs a token: Authorization: Bearer TOKEN"
        for path in ("", "/sessions", "/nothing", "/openapi.json"):
            self.bad("GET", path, 401, want)
        right = {"Authorization": "Bearer s3cret"}
        self.assertEqual(self.ask("GET", "/sessions", headers=right), [])
        self.refused(self.service.get(BASE + "/sessions", headers={
            **right, "Origin": "http://evil.example"}), 403,
            "pages of other sites may not use this service")


if __name__ == "__main__":
    unittest.main()
