# SPDX-License-Identifier: MIT
"""docs/reference/openapi.json is what the service does, and all it does."""
import json
import os
import re
import unittest

from api import BASE, ApiTest, quote

SOURCE = os.path.join(os.path.dirname(__file__), "..", "..")
with open(os.path.join(SOURCE, "docs", "reference", "openapi.json"),
          encoding="utf-8") as f:
    SPEC = json.load(f)
FORMATS = {
    "uuid": r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}",
    "date-time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
}
KNOWN = {"$ref", "additionalProperties", "description", "enum", "format",
         "items", "maxLength", "maximum", "minimum", "nullable", "oneOf",
         "pattern", "properties", "required", "type"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool,
         "integer": int, "number": (int, float)}


def problems(value, schema, at="$"):
    """Why a value is not as the schema has it."""
    assert set(schema) <= KNOWN, schema
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        yield from problems(value, SPEC["components"]["schemas"][name], at)
        return
    if value is None:
        if not schema.get("nullable"):
            yield f"{at} is null"
        return
    if "oneOf" in schema:
        fits = [s for s in schema["oneOf"] if not list(problems(value, s, at))]
        if len(fits) != 1:
            yield f"{at}: {len(fits)} of oneOf fit {value!r}"
        return
    kind = TYPES[schema["type"]]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind != bool):
        yield f"{at} is {value!r}, no {schema['type']}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at} is {value!r}, none of {schema['enum']}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{at} is {value!r}, not like {schema['pattern']}"
    if schema.get("format") in FORMATS and \
            not re.fullmatch(FORMATS[schema["format"]], value):
        yield f"{at} is {value!r}, no {schema['format']}"
    if "minimum" in schema and value < schema["minimum"] or \
            "maximum" in schema and value > schema["maximum"]:
        yield f"{at} is {value!r}"
    if "maxLength" in schema and len(value) > schema["maxLength"]:
        yield f"{at} is too long"
    for i, item in enumerate(value if kind is list else ()):
        yield from problems(item, schema["items"], f"{at}[{i}]")
    if kind is dict:
        yield from members(value, schema, at)


def members(value, schema, at):
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{at} has no {name}"
    more = schema.get("additionalProperties", True)
    for name, item in value.items():
        if name in schema.get("properties", {}):
            yield from problems(item, schema["properties"][name],
                                f"{at}.{name}")
        elif more is False:
            yield f"{at} has {name}"
        elif isinstance(more, dict):
            yield from problems(item, more, f"{at}.{name}")


def routes():
    """Those of the service's table: (method, path)."""
    with open(os.path.join(SOURCE, "src", "serve", "api.c"),
              encoding="utf-8") as f:
        text = f.read()
    words = dict(re.findall(r'^#define (\w+) +((?:"[^"]*"|[A-Z_]+)'
                            r'(?: "[^"]*")?)$', text, re.M))

    def path(expression):
        return "".join(p[1:-1] if p[0] == '"' else path(words[p])
                       for p in re.findall(r'"[^"]*"|[A-Z_]+', expression))
    table = text[text.index("tt_routes_api[]"):]
    for line in re.findall(r'^    \{(["A-Z].+)\},$', table, re.M):
        pattern, methods = re.match(r'((?:"[^"]*"|[A-Z_]+)(?: "[^"]*")?), '
                                    r"([A-Z |]+),", line).groups()
        for method in methods.split(" | "):
            yield method.strip(), "/" + path(pattern)


