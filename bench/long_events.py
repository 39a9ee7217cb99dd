#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Many discrete events: 1e8 transitions of one network and three times as many,
between which memory must not grow (before, buffers of rows are filled), and
what one costs in networks of other sizes. `make long` runs this;
long_events.py BUILD [TRANSITIONS] makes a shorter one."""
import math
import os
import resource
import subprocess
import sys

import devstone

SIZES = (20, 5), (100, 10), (300, 30)
NETWORK = 100, 10
GROWTH_MOST = 1024    # KiB, from 1e8 transitions to 3e8
COST_MOST = 1.5       # times log N: larger networks leave the cache, too
ALONE = 30, 300, 3000     # units that have each event at a time of their own


def measure(command):
    """Seconds of CPU time and KiB of memory at most."""
    pid = os.posix_spawn(command[0], command, os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull,
                                        os.O_WRONLY, 0)])
    _, status, use = os.wait4(pid, 0)
    if status:
        raise subprocess.CalledProcessError(status, command)
    return use.ru_utime + use.ru_stime, use.ru_maxrss


class Long:
    def __init__(self, build, n):
        self.tutti = os.path.join(build, "tutti")
        self.out = os.path.join(build, "bench")
        self.n = n
        self.missed = []
        os.makedirs(self.out, exist_ok=True)

    def run(self, name):
        path = os.path.join(self.out, name)
        return measure([self.tutti, "run", path, "-o",
                        os.path.join(self.out, "long.csv")])

    def play(self, width, depth, end):
        devstone.write_scenario(os.path.join(self.out, "long.json"), "table",
                                "HI", width, depth, end)
        return self.run("long.json")

    def memory(self):
        each = sum(devstone.transitions("HI", *NETWORK))
        ends = [max(1, round(k * self.n / each)) for k in (0.1, 1, 3)]
        runs = [self.play(*NETWORK, end) for end in ends]
        for end, (cpu, kib) in zip(ends, runs):
            print(f"{end * each:>12} transitions: {cpu:9.2f} s, {kib} KiB")
        grown = runs[-1][1] - runs[-2][1]
        if grown > GROWTH_MOST:
            self.missed.append(f"memory grew by {grown} KiB, at most "
                               f"{GROWTH_MOST}")

    def costs(self, what, sizes, play):
        """ns per transition, without what a short run costs."""
        costs = []
        for size in sizes:
            units, n, runs = play(size)
            cost = 1e9 * (runs[1] - runs[0]) / n
            costs.append((units, cost))
            print(f"{what}, {units:>6} units: {cost:8.1f} ns per transition")
        return costs

    def growth(self):
        def play(size):
            each = sum(devstone.transitions("HI", *size))
            end = max(3, self.n // 20 // each)
            runs = [self.play(*size, e)[0] for e in (end, 3 * end)]
            return devstone.size("HI", *size), 2 * end * each, runs

        costs = self.costs("together", SIZES, play)
        (first, low), (last, high) = costs[0], costs[-1]
        most = COST_MOST * low * math.log2(last) / math.log2(first)
        if high > most:
            self.missed.append(f"{last} units take {high:.1f} ns per "
                               f"transition, at most {most:.1f}")

    def alone(self):
        """Generators with times of their own: an instant for each event, with
        rows of all of them. Has no gate: `make bench` counts the rest."""
        def play(n):
            end = max(1, self.n // 2000 // n)
            runs = []
            for e in (end, 3 * end):
                devstone.write_alone(os.path.join(self.out, "long.json"), n, e)
                runs.append(self.run("long.json")[0])
            return n, 2 * end * n, runs

        self.costs("each by itself", ALONE, play)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    long = Long(sys.argv[1], int(float((sys.argv[2:] or ["1e8"])[0])))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    long.memory()
    long.growth()
    long.alone()
    for words in long.missed:
        print(f"missed: {words}")
    return 1 if long.missed else 0


if __name__ == "__main__":
    sys.exit(main())
