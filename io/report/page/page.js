// Fills the page: numbers and texts, plots, and the controls of the 3D view.

const place = (id) => document.getElementById(id);
const summary = Object.fromEntries(report.summary);
const columns = report.history.columns;

// ---- the log ----

// Entries of the log: when, and what; lines without a time go on with the entry before them.
function logEntries() {
  const entries = [];
  for (const line of report.log) {
    const found = /^(\d{4}-\d\d-\d\dT[\d:]+Z) {2}(.*)$/.exec(line);
    if (found) entries.push({ when: found[1], text: found[2] });
    else if (entries.length > 0) entries[entries.length - 1].text += "\n" + line;
  }
  return entries;
}
const entries = logEntries();

// How the run stands: what the lock of its folder, its log and its summary say together.
function runStatus() {
  if (report.running) return ["running", "busy"];
  let status = null;
  for (const entry of entries) {
    if (/^gabion [\d.]+\S*: steps /.test(entry.text)) status = null;
    const end = /^(completed|at-rest|collapsed|interrupted|stopped) at step /.exec(entry.text);
    if (end) status = end[1];
  }
  if (status === null) return [entries.length > 0 ? "killed: the log has no end" : "no log", "bad"];
  return [status, status === "stopped" ? "bad" : "good"];
}

function lastOf(name) {
  const column = columns[name];
  return column && column.length > 0 ? column[column.length - 1] : null;
}

