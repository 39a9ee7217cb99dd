#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What may stand in peers.json, and what is said of the rest."""
import json
import os
import tempfile
import unittest

import peers


class Peers(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.addCleanup(self.temp.cleanup)
        self.path = os.path.join(self.temp.name, "peers.json")

    def load(self, text):
        with open(self.path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        return peers.load([self.temp.name])

    def refused(self, text, words):
        with self.assertRaises(peers.Bad) as caught:
            self.load(text if isinstance(text, (str, bytes))
                      else json.dumps(text))
        self.assertEqual(str(caught.exception),
                         words.replace("FILE", self.path))

    def test_there_need_be_none(self):
        self.assertEqual(peers.load([self.temp.name]), [])
        self.assertEqual(self.load("[]"), [])

    def test_words_are_filled_in(self):
        peer, = self.load('[{"name": "p", "command": '
                          '["sh", "-n", "{n}", "--to={end}", "{{x}}"]}]')
        self.assertEqual(peers.words(peer, {"n": 10, "end": 0.5}),
                         ["sh", "-n", "10", "--to=0.5", "{x}"])

    def test_what_is_no_json_is_told_with_its_place(self):
        self.refused('[{"name": "p",}]', "FILE:1:15: Expecting property name "
                     "enclosed in double quotes")
        self.refused(b"\xff[]", f"cannot read FILE: 'utf-8' codec can't "
                     "decode byte 0xff in position 0: invalid start byte")

    def test_what_is_no_list_of_peers_is_refused(self):
        self.refused({"name": "p"}, "FILE: a list of peers is wanted: "
                     '[{"name": "other", "command": ["other", "{scenario}"]}]')
        self.refused(["sh"], 'FILE: peer 1: it must be an object with "name" '
                     'and "command"')
        self.refused([{"command": ["sh"]}],
                     'FILE: peer 1: "name" must be a text')
        self.refused([{"name": "p", "comand": []}], "FILE: peer 1: unknown "
                     "member 'comand', did you mean 'command'?")
        for command in "sh", [], ["sh", 1], None:
            self.refused([{"name": "p", "command": command}],
                         "FILE: peer 1 'p': \"command\" must be a list of "
                         "texts, the program first")

    def test_two_of_one_name_are_refused(self):
        peer = {"name": "p", "command": ["sh"]}
        self.refused([peer, peer], "two peers are called 'p'")

    def test_places_and_programs_must_exist(self):
        def of(*command):
            return [{"name": "p", "command": command}]
        self.refused(of("sh", "{scenaro}"), "FILE: peer 1 'p': '{scenaro}' "
                     "has no meaning for {scenaro}, did you mean 'scenario'?")
        self.refused(of("sh", "{"), "FILE: peer 1 'p': '{': Single '{' "
                     "encountered in format string")
        self.refused(of("no-such-program-here"), "FILE: peer 1 'p': there is "
                     "no program 'no-such-program-here'")


if __name__ == "__main__":
    unittest.main()
