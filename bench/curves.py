# SPDX-License-Identifier: MIT
"""Curves of bench.py's rows: ns per unit and step over n, both axes by
decades, Tutti in full and the floor in dashes."""
import math

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 190, 44, 48
COLOUR = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
          "#000000"]
STYLE = ("text{font:13px sans-serif;fill:#333}"
         ".title{font-size:15px;font-weight:bold}"
         ".grid{stroke:#ddd}.curve{fill:none;stroke-width:2}"
         ".floor{stroke-dasharray:5 4}")


class Axes:
    def __init__(self, xs, ys):
        self.x0, self.x1 = decades(xs)
        self.y0, self.y1 = decades(ys)

    def x(self, v):
        share = (math.log10(v) - self.x0) / (self.x1 - self.x0)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, v):
        share = (math.log10(v) - self.y0) / (self.y1 - self.y0)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def grid(self):
        for e in range(self.x0, self.x1 + 1):
            x = self.x(10 ** e)
            yield f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" ' \
                f'y2="{HEIGHT - BOTTOM}"/>'
            yield text(x, HEIGHT - BOTTOM + 18, f"{10 ** e:,}", "middle")
        for e in range(self.y0, self.y1 + 1):
            y = self.y(10 ** e)
            yield f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" ' \
                f'x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>'
            yield text(LEFT - 8, y + 4, f"{10 ** e:,}", "end")


def decades(values):
    low = math.floor(math.log10(min(values)))
    return low, max(low + 1, math.ceil(math.log10(max(values))))


def class_of(kind):
    return f' class="{kind}"' if kind else ""


def text(x, y, words, anchor="start", kind=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"' \
        f'{class_of(kind)}>{words}</text>'


def series(rows):
    """name -> [(n, tutti, floor)] of what is measured per unit and step, for
    more than one n: a point is no curve."""
    out = {}
    for r in rows:
        if r["unit"] == "ns per unit and step":
            out.setdefault(r["name"], []).append(
                (r["n"], r["tutti"], r["floor"]))
    return {name: points for name, points in out.items() if len(points) > 1}


def path(axes, points, colour, kind):
    d = " ".join(f"{'M' if i == 0 else 'L'}{axes.x(n):.1f} {axes.y(v):.1f}"
                 for i, (n, v) in enumerate(points))
    return f'<path class="curve {kind}" stroke="{colour}" d="{d}"/>'


def draw(rows):
    all_ = series(rows)
    values = [v for points in all_.values() for p in points for v in p[1:]]
    axes = Axes([p[0] for points in all_.values() for p in points], values)
    out = ['<?xml version="1.0" encoding="UTF-8"?>',
           '<!-- SPDX-License-Identifier: MIT; made by bench/bench.py -->',
           f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
           f'height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">',
           f"<style>{STYLE}</style>",
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           text(LEFT, 24, "CPU time per instance and step, ns", kind="title"),
           text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, "instances", "middle")]
    out += axes.grid()
    for i, (name, points) in enumerate(all_.items()):
        colour = COLOUR[i % len(COLOUR)]
        out.append(path(axes, [p[:2] for p in points], colour, "tutti"))
        out.append(path(axes, [(p[0], p[2]) for p in points], colour, "floor"))
        y = TOP + 10 + 22 * i
        out.append(f'<line x1="{WIDTH - RIGHT + 14}" y1="{y - 4}" '
                   f'x2="{WIDTH - RIGHT + 38}" y2="{y - 4}" '
                   f'stroke="{colour}" stroke-width="2"/>')
        out.append(text(WIDTH - RIGHT + 44, y, name))
    out.append(text(WIDTH - RIGHT + 14, HEIGHT - BOTTOM, "dashed: the floor"))
    out.append("</svg>")
    return "\n".join(out) + "\n"
