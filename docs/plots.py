#!/usr/bin/env python3
"""Draws docs/scaling.svg from docs/scaling.csv.

    python3 docs/plots.py measure > docs/scaling.csv     # some 20 minutes
    python3 docs/plots.py

measure runs `go run ./docs/bench` for each point. CPU per bundle is drawn, since the
load of the machine touches it less than a rate.
"""
import csv
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = ["plot", "x", "bundles", "criteria", "words", "cpu_us", "bundles_per_second", "load"]
SMALL = {"criteria": 2, "words": 60}
POINTS = (
    [("runs", n, dict(SMALL, bundles=5 * n)) for n in (100, 1000, 10000, 100000)]
    + [("criteria", n, {"criteria": n, "bundles": 500}) for n in (1, 3, 10, 30, 50)]
    + [("KB of text", kb, {"words": kb * 1000 // 7, "bundles": max(50, 1000 // kb)}) for kb in (1, 10, 100, 900)]
)


def measure():
    out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    out.writeheader()
    for plot, x, change in POINTS:
        o = dict({"bundles": 1000, "criteria": 10, "words": 800}, **change)
        load = "%.1f" % os.getloadavg()[0]
        args = [a for k, v in o.items() for a in ("--" + k, str(v))]
        r = json.loads(subprocess.run(["go", "run", "./docs/bench", "--format", "json", "--sync", "2m", *args], cwd=os.path.dirname(HERE), check=True, capture_output=True).stdout)
        out.writerow(dict(o, plot=plot, x=x, cpu_us=round(r["cpu_us"]["bundle"]), bundles_per_second=round(r["bundles_per_second"]), load=load))
        sys.stdout.flush()


def axis(values):
    """The decades that hold the values."""
    return math.floor(math.log10(min(values))), max(math.ceil(math.log10(max(values))), math.floor(math.log10(min(values))) + 1)


def name(v):
    return f"{v // 1000:,},000" if v >= 1000 and v % 1000 == 0 else str(v)


def draw():
    with open(os.path.join(HERE, "scaling.csv")) as f:
        rows = list(csv.DictReader(f))
    w, h, left, top = 210, 150, 60, 30
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {3 * (w + left) + 20} {h + top + 45}" font-family="sans-serif" font-size="11">',
           "<style>text{fill:#444}.g{stroke:#999;stroke-opacity:.4}.a{stroke:#1f6feb;fill:#1f6feb}"
           "polyline{fill:none!important;stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#ccc}}</style>"]
    low, high = axis([float(r["cpu_us"]) for r in rows])
    for i, plot in enumerate(dict.fromkeys(r["plot"] for r in rows)):
        mine = [r for r in rows if r["plot"] == plot]
        x0 = left + i * (w + left)
        first, last = axis([float(r["x"]) for r in mine])
        px = lambda x: x0 + w * (math.log10(x) - first) / (last - first)
        py = lambda y: top + h * (1 - (math.log10(y) - low) / (high - low))
        svg.append(f'<text x="{x0}" y="{top - 12}" font-weight="bold">CPU of a bundle, by {plot}</text>')
        for d in range(low, high + 1):
            svg.append(f'<path class="g" d="M{x0} {py(10 ** d):.1f}h{w}"/><text x="{x0 - 4}" y="{py(10 ** d) + 4:.1f}" text-anchor="end">{10 ** d / 1000:g} ms</text>')
        for r in mine:
            svg.append(f'<text x="{px(float(r["x"])):.1f}" y="{top + h + 15}" text-anchor="middle">{name(int(r["x"]))}</text>')
        at = [(px(float(r["x"])), py(float(r["cpu_us"]))) for r in mine]
        svg.append(f'<polyline class="a" points="{" ".join("%.1f,%.1f" % p for p in at)}"/>')
        svg += [f'<circle class="a" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in at]
    y = top + h + 36
    svg.append(f'<circle class="a" cx="{left}" cy="{y - 4}" r="3"/><text x="{left + 8}" y="{y}">in all, the server and the publisher included</text></svg>')
    with open(os.path.join(HERE, "scaling.svg"), "w") as f:
        f.write("\n".join(svg) + "\n")


if sys.argv[1:] == ["measure"]:
    measure()
elif len(sys.argv) == 1:
    draw()
else:
    sys.exit(__doc__)
