"""A drawing of boxes in layers, with arrows between them, as SVG that browsers show in light and dark."""

from collections.abc import Collection, Mapping, Sequence
from html import escape
from itertools import pairwise

_WIDTH, _HEIGHT, _GAP, _BETWEEN, _MARGIN = 168, 28, 12, 38, 16
"""Sizes of a box; the distances between boxes of a layer, between layers, and around the drawing."""

_SWEEPS = 24

Pair = tuple[str, str]

Bend = tuple[str, str, int]
"""A point where an arrow passes through a layer: the boxes that it joins, and the layer."""

Node = str | Bend
Way = list[Node]

_STYLE = """\
  <style>
    :root { color-scheme: light dark; }
    .paper { fill: #ffffff; }
    .box { fill: #eef3f8; stroke: #3d5a80; stroke-width: 1.2; }
    .late { fill: #f7f0e4; stroke: #8a6d3b; }
    .line { stroke: #7a8794; stroke-width: 1.2; fill: none; }
    .tip { fill: #7a8794; }
    .name { fill: #17202a; }
    @media (prefers-color-scheme: dark) {
      .paper { fill: #15191f; }
      .box { fill: #1f2b3a; stroke: #8fb4dd; }
      .late { fill: #332a1a; stroke: #d9b778; }
      .line { stroke: #8a96a2; }
      .tip { fill: #8a96a2; }
      .name { fill: #f2f5f8; }
    }
  </style>
  <defs>
    <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">\
<path class="tip" d="M0 0 8 4 0 8z"/></marker>
  </defs>"""


def drawing(title: str, description: str, names: Sequence[str], pairs: Collection[Pair], late: Collection[str]) -> str:
    """Draw boxes from top to bottom, each below all that lead to it; leave out an arrow if other arrows join its boxes.

    Parameters
    ----------
    title, description
        Text for readers who cannot see the drawing.
    names
        The boxes; their order breaks ties.
    pairs
        Arrows from one box to another, without cycles.
    late
        The boxes to draw in the second colour.
    """
    arrows = sorted(_needed(pairs))
    ways = _ways(_depths(names, pairs), arrows)
    rows = _ordered(_rows(names, pairs, ways), ways)
    places = _places(rows)
    width = max(x + _width(name) / 2 for name, (x, _) in places.items()) + _MARGIN
    height = len(rows) * (_HEIGHT + _BETWEEN) - _BETWEEN + 2 * _MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img" aria-labelledby="title desc"',
        '     font-family="ui-monospace, monospace" font-size="13">',
        f'  <title id="title">{escape(title)}</title>',
        f'  <desc id="desc">{escape(description)}</desc>',
        _STYLE,
        f'  <rect class="paper" width="{width:.0f}" height="{height}" rx="10"/>',
        *(f'  <path class="line" d="{_curve([places[each] for each in way])}" marker-end="url(#arrow)"/>' for way in ways),
        *(_box(name, *places[name], "box late" if name in late else "box") for name in names),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _needed(pairs: Collection[Pair]) -> set[Pair]:
    """Return the pairs that no longer path joins."""
    after = _after(pairs)
    return {(a, b) for a, b in pairs if not any(b in after[between] for between in after[a] if between != b)}


def _after(pairs: Collection[Pair]) -> dict[str, set[str]]:
    """Return the boxes that can be reached from each box."""
    after: dict[str, set[str]] = {name: set() for pair in pairs for name in pair}
    for _ in after:
        for a, b in pairs:
            after[a] |= {b} | after[b]
    return after


def _depths(names: Sequence[str], pairs: Collection[Pair]) -> dict[str, int]:
    """Return the layer of each box: one below the lowest that leads to it."""
    depths = dict.fromkeys(names, 0)
    for _ in names:
        for a, b in pairs:
            depths[b] = max(depths[b], depths[a] + 1)
    return depths


def _ways(depths: Mapping[str, int], arrows: Sequence[Pair]) -> list[Way]:
    """Return the nodes of each arrow: two boxes, and a bend in each layer between them."""
    return [[a, *((a, b, layer) for layer in range(depths[a] + 1, depths[b])), b] for a, b in arrows]


def _rows(names: Sequence[str], pairs: Collection[Pair], ways: Sequence[Way]) -> list[list[Node]]:
    depths = _depths(names, pairs)
    rows: list[list[Node]] = [[] for _ in range(max(depths.values()) + 1)]
    for name in names:
        rows[depths[name]].append(name)
    for bend in (node for way in ways for node in way if isinstance(node, tuple)):
        rows[bend[2]].append(bend)
    return rows


def _ordered(rows: list[list[Node]], ways: Sequence[Way]) -> list[list[Node]]:
    """Order each layer by the places of the nodes to which its nodes are joined, alternately from the top and from the bottom."""
    above: dict[Node, list[Node]] = {node: [] for row in rows for node in row}
    below: dict[Node, list[Node]] = {node: [] for row in rows for node in row}
    for a, b in (pair for way in ways for pair in pairwise(way)):
        above[b].append(a)
        below[a].append(b)
    for sweep in range(_SWEEPS):
        places = _places(rows)
        joined, layers = (above, range(1, len(rows))) if sweep % 2 == 0 else (below, range(len(rows) - 2, -1, -1))
        for layer in layers:
            # A node without neighbours keeps its place.
            found = {node: _mean([places[each][0] for each in joined[node]] or [places[node][0]]) for node in rows[layer]}
            rows[layer] = sorted(rows[layer], key=found.__getitem__)
            places |= _places(rows)
    return rows


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _places(rows: Sequence[Sequence[Node]]) -> dict[Node, tuple[float, float]]:
    """Return the centre of each node; layers are centred on the widest."""
    widths = [sum(map(_width, row)) + _GAP * (len(row) - 1) for row in rows]
    places: dict[Node, tuple[float, float]] = {}
    for depth, (row, width) in enumerate(zip(rows, widths, strict=True)):
        left = _MARGIN + (max(widths) - width) / 2
        for node in row:
            places[node] = (left + _width(node) / 2, _MARGIN + depth * (_HEIGHT + _BETWEEN) + _HEIGHT / 2)
            left += _width(node) + _GAP
    return places


def _width(node: Node) -> int:
    return _WIDTH if isinstance(node, str) else 0


def _curve(way: Sequence[tuple[float, float]]) -> str:
    """Draw a line from the bottom of the first node, straight through the bends, to the top of the last."""
    half = _HEIGHT / 2
    told = [f"M{way[0][0]:.0f} {way[0][1] + half:.0f}"]
    for n, (to_x, to_y) in enumerate(way[1:], start=1):
        top, bottom = way[n - 1][1] + half, to_y - half
        middle = (top + bottom) / 2
        told.append(f"C{way[n - 1][0]:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {bottom:.0f}")
        if n < len(way) - 1:
            told.append(f"V{to_y + half:.0f}")
    return "".join(told)


def _box(name: str, x: float, y: float, style: str) -> str:
    left, top = x - _WIDTH / 2, y - _HEIGHT / 2
    return (
        f'  <rect class="{style}" x="{left:.0f}" y="{top:.0f}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>'
        f'<text class="name" text-anchor="middle" x="{x:.0f}" y="{y + 4.5:.0f}">{escape(name)}</text>'
    )
