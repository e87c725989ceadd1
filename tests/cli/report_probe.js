// Put into a copy of a report by the test: draws every frame, picks a body, and writes down what came of it.

// Where a point of the scene is on the canvas, in pixels, and how far it is from the eye.
function placeOnCanvas(view, point) {
  const { right, up, back } = view.camera.axes(), way = subtract(point, view.camera.eye());
  const depth = -dot(back, way), t = Math.tan(view.camera.angle / 2);
  const width = view.canvas.clientWidth, height = view.canvas.clientHeight;
  return [(0.5 + (0.5 * dot(right, way) * height) / (width * depth * t)) * width, (0.5 - (0.5 * dot(up, way)) / (depth * t)) * height, depth];
}

// Picks the sphere or block whose middle is nearest to the eye: nothing can hide it there.
function pickNearest() {
  let best = null;
  for (const kind of ["bodies", "blocks"]) {
    const arrays = view.frames[view.index].kinds[kind];
    for (let k = 0; arrays && k < (kind === "blocks" ? arrays.faces.count : arrays.position.count); k++) {
      const at = placeOnCanvas(view, view.middleOf(kind, k));
      if (!best || at[2] < best.at[2]) best = { at, id: arrays.id.number[k] };
    }
  }
  choose(view.pick(best.at[0], best.at[1]));
  return { wanted: best.id, got: view.chosen && view.chosen.id, text: document.getElementById("picked").textContent };
}

function painted() {
  const gl = view.gl, pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
  gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  let count = 0;
  for (let at = 3; at < pixels.length; at += 4) count += pixels[at] > 0;
  return count / (pixels.length / 4);
}

async function probe() {
  while (document.documentElement.dataset.ready !== "yes") await new Promise((go) => setTimeout(go, 10));
  const result = { failures, plots: clock.plots.length, frames: [] };
  for (const kind of view.kinds) view.shown[kind] = true;
  for (let k = 0; k < view.frames.length; k++) {
    goTo(k);
    const frame = view.frames[k];
    result.frames.push({
      step: frame.step, painted: painted(), error: view.gl.getError(), instances: view.things.bodies.count,
      drawn: Object.fromEntries(view.kinds.map((kind) => [kind, view.countOf(frame, kind)])),
      tubes: Object.fromEntries(TUBES.map((kind) => [kind, view.things[kind].count])),
    });
  }
  result.phases = [...document.querySelectorAll("#split .share")].map((row) => row.firstChild.textContent);
  result.pick = pickNearest();
  view.cutAxis = 2; // half of the scene is gone
  refresh();
  result.cut = painted();
  document.body.append(make("pre", { id: "probe", textContent: JSON.stringify(result) }));
}
probe();
