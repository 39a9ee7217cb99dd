# SPDX-License-Identifier: MIT
"""Files of a session: put there by a form, used by name, fetched in a zip."""
import io
import os
import random
import unittest
import zipfile

from rig import ServiceTest, TANK, tank

FMUS = ("watertank.fmu", "watertankcontroller.fmu")


def form(*parts, boundary="xyz", field="file"):
    """Body and headers; a part is a file's name and bytes."""
    body = b"".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"; '
        f'filename="{name}"\r\nContent-Type: application/octet-stream'
        "\r\n\r\n".encode() + data + b"\r\n" for name, data in parts)
    return {"body": body + f"--{boundary}--\r\n".encode(), "headers": {
        "Content-Type": f"multipart/form-data; boundary={boundary}"}}


def fmu(name):
    with open(os.path.join(TANK, name), "rb") as f:
        return f.read()


def uploaded():
    """The water tank, of files of the session."""
    scenario = tank()
    scenario["fmus"] = {key: "session:" + os.path.basename(uri)
                        for key, uri in scenario["fmus"].items()}
    return scenario


class Upload(ServiceTest):
    def upload(self, name, *parts, **more):
        return self.service.post("/upload/" + name, **form(*parts, **more))

    def zip(self, name):
        answer = self.service.get(f"/result/{name}/zip")
        self.assertEqual((answer.status, answer.headers["Content-Type"],
                          answer.headers["Content-Disposition"]),
                         (200, "application/zip",
                          'attachment; filename="results.zip"'))
        return zipfile.ZipFile(io.BytesIO(answer.data))

    def test_files_of_the_session_are_simulated(self):
        ask, name = self.service, self.service.session()
        answer = self.upload(name, *((n, fmu(n)) for n in FMUS))
        self.assertEqual((answer.status, answer.text), (200, ""))
        self.assertEqual(ask.post("/initialize/" + name, uploaded()).status,
                         200)
        self.assertEqual(ask.post("/simulate/" + name, {"endTime": 10}).status,
                         200)
        whole = ask.session(tank())
        ask.post("/simulate/" + whole, {"endTime": 10})
        rows = ask.get(f"/result/{name}/plain").text
        self.assertEqual(rows, ask.get(f"/result/{whole}/plain").text)
        packed = self.zip(name)
        self.assertIsNone(packed.testzip())
        self.assertEqual(sorted(packed.namelist()), sorted([
            *FMUS, "initialize.json", "simulate.json", "outputs.csv",
            "summary.json", "run.log"]))
        self.assertEqual(packed.read("outputs.csv").decode(), rows)
        self.assertEqual(packed.read(FMUS[0]), fmu(FMUS[0]))

    def test_any_field_any_bytes(self):
        name, dice = self.service.session(), random.Random(7)
        data = dice.randbytes(300000) + b"\r\n--xyz\r" + b"\r\n-" * 1000
        parts = [("a b(1)+.bin", data), ("empty.csv", b"")]
        for field in ("fieldFile", "whatever"):
            answer = self.upload(name, *parts, field=field, boundary="long" * 9)
            self.assertEqual(answer.status, 200)
        packed = self.zip(name)
        self.assertEqual(packed.read("a b(1)+.bin"), data)
        self.assertEqual(packed.read("empty.csv"), b"")

    def test_paths_are_cut_to_their_last_word(self):
        name = self.service.session()
        answer = self.upload(name, ("../../../a.fmu", b"1"),
                             ("C:\\models\\b.fmu", b"2"), ("/etc/c", b"3"))
        self.assertEqual(answer.status, 200)
        self.assertEqual(sorted(self.zip(name).namelist()),
                         ["a.fmu", "b.fmu", "c"])

    def test_names_that_are_refused(self):
        name = self.service.session()
        for bad, why in (
                ("..", "begins with a dot"), (".x", "begins with a dot"),
                ("a/", "is empty"), ("session.json", "is the service's own"),
                ("runs", "is the service's own"),
                ("a" * 129, "is longer than 128 bytes"),
                ("a\x01", "has a slash or a control character")):
            self.refused(self.upload(name, ("ok", b"1"), (bad, b"2")), 400,
                         f"a file cannot be called '{bad}': it {why}")
        self.assertEqual(self.zip(name).namelist(), [])  # nor the good one

    def test_bodies_that_are_refused(self):
        ask, path = self.service, "/upload/" + self.service.session()
        kind = {"Content-Type": "multipart/form-data; boundary=b"}
        self.refused(ask.post(path), 400, "the upload is empty")
        self.refused(ask.post(path, "{}"), 400,
                     "files come as multipart/form-data, not as ''")
        self.refused(ask.post(path, "--b--", headers=kind), 400,
                     "the upload has no file: send it as a form does, with a "
                     "file name")
        self.refused(ask.post(path, "words", headers=kind), 400,
                     "the upload ends before its last boundary")
        self.refused(ask.post(path, '--b\r\nContent-Disposition: x; name="f"'
                              "\r\n\r\n1\r\n--b--", headers=kind), 400,
                     "the upload has no file: send it as a form does, with a "
                     "file name")
        self.refused(ask.get("/upload/x"), 405,
                     "'/upload/{session}' takes POST only")

    def test_locations_stay_in_the_session(self):
        ask, name = self.service, self.service.session()
        for uri in ("session:../x.fmu", "session:/etc/passwd",
                    "session:%2e%2e/x.fmu"):
            scenario = {"fmus": {"{a}": uri}, "connections": {}}
            answer = ask.post("/initialize/" + name, scenario)
            self.assertEqual(answer.status, 400)
            self.assertIn(f"'{uri}' leaves the session: name one of its files",
                          answer.message())


class Limit(ServiceTest):
    OPTIONS = ("--max-upload", "1M")

    def test_a_session_takes_so_much(self):
        ask, name = self.service, self.service.session()
        half = ("a", b"x" * 600000)
        self.assertEqual(ask.post("/upload/" + name, **form(half)).status, 200)
        answer = ask.post("/upload/" + name, **form(("b", b"x" * 600000)))
        self.assertEqual(answer.status, 413)
        self.assertRegex(answer.message(), r"^an upload of 600\d+ bytes; the "
                         r"session has room for 44\d+ \(--max-upload\)$")
        self.assertEqual(ask.post("/upload/" + ask.session(),
                                  **form(half)).status, 200)

    def test_half_an_upload_leaves_nothing(self):
        ask, name = self.service, self.service.session()
        sent = form(("a", b"x" * 100000))
        head = (f"POST /upload/{name} HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                f"{sent['headers']['Content-Type']}\r\nContent-Length: "
                f"{len(sent['body'])}\r\n\r\n").encode()
        ask.raw(head + sent["body"][:50000], close=False)
        ask.await_idle()
        left = [os.path.join(at, n)
                for at, _, names in os.walk(ask.folder.name) for n in names]
        self.assertEqual(sorted(os.path.basename(n) for n in left),
                         [".service", "session.json"])


if __name__ == "__main__":
    unittest.main()
