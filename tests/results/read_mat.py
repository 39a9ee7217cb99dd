#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads a MAT v4 file of results from its description alone, and prints each
variable: name | description | values, exactly (as float.hex), texts as text.
A second opinion for the tests; it shares nothing with src/.

With --killed the file is of a writer that was killed: behind the rows may be
some that it had not counted yet, and the span of times may be that before."""
import struct
import sys

ELEMENT = {0: ("d", 8), 1: ("f", 4), 2: ("i", 4), 3: ("h", 2), 4: ("H", 2),
           5: ("B", 1)}


def matrices(data, killed):
    at, name = 0, b""
    while at < len(data) and not (killed and name == b"data_2\0"):
        mopt, rows, cols, imaginary, length = struct.unpack_from("<5i", data, at)
        assert mopt < 1000 and imaginary == 0
        name = data[at + 20:at + 20 + length]
        assert name.endswith(b"\0")
        code, size = ELEMENT[mopt // 10 % 10]
        at += 20 + length
        flat = struct.unpack_from(f"<{rows * cols}{code}", data, at)
        at += rows * cols * size
        # by columns: element (r, c) is at c * rows + r
        yield name[:-1].decode(), [flat[c * rows:(c + 1) * rows]
                                   for c in range(cols)]


def text(codes):
    return bytes(codes).rstrip(b"\0").decode()


def main():
    killed = sys.argv[2:] == ["--killed"]
    with open(sys.argv[1], "rb") as f:
        found = dict(matrices(f.read(), killed))
    lines = ["".join(chr(column[i]) for column in found["Aclass"]).strip()
             for i in range(4)]
    assert lines == ["Atrajectory", "1.1", "", "binTrans"], lines
    start, stop = (column[0] for column in found["data_1"])
    rows = found["data_2"]
    assert killed or not rows or (start, stop) == (rows[0][0], rows[-1][0])
    texts = [text(t) for t in found.get("texts", [])]
    for name, words, info in zip(found["name"], found["description"],
                                 found["dataInfo"]):
        assert info[0] == (0 if text(name) == "time" else 2), info
        assert info[2:] == (0, -1), info
        values = [row[info[1] - 1] for row in rows]
        if text(words).startswith("line of texts: "):
            shown = [texts[int(v) - 1] for v in values]
        else:
            shown = [v.hex() for v in values]
        print(f"{text(name)} | {text(words)} | {' '.join(shown)}")


if __name__ == "__main__":
    main()
