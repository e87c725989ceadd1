"""Line plots as SVG text, drawn by gnuplot: readable in any browser, small enough to inline."""
import math
import subprocess
import sys

WIDTH, HEIGHT, SQUARE = 640, 400, 640
LEGEND_LINE, MARGINS = 18, 80
COLOURS = ("#1f5fa8", "#c8422b", "#2e8b4e", "#8757a8", "#b8860b", "#3c9aa5", "#c2578f", "#6b6b6b", "#7a4a21", "#9aa12e")
DASHES = ("1", "2", "3", "4")
MARKS = (7, 5, 9, 13, 11, 6, 4, 8, 12, 10)
FEW_POINTS = 30  # a line with no more points than this shows them
PIXEL = 1 / 800  # of the range of an axis: points closer than this to the one before say nothing new


def lines(x_label, y_label, series, log_x=False, log_y=False, equal=False):
    """The plot as SVG text. series: (label, xs, ys) each, or (label, xs, ys, "points") for points without a line.
    NaN breaks a line; a log axis drops what is not positive. equal gives both axes the same scale."""
    series = [Series(k, *one, log_x=log_x, log_y=log_y) for k, one in enumerate(series)]
    xs, ys = ([point[k] for one in series for point in one.points()] for k in (0, 1))
    script = head(x_label, y_label, len(series), equal_height(xs, ys) if equal else HEIGHT, equal)
    script += axis("x", xs, log_x)
    script += axis("y", ys, log_y)
    script += [block for one in series for block in one.data()]
    script.append("plot " + ", ".join(part for one in series for part in one.parts()))
    return draw("\n".join(script) + "\n")


def heat(x_label, y_label, x_edges, y_edges, values, signed=False):
    """A map as SVG text: values[i][j] fills the cell between edges i and i + 1 of x, j and j + 1 of y; NaN leaves it empty. Signed
    values are red above zero and blue below, with white at zero; others go from light to dark."""
    cells = [(x_edges[i], x_edges[i + 1], y_edges[j], y_edges[j + 1], value) for i, row in enumerate(values)
             for j, value in enumerate(row) if math.isfinite(value)]
    largest = max((abs(cell[4]) for cell in cells), default=1.0) or 1.0
    script = head(x_label, y_label, 0, SQUARE, True)
    script += ["set xrange [%.9g:%.9g]" % (x_edges[0], x_edges[-1]), "set yrange [%.9g:%.9g]" % (y_edges[0], y_edges[-1]),
               "set cbrange [%.9g:%.9g]" % (-largest if signed else 0, largest), "set style fill solid noborder", "unset grid",
               "set palette defined (%s)" % ("-1 '#1f5fa8', 0 '#ffffff', 1 '#c8422b'" if signed else "0 '#ffffff', 1 '#1f5fa8'"),
               "$cells << EOD\n%s\nEOD" % "\n".join("%.9g %.9g %.9g %.9g %.9g" % cell for cell in cells),
               "plot $cells using (($1+$2)/2):(($3+$4)/2):1:2:3:4:5 with boxxyerror linecolor palette notitle"]
    return draw("\n".join(script) + "\n")


def draw(script):
    """What gnuplot prints for a script; a script that it rejects ends the program."""
    try:
        result = subprocess.run(["gnuplot"], input=script, capture_output=True, text=True, encoding="utf-8")
    except FileNotFoundError:
        sys.exit("gnuplot is missing: .ci/packages test installs it")
    if result.returncode != 0:
        sys.exit("gnuplot: %s" % result.stderr.strip())
    return result.stdout


def quoted(text):
    return "'%s'" % str(text).replace("'", "''")


def equal_height(xs, ys):
    """Of a picture of the usual width whose axes have the same scale, so that flat ones have no empty bands."""
    if not xs:
        return SQUARE
    return min(SQUARE, max(SQUARE / 3, MARGINS + (WIDTH - MARGINS) * span(ys, False) / span(xs, False)))