function fillHead() {
  const title = /^title:\s*(.*)$/m.exec(report.case);
  const text = title ? title[1].replace(/^(["'])(.*)\1$/, "$2") : report.folder;
  place("title").textContent = text;
  document.title = text + " · Gabion report";
  place("subtitle").textContent = `${report.folder} · made ${report.made} by gabion ${report.version}`;
  const [status, mood] = runStatus();
  place("status").textContent = status;
  place("status").className = mood;
}

function seconds(value) {
  if (value === null || !Number.isFinite(value)) return "–";
  if (value < 120) return show(value, 3) + " s";
  return value < 7200 ? show(value / 60, 3) + " min" : show(value / 3600, 3) + " h";
}

function fillNumbers() {
  const warnings = entries.filter((entry) => entry.text.startsWith("warning: ")).length;
  const unsolved = Math.max(report.history.unsolved.count, Number(summary["unconverged-steps"] || 0));
  const numbers = [
    ["step", show(lastOf("step"), 7)], ["simulated time", show(lastOf("time"), 5) + " s"], ["bodies", show(lastOf("bodies"), 7)],
    ["contacts", show(lastOf("contacts"), 7)], ["elapsed time", seconds(lastOf("wall_time"))], ["kinetic energy", show(lastOf("kinetic_energy")) + " J"],
    ["largest overlap", show(lastOf("max_overlap"), 3) + " m"], ["energy error", show(lastOf("energy_error"), 3) + " J"],
    ["unsolved steps", String(unsolved), unsolved > 0], ["warnings in the log", String(warnings), warnings > 0],
  ];
  for (const [name, value, bad] of numbers)
    place("numbers").append(make("div", { className: bad ? "bad" : "" }, make("b", { textContent: value }), make("span", { textContent: name })));
}

// ---- texts ----

function list(texts) { return make("ul", {}, ...texts.map((text) => make("li", { textContent: text }))); }

function fillTexts() {
  const remarks = report.remarks;
  if (remarks.length > 0) place("remarks").append(make("div", { className: "note" }, make("b", { textContent: "Left out of this page, or not readable" }), list(remarks)));
  const warnings = entries.filter((entry) => entry.text.startsWith("warning: ")).map((entry) => entry.text.slice(9));
  const stops = entries.filter((entry) => entry.text.startsWith("stopped: ")).map((entry) => entry.text);
  if (stops.length > 0) place("warnings").append(make("div", { className: "note bad" }, make("b", { textContent: "The run stopped" }), list(stops)));
  if (warnings.length > 0) place("warnings").append(make("div", { className: "note" }, make("b", { textContent: "Warnings, with what helps" }), list(warnings)));
  fillUnsolved();
  fillTable("summary", "Summary", report.summary.filter(([key]) => !isPhase(key) && !MACHINE.includes(key)));
  fillTable("machine", "Machine", report.summary.filter(([key]) => MACHINE.includes(key)));
  if (report.log.length > 0)
    place("log").append(make("details", {}, make("summary", { textContent: "Log" }), make("pre", { textContent: report.log.join("\n") })));
  place("case").append(make("details", { open: report.case.length < 6000 }, make("summary", { textContent: "Case" }), make("pre", { textContent: report.case })));
}
// Times that are no parts of the whole beside the phases: they lie within one, or pass while steps are computed.
const WITHIN = ["time-output-waited", "time-output-beside", "time-exchange"];
function isPhase(key) { return key.startsWith("time-") && !WITHIN.includes(key); }
const MACHINE = ["host", "system", "processor", "processors", "memory-mb", "threads", "peak-memory-mb"];

function fillTable(id, title, rows) {
  if (rows.length === 0) return;
  const body = rows.map(([key, value]) => make("tr", {}, make("td", { textContent: key }), make("td", { textContent: value })));
  place(id).append(make("h2", { textContent: title }), make("table", {}, ...body));
}

function fillUnsolved() {
  const { count, steps } = report.history.unsolved;
  if (count === 0) return;
  const rows = steps.map(([step, time, residual]) => make("tr", {}, ...[step, show(time, 6), show(residual, 3)].map((value) => make("td", { textContent: value }))));
  const head = make("tr", {}, ...["step", "time (s)", "residual"].map((text) => make("th", { textContent: text })));
  place("unsolved").append(make("details", { open: count <= 12 },
    make("summary", { textContent: `Unsolved steps: ${count} rows of the history` + (steps.length < count ? `, the first ${steps.length} of them` : "") }),
    make("p", { className: "dim", textContent: "These steps ended with a residual above solver.tolerance. Raise solver.max_sweeps, or let solver.method be auto or newton; docs/solvers.md says when that matters." }),
    make("table", {}, head, ...rows)));
}

function fillShares(id, title, shares, unitText) {
  const sum = shares.reduce((total, [, value]) => total + value, 0);
  if (!(sum > 0)) return;
  place(id).append(make("h2", { textContent: title }));
  for (const [name, value] of shares.sort((a, b) => b[1] - a[1]))
    if (value > 0)
      place(id).append(make("div", { className: "share" }, make("span", { textContent: name }),
        make("span", {}, make("div", { style: `width:${(100 * value) / sum}%` })), make("span", { textContent: `${show(value, 3)} ${unitText} (${Math.round((100 * value) / sum)} %)` })));
}

function fillSplit() {
  const phases = report.summary.filter(([key]) => isPhase(key)).map(([key, value]) => [key.slice(5), Number(value)]);
  fillShares("split", "Time by phase, of the last command", phases, "s");
  fillShares("methods", "Steps by the method that finished them", Object.entries(report.history.methods), "rows");
}

// ---- plots ----

const PLOTS = [
  ["Energy (J)", ["kinetic_energy", "potential_energy"], false],
  ["Works since the start (J)", ["contact_work", "joint_work", "driver_work", "applied_work", "theta_work", "projection_work", "removed_energy"], false],
  ["Energy that nothing explains, and gains (J)", ["energy_error", "contact_gain", "impact_gain"], true],
  ["Contacts and bodies", ["contacts", "candidates", "bodies"], false],
  ["Iterations: last solve, and what each method spent", ["sweeps", /^spent_/], true],
  ["Residuals", ["residual", "residual_fclib", "residual_worst"], true],
  ["Overlap (m)", ["max_overlap", "mean_overlap"], true],
  ["Overlap against the smaller body", ["max_overlap_relative"], true],
  ["Largest speed (m/s)", ["max_speed"], false],
  ["Error of joints (m)", ["joint_error"], true],
  ["Elapsed time (s)", ["wall_time"], false],
];
const UNPLOTTED = ["step", "time", "colours", "overlap_body_a", "overlap_body_b"];

function linesOf(names) {
  return names.map((name) => {
    let y = columns[name], label = name === "sweeps" ? "last solve" : name.replace(/^spent_/, "").replace(/_/g, " ");
    if (name === "potential_energy" && y.length > 0) {
      const start = y.find((value) => value !== null);
      y = y.map((value) => (value === null ? null : value - start));
      label = "potential energy − start";
    }
    return { label, x: columns.time, y };
  }).filter((line) => line.y.some((value) => value !== null && value !== 0));
}

// Columns that belong to a probe differ in what stands behind the last point.
function probes(rest) {
  const groups = new Map();
  for (const name of rest) {
    const stem = name.replace(/\.[^.]*$/, "");
    groups.set(stem, [...(groups.get(stem) || []), name]);
  }
  return [...groups].map(([stem, names]) => ["Probe " + stem, names, false]);
}

function fillPlots() {
  if (!columns.time || columns.time.length === 0) {
    place("plots").append(make("p", { className: "dim", textContent: "history.csv has no rows (output.history_every)." }));
    return;
  }
  const rest = new Set(Object.keys(columns).filter((name) => !UNPLOTTED.includes(name)));
  const plots = PLOTS.map(([title, wanted, logarithmic]) => {
    const names = [...rest].filter((name) => wanted.some((one) => (one instanceof RegExp ? one.test(name) : one === name)));
    names.forEach((name) => rest.delete(name));
    return [title, names, logarithmic];
  });
  clock.all = [columns.time[0], lastOf("time")];
  [clock.low, clock.high] = clock.all;
  for (const [title, names, logarithmic] of [...plots, ...probes(rest)]) {
    const lines = linesOf(names);
    if (lines.length > 0) new Plot(place("plots"), title, lines, logarithmic);
  }
  redrawPlots();
  window.addEventListener("resize", redrawPlots);
}

// ---- the 3D view ----

let view = null, playing = null;

function goTo(index) {
  const last = view.frames.length - 1;
  const k = Math.max(0, Math.min(last, index));
  view.show(k);
  place("slider").value = k;
  const frame = view.frames[k];
  place("when").textContent = `t = ${show(frame.time, 5)} s · step ${frame.step} · ${k + 1}/${last + 1}`;
  clock.frame = frame.time;
  redrawPlots();
  fillBars();
  fillPicked();
  drawAxes();
}

function play(on) {
  clearInterval(playing);
  playing = null;
  place("play").textContent = on ? "⏸" : "▶";
  if (!on) return;
  if (view.index === view.frames.length - 1) goTo(0);
  playing = setInterval(() => (view.index < view.frames.length - 1 ? goTo(view.index + 1) : play(false)), 1000 / Number(place("pace").value));
}

function fillPlayer() {
  place("slider").max = view.frames.length - 1;
  place("slider").addEventListener("input", (event) => goTo(Number(event.target.value)));
  place("play").addEventListener("click", () => play(!playing));
  place("back").addEventListener("click", () => goTo(view.index - 1));
  place("next").addEventListener("click", () => goTo(view.index + 1));
  place("pace").addEventListener("change", () => { if (playing) play(true); });
  place("canvas").addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    if (event.key === " ") play(!playing);
    else if (steps[event.key]) goTo(view.index + steps[event.key]);
    else return;
    event.preventDefault();
  });
  clock.onPick = (time) => {
    let best = 0;
    view.frames.forEach((frame, k) => { if (Math.abs(frame.time - time) < Math.abs(view.frames[best].time - time)) best = k; });
    goTo(best);
  };
}

const LABELS = { bodies: "spheres and clumps", blocks: "blocks", walls: "walls", contacts: "force chains", interfaces: "open interfaces", thrust: "thrust line", joints: "joints" };

function refresh() { goTo(view.index); }

function colourSelect(kind) {
  const select = make("select", { title: "colour " + LABELS[kind] + " by" });
  select.append(make("option", { value: "", textContent: "one colour" }));
  for (const { name, components } of view.coloursOf(kind)) {
    select.append(make("option", { value: name + " -1", textContent: name.replace(/_/g, " ") }));
    for (let part = 0; components > 1 && part < components; part++)
      select.append(make("option", { value: name + " " + part, textContent: `  ${name.replace(/_/g, " ")} ${"xyz"[part] || part}` }));
  }
  const now = view.colour[kind];
  select.value = now.name ? now.name + " " + now.part : "";
  select.addEventListener("change", () => {
    const [name, part] = select.value.split(" ");
    view.colour[kind] = { name: name || "", part: Number(part) };
    refresh();
  });
  return select;
}

function slider(label, low, high, value, changed) {
  const input = make("input", { type: "range", min: low, max: high, step: (high - low) / 200, value });
  input.addEventListener("input", () => { changed(Number(input.value)); refresh(); });
  return make("div", {}, make("label", {}, make("span", { textContent: label })), input);
}

function fillPanel() {
  const panel = place("panel");
  panel.append(make("h3", { textContent: "show, and colour by" }));
  for (const kind of ["bodies", "blocks", "walls", "contacts", "interfaces", "thrust", "joints"]) {
    if (!view.kinds.includes(kind)) continue;
    const box = make("input", { type: "checkbox", checked: view.shown[kind] });
    box.addEventListener("change", () => { view.shown[kind] = box.checked; refresh(); });
    panel.append(make("label", {}, box, make("span", { textContent: LABELS[kind] })));
    if (kind !== "walls") panel.append(colourSelect(kind));
  }
  const each = make("input", { type: "checkbox" });
  each.addEventListener("change", () => { view.perFrame = each.checked; refresh(); });
  panel.append(make("label", {}, each, make("span", { textContent: "range of each frame alone" })));
  panel.append(make("h3", { textContent: "look" }));
  panel.append(slider("opacity of bodies", 0.08, 1, view.opacity, (value) => (view.opacity = value)));
  if (view.kinds.some((kind) => TUBES.includes(kind))) panel.append(slider("width of tubes", 0.1, 4, view.width, (value) => (view.width = value)));
  if (view.kinds.includes("interfaces")) panel.append(openSlider());
  panel.append(make("h3", { textContent: "cut" }), cutSelect());
  panel.append(slider("place of the cut", 0, 1, view.cutAt, (value) => (view.cutAt = value)));
  panel.append(make("h3", { textContent: "camera" }), cameraButtons());
}

function openSlider() {
  const name = make("span");
  const write = () => (name.textContent = `open above ${show(1000 * view.openAbove, 2)} mm`);
  const input = make("input", { type: "range", min: -2, max: 2, step: 0.02, value: 0 });
  const base = view.openAbove;
  input.addEventListener("input", () => { view.openAbove = base * Math.pow(10, Number(input.value)); write(); refresh(); });
  write();
  return make("div", {}, make("label", {}, name), input);
}

function cutSelect() {
  const select = make("select");
  for (const [value, text] of [["-1 0", "none"], ["0 0", "x, far side"], ["0 1", "x, near side"], ["1 0", "y, far side"], ["1 1", "y, near side"], ["2 0", "z, upper side"], ["2 1", "z, lower side"]])
    select.append(make("option", { value, textContent: text }));
  select.id = "cut";
  select.addEventListener("change", () => {
    const [axis, flip] = select.value.split(" ").map(Number);
    view.cutAxis = axis;
    view.cutFlip = flip === 1;
    refresh();
  });
  return select;
}

function cameraButtons() {
  const row = make("div", { className: "row" });
  const button = (text, act) => { const one = make("button", { textContent: text }); one.addEventListener("click", () => { act(); refresh(); }); row.append(one); };
  button("home", () => view.camera.reset());
  for (const axis of [0, 1, 2]) button("xyz"[axis], () => view.camera.from(axis));
  const save = make("button", { textContent: "PNG", title: "save the picture" });
  save.addEventListener("click", () => { make("a", { href: place("canvas").toDataURL("image/png"), download: "gabion.png" }).click(); });
  row.append(save);
  return row;
}

// ---- colour bars ----

function barFor(kind) {
  const colour = view.colour[kind], names = classNames(colour.name);
  const title = LABELS[kind] + ": " + colour.name.replace(/_/g, " ") + (colour.part >= 0 ? " " + "xyz"[colour.part] : "");
  const bar = make("div", { className: "bar" }, make("div", { textContent: title + (UNITS[colour.name] ? ` (${UNITS[colour.name]})` : "") }));
  if (names) {
    const array = view.frames[view.index].kinds[kind] && view.frames[view.index].kinds[kind][colour.name];
    const used = array ? [...new Set(array.number)].sort((a, b) => a - b) : [];
    for (const k of used.slice(0, 12))
      bar.append(make("div", { className: "key" }, make("i", { style: `background:rgb(${CLASSES[k % CLASSES.length]})` }), make("span", { textContent: names[k] === undefined ? String(k) : names[k] })));
    if (used.length > 12) bar.append(make("div", { textContent: `and ${used.length - 12} more` }));
    return bar;
  }
  const canvas = make("canvas", { width: 128, height: 1 }), pen = canvas.getContext("2d");
  for (let k = 0; k < 128; k++) {
    pen.fillStyle = `rgb(${mapColour(TUBES.includes(kind) || kind === "interfaces" ? "force" : "body", k / 127).map(Math.round)})`;
    pen.fillRect(k, 0, 1, 1);
  }
  const [low, high] = view.rangeOf(kind, colour);
  bar.append(canvas, make("div", { className: "ends" }, make("span", { textContent: show(low, 3) }), make("span", { textContent: show(high, 3) })));
  return bar;
}

function fillBars() {
  const bars = place("bars");
  bars.replaceChildren();
  for (const kind of view.kinds)
    if (view.shown[kind] && kind !== "walls" && view.colour[kind].name && view.countOf(view.frames[view.index], kind) > 0) bars.append(barFor(kind));
}

// ---- what was clicked ----

function valueText(array, name, index) {
  const real = realsOf({ ...array, number: array.number.subarray(array.components * index, array.components * (index + 1)) }, name);
  const names = classNames(name);
  if (names) return names[real[0]] === undefined ? String(real[0]) : names[real[0]];
  if (array.width === 4) return [...real].map((value) => String(Math.round(value))).join(", ");
  const parts = [...real].map((value) => show(value, 3)).join(", ");
  return array.components > 1 ? `${show(Math.hypot(...real), 3)} (${parts})` : parts;
}

function fillPicked() {
  const box = place("picked"), chosen = view.chosen;
  box.hidden = !chosen;
  box.replaceChildren();
  if (!chosen) return;
  const arrays = view.frames[view.index].kinds[chosen.kind];
  const index = !arrays ? -1 : arrays.id ? arrays.id.number.indexOf(chosen.id, arrays.id.number[chosen.index] === chosen.id ? chosen.index : 0) : chosen.index;
  const close = make("button", { textContent: "×", title: "close" });
  close.addEventListener("click", () => { view.chosen = null; refresh(); });
  box.append(close, make("h3", { textContent: chosen.id === undefined ? LABELS[chosen.kind] : "body " + chosen.id }));
  if (index < 0 || index >= view.countOf(view.frames[view.index], chosen.kind) * 1e9) { box.append(make("p", { textContent: "not in this frame" })); return; }
  const rows = [["position (m)", view.middleOf(chosen.kind, index).map((value) => show(value, 4)).join(", ")]];
  for (const name of Object.keys(arrays))
    if (!STRUCTURE.includes(name) && name !== "id")
      rows.push([(name === "velocity" ? "speed (velocity)" : name.replace(/_/g, " ")) + (UNITS[name] ? ` (${UNITS[name]})` : ""), valueText(arrays[name], name, index)]);
  box.append(make("table", {}, ...rows.map(([key, value]) => make("tr", {}, make("td", { textContent: key }), make("td", { textContent: value })))));
}

function attachPicking() {
  const canvas = place("canvas");
  let from = null;
  canvas.addEventListener("pointerdown", (event) => (from = [event.offsetX, event.offsetY]));
  canvas.addEventListener("click", (event) => {
    if (from && Math.hypot(event.offsetX - from[0], event.offsetY - from[1]) > 4) return;
    choose(view.pick(event.offsetX, event.offsetY));
  });
  canvas.addEventListener("dblclick", (event) => {
    const found = view.pick(event.offsetX, event.offsetY);
    if (!found) return;
    view.camera.target = view.middleOf(found.kind, found.index);
    refresh();
  });
}

function choose(found) {
  const arrays = found && view.frames[view.index].kinds[found.kind];
  view.chosen = found ? { kind: found.kind, index: found.index, id: arrays.id ? arrays.id.number[found.index] : undefined } : null;
  refresh();
}

function drawAxes() {
  const canvas = place("axes"), pen = canvas.getContext("2d"), { right, up, back } = view.camera.axes();
  pen.clearRect(0, 0, 144, 144);
  pen.lineWidth = 3;
  pen.font = "bold 20px system-ui, sans-serif";
  pen.textAlign = "center"; pen.textBaseline = "middle";
  for (const axis of [0, 1, 2].sort((a, b) => back[a] - back[b])) {
    const x = 72 + 46 * right[axis], y = 72 - 46 * up[axis];
    pen.strokeStyle = pen.fillStyle = ["#c0392b", "#2e8b57", "#2c6fbb"][axis];
    pen.beginPath(); pen.moveTo(72, 72); pen.lineTo(x, y); pen.stroke();
    pen.fillText("xyz"[axis], 72 + 61 * right[axis], 72 - 61 * up[axis]);
  }
}

function explainNoFrames() {
  place("message").textContent = "There are no ParaView frames in this folder. Run with output.vtk_every above 0 (gabion resume DIR --set output.vtk_every=100 for what is still to come), then make the report again.";
  place("panel").hidden = place("player").hidden = true;
  place("axes").hidden = place("hint").hidden = true;
  place("stage").style.height = "120px";
}

async function fillView() {
  if (report.scene.frames.length === 0) { explainNoFrames(); return; }
  if (typeof DecompressionStream === "undefined") throw new Error("this browser cannot unpack the frames (it is older than 2023); the plots below work without");
  const frames = await unpackFrames((done, all) => (place("message").textContent = `Reading frames: ${done} of ${all}`));
  view = new View(place("canvas"), frames);
  place("message").textContent = "";
  view.camera.attach(place("canvas"), () => { view.draw(); drawAxes(); });
  attachPicking();
  fillPanel();
  fillPlayer();
  goTo(frames.length - 1);
  window.addEventListener("resize", () => view.draw());
}

async function fillPage() {
  fillHead();
  fillNumbers();
  fillTexts();
  fillSplit();
  fillPlots();
  try {
    await fillView();
  } catch (problem) {
    place("message").textContent = "No 3D view: " + problem.message;
    noteFailure(problem.message);
  }
  document.documentElement.dataset.ready = "yes";
}
fillPage();
