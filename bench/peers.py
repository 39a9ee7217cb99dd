# SPDX-License-Identifier: MIT
"""Other engines' command lines, from peers.json: a list of
{"name": ..., "command": [...]}, where {scenario} {fmu} {folder} {n} {step}
{end} in the words stand for what to play. Two braces are one.

What is wrong with it is told before anything is measured."""
import difflib
import json
import os
import shutil

PLACES = ("scenario", "fmu", "folder", "n", "step", "end")


class Bad(Exception):
    """A peers.json that cannot be used, in words for its author."""


def load(folders):
    """The peers of all these folders' peers.json; there need be none."""
    found = []
    for folder in folders:
        path = os.path.join(folder, "peers.json")
        if os.path.exists(path):
            found += read(path)
    names = [p["name"] for p in found]
    for name in names:
        if names.count(name) > 1:
            raise Bad(f"two peers are called '{name}'")
    return found


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            peers = json.load(f)
    except json.JSONDecodeError as e:
        raise Bad(f"{path}:{e.lineno}:{e.colno}: {e.msg}") from None
    except (OSError, UnicodeDecodeError) as e:
        raise Bad(f"cannot read {path}: {e}") from None
    if not isinstance(peers, list):
        raise Bad(f"{path}: a list of peers is wanted: "
                  '[{"name": "other", "command": ["other", "{scenario}"]}]')
    for i, peer in enumerate(peers):
        check(f"{path}: peer {i + 1}", peer)
    return peers


def check(where, peer):
    if not isinstance(peer, dict):
        raise Bad(f'{where}: it must be an object with "name" and "command"')
    for key in peer:
        if key not in ("name", "command"):
            raise Bad(f"{where}: unknown member '{key}'"
                      + meant(key, ("name", "command")))
    name, command = peer.get("name"), peer.get("command")
    if not isinstance(name, str) or not name:
        raise Bad(f'{where}: "name" must be a text')
    where += f" '{name}'"
    if (not isinstance(command, list) or not command
            or not all(isinstance(word, str) for word in command)):
        raise Bad(f'{where}: "command" must be a list of texts, the program '
                  "first")
    for word in command:
        try:
            word.format(**dict.fromkeys(PLACES, 0))
        except KeyError as e:
            raise Bad(f"{where}: '{word}' has no meaning for {{{e.args[0]}}}"
                      + meant(e.args[0], PLACES)) from None
        except (ValueError, IndexError, AttributeError) as e:
            raise Bad(f"{where}: '{word}': {e}") from None
    if not shutil.which(command[0]):
        raise Bad(f"{where}: there is no program '{command[0]}'")


def meant(word, among):
    near = difflib.get_close_matches(word, among, 1)
    return f", did you mean '{near[0]}'?" if near else ""


def words(peer, fill):
    return [word.format(**fill) for word in peer["command"]]
