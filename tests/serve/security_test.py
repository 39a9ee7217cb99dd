# SPDX-License-Identifier: MIT
"""What clients should not do: nothing of it may hurt the service."""
import concurrent.futures
import os
import random
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from rig import SANITIZED, TUTTI, Service, ServiceTest, tank

GARBAGE = [
    b"", b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
    b"\x00" * 1000, b"A" * 100000, b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n\r\n",
    b"GET /result/../../../../etc/passwd/plain HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /status/%2e%2e%2f%2e%2e HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"POST /initialize/x HTTP/1.1\r\nContent-Length: -1\r\n\r\n{}",
    b"POST /initialize/x HTTP/1.1\r\nContent-Length: 1e9\r\n\r\n{}",
    b"POST /initialize/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}",
    b"POST /simulate/x HTTP/1.1\r\nContent-Length: 100\r\n\r\n{}",
    b"GET /attachSession/x HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    b"Sec-WebSocket-Version: 13\r\n\r\n\xff\xff\xff",
]


class Security(ServiceTest):
    def test_garbage_leaves_nothing_behind(self):
        ask, dice = self.service, random.Random(5)
        for turn in range(10):
            for data in GARBAGE:
                ask.raw(data, close=turn % 2 == 0)
            ask.raw(dice.randbytes(dice.randrange(1, 3000)))
        self.assertEqual(ask.get("/ping").text, "OK")
        for _ in range(600):  # the library lingers over some of them
            if ask.descriptors() <= ask.idle:
                break
            time.sleep(0.1)
        self.assertEqual(ask.descriptors(), ask.idle)

    def test_limits(self):
        ask, name = self.service, self.service.session()
        head = (f"POST /initialize/{name} HTTP/1.1\r\nHost: localhost\r\n"
                "Content-Length: %d\r\n\r\n")
        self.assertIn(b"a body of 16777217 bytes; at most 16777216",
                      ask.reply((head % (2 ** 24 + 1)).encode()))
        self.assertIn(b"a body needs a Content-Length, and no "
                      b"Transfer-Encoding", ask.reply(
                          f"POST /initialize/{name} HTTP/1.1\r\nHost: [::1]\r\n"
                          "Transfer-Encoding: chunked\r\n\r\n".encode()))
        self.refused(ask.get("/" + "a" * 600), 414,
                     "a path of 601 bytes; at most 511")

    def test_pages_of_other_sites(self):
        ask = self.service
        own = f"http://127.0.0.1:{ask.port}"
        self.assertEqual(ask.get("/ping", headers={"Origin": own}).text, "OK")
        self.assertEqual(ask.get("/ping",
                                 headers={"Origin": "file://"}).text, "OK")
        for origin in ("http://evil.example", own + ".evil.example", "null"):
            self.refused(ask.get("/ping", headers={"Origin": origin}), 403,
                         "pages of other sites may not use this service")
        self.assertIsNone(ask.attach("/attachSession/" + ask.session(),
                                     "Origin: null"))

    def test_what_browsers_fetch_for_other_sites(self):
        """An image, a form or a frame of theirs sends no origin."""
        ask = self.service
        for site in ("cross-site", "same-site"):
            for spelt in ("Sec-Fetch-Site", "sec-fetch-site"):
                for mode in ("no-cors", "navigate"):
                    self.refused(ask.get("/createSession", headers={
                        spelt: site, "Sec-Fetch-Mode": mode}), 403,
                        "pages of other sites may not use this service")
            self.assertEqual(ask.get("/", headers={
                "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}).status,
                403)
            # who follows a link comes by their own wish
            self.assertEqual(ask.get("/", headers={
                "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}).status,
                200)
            self.assertIsNone(ask.attach("/attachSession/" + ask.session(),
                                         f"Sec-Fetch-Site: {site}"))
        for site in ("same-origin", "none"):
            self.assertEqual(ask.get("/ping", headers={
                "Sec-Fetch-Site": site}).text, "OK")

    def test_names_that_anybody_may_have_lead_here(self):
        """A page of such a name would be of the service's own origin."""
        ask = self.service
        for host in ("evil.example", f"evil.example:{ask.port}", "xlocalhost",
                     "127.0.0.1.evil.example", "localhost.evil.example", "x:1"):
            for path in ("/ping", "/", "/api/v1"):
                answer = ask.get(path, headers={
                    "Host": host, "Origin": "http://" + host})
                self.assertEqual(answer.status, 403, host)
                self.assertIn("without a token this service is asked for as "
                              "localhost or by its address only", answer.text)
            self.assertIsNone(ask.attach("/attachSession/" + ask.session(),
                                         host=host))
        for host in ("localhost", "LOCALHOST:1", "tutti.localhost:8082",
                     "127.0.0.1", "10.0.0.7:80", "[::1]:80", ""):
            self.assertEqual(ask.get("/ping", headers={"Host": host}).text,
                             "OK", host)


def listening(port):
    """Addresses this machine listens on at the port, as the system has it."""
    found = []
    for name, kind in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        with open("/proc/net/" + name, encoding="ascii") as f:
            for line in list(f)[1:]:
                at, state = line.split()[1], line.split()[3]
                if state == "0A" and int(at[-4:], 16) == port:
                    words = bytes.fromhex(at[:-5])
                    found.append(socket.inet_ntop(kind, b"".join(
                        words[i:i + 4][::-1] for i in range(0, len(words), 4))))
    return found


def answers(address, port):
    try:
        socket.create_connection((address, port), 10).close()
    except OSError:
        return False
    return True


class Address(unittest.TestCase):
    def test_it_listens_where_it_was_asked_to_and_nowhere_else(self):
        for options, wanted, words in (
                ((), "127.0.0.1", "127.0.0.1"),
                (("--bind", "localhost"), "127.0.0.1", "127.0.0.1"),
                (("--bind", "127.0.0.2"), "127.0.0.2", "127.0.0.2"),
                (("--bind", "::1"), "::1", "[::1]"),
                (("--bind", "lo"), "127.0.0.1", "127.0.0.1"),
                (("--bind", "0.0.0.0", "--token", "t"), "0.0.0.0",
                 "127.0.0.1")):
            service = Service(*options)
            port = service.port
            self.assertEqual(listening(port), [wanted])
            self.assertEqual(service.words, f"open http://{words}:{port}/ in "
                             "a browser; the service answers there too\n")
            self.assertEqual(
                [answers(a, port) for a in ("127.0.0.1", "127.0.0.2", "::1")],
                [wanted in (a, "0.0.0.0") and (":" in a) == (":" in wanted)
                 for a in ("127.0.0.1", "127.0.0.2", "::1")])
            self.assertEqual(service.end(), (0, "", "", []))

    def test_addresses_that_are_none_of_this_machine(self):
        for address in ("127.evil", "192.0.2.254", "nowhere0"):
            done = subprocess.run(
                [TUTTI, "serve", "--port", "0", "--bind", address,
                 "--token", "t"], text=True, capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (
                2, f"tutti: cannot listen on {address} port 0: is the address "
                "of this machine, and the port free?\n"))


class Token(ServiceTest):
    OPTIONS = ("--token", "s3cret", "--bind", "0.0.0.0")

    def test_who_has_it_may_use_any_name(self):
        right = {"Authorization": "Bearer s3cret", "Host": "tutti.example",
                 "Origin": "http://tutti.example"}
        self.assertEqual(self.service.get("/ping", headers=right).text, "OK")

    def test_only_the_right_token_opens(self):
        ask = self.service
        for given in (None, "s3cret", "Bearer ", "Bearer s3cre",
                      "Bearer s3crets3cret", "Bearer S3cret"):
            headers = {"Authorization": given} if given else {}
            self.refused(ask.get("/createSession", headers=headers), 401,
                         "this service needs a token: Authorization: Bearer "
                         "TOKEN")
        right = {"Authorization": "Bearer s3cret"}
        self.assertEqual(ask.get("/status", headers=right).json(), [])


class TokenFile(unittest.TestCase):
    def test_its_first_line_is_wanted(self):
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "token")
            with open(path, "w", encoding="utf-8") as f:
                f.write("  a secret of length\nand a remark\n")
            service = Service("--token-file", path)
            for token, status in (("a secret of length", 200),
                                  ("a secret of lengt", 401)):
                headers = {"Authorization": f"Bearer {token}"}
                self.assertEqual(
                    service.get("/status", headers=headers).status, status)
            self.assertEqual(service.end(), (0, "", "", []))


class Dripping(ServiceTest):
    """A byte now and then, for ever: it is not waited for."""
    OPTIONS = ("--upload-time", "0.5")
    BOUNDARY = b"--x\r\nContent-Disposition: form-data; filename=a\r\n\r\n"

    def drip(self, head, first=b""):
        """What comes back when a body of 1000 bytes does not."""
        with socket.create_connection(("127.0.0.1", self.service.port),
                                      60) as s:
            s.sendall(head + b"Content-Length: 1000\r\n\r\n" + first)
            s.settimeout(0.05)
            answer = b""
            while b"\r\n\r\n" not in answer:
                try:
                    piece = s.recv(65536)
                    if not piece:
                        break
                    answer += piece
                except socket.timeout:
                    s.sendall(b"y")
            return answer

    def test_bodies_that_do_not_end(self):
        name = self.service.session()
        for head, first in (
                (f"POST /initialize/{name} HTTP/1.1\r\nHost: localhost\r\n",
                 b""),
                (f"POST /upload/{name} HTTP/1.1\r\nHost: localhost\r\n"
                 "Content-Type: multipart/form-data; boundary=x\r\n",
                 self.BOUNDARY),
                (f"PUT /api/v1/sessions/{name}/files/a HTTP/1.1\r\n"
                 "Host: localhost\r\n", b""),
                # refused, and not even then
                ("POST /initialize/nobody HTTP/1.1\r\nHost: localhost\r\n",
                 b"")):
            answer = self.drip(head.encode(), first)
            self.assertRegex(answer, b"^HTTP/1.. (408|404) ")
        self.service.await_idle()

    def test_the_words(self):
        name = self.service.session()
        with socket.create_connection(("127.0.0.1", self.service.port),
                                      60) as s:
            s.sendall((f"POST /initialize/{name} HTTP/1.1\r\n"
                       "Host: localhost\r\nContent-Length: 65536\r\n\r\n"
                       ).encode())
            s.settimeout(0.05)
            answer = b""
            while b"upload-time" not in answer:
                try:
                    answer += s.recv(65536)
                except socket.timeout:
                    s.sendall(b"y")
        self.assertRegex(answer, rb"[0-9]+ of 65536 bytes came in the 1\.5 s a "
                         rb"body of this size may take \(--upload-time\)")

    def test_who_is_quick_is_not_hurried(self):
        name = self.service.session()
        self.assertEqual(self.service.post("/initialize/" + name,
                                           tank()).status, 200)


class Descriptors(unittest.TestCase):
    """More connections than a process may have files."""

    def ticks(self, service):
        with open(f"/proc/{service.process.pid}/stat", encoding="utf-8") as f:
            words = f.read().rsplit(")", 1)[1].split()
        return int(words[11]) + int(words[12])

    def test_the_service_waits_and_goes_on(self):
        service = Service(descriptors=96)
        wires = []
        for _ in range(200):  # those it has no room for wait before its door
            wire = socket.socket()
            wire.setblocking(False)
            wire.connect_ex(("127.0.0.1", service.port))
            wires.append(wire)
        before = service.descriptors()
        while service.descriptors() != before:
            before = service.descriptors()
        begun, used = time.monotonic(), self.ticks(service)
        while time.monotonic() < begun + 3:
            time.sleep(0.1)
        spent = self.ticks(service) - used
        # a loop that does not wait takes whatever it gets of a processor
        self.assertLess(spent, 10 if not SANITIZED else 20)
        self.assertLess(service.descriptors(), 96 / 2)  # room for files
        for wire in wires:
            wire.close()
        self.assertEqual(service.get("/ping").text, "OK")
        name = service.session(tank())
        self.assertEqual(service.post("/simulate/" + name,
                                      {"endTime": 1}).status, 200)
        self.assertEqual(service.end(), (0, "", "", []))


class Expiry(ServiceTest):
    OPTIONS = ("--expire", "5")

    def test_forgotten_sessions_go(self):
        name = self.service.session()
        self.assertEqual(self.service.state(name), "Unitialized")
        while self.service.get("/status").json():
            time.sleep(0.1)

    def held_job(self):
        """The short process that somebody waits for, held up; or None."""
        service = self.service.process.pid
        with open(f"/proc/{service}/task/{service}/children",
                  encoding="ascii") as f:
            pids = [int(p) for p in f.read().split()]
        for pid in pids:
            try:
                os.kill(pid, signal.SIGSTOP)
                with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
                    state = f.read().rsplit(")", 1)[1].split()[0]
            except OSError:
                continue  # it has ended
            if state != "Z":
                return pid
        return None

    def test_a_session_whose_answer_is_awaited_stays(self):
        ask, name = self.service, self.service.session()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            job = None
            while not job:  # it was quicker than we are
                answer = pool.submit(ask.post, "/initialize/" + name, tank())
                while not job and not answer.done():
                    job = self.held_job()
            time.sleep(7)
            os.kill(job, signal.SIGCONT)
            self.assertEqual(answer.result().status, 200,
                             answer.result().text)


if __name__ == "__main__":
    unittest.main()
