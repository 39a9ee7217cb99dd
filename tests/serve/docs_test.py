# SPDX-License-Identifier: MIT
"""The shell example of docs/concepts/service.md does what it says."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from rig import ServiceTest, TANK

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "concepts",
                    "service.md")


class Docs(ServiceTest):
    def test_the_curl_example(self):
        with open(PAGE, encoding="utf-8") as f:
            blocks = re.findall(r"^```sh\n(.*?)^```", f.read(), re.S | re.M)
        (example,) = [b for b in blocks if "curl" in b]
        with tempfile.TemporaryDirectory() as folder:
            for name in ("scenario.json", "watertank.fmu",
                         "watertankcontroller.fmu"):
                shutil.copy(os.path.join(TANK, name), folder)
            done = subprocess.run(
                ["sh", "-eu", "-c", example], cwd=folder, text=True,
                capture_output=True, timeout=60,
                env={**os.environ,
                     "URL": f"http://127.0.0.1:{self.service.port}"})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn('"status":"initialized"', done.stdout)
            self.assertIn('"status":"Simulation completed"', done.stdout)
            self.assertIn('"status":"Finished"', done.stdout)
            with open(os.path.join(folder, "outputs.csv"),
                      encoding="utf-8") as f:
                self.assertEqual(len(f.readlines()), 102)
        self.assertEqual(self.service.get("/status").json(), [])


if __name__ == "__main__":
    unittest.main()
