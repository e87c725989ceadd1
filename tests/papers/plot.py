"""Line plots as SVG text, with nothing but the standard library: readable in any browser, small enough to inline."""
import math
from html import escape

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 78, 14, 12, 46
LEGEND_LINE = 16
COLOURS = ("#1f5fa8", "#c8422b", "#2e8b4e", "#8757a8", "#b8860b", "#3c9aa5", "#c2578f", "#6b6b6b", "#7a4a21", "#9aa12e")
DASHES = ("", "7 3", "2 3", "9 3 2 3")


class Axis:
    """Maps values to pixels. A log axis drops what is not positive."""

    def __init__(self, values, log, first, last):
        self.log, self.first, self.last = log, first, last
        seen = [self._scaled(v) for v in values if math.isfinite(v) and (not log or v > 0)]
        low, high = (min(seen), max(seen)) if seen else (0.0, 1.0)
        if high - low <= 1e-12 * max(abs(low), abs(high), 1e-300):
            pad = 0.5 if log else max(abs(low) * 0.05, 1e-12)
        else:
            pad = 0.03 * (high - low)
        self.low, self.high = low - pad, high + pad

    def _scaled(self, value):
        return math.log10(value) if self.log else value

    def holds(self, value):
        return math.isfinite(value) and (not self.log or value > 0)

    def place(self, value):
        return self.first + (self._scaled(value) - self.low) / (self.high - self.low) * (self.last - self.first)

    def widen(self, span):
        middle = 0.5 * (self.low + self.high)
        self.low, self.high = middle - 0.5 * span, middle + 0.5 * span

    def ticks(self):
        if self.log and self.high - self.low >= 1:
            every = max(1, math.ceil((self.high - self.low) / 8))
            powers = range(math.ceil(self.low), math.floor(self.high) + 1)
            return [10.0 ** p for p in powers if p % every == 0]
        low, high = (10 ** self.low, 10 ** self.high) if self.log else (self.low, self.high)
        step = nice_step((high - low) / 6)
        first = math.ceil(low / step)
        return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def nice_step(rough):
    scale = 10.0 ** math.floor(math.log10(rough))
    return next(m * scale for m in (1, 2, 5, 10) if m * scale >= rough * (1 - 1e-9))


def tick_labels(ticks):
    """As few digits as tell the ticks apart."""
    for digits in range(5, 12):
        labels = ["%.*g" % (digits, 0.0 if abs(t) < 1e-12 * max(map(abs, ticks)) else t) for t in ticks]
        if len(set(labels)) == len(labels):
            break
    return labels


def lines(x_label, y_label, series, log_x=False, log_y=False, equal=False):
    """series: (label, xs, ys) each; NaN breaks a line."""
    series = [(label, [float(x) for x in xs], [float(y) for y in ys]) for label, xs, ys in series]
    bottom = HEIGHT + (240 if equal else 0)
    x_axis = Axis([x for _, xs, _ in series for x in xs], log_x, LEFT, WIDTH - RIGHT)
    y_axis = Axis([y for _, _, ys in series for y in ys], log_y, bottom - BOTTOM, TOP)
    if equal:
        same_scale(x_axis, y_axis)
    height = bottom + LEGEND_LINE * ((len(series) + 2) // 3) + 6
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" '
             'font-family="sans-serif" font-size="12">' % (WIDTH, height, WIDTH, height),
             '<rect width="100%" height="100%" fill="white"/>']
    parts += frame(x_axis, y_axis, x_label, y_label, bottom)
    for k, (label, xs, ys) in enumerate(series):
        style = line_style(k)
        parts += curve(x_axis, y_axis, xs, ys, style) + legend(k, label, style, bottom)
    return "\n".join(parts + ["</svg>\n"])


def same_scale(x_axis, y_axis):
    pixels_x, pixels_y = abs(x_axis.last - x_axis.first), abs(y_axis.last - y_axis.first)
    per_pixel = max((x_axis.high - x_axis.low) / pixels_x, (y_axis.high - y_axis.low) / pixels_y)
    x_axis.widen(per_pixel * pixels_x)
    y_axis.widen(per_pixel * pixels_y)


def line_style(k):
    dash = DASHES[(k // len(COLOURS)) % len(DASHES)]
    return 'fill="none" stroke="%s" stroke-width="1.6"%s' % (COLOURS[k % len(COLOURS)],
                                                           ' stroke-dasharray="%s"' % dash if dash else "")


def frame(x_axis, y_axis, x_label, y_label, bottom):
    floor, right = bottom - BOTTOM, WIDTH - RIGHT
    parts = []
    for value, label in zip(x_axis.ticks(), tick_labels(x_axis.ticks())):
        at = x_axis.place(value)
        parts.append('<path d="M%.1f %d V%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>'
                     % (at, TOP, floor, at, floor + 16, label))
    for value, label in zip(y_axis.ticks(), tick_labels(y_axis.ticks())):
        at = y_axis.place(value)
        parts.append('<path d="M%d %.1f H%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%s</text>'
                     % (LEFT, at, right, LEFT - 5, at + 4, label))
    parts.append('<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#444"/>'
                 % (LEFT, TOP, right - LEFT, floor - TOP))
    parts.append('<text x="%d" y="%d" text-anchor="middle">%s</text>' % ((LEFT + right) / 2, bottom - 12, escape(x_label)))
    parts.append('<text transform="translate(14 %d) rotate(-90)" text-anchor="middle">%s</text>'
                 % ((TOP + floor) / 2, escape(y_label)))
    return parts


def curve(x_axis, y_axis, xs, ys, style):
    """The line, in pieces where values are missing; a lone point becomes a dot."""
    pieces, piece = [], []
    for x, y in zip(xs, ys):
        if x_axis.holds(x) and y_axis.holds(y):
            piece.append("%.1f %.1f" % (x_axis.place(x), y_axis.place(y)))
        elif piece:
            pieces.append(piece)
            piece = []
    pieces += [piece] if piece else []
    paths = ['<path d="M%s" %s/>' % (" L".join(thinned(p)), style) for p in pieces if len(p) > 1]
    dots = pieces if sum(map(len, pieces)) <= 30 else [p for p in pieces if len(p) == 1]
    return paths + ['<circle cx="%s" cy="%s" r="2.6" %s/>' % (*point.split(), style) for p in dots for point in p]


def thinned(points):
    """Points that share a pixel with the one before say nothing new."""
    kept = [p for p, before in zip(points, [None] + points) if p != before]
    return kept if len(kept) > 1 else points[:2]


def legend(k, label, style, bottom):
    column = (WIDTH - LEFT) / 3
    x, y = LEFT + column * (k % 3), bottom + LEGEND_LINE * (k // 3) + 8
    return ['<path d="M%.1f %.1f h22" %s/><text x="%.1f" y="%.1f">%s</text>' % (x, y - 4, style, x + 27, y, escape(label))]
