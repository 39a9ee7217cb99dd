# SPDX-License-Identifier: MIT
"""The shell examples in the documents do what they say."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from rig import ServiceTest, TANK

DOCS = os.path.join(os.path.dirname(__file__), "..", "..", "docs")


class Docs(ServiceTest):
    def run_example(self, page, folder):
        """What the curl example of a page prints."""
        with open(os.path.join(DOCS, *page), encoding="utf-8") as f:
            blocks = re.findall(r"^```sh\n(.*?)^```", f.read(), re.S | re.M)
        (example,) = [b for b in blocks if "curl" in b]
        for name in ("scenario.json", "watertank.fmu",
                     "watertankcontroller.fmu"):
            shutil.copy(os.path.join(TANK, name), folder)
        done = subprocess.run(
            ["sh", "-eu", "-c", example], cwd=folder, text=True,
            capture_output=True, timeout=60,
            env={**os.environ,
                 "URL": f"http://127.0.0.1:{self.service.port}"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done

    def test_the_curl_example_of_the_api(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_example(("reference", "api.md"), folder)
            self.assertIn('"ok": true', done.stdout)
            self.assertIn('"columns":["{x2}.tank.level"]', done.stdout)
            self.assertIn('{"time":0.5,"state":"paused","values":{"{x2}.tank.'
                          'level":', done.stdout)
            with open(os.path.join(folder, "outputs.csv"),
                      encoding="utf-8") as f:
                self.assertEqual(len(f.readlines()), 102)
        self.assertEqual(self.service.get("/api/v1/sessions").json(), [])

    def test_the_curl_example(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_example(("concepts", "service.md"), folder)
            self.assertIn('"status":"initialized"', done.stdout)
            self.assertIn('"status":"Simulation completed"', done.stdout)
            self.assertIn('"status":"Finished"', done.stdout)
            with open(os.path.join(folder, "outputs.csv"),
                      encoding="utf-8") as f:
                self.assertEqual(len(f.readlines()), 102)
        self.assertEqual(self.service.get("/status").json(), [])


if __name__ == "__main__":
    unittest.main()
