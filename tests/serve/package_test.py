# SPDX-License-Identifier: MIT
"""/api/v1: structures of other tools are opened, scenarios given as packages."""
import io
import os
import unittest
import zipfile

from api import BASE, ApiTest, quote
from rig import BUILD, TANK

MASSES = os.path.join(BUILD, "examples", "double-mass-spring-damper")
PLACES = {"{x1}.controller": [24, 30, 204, 130], "{x2}.tank": [300, -30, 480, 70]}


def read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


class Packages(ApiTest):
    def empty(self):
        return "/sessions/" + self.ask("POST", "/sessions", {}, 201)["id"]

    def package(self, path, query=""):
        answer = self.service.ask("GET", f"{BASE}{path}/scenario.ssp{query}")
        self.assertEqual(answer.status, 200, answer.data)
        self.assertEqual(answer.headers["Content-Disposition"],
                         'attachment; filename="scenario.ssp"')
        return answer.data

    def put(self, path, name, data):
        self.ask("PUT", f"{path}/files/{quote(name)}", data, 201)

    def open(self, path, name, body=None):
        return self.ask("POST", f"{path}/files/{quote(name)}/open", body)

    def results(self, path):
        return self.ask("GET", self.finished(path) + "/results.csv")

    def test_a_scenario_comes_back_with_its_places(self):
        there = self.session()
        scenario = {**self.ask("GET", there + "/scenario"), "diagram": PLACES}
        self.ask("PUT", there + "/scenario", scenario, 204)
        for query in "", "?ssp=1.0", "?ssp=2.0":
            data = self.package(there, query)
            with zipfile.ZipFile(io.BytesIO(data)) as z:
                text = z.read("SystemStructure.ssd").decode()
                self.assertEqual(sorted(z.namelist()), [
                    "SystemStructure.ssd", "resources/parameters.ssv",
                    "resources/watertank.fmu",
                    "resources/watertankcontroller.fmu"])
            self.assertIn('x1="75.0" y1="-17.5" x2="120.0" y2="7.5"', text)
            self.assertIn(f'version="{query[-3:] or "1.0"}"', text)
        here = self.empty()
        self.put(here, "the tank.ssp", data)
        self.assertEqual(self.open(here, "the tank.ssp"), {"warnings": []})
        made = self.ask("GET", here + "/scenario")
        folder = "the tank-files/resources/"
        self.assertEqual(made.pop("fmus"), {
            "{x1}": folder + "watertankcontroller.fmu",
            "{x2}": folder + "watertank.fmu"})
        self.assertEqual(made.pop("origin"), "the tank-files/SystemStructure.ssd")
        self.assertEqual(made, {k: v for k, v in scenario.items()
                                if k != "fmus"})
        self.assertEqual([f["error"] for f in self.ask(
            "GET", here + "/units")["fmus"]], [None, None])
        self.assertEqual(self.results(here), self.results(there))
        # once more, in the same place; and on from there
        self.open(here, "the tank.ssp")
        self.package(here)

    def test_a_project_with_its_fmus_beside_it(self):
        here = self.empty()
        for name in "msd1.fmu", "msd2.fmu", "masses.msim":
            self.put(here, name, read(MASSES, name))
        self.open(here, "masses.msim")
        self.assertEqual(set(self.ask("GET", here + "/scenario")[
            "fmus"].values()), {"msd1.fmu", "msd2.fmu"})
        self.finished(here)

    def test_a_variant(self):
        here = self.empty()
        data = self.package(self.session())
        made = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as z, \
                zipfile.ZipFile(made, "w") as two:
            for n in z.namelist():
                two.writestr("Winter.ssd" if n == "SystemStructure.ssd" else n,
                             z.read(n))
        self.put(here, "two.ssp", made.getvalue())
        self.bad("POST", here + "/files/two.ssp/open", 400,
                 "two.ssp: it has no 'SystemStructure.ssd'; it has "
                 "'Winter.ssd'")
        self.assertEqual(self.open(here, "two.ssp", {"variant": "Winter"}),
                         {"warnings": []})
        self.finished(here)

    def test_what_is_no_structure(self):
        here = self.empty()
        self.bad("POST", here + "/files/a.ssp/open", 400, "a.ssp: no such file or folder")
        self.bad("GET", here + "/scenario.ssp", 409,
                 f"session '{here[10:]}' has no scenario")
        self.put(here, "a.ssp", b"no archive")
        self.bad("POST", here + "/files/a.ssp/open", 400,
                 "a.ssp: not a readable zip archive: Not a zip archive")
        self.bad("POST", here + "/files/.a.ssp/open", 400,
                 "a file cannot be called '.a.ssp': it begins with a dot")
        self.bad("POST", here + "/files/a.ssp/open", 400,
                 "there is no 'varian' here; did you mean 'variant'?",
                 {"varian": "b"})
        self.ask("PUT", here + "/scenario", {"fmus": {"{a}": "../../x.fmu"}},
                 204)
        answer = self.service.ask("GET", BASE + here + "/scenario.ssp")
        self.assertEqual(answer.status, 400, answer.text)


class Confined(Packages):
    """The same where sessions are kept to their own files."""
    OPTIONS = ("--confined",)

    def test_files_outside_of_the_session_stay_there(self):
        here = self.empty()
        text = read(MASSES, "masses.msim").decode().replace(
            "msd1.fmu", os.path.join(TANK, "watertank.fmu"))
        self.put(here, "out.msim", text.encode())
        answer = self.service.ask("POST", BASE + here + "/files/out.msim/open")
        self.assertEqual(answer.status, 400, answer.text)
        self.assertIn("is not in the session", answer.json()["error"]["message"])

    def test_an_origin_outside_of_the_session_is_refused(self):
        here = self.session()
        scenario = self.ask("GET", here + "/scenario")
        for origin in "../x.ssd", os.path.join(TANK, "x.ssd"):
            self.ask("PUT", here + "/scenario",
                     {"origin": origin, **scenario}, 204)
            self.assertEqual(
                self.ask("POST", here + "/check")["problems"][0]["message"],
                f"'origin': '{origin}' is not in the session")


if __name__ == "__main__":
    unittest.main()
