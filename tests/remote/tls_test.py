# SPDX-License-Identifier: MIT
"""Links nobody else can read: certificates that are right, and that are not."""
import os
import shutil
import socket
import ssl
import subprocess
import unittest

from rig import BUILD, TOKEN, TUTTI, Caller, Desk, Worker, hello, message, read

MASSES = os.path.join(BUILD, "examples", "double-mass-spring-damper",
                      "scenario.json")


def certificate(desk, name, host):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
         "/CN=worker", "-addext", f"subjectAltName={host}", "-keyout",
         desk.path(name + ".key"), "-out", desk.path(name + ".pem")],
        check=True, capture_output=True)


@unittest.skipUnless(shutil.which("openssl"), "no openssl to make certificates")
class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.desk = Desk()
        certificate(cls.desk, "right", "IP:127.0.0.1,DNS:localhost")
        certificate(cls.desk, "other", "IP:127.0.0.1")
        certificate(cls.desk, "elsewhere", "DNS:lab2.example.org")
        cls.worker = cls.start("right")

    @classmethod
    def tearDownClass(cls):
        cls.worker.close()
        cls.desk.close()

    @classmethod
    def start(cls, name):
        return Worker(cls.desk, "--tls-cert", cls.desk.path(name + ".pem"),
                      "--tls-key", cls.desk.path(name + ".key"))

    def run_with(self, ca, worker=None, *options):
        worker = worker or self.worker
        hosts = self.desk.hosts(MASSES, worker.address)
        more = ["--tls-ca", self.desk.path(ca + ".pem")] if ca else []
        return self.desk.run([MASSES, hosts], "-q", *more, *options)

    def test_results_are_the_same(self):
        self.desk.run([MASSES], "-q", out="want.csv")
        done = self.run_with("right")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(read(self.desk.path("out.csv")),
                         read(self.desk.path("want.csv")))

    def test_an_unknown_certificate_is_not_trusted(self):
        done = self.run_with("other")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"worker at {self.worker.address}: its certificate is "
                      "not trusted: ", done.stderr)

    def test_a_certificate_of_another_host_is_not_trusted(self):
        worker = self.start("elsewhere")
        done = self.run_with("elsewhere", worker)
        worker.close()
        self.assertEqual(done.returncode, 2)
        self.assertIn("its certificate is not trusted: IP address mismatch",
                      done.stderr)

    def test_who_does_not_encrypt_is_refused(self):
        caller = Caller(self.worker)
        caller.send(message(hello()))
        data = b""
        try:
            while more := caller.socket.recv(4096):
                data += more
        except ConnectionError:
            pass
        caller.close()
        self.assertNotIn(b"TUT1", data)
        self.assertIn(": refused: TLS: ", self.worker.said())
        done = self.run_with(None)
        self.assertEqual(done.returncode, 2)
        self.assertIn(self.worker.address, done.stderr)

    def test_any_client_of_tls_can_come(self):
        context = ssl.create_default_context(
            cafile=self.desk.path("right.pem"))
        plain = socket.create_connection((self.worker.host, self.worker.port))
        with context.wrap_socket(plain, server_hostname="127.0.0.1") as link:
            link.sendall(message(hello()))
            self.assertEqual(link.recv(4), b"TUT1")
            self.assertIn(link.version(), ("TLSv1.2", "TLSv1.3"))

    def test_files_that_are_no_certificates_are_named(self):
        done = subprocess.run(
            [TUTTI, "worker", "--listen", "127.0.0.1:0", "--token-file",
             self.desk.token, "--tls-cert", self.desk.token, "--tls-key",
             self.desk.path("right.key")], capture_output=True, text=True,
            timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.startswith(f"tutti: {self.desk.token}: "),
                        done.stderr)
        self.assertNotIn(TOKEN, done.stderr)
        done = subprocess.run(
            [TUTTI, "worker", "--token-file", self.desk.token, "--tls-cert",
             self.desk.path("right.pem")], capture_output=True, text=True,
            timeout=60, check=False)
        self.assertEqual(done.stderr,
                         "tutti: --tls-cert and --tls-key go together\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
