// Plots of the history: lines over time on a canvas, with a shared range of times and a read-out.

const INKS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555", "#8c510a", "#7b3294", "#1b7837", "#c51b7d", "#2166ac"];

// What all plots share: the times that are shown, the one under the pointer, that of the frame.
const clock = { low: 0, high: 1, pointer: null, frame: null, plots: [], onPick: null };

function redrawPlots() { for (const plot of clock.plots) plot.draw(); }

function niceStep(span, count) {
  const raw = span / count, power = Math.pow(10, Math.floor(Math.log10(raw)));
  for (const factor of [1, 2, 5, 10]) if (raw <= factor * power) return factor * power;
  return 10 * power;
}

class Plot {
  // lines: [{label, x, y}]; a line is left out where all of it is empty.
  constructor(parent, title, lines, logarithmic) {
    this.lines = lines.map((line, k) => ({ ...line, ink: INKS[k % INKS.length], on: true }));
    this.logarithmic = logarithmic;
    this.canvas = make("canvas");
    this.legend = make("div", { className: "legend" });
    this.button = make("button", { className: "log", textContent: "log", title: "logarithmic scale, of absolute values" });
    this.button.addEventListener("click", () => { this.logarithmic = !this.logarithmic; this.draw(); });
    parent.append(make("div", { className: "plot card" }, make("h3", { textContent: title }), this.button, this.canvas, this.legend));
    for (const line of this.lines) {
      line.value = make("span");
      line.key = make("span", { title: "show or hide" }, make("i", { style: "background:" + line.ink }), line.label, line.value);
      line.key.addEventListener("click", () => { line.on = !line.on; line.key.classList.toggle("off", !line.on); this.draw(); });
      this.legend.append(line.key);
    }
    this.attach();
    clock.plots.push(this);
  }

