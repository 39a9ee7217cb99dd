# SPDX-License-Identifier: MIT
"""TLS: https and wss with a certificate of our own making."""
import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest
import warnings

from rig import TUTTI, Service, messages, tank


def make(folder, name, *options):
    """A key, and a certificate it has signed itself."""
    cert, key = (os.path.join(folder, name + end) for end in (".crt", ".key"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-days", "2", "-subj",
                    "/CN=localhost", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert,
                    *(options or ["-nodes"])],
                   check=True, capture_output=True, timeout=60)
    return cert, key


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.cert, cls.key = make(cls.folder.name, "one")
        cls.trust = ssl.create_default_context(cafile=cls.cert)

    def setUp(self):
        self.service = Service("--tls-cert", self.cert, "--tls-key", self.key)
        self.port = self.service.port

    def tearDown(self):
        self.assertEqual(self.service.end(), (0, "", "", []))

    def ask(self, method, path, body=None):
        wire = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60,
                                           context=self.trust)
        try:
            wire.request(method, path, body and json.dumps(body))
            return json.loads(wire.getresponse().read())
        finally:
            wire.close()

    def test_a_simulation_over_https_and_wss(self):
        self.assertEqual(self.service.words,
                         f"open https://127.0.0.1:{self.port}/ in a browser; "
                         "the service answers there too\n")
        name = self.ask("GET", "/createSession")["sessionId"]
        self.ask("POST", "/initialize/" + name,
                 tank(livestream={"{x2}.tank": ["level"]}))
        wire = self.trust.wrap_socket(
            socket.create_connection(("127.0.0.1", self.port), 60),
            server_hostname="127.0.0.1")
        wire.sendall((
            f"GET /attachSession/{name} HTTP/1.1\r\nHost: 127.0.0.1:"
            f"{self.port}\r\nOrigin: https://127.0.0.1:{self.port}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
            "AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode())
        stream = wire.makefile("rb")
        self.assertIn(b" 101 ", stream.readline())
        while stream.readline() != b"\r\n":
            pass
        done = self.ask("POST", "/simulate/" + name, {"endTime": 10})
        self.assertEqual(done["status"], "Simulation completed")
        *frames, code = messages(stream)
        wire.close()
        self.assertEqual((len(frames), code), (101, 1000))

    def test_without_tls_there_is_an_answer_but_no_service(self):
        answer = self.service.get("/createSession")
        self.assertEqual(answer.status, 426)
        self.assertEqual(answer.message(),
                         "this service uses TLS: ask for https://")
        self.assertIsNone(self.service.attach("/attachSession/x"))
        self.assertEqual(self.ask("GET", "/status"), [])

    def test_who_breaks_off_or_talks_nonsense_is_forgotten(self):
        before = self.service.descriptors()
        for data in (b"", b"\x16\x03\x01", b"\x16\x03\x01\xff\xff" * 500,
                     os.urandom(2000)):
            self.service.raw(data, close=False)
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        with warnings.catch_warnings(action="ignore"):
            old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        with socket.create_connection(("127.0.0.1", self.port), 60) as wire:
            with self.assertRaises((ssl.SSLError, OSError)):
                old.wrap_socket(wire)
        self.assertEqual(self.ask("GET", "/status"), [])
        while self.service.descriptors() > before:
            pass


class Files(unittest.TestCase):
    def test_what_is_wrong_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            cert, key = make(folder, "one")
            other, _ = make(folder, "two")
            _, locked = make(folder, "three", "-passout", "pass:x")
            none, odd = folder + "/none", folder + "/odd"
            with open(odd, "w", encoding="utf-8") as f:
                f.write("hello\n")
            for options, message in (
                    ((cert, None), "--tls-cert and --tls-key belong together: "
                     "give both"),
                    ((none, key), f"--tls-cert: cannot read {none}: No such "
                     "file or directory"),
                    ((cert, none), f"--tls-key: cannot read {none}: No such "
                     "file or directory"),
                    ((odd, key), f"--tls-cert: {odd} has no certificate in "
                     "PEM form"),
                    ((cert, odd), f"--tls-key: {odd} has no private key in "
                     "PEM form without a passphrase"),
                    ((cert, locked), f"--tls-key: {locked} has no private key "
                     "in PEM form without a passphrase"),
                    ((other, key), f"--tls-key: {key} is not the key of the "
                     f"certificate in {other}")):
                args = ["--tls-cert", options[0]]
                args += ["--tls-key", options[1]] if options[1] else []
                done = subprocess.run([TUTTI, "serve", "--port", "0", *args],
                                      text=True, capture_output=True,
                                      timeout=60)
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (2, "", f"tutti: {message}\n"))


if __name__ == "__main__":
    if not shutil.which("openssl"):
        print("skipped: no 'openssl' program to make certificates with")
        sys.exit(77)
    unittest.main()
