// The data that stand in the page: JSON about the run, and a packed text for each frame.

const report = JSON.parse(document.getElementById("data").textContent);

// Script errors are part of the page, so that a broken view never looks like an empty run.
const failures = [];
function noteFailure(text) {
  failures.push(String(text));
  document.documentElement.dataset.failures = failures.length;
  const place = document.getElementById("failures");
  place.hidden = false;
  place.textContent = "The page met an error: " + failures.join("; ");
}
window.addEventListener("error", (event) => noteFailure(event.message));
window.addEventListener("unhandledrejection", (event) => noteFailure(event.reason));

// Makes an element. Texts become text nodes: nothing that a case file holds is read as HTML.
function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties || {});
  for (const child of children)
    if (child !== null && child !== undefined) element.append(child);
  return element;
}

function bytesOfBase64(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k++) bytes[k] = letters.charCodeAt(k);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Puts the byte planes of an array together and adds the frame before, as io/report/pack.c took
// them apart.
function joinPlanes(bytes, offset, spec, before) {
  const [, , width, components, count] = spec;
  const n = components * count;
  const number = width === 4 ? new Int32Array(n) : new Uint16Array(n);
  for (let plane = 0; plane < width; plane++, offset += n)
    for (let k = 0; k < n; k++) number[k] |= bytes[offset + k] << (8 * plane);
  if (before && before.number.length === n && before.components === components && before.width === width)
    for (let k = 0; k < n; k++) number[k] += before.number[k];
  return { width, components, count, number };
}

async function unpackFrame(index, before) {
  const contents = report.scene.frames[index];
  const bytes = await inflate(bytesOfBase64(document.getElementById("frame-" + index).textContent));
  const frame = { step: contents.step, time: contents.time, kinds: {} };
  let offset = 0;
  for (const spec of contents.arrays) {
    const [kind, name, width, components, count] = spec;
    const old = before && before.kinds[kind] && before.kinds[kind][name];
    const arrays = (frame.kinds[kind] = frame.kinds[kind] || {});
    arrays[name] = joinPlanes(bytes, offset, spec, old);
    offset += width * components * count;
  }
  return frame;
}

async function unpackFrames(progress) {
  const frames = [];
  for (let k = 0; k < report.scene.frames.length; k++) {
    frames.push(await unpackFrame(k, frames[k - 1]));
    document.getElementById("frame-" + k).remove(); // its text is not needed any more
    progress(k + 1, report.scene.frames.length);
  }
  return frames;
}

// Returns the numbers of an array as floats: positions in metres, halves of floats as they were.
function realsOf(array, name) {
  const n = array.number.length;
  const real = new Float32Array(n);
  if (array.width === 2) {
    const bits = new Uint32Array(real.buffer);
    for (let k = 0; k < n; k++) bits[k] = array.number[k] << 16;
  } else {
    const scale = name === "position" ? report.scene.quantum : 1;
    for (let k = 0; k < n; k++) real[k] = array.number[k] * scale;
  }
  return real;
}

// A number as people write it.
function show(value, digits) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential((digits || 3) - 1).replace("e+", "e");
  return String(Number(value.toPrecision(digits || 4)));
}
