# SPDX-License-Identifier: MIT
"""Linear systems of the masses of examples/double-mass-spring-damper, and what they do, computed independently."""
import os


def flow(a, b, x, u0, u1, h):
    """x' = a x + b u over h, u a line from u0 to u1: exact, by its Taylor series."""
    n = len(x)
    slope = [(q - p) / h for p, q in zip(u0, u1)]

    def times(m, v):
        return [sum(m[i][j] * v[j] for j in range(len(v))) for i in range(n)]

    d = [p + q for p, q in zip(times(a, x), times(b, u0))]
    x, factor = list(x), h
    for k in range(1, 30):
        x = [p + factor * q for p, q in zip(x, d)]
        d = times(a, d)
        if k == 1:
            d = [p + q for p, q in zip(d, times(b, slope))]
        factor *= h / (k + 1)
    return x


def left(m=1, c=5, d=1):
    """msd1: x' = a x + b u, y = c x + d u, and where it begins."""
    return [[0, 1], [-c / m, -d / m]], [[0], [1 / m]], [[1, 0], [0, 1]], [[0], [0]], [1.0, 0.0]


def right(m=1, c=0.1, d=0, cc=1, dc=1):
    """msd2, which feels itself in what it puts out."""
    return ([[0, 1], [-(c + cc) / m, -(d + dc) / m]], [[0, 0], [cc / m, dc / m]], [[cc, dc]], [[-cc, -dc]],
            [0.0, 0.0])


class Network:
    """Any number of them. feeds: of each, instance and output per input. step: one in any order, inputs along lines."""

    def __init__(self, parts, feeds):
        self.parts, self.feeds = parts, feeds
        self.x = [p[4] for p in parts]
        self.now = self.before = None
        self.exchange(0)

    def output(self, u, given):
        _, _, c, d, _ = self.parts[u]
        return [sum(p * q for p, q in zip(c[k], self.x[u])) + sum(p * q for p, q in zip(d[k], given))
                for k in range(len(c))]

    def exchange(self, h):
        """What any has to say of its own is enough for those that feel their inputs."""
        value = [self.output(u, [0] * len(f)) for u, f in enumerate(self.feeds)]
        self.before, self.past_h = self.now, h
        self.now = [self.output(u, [value[v][k] for v, k in f]) for u, f in enumerate(self.feeds)]

    def lead(self, v, k, h):
        held = self.now[v][k]
        return held if self.before is None else held + (held - self.before[v][k]) * h / self.past_h

    def step(self, order, h):
        new = {}
        for u in order:
            end = [new[v][k] if v in new else self.lead(v, k, h) for v, k in self.feeds[u]]
            begin = [self.now[v][k] for v, k in self.feeds[u]]
            self.x[u] = flow(self.parts[u][0], self.parts[u][1], self.x[u], begin, end, h)
            new[u] = self.output(u, end)
        self.exchange(h)

    def closed(self):
        """All states as one: x' = a x."""
        kept, columns = self.x, []
        sizes = [len(x) for x in kept]
        for i in range(sum(sizes)):
            unit = [1.0 * (i == k) for k in range(sum(sizes))]
            self.x = [[unit.pop(0) for _ in range(n)] for n in sizes]
            self.exchange(0)
            columns.append([sum(p * q for p, q in zip(row, x)) + sum(p * self.now[v][k] for p, (v, k) in zip(given, f))
                            for (a, b, _, _, _), x, f in zip(self.parts, self.x, self.feeds)
                            for row, given in zip(a, b)])
        self.x, self.now, self.before = kept, None, None
        self.exchange(0)
        return [list(row) for row in zip(*columns)]

    def exact(self, end, n, parts=20):
        """States and outputs at n + 1 instants."""
        a, rows = self.closed(), []
        x = [v for x in self.x for v in x]
        for k in range(n + 1):
            rest = list(x)
            self.x = [[rest.pop(0) for _ in one] for one in self.x]
            self.exchange(0)
            rows.append((list(self.x), list(self.now)))
            for _ in range(parts * (k < n)):
                x = flow(a, [[0]] * len(x), x, [0], [0], end / n / parts)
        return rows


def network(build, version, names, feeds):
    """As a scenario, without settings: feeds are instance, output, instance, input."""
    folder = os.path.join(build, "examples", "double-mass-spring-damper")
    connections = {}
    for here, output, there, given in feeds:
        connections.setdefault(f"{names[here]}.{output}", []).append(f"{names[there]}.{given}")
    return {"fmus": {"{%s}" % m: os.path.join(folder, m + version + ".fmu") for m in ("msd1", "msd2")
                     if any(m in n for n in names)},
            "connections": connections, "transformations": {
                f"{names[t]}.{i}": {"keepUnit": True} for _, output, t, i in feeds if output == "v1" and i == "F"},
            "logVariables": {n: ["x2", "v2"] if "msd2" in n else ["x1", "v1"] for n in names}}
