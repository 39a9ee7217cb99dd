#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the last run of CTest did not test, and why: tools/skipped.py BUILD.
Tests say "skipped: why", or "not tested: why" of a part; unittest says
"... skipped 'why'"."""
import os
import re
import sys

TEST = re.compile(r"^\d+/\d+ Test: (\S+)$")
WHY = re.compile(r"\b(?:skipped|not tested)(?:[:,] | ['\"])(.+?)['\"]?$")


def skips(lines):
    """(test, why) of each, in the order of the log."""
    test = None
    for line in lines:
        line = line.rstrip()
        m = TEST.match(line)
        if m:
            test = m.group(1)
        m = WHY.search(line)
        if m and test:
            yield test, m.group(1)


def main():
    log = os.path.join(sys.argv[1], "Testing", "Temporary", "LastTest.log")
    if not os.path.exists(log): # nothing was tested
        return
    with open(log, encoding="utf-8", errors="replace") as f:
        found = list(dict.fromkeys(skips(f)))
    if found:
        print("\nNot tested here:")
    for test, why in found:
        print(f"  {test}: {why}")


if __name__ == "__main__":
    main()