class OpenApi(ApiTest):
    def test_every_route_is_described_and_every_description_a_route(self):
        described = {(m.upper(), p) for p, item in SPEC["paths"].items()
                     for m in item}
        self.assertEqual(described, set(routes()))
        self.assertGreaterEqual(len(described), 30)

    def test_the_service_gives_the_file(self):
        self.assertEqual(self.ask("GET", "/openapi.json"), SPEC)

    def call(self, method, path, status, body=None, query="", **names):
        """The answer, which is as described."""
        operation = SPEC["paths"][path][method.lower()]
        content = operation.get("requestBody", {}).get("content", {})
        if "application/json" in content and isinstance(body, dict):
            self.assertEqual(list(problems(
                body, content["application/json"]["schema"])), [])
        answer = self.service.ask(
            method, path.format(**{k: quote(str(v))
                                   for k, v in names.items()}) + query, body)
        self.assertEqual(answer.status, status, (method, path, answer.text))
        described = operation["responses"][str(status)].get("content")
        if described is None:
            self.assertEqual(answer.text, "")
            return None
        kind = answer.headers["Content-Type"]
        self.assertIn(kind, described)
        if kind != "application/json":
            return answer.text
        self.assertEqual(list(problems(answer.json(),
                                       described[kind]["schema"])), [])
        self.called.add((method, path))
        return answer.json()

    def structure(self):
        return """<SystemStructureDescription version="1.0" name="tank">
            <System name="s"><Elements><Component name="tank"
            source="watertank.fmu"/></Elements></System>
            </SystemStructureDescription>"""

    def test_answers_are_as_described(self):
        self.called = set()
        session = "/api/v1/sessions/{session}"
        run = session + "/runs/{run}"
        call = self.call
        call("GET", "/api/v1", 200)
        call("GET", "/api/v1/openapi.json", 200)
        self.assertIn("water-tank",
                      [e["name"] for e in call("GET", "/api/v1/examples", 200)])
        new = call("POST", "/api/v1/sessions", 201, {
            "example": "water-tank", "scenario": "scenario-variable.json"})
        at = {"session": new["id"]}
        call("POST", "/api/v1/sessions", 400, {"example": "no such"})
        call("GET", session, 200, **at)
        call("PUT", session, 200, {"name": "tank"}, **at)
        call("PUT", session, 400, "[", **at)
        for method in ("GET", "PUT", "DELETE"):
            call(method, session, 404, session="x")
        files = session + "/files/{file}"
        call("PUT", files, 201, "abc", file="a (1)+.txt", **at)
        self.assertEqual(call("GET", files, 200, file="a (1)+.txt", **at), "abc")
        call("DELETE", files, 204, file="a (1)+.txt", **at)
        call("GET", files, 404, file="a (1)+.txt", **at)
        call("GET", files, 400, file=".a", **at)
        scenario = call("GET", session + "/scenario", 200, **at)
        call("PUT", session + "/scenario", 204, scenario, **at)
        call("PUT", session + "/scenario", 400, "[", **at)
        call("GET", session + "/scenario.ssp", 400, query="?ssp=3.0", **at)
        call("POST", files + "/open", 400, file="none.ssp", **at)
        call("PUT", files, 201, self.structure(), file="tank.ssd", **at)
        call("POST", files + "/open", 200, file="tank.ssd", **at)
        call("PUT", session + "/scenario", 204, scenario, **at)
        call("POST", session + "/check", 200, **at)
        wrong = {**scenario, "connections": {
            "{x1}.controller.valv": ["{x2}.tank.valve"]},
                 "foo": 1}
        found = call("POST", session + "/check", 200, wrong, **at)
        self.assertEqual((found["ok"], len(found["warnings"])), (False, 1))
        call("GET", session + "/units", 200, **at)
        made = call("POST", session + "/runs", 201, {
            "name": "led", "stepwise": True, "set": {"endTime": 5}}, **at)
        at["run"] = made["id"]
        self.assertEqual(made["state"], "paused")
        call("GET", run + "/summary", 404, **at)
        stepped = call("POST", run + "/step", 200, {
            "to": 1, "get": ["{x2}.tank.level"]}, **at)
        self.assertEqual(stepped["state"], "paused")
        call("POST", run + "/step", 400, {"get": ["nonsense"]}, **at)
        call("POST", run + "/pause", 409, **at)
        call("POST", run + "/resume", 200, **at)
        self.ended(f"/sessions/{at['session']}/runs/{at['run']}")
        call("POST", run + "/resume", 409, **at)
        call("POST", run + "/stop", 409, **at)
        call("POST", run + "/step", 409, **at)
        call("GET", run, 200, **at)
        call("PUT", run, 200, {"name": "led", "note": "by hand"}, **at)
        call("PUT", run, 400, "[", **at)
        call("GET", session + "/runs", 200, **at)
        call("GET", "/api/v1/sessions", 200)
        call("GET", run + "/results", 200, query="?points=10", **at)
        call("GET", run + "/results", 200, query="?format=csv", **at)
        call("GET", run + "/results", 400, query="?points=1", **at)
        steps = call("GET", run + "/steps", 200, **at)
        call("GET", run + "/events", 200, **at)
        self.assertGreater(len(steps["h"]), 5)
        for name in ("results.csv", "report.html", "log", "summary",
                     "scenario"):
            call("GET", f"{run}/{name}", 200, **at)
        call("GET", run + "/live", 426, **at)
        again = call("POST", session + "/runs", 201, {
            "set": {"endTime": 1e6}}, **at)
        call("POST", run + "/pause", 200, session=at["session"],
             run=again["id"])
        call("POST", run + "/stop", 200, session=at["session"],
             run=again["id"])
        call("DELETE", run, 204, **at)
        call("GET", run, 404, **at)
        call("DELETE", session, 204, **at)
        described = {(m.upper(), p) for p, item in SPEC["paths"].items()
                     for m in item if any(
                         "application/json" in r.get("content", ())
                         for s, r in item[m]["responses"].items()
                         if s < "300")}
        self.assertEqual(described - self.called, set())


class Full(OpenApi):
    """The same, of a service that has no room."""
    OPTIONS = ("--max-runs", "1", "--max-queue", "0", "--max-sessions", "1")
    test_every_route_is_described_and_every_description_a_route = None
    test_the_service_gives_the_file = None
    test_answers_are_as_described = None

    def test_refusals_are_as_described(self):
        self.called = set()
        path = self.session()
        self.start(path, set={"endTime": 1e7})
        self.call("POST", "/api/v1/sessions/{session}/runs", 503, {},
                  session=path.rsplit("/", 1)[1])
        self.call("POST", "/api/v1/sessions", 503, {})


if __name__ == "__main__":
    unittest.main()