  attach() {
    const timeAt = (event) => {
      const box = this.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - this.left) / Math.max(1, this.right - this.left);
      return clock.low + Math.min(1, Math.max(0, share)) * (clock.high - clock.low);
    };
    this.canvas.addEventListener("pointerdown", (event) => { this.from = timeAt(event); this.canvas.setPointerCapture(event.pointerId); });
    this.canvas.addEventListener("pointermove", (event) => { clock.pointer = timeAt(event); redrawPlots(); });
    this.canvas.addEventListener("pointerleave", () => { clock.pointer = null; redrawPlots(); });
    this.canvas.addEventListener("pointerup", (event) => {
      const to = timeAt(event), from = this.from;
      this.from = undefined;
      if (from === undefined) return;
      if (Math.abs(to - from) > 0.01 * (clock.high - clock.low)) [clock.low, clock.high] = [Math.min(from, to), Math.max(from, to)];
      else if (clock.onPick) clock.onPick(to);
      redrawPlots();
    });
    this.canvas.addEventListener("dblclick", () => { [clock.low, clock.high] = clock.all; redrawPlots(); });
  }

  // The first point at or after a time.
  static indexAt(x, time) {
    let low = 0, high = x.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (x[middle] < time) low = middle + 1; else high = middle;
    }
    return low;
  }

  scale(value) { return this.logarithmic ? (value === null || value === 0 ? null : Math.log10(Math.abs(value))) : value; }

  range() {
    let low = Infinity, high = -Infinity;
    for (const line of this.lines) {
      if (!line.on) continue;
      const begin = Math.max(0, Plot.indexAt(line.x, clock.low) - 1), end = Math.min(line.x.length, Plot.indexAt(line.x, clock.high) + 1);
      for (let k = begin; k < end; k++) {
        const value = this.scale(line.y[k]);
        if (value === null || value === undefined || !Number.isFinite(value)) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (!(low <= high)) [low, high] = [0, 1];
    if (this.logarithmic) { low = Math.max(low, high - 18); if (high - low < 1) [low, high] = [low - 0.5, high + 0.5]; }
    const space = high > low ? 0.06 * (high - low) : Math.abs(high) * 0.1 || 1;
    return [low - space, high + space];
  }

  draw() {
    const ratio = window.devicePixelRatio || 1, width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (width === 0) return;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = "10.5px system-ui, sans-serif";
    this.button.classList.toggle("on", this.logarithmic);
    this.left = 58; this.right = width - 14; this.top = 6; this.bottom = height - 20;
    const [low, high] = this.range();
    const px = (t) => this.left + ((t - clock.low) / (clock.high - clock.low || 1)) * (this.right - this.left);
    const py = (v) => this.bottom - ((v - low) / (high - low)) * (this.bottom - this.top);
    this.drawGrid(pen, px, py, low, high);
    pen.save();
    pen.beginPath();
    pen.rect(this.left, this.top - 2, this.right - this.left, this.bottom - this.top + 4);
    pen.clip();
    for (const line of this.lines) if (line.on) this.drawLine(pen, line, px, py);
    if (this.from !== undefined && clock.pointer !== null) {
      pen.fillStyle = "rgba(11,106,162,.13)";
      pen.fillRect(px(this.from), this.top, px(clock.pointer) - px(this.from), this.bottom - this.top);
    }
    this.drawTime(pen, px, clock.frame, "#0b6aa2", [4, 3]);
    this.drawTime(pen, px, clock.pointer, "#888", []);
    pen.restore();
    this.readOut();
  }

  drawGrid(pen, px, py, low, high) {
    pen.strokeStyle = "#e7ebee"; pen.fillStyle = "#66727f"; pen.lineWidth = 1;
    pen.textAlign = "right"; pen.textBaseline = "middle";
    const step = this.logarithmic ? Math.max(1, Math.ceil((high - low) / 6)) : niceStep(high - low, 5);
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) {
      pen.beginPath(); pen.moveTo(this.left, py(v)); pen.lineTo(this.right, py(v)); pen.stroke();
      pen.fillText(this.logarithmic ? "1e" + Math.round(v) : show(Math.abs(v) < 1e-9 * step ? 0 : v, 4), this.left - 6, py(v));
    }
    pen.textAlign = "center"; pen.textBaseline = "top";
    const time = niceStep(clock.high - clock.low || 1, 6);
    for (let t = Math.ceil(clock.low / time) * time; t <= clock.high; t += time) {
      pen.beginPath(); pen.moveTo(px(t), this.top); pen.lineTo(px(t), this.bottom); pen.stroke();
      pen.fillText(show(Math.abs(t) < 1e-9 * time ? 0 : t, 5) + " s", px(t), this.bottom + 5);
    }
  }

  drawLine(pen, line, px, py) {
    const begin = Math.max(0, Plot.indexAt(line.x, clock.low) - 1), end = Math.min(line.x.length, Plot.indexAt(line.x, clock.high) + 2);
    pen.strokeStyle = line.ink; pen.lineWidth = 1.4; pen.lineJoin = "round";
    pen.beginPath();
    let drawing = false;
    for (let k = begin; k < end; k++) {
      const value = this.scale(line.y[k]);
      if (value === null || value === undefined) { drawing = false; continue; }
      if (drawing) pen.lineTo(px(line.x[k]), py(value)); else pen.moveTo(px(line.x[k]), py(value));
      drawing = true;
    }
    pen.stroke();
  }

  drawTime(pen, px, time, ink, dash) {
    if (time === null) return;
    pen.strokeStyle = ink; pen.lineWidth = 1; pen.setLineDash(dash);
    pen.beginPath(); pen.moveTo(px(time), this.top); pen.lineTo(px(time), this.bottom); pen.stroke();
    pen.setLineDash([]);
  }

  // Values at the pointer, else at the time of the frame.
  readOut() {
    const time = clock.pointer !== null ? clock.pointer : clock.frame;
    for (const line of this.lines) {
      const k = time === null ? -1 : Math.min(line.x.length - 1, Plot.indexAt(line.x, time));
      line.value.textContent = k >= 0 ? " " + show(line.y[k], 4) : "";
    }
  }
}