def head(x_label, y_label, count, height, equal):
    height += LEGEND_LINE * ((count + 1) // 2)
    return ["set encoding utf8",
            "set terminal svg size %d,%d noenhanced font 'sans-serif,13' background '#ffffff' linewidth 1.2" % (WIDTH, height),
            "set xlabel %s" % quoted(x_label), "set ylabel %s" % quoted(y_label),
            "set key below left Left reverse maxcols 2 samplen 2.5 width 2 height 0.8",
            "set grid linecolor '#dddddd' linetype 1", "set border linecolor '#444444'", "set tics nomirror",
            "set format '%g'", "set rmargin 3"] + (["set size ratio -1"] if equal else [])


def axis(name, values, log):
    """Range and ticks. gnuplot's own are good, except where there is no value, one value, or less than two decades."""
    low, high = (min(values), max(values)) if values else (1.0, 10.0)
    if not log:
        pad = 0.03 * (high - low) if high > low else max(abs(low) * 0.05, 1e-12)
        return ["set %srange [%.17g:%.17g]" % (name, low - pad, high + pad)]
    grow = max((high / low) ** 0.03, 1.02 if high > low else 2.0)
    low, high = low / grow, high * grow
    commands = ["set logscale %s" % name, "set %srange [%.17g:%.17g]" % (name, low, high)]
    if high / low < 100:
        ticks = [m * 10.0 ** p for p in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
                 for m in ((1, 2, 5) if high / low > 5 else (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9))]
        commands.append("set %stics (%s)" % (name, ", ".join("%.12g" % t for t in ticks if low <= t <= high)))
    return commands


class Series:
    """One line: pieces without gaps, as data blocks of a gnuplot script."""

    def __init__(self, index, label, xs, ys, style="line", log_x=False, log_y=False):
        self.index, self.label, self.style = index, label, style
        self.pieces = [[]]
        for x, y in zip(map(float, xs), map(float, ys)):
            if math.isfinite(x) and math.isfinite(y) and (x > 0 or not log_x) and (y > 0 or not log_y):
                self.pieces[-1].append((x, y))
            elif self.pieces[-1]:
                self.pieces.append([])
        self.pieces = [piece for piece in self.pieces if piece]
        self.few = sum(map(len, self.pieces)) <= FEW_POINTS
        if style == "line":
            self.pieces = [self._thinned(piece, log_x, log_y) for piece in self.pieces]

    def points(self):
        return [point for piece in self.pieces for point in piece]

    def data(self):
        """One block with the pieces, apart by empty lines, and one with the points to be marked."""
        marked = self.pieces if self.few or self.style == "points" else [p for p in self.pieces if len(p) == 1]
        return [self._block("line", self.pieces), self._block("mark", marked)]

    def parts(self):
        """Of the plot command: the line, and the marks on it."""
        colour = "linecolor '%s'" % COLOURS[self.index % len(COLOURS)]
        dash = "dashtype %s" % DASHES[self.index // len(COLOURS) % len(DASHES)]
        mark = "pointtype %d pointsize %g" % (MARKS[self.index % len(MARKS)], 0.8 if self.style == "points" else 0.5)
        line = "%s with lines %s %s linewidth 1.4" % (self._name("line"), colour, dash)
        marks = "%s with points %s %s" % (self._name("mark"), colour, mark)
        if self.style == "points":
            return [marks + " title %s" % quoted(self.label)]
        return [line + " title %s" % quoted(self.label), marks + " notitle"]

    def _name(self, kind):
        return "$%s%d" % (kind, self.index)

    def _block(self, kind, pieces):
        rows = "\n\n".join("\n".join("%.9g %.9g" % point for point in piece) for piece in pieces)
        return "%s << EOD\n%s\nEOD" % (self._name(kind), rows or "NaN NaN")

    def _thinned(self, piece, log_x, log_y):
        scales = [span([point[k] for point in self.points()], log) for k, log in enumerate((log_x, log_y))]
        kept = piece[:1]
        for point in piece[1:-1]:
            moved = max(abs(scaled(point[k], log) - scaled(kept[-1][k], log)) / scales[k]
                        for k, log in enumerate((log_x, log_y)))
            if moved > PIXEL:
                kept.append(point)
        return kept + piece[1:][-1:]


def scaled(value, log):
    return math.log10(value) if log else value


def span(values, log):
    return (scaled(max(values), log) - scaled(min(values), log)) or 1.0
