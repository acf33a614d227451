"""Charts as SVG: lines and points on two linear axes. Enough for the figures of the papers, and it needs no library."""
import html
import math

COLOURS = ("#1b6ca8", "#c44e52", "#55a868", "#8172b2", "#937860", "#da8bc3", "#4c4c4c", "#e0a030")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 560, 360, 64, 48, 16, 170


def ticks(low, high):
    span = high - low
    step = 10 ** math.floor(math.log10(span / 4))
    step *= next(m for m in (1, 2, 5, 10) if span / (m * step) <= 6)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, int(math.floor(high / step + 1e-9)) + 1)]


def chart(series, x, y, diagonal=False, zero=None):
    """series: {name: (xs, ys)} or {name: (xs, ys, lows, highs)}; a name that ends in " (points)" is not joined."""
    xs = [float(v) for s in series.values() for v in s[0]]
    ys = [float(v) for s in series.values() for part in s[1:] for v in part if v is not None and math.isfinite(v)]
    if zero is not None:
        ys.append(zero)
    x0, x1, y0, y1 = min(xs), max(xs), min(ys), max(ys)
    pad = lambda a, b: ((b - a) or abs(b) or 1) * 0.05
    x0, x1, y0, y1 = x0 - pad(x0, x1), x1 + pad(x0, x1), y0 - pad(y0, y1), y1 + pad(y0, y1)
    px = lambda v: LEFT + (v - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)
    py = lambda v: HEIGHT - BOTTOM - (v - y0) / (y1 - y0) * (HEIGHT - BOTTOM - TOP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="DejaVu Sans, sans-serif" font-size="11">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    line = lambda a, b, c, d, colour, dash="": out.append(
        f'<line x1="{a:.1f}" y1="{b:.1f}" x2="{c:.1f}" y2="{d:.1f}" stroke="{colour}"{dash}/>')
    text = lambda a, b, words, anchor="middle", more="": out.append(
        f'<text x="{a:.1f}" y="{b:.1f}" text-anchor="{anchor}"{more}>{html.escape(words)}</text>')
    for v in ticks(x0, x1):
        line(px(v), py(y0), px(v), py(y1), "#e5e5e5")
        text(px(v), HEIGHT - BOTTOM + 16, f"{v:g}")
    for v in ticks(y0, y1):
        line(px(x0), py(v), px(x1), py(v), "#e5e5e5")
        text(LEFT - 6, py(v) + 4, f"{v:.4g}", "end")
    text((px(x0) + px(x1)) / 2, HEIGHT - 10, x)
    text(14, (py(y0) + py(y1)) / 2, y, "middle", f' transform="rotate(-90 14 {(py(y0) + py(y1)) / 2:.1f})"')
    dash = ' stroke-dasharray="4 3"'
    if diagonal:
        a, b = max(x0, y0), min(x1, y1)
        line(px(a), py(a), px(b), py(b), "#888", dash)
    if zero is not None:
        line(px(x0), py(zero), px(x1), py(zero), "#888", dash)
    for i, (name, s) in enumerate(series.items()):
        colour, joined = COLOURS[i % len(COLOURS)], not name.endswith(" (points)")
        points = [(px(float(a)), py(float(b))) for a, b in zip(s[0], s[1]) if b is not None and math.isfinite(b)]
        if joined:
            out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.6" points="'
                       + " ".join(f"{a:.1f},{b:.1f}" for a, b in points) + '"/>')
        if len(points) <= 40 or not joined:
            out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.6" fill="{colour}"/>' for a, b in points]
        if len(s) == 4:
            for a, low, high in zip(s[0], s[2], s[3]):
                line(px(float(a)), py(float(low)), px(float(a)), py(float(high)), colour)
        y_of = TOP + 14 + 16 * i
        out.append(f'<rect x="{WIDTH - RIGHT + 12}" y="{y_of - 8}" width="10" height="10" fill="{colour}"/>')
        text(WIDTH - RIGHT + 27, y_of + 1, name.removesuffix(" (points)"), "start")
    return "\n".join([*out, "</svg>"]) + "\n"
