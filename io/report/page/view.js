// The 3D view: spheres as ray-traced discs, blocks and walls as polygons, forces as tubes.

// ---- colours ----

// Anchors of two maps, dark to bright: for values of bodies, and for forces.
const MAPS = {
  body: [[66, 78, 150], [48, 112, 165], [38, 146, 155], [66, 178, 122], [150, 208, 78], [250, 230, 60]],
  force: [[120, 70, 60], [165, 48, 38], [206, 62, 30], [236, 104, 30], [250, 160, 45], [255, 214, 90]],
};
const CLASSES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#f0e442", "#7f7f7f", "#8c510a", "#7b3294", "#1b7837", "#b2182b"]
  .map((ink) => [1, 3, 5].map((at) => parseInt(ink.slice(at, at + 2), 16)));
const PLAIN = { bodies: [176, 186, 196], blocks: [205, 190, 166], contacts: [200, 60, 40], interfaces: [214, 39, 40], thrust: [190, 20, 40], joints: [60, 60, 70], walls: [120, 135, 150] };
const CHOSEN = [255, 40, 150];
const FIXED = [150, 152, 156];

function mapColour(map, share) {
  const anchors = MAPS[map];
  const at = Math.min(0.99999, Math.max(0, share || 0)) * (anchors.length - 1);
  const k = Math.floor(at), f = at - k;
  return anchors[k].map((value, c) => value + f * (anchors[k + 1][c] - value));
}

// What whole numbers of an array stand for; null: they are quantities.
function classNames(name) {
  if (name === "group") return report.scene.groups.map((text) => text || "(no group)");
  if (name === "material") return report.scene.materials;
  if (name === "status") return ["open", "stick", "slip"];
  if (name === "fixed") return ["moving", "fixed"];
  if (name === "initial") return ["later", "at the start"];
  return null;
}

const UNITS = { velocity: "m/s", angular_velocity: "rad/s", displacement: "m", radius: "m", mass: "kg", normal_force: "N", force: "N", opening: "m", slide: "m", error: "m", gap: "m" };

// ---- shaders ----

const SHADE = `
vec3 shade(vec3 n, vec3 colour) {
  float key = max(0.0, dot(n, normalize(vec3(0.35, 0.65, 0.7))));
  float fill = max(0.0, dot(n, normalize(vec3(-0.7, 0.1, 0.4))));
  float sky = 0.5 + 0.5 * n.y;
  float shine = pow(max(0.0, dot(n, normalize(vec3(0.18, 0.35, 0.92)))), 40.0);
  return colour * (0.30 + 0.16 * sky + 0.56 * key + 0.12 * fill) + vec3(0.10) * shine;
}`;

const SPHERE_VERTEX = `#version 300 es
in vec2 corner; in vec3 centre; in float radius; in vec3 ink;
uniform mat4 look, project;
out vec3 place; flat out vec3 middle; flat out float size; flat out vec3 colour;
void main() {
  middle = (look * vec4(centre, 1.0)).xyz;
  size = radius;
  colour = ink;
  float d2 = dot(middle, middle), r2 = size * size;
  if (size <= 0.0 || d2 <= 1.0001 * r2) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
  vec3 axis = middle / sqrt(d2);
  vec3 side = normalize(abs(axis.y) < 0.99 ? cross(axis, vec3(0, 1, 0)) : cross(axis, vec3(1, 0, 0)));
  // The disc in the plane of the centre that just covers the sphere in perspective.
  place = middle + (corner.x * side + corner.y * cross(side, axis)) * size * sqrt(d2 / (d2 - r2));
  gl_Position = project * vec4(place, 1.0);
}`;

const SPHERE_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place; flat in vec3 middle; flat in float size; flat in vec3 colour;
uniform mat4 project; uniform vec4 cut; uniform float alpha;
out vec4 pixel;
${SHADE}
void main() {
  vec3 ray = normalize(place);
  float along = dot(ray, middle);
  vec3 miss = middle - along * ray;
  float under = size * size - dot(miss, miss);
  if (under < 0.0) discard;
  float depth = sqrt(under);
  vec3 hit = ray * (along - depth), n = (hit - middle) / size;
  bool section = false;
  if (dot(cut.xyz, hit) > cut.w) { // the section through the sphere, if the ray meets it
    float t = cut.w / dot(cut.xyz, ray);
    if (!(t > along - depth && t < along + depth)) discard;
    hit = ray * t;
    section = true;
  }
  vec4 clip = project * vec4(hit, 1.0);
  gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
  float rim = 1.0 - 0.35 * pow(1.0 - abs(dot(n, ray)), 3.0);
  pixel = vec4(section ? 0.88 * colour : shade(n, colour) * rim, alpha);
}`;

const SURFACE_VERTEX = `#version 300 es
in vec3 position; in vec3 normal; in vec3 ink;
uniform mat4 look, project;
out vec3 place; out vec3 facing; out vec3 colour;
void main() {
  place = (look * vec4(position, 1.0)).xyz;
  facing = mat3(look) * normal;
  colour = ink;
  gl_Position = project * vec4(place, 1.0);
}`;

const SURFACE_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place; in vec3 facing; in vec3 colour;
uniform vec4 cut; uniform float alpha;
out vec4 pixel;
${SHADE}
void main() {
  if (dot(cut.xyz, place) > cut.w) discard;
  float edge = dot(facing, facing) < 0.01 ? 1.0 : 0.0;
  vec3 n = edge > 0.5 ? vec3(0, 0, 1) : normalize(facing);
  if (dot(n, place) > 0.0) n = -n;
  pixel = vec4(edge > 0.5 ? colour : shade(n, colour), alpha);
}`;

const TUBE_VERTEX = `#version 300 es
in vec2 corner; in vec3 begin; in vec3 end; in float width; in vec3 ink;
uniform mat4 look, project;
out vec3 place; out float across; out vec3 side; out vec3 facing; out vec3 colour;
void main() {
  vec3 a = (look * vec4(begin, 1.0)).xyz, b = (look * vec4(end, 1.0)).xyz;
  vec3 along = b - a, middle = mix(a, b, 0.5 + 0.5 * corner.y);
  side = cross(along, middle);
  side = dot(side, side) > 0.0 ? normalize(side) : vec3(1, 0, 0);
  facing = normalize(cross(side, along));
  if (dot(facing, middle) > 0.0) facing = -facing;
  place = middle + side * corner.x * width;
  across = corner.x;
  colour = ink;
  gl_Position = project * vec4(place, 1.0);
}`;

const TUBE_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place; in float across; in vec3 side; in vec3 facing; in vec3 colour;
uniform vec4 cut; uniform float alpha;
out vec4 pixel;
${SHADE}
void main() {
  if (dot(cut.xyz, place) > cut.w) discard;
  pixel = vec4(shade(normalize(side * across + facing * sqrt(max(0.0, 1.0 - across * across))), colour), alpha);
}`;

// A program with buffers for its attributes. Instances are drawn as squares of two triangles.
class Painter {
  constructor(gl, vertex, fragment, attributes, instanced) {
    this.gl = gl;
    this.instanced = instanced;
    this.program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(this.program));
    this.attributes = attributes;
    this.uniforms = {};
    for (const name of ["look", "project", "cut", "alpha"]) this.uniforms[name] = gl.getUniformLocation(this.program, name);
  }

  // A thing that is drawn with this painter: an array and buffers of its own.
  thing() {
    const gl = this.gl, thing = { painter: this, array: gl.createVertexArray(), buffers: {}, count: 0 };
    gl.bindVertexArray(thing.array);
    if (this.instanced) {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
      const at = gl.getAttribLocation(this.program, "corner");
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, 2, gl.FLOAT, false, 0, 0);
    }
    for (const [name, size, type] of this.attributes) {
      const at = gl.getAttribLocation(this.program, name);
      gl.bindBuffer(gl.ARRAY_BUFFER, (thing.buffers[name] = gl.createBuffer()));
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, type || gl.FLOAT, type === gl.UNSIGNED_BYTE, 0, 0);
      if (this.instanced) gl.vertexAttribDivisor(at, 1);
    }
    return thing;
  }

  draw(thing, scene, alpha, mode) {
    const gl = this.gl;
    if (thing.count === 0) return;
    gl.useProgram(this.program);
    gl.uniformMatrix4fv(this.uniforms.look, false, scene.look);
    if (this.uniforms.project) gl.uniformMatrix4fv(this.uniforms.project, false, scene.project);
    gl.uniform4fv(this.uniforms.cut, scene.cut);
    gl.uniform1f(this.uniforms.alpha, alpha);
    gl.bindVertexArray(thing.array);
    if (this.instanced) gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, thing.count);
    else gl.drawArrays(mode, 0, thing.count);
  }
}

// ---- the view ----

const SURFACES = ["blocks", "walls"], SPHERES = ["bodies", "interfaces"], TUBES = ["contacts", "thrust", "joints"];
const CURVED = 60; // faces of a body that is drawn without edges
const DOT = 0.25; // radius of the dot of an interface, against the typical size
const STRUCTURE = ["position", "corner", "sides", "faces"];

class View {
  constructor(canvas, frames) {
    this.canvas = canvas;
    this.frames = frames;
    this.gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: false, preserveDrawingBuffer: true });
    if (!this.gl) throw new Error("this browser offers no WebGL 2, which the 3D view needs");
    const gl = this.gl, byte = gl.UNSIGNED_BYTE;
    this.spheres = new Painter(gl, SPHERE_VERTEX, SPHERE_FRAGMENT, [["centre", 3], ["radius", 1], ["ink", 3, byte]], true);
    this.surfaces = new Painter(gl, SURFACE_VERTEX, SURFACE_FRAGMENT, [["position", 3], ["normal", 3], ["ink", 3, byte]], false);
    this.tubes = new Painter(gl, TUBE_VERTEX, TUBE_FRAGMENT, [["begin", 3], ["end", 3], ["width", 1], ["ink", 3, byte]], true);
    this.things = {};
    for (const kind of SPHERES) this.things[kind] = this.spheres.thing();
    for (const kind of TUBES) this.things[kind] = this.tubes.thing();
    for (const kind of SURFACES) { this.things[kind] = this.surfaces.thing(); this.things[kind + " edges"] = this.surfaces.thing(); }
    this.kinds = [...SPHERES, ...SURFACES, ...TUBES].filter((kind) => frames.some((frame) => this.sizeOf(frame, kind) > 0));
    this.shown = Object.fromEntries(this.kinds.map((kind) => [kind, true]));
    this.colour = {};
    this.opacity = 1;
    this.width = 1;
    this.perFrame = false;
    this.cutAxis = -1;
    this.cutAt = 0.5;
    this.cutFlip = false;
    this.chosen = null;
    this.ranges = new Map();
    this.index = 0;
    this.measure();
    this.camera = new Camera(this.upAxis());
    this.camera.aspect = canvas.clientWidth / Math.max(1, canvas.clientHeight);
    this.camera.frame(this.low, this.high);
    this.choose();
  }

  sizeOf(frame, kind) { return frame.kinds[kind] ? frame.kinds[kind].position.count : 0; }

  // How much there is of a kind in a frame, for the panel and the check of the page.
  countOf(frame, kind) {
    const arrays = frame.kinds[kind];
    if (!arrays) return 0;
    if (SURFACES.includes(kind)) return arrays.faces.count;
    if (TUBES.includes(kind)) return arrays.position.count / 2;
    return kind === "bodies" && arrays.id ? new Set(arrays.id.number).size : arrays.position.count;
  }

  upAxis() {
    const found = /gravity:\s*\[([^\]]+)\]/.exec(report.case);
    const g = found ? found[1].split(",").map(Number) : [0, 0, -1];
    const size = g.map(Math.abs), most = Math.max(...size);
    return most > 0 ? size.indexOf(most) : 2;
  }

  // The box around kinds of things in the first and the last frame, without what has flown away;
  // null where there are none.
  boxOf(kinds) {
    const places = [[], [], []];
    let reach = 0;
    for (const frame of [this.frames[0], this.frames[this.frames.length - 1]])
      for (const kind of kinds) {
        if (!this.sizeOf(frame, kind)) continue;
        const arrays = frame.kinds[kind], real = realsOf(arrays.position, "position");
        for (let k = 0; k < real.length; k++) places[k % 3].push(real[k]);
        if (arrays.radius) reach = Math.max(reach, quantiles(realsOf(arrays.radius), 0, 0.9)[1]);
      }
    if (places[0].length === 0) return null;
    const ends = places.map((list) => (list.length < 400 ? quantiles(list, 0, 1) : quantiles(list, 0.002, 0.998)));
    return { low: ends.map((end) => end[0] - reach), high: ends.map((end) => end[1] + reach) };
  }

  // Walls count where they are not much larger than what they hold.
  measure() {
    const walls = this.boxOf(["walls"]), box = this.boxOf(["bodies", "blocks"]) || walls || { low: [0, 0, 0], high: [1, 1, 1] };
    const size = lengthOf(subtract(box.high, box.low));
    this.low = box.low;
    this.high = box.high;
    if (walls && lengthOf(subtract(walls.high, walls.low)) < 1.5 * size) {
      this.low = box.low.map((value, c) => Math.min(value, walls.low[c]));
      this.high = box.high.map((value, c) => Math.max(value, walls.high[c]));
    }
    this.reach = Math.max(...subtract(this.high, this.low), 1e-9);
    this.grain = this.typicalSize();
  }

  // A length by which tubes and dots are drawn: of a typical sphere, else of a typical block.
  typicalSize() {
    const last = this.frames[this.frames.length - 1];
    if (this.sizeOf(last, "bodies") && last.kinds.bodies.radius) return quantiles(realsOf(last.kinds.bodies.radius), 0, 0.5)[1];
    if (this.sizeOf(last, "blocks")) return 0.25 * this.reach / Math.pow(last.kinds.blocks.faces.count, 0.5);
    return 0.05 * this.reach;
  }

  // What is shown at first.
  choose() {
    const has = (kind, name) => this.frames.some((frame) => frame.kinds[kind] && frame.kinds[kind][name]);
    const first = { bodies: "velocity", blocks: "displacement", contacts: "normal_force", interfaces: "opening", thrust: "normal_force", joints: "force" };
    for (const kind of this.kinds) this.colour[kind] = { name: has(kind, first[kind]) ? first[kind] : "", part: -1 };
    if (this.shown.contacts) this.shown.contacts = !this.kinds.some((kind) => kind === "bodies" || kind === "blocks");
    if (this.shown.thrust) this.opacity = 0.72;
    this.openAbove = 2.5 * report.scene.quantum; // a two hundredth of the smallest edge
  }

  // ---- values and colours ----

  coloursOf(kind) {
    const names = [];
    for (const frame of this.frames)
      for (const name of Object.keys(frame.kinds[kind] || {}))
        if (!STRUCTURE.includes(name) && !names.some((one) => one.name === name)) names.push({ name, components: frame.kinds[kind][name].components });
    return names;
  }

  // One number for each body of a frame; null where the array is not there.
  valuesOf(frame, kind, colour) {
    const array = frame.kinds[kind] && frame.kinds[kind][colour.name];
    if (!array) return null;
    const real = realsOf(array, colour.name), c = array.components;
    if (c === 1) return real;
    const value = new Float32Array(array.count);
    for (let k = 0; k < array.count; k++)
      value[k] = colour.part >= 0 ? real[c * k + colour.part] : Math.hypot(...real.subarray(c * k, c * k + c));
    return value;
  }

  rangeOf(kind, colour) {
    const key = [kind, colour.name, colour.part, this.perFrame ? this.index : ""].join(" ");
    if (!this.ranges.has(key)) {
      const stride = Math.max(1, Math.floor(this.frames.length / 12)), all = [];
      const frames = this.perFrame ? [this.frames[this.index]] : this.frames.filter((_, k) => k % stride === 0 || k === this.frames.length - 1);
      for (const frame of frames) {
        const value = this.valuesOf(frame, kind, colour) || [];
        const step = Math.max(1, Math.floor(value.length / 20000));
        for (let k = 0; k < value.length; k += step) all.push(value[k]);
      }
      const whole = ["id", "coordination", "joint", "kind"].includes(colour.name);
      let [low, high] = quantiles(all, whole ? 0 : 0.005, whole ? 1 : 0.99);
      if (low > 0 && low < 0.5 * high) low = 0;
      if (colour.name === "opening") low = 0; // closed interfaces are not drawn
      this.ranges.set(key, [low, high > low ? high : low + (Math.abs(low) || 1) * 1e-3]);
    }
    return this.ranges.get(key);
  }

  // Three bytes for each body of a kind.
  inksOf(frame, kind, count) {
    const ink = new Uint8Array(3 * count), colour = this.colour[kind], arrays = frame.kinds[kind];
    const value = colour && colour.name ? this.valuesOf(frame, kind, colour) : null;
    const names = value ? classNames(colour.name) : null;
    const range = value && !names ? this.rangeOf(kind, colour) : null;
    const map = TUBES.includes(kind) || kind === "interfaces" ? "force" : "body";
    const table = range ? Array.from({ length: 256 }, (_, k) => mapColour(map, k / 255)) : null;
    for (let k = 0; k < count; k++) {
      let rgb = PLAIN[kind];
      if (names) rgb = CLASSES[value[k] % CLASSES.length];
      else if (range) rgb = table[Math.max(0, Math.min(255, Math.round((255 * (value[k] - range[0])) / (range[1] - range[0])))) || 0];
      if (arrays.fixed && arrays.fixed.number[k] === 1 && !names) rgb = FIXED;
      if (this.chosen && arrays.id && kind !== "thrust" && arrays.id.number[k] === this.chosen.id) rgb = CHOSEN;
      ink.set(rgb, 3 * k);
    }
    return ink;
  }

  // ---- geometry of a frame ----

  show(index) {
    this.index = index;
    const frame = this.frames[index];
    for (const kind of this.kinds) {
      const there = this.shown[kind] && this.sizeOf(frame, kind) > 0;
      if (SURFACES.includes(kind)) this.fillSurface(kind, there ? frame : null);
      else if (SPHERES.includes(kind)) this.fillSpheres(kind, there ? frame : null);
      else this.fillTubes(kind, there ? frame : null);
    }
    this.draw();
  }

  load(thing, count, data) {
    const gl = this.gl;
    thing.count = count;
    for (const name of Object.keys(data)) {
      gl.bindBuffer(gl.ARRAY_BUFFER, thing.buffers[name]);
      gl.bufferData(gl.ARRAY_BUFFER, data[name], gl.DYNAMIC_DRAW);
    }
  }

  fillSpheres(kind, frame) {
    const thing = this.things[kind];
    thing.count = 0;
    if (!frame) return;
    const arrays = frame.kinds[kind], count = arrays.position.count;
    const radius = arrays.radius ? realsOf(arrays.radius) : new Float32Array(count).fill(DOT * this.grain);
    if (kind === "interfaces" && arrays.opening) {
      const opening = realsOf(arrays.opening);
      for (let k = 0; k < count; k++) if (!(opening[k] > this.openAbove)) radius[k] = 0;
    }
    this.load(thing, count, { centre: realsOf(arrays.position, "position"), radius, ink: this.inksOf(frame, kind, count) });
  }

  fillTubes(kind, frame) {
    const thing = this.things[kind];
    thing.count = 0;
    if (!frame) return;
    const arrays = frame.kinds[kind], count = arrays.position.count / 2;
    const place = realsOf(arrays.position, "position");
    const begin = new Float32Array(3 * count), end = new Float32Array(3 * count), width = new Float32Array(count);
    const force = this.valuesOf(frame, kind, { name: arrays.normal_force ? "normal_force" : "force", part: -1 });
    const most = force ? this.rangeOf(kind, { name: arrays.normal_force ? "normal_force" : "force", part: -1 })[1] : 1;
    for (let k = 0; k < count; k++) {
      begin.set(place.subarray(6 * k, 6 * k + 3), 3 * k);
      end.set(place.subarray(6 * k + 3, 6 * k + 6), 3 * k);
      const share = force ? Math.min(1.5, force[k] / most) : 0.5;
      width[k] = this.width * this.grain * (kind === "contacts" ? 0.42 * share : kind === "thrust" ? 0.06 + 0.14 * share : 0.12);
    }
    this.load(thing, count, { begin, end, width, ink: this.inksOf(frame, kind, count) });
  }

  // Polygons become fans of triangles with one normal each, and their sides lines.
  fillSurface(kind, frame) {
    const fills = this.things[kind], edges = this.things[kind + " edges"];
    fills.count = edges.count = 0;
    if (!frame) return;
    const arrays = frame.kinds[kind], place = realsOf(arrays.position, "position");
    const corner = arrays.corner.number, sides = arrays.sides.number, faces = arrays.faces.number;
    let triangles = 0, rims = 0;
    for (const n of sides) { triangles += Math.max(0, n - 2); rims += n; }
    const fill = { position: new Float32Array(9 * triangles), normal: new Float32Array(9 * triangles), ink: new Uint8Array(9 * triangles) };
    const edge = { position: new Float32Array(6 * rims), normal: new Float32Array(6 * rims), ink: new Uint8Array(6 * rims).fill(kind === "walls" ? 110 : 45) };
    const inks = this.inksOf(frame, kind, faces.length), point = (k) => place.subarray(3 * corner[k], 3 * corner[k] + 3);
    let at = 0, rim = 0, begin = 0, polygon = 0;
    for (let body = 0; body < faces.length; body++) {
      const ink = inks.subarray(3 * body, 3 * body + 3);
      for (let f = 0; f < faces[body]; f++, begin += sides[polygon++]) {
        const n = sides[polygon];
        if (n < 2) continue;
        const normal = n > 2 ? unit(cross(subtract(point(begin + 1), point(begin)), subtract(point(begin + 2), point(begin)))) : [0, 0, 1];
        for (let k = 1; k + 1 < n; k++)
          for (const one of [0, k, k + 1]) {
            fill.position.set(point(begin + one), at);
            fill.normal.set(normal, at);
            fill.ink.set(ink, at);
            at += 3;
          }
        if (faces[body] > CURVED) continue; // the facets of a drum are no edges
        for (let k = 0; k < n; k++) {
          edge.position.set(point(begin + k), rim);
          edge.position.set(point(begin + ((k + 1) % n)), rim + 3);
          rim += 6;
        }
      }
    }
    this.load(fills, at / 3, fill);
    this.load(edges, rim / 3, edge);
  }

  // ---- drawing ----

  cutPlane() {
    if (this.cutAxis < 0) return new Float32Array([0, 0, 0, 1]);
    const n = [0, 0, 0], { right, up, back } = this.camera.axes();
    n[this.cutAxis] = this.cutFlip ? -1 : 1;
    const place = this.low[this.cutAxis] + this.cutAt * (this.high[this.cutAxis] - this.low[this.cutAxis]);
    const offset = (this.cutFlip ? -place : place) - dot(n, this.camera.eye());
    return new Float32Array([dot(n, right), dot(n, up), dot(n, back), offset]);
  }

  draw() {
    const gl = this.gl, ratio = Math.min(2, window.devicePixelRatio || 1);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio)), height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) { this.canvas.width = width; this.canvas.height = height; }
    const scene = { ...this.camera.matrices(width / height), cut: this.cutPlane() };
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    for (const kind of [...TUBES, "interfaces"]) this.things[kind].painter.draw(this.things[kind], scene, 1);
    this.drawBodies(scene);
    this.drawWalls(scene);
  }

  // Where bodies are translucent, only their nearest layer is: first its depth alone is drawn, then
  // its colour over what lies behind.
  drawBodies(scene) {
    const gl = this.gl;
    const paint = () => {
      this.spheres.draw(this.things.bodies, scene, this.opacity);
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(1, 1);
      this.surfaces.draw(this.things.blocks, scene, this.opacity, gl.TRIANGLES);
      gl.disable(gl.POLYGON_OFFSET_FILL);
    };
    if (this.opacity < 1) {
      gl.colorMask(false, false, false, false);
      paint();
      gl.colorMask(true, true, true, true);
      gl.enable(gl.BLEND);
    }
    paint();
    gl.enable(gl.BLEND);
    this.surfaces.draw(this.things["blocks edges"], scene, 0.55, gl.LINES);
  }

  drawWalls(scene) {
    const gl = this.gl;
    gl.depthMask(false);
    this.surfaces.draw(this.things.walls, scene, 0.16, gl.TRIANGLES);
    this.surfaces.draw(this.things["walls edges"], scene, 0.3, gl.LINES);
    gl.depthMask(true);
  }

  // ---- picking ----

  isCut(place) {
    if (this.cutAxis < 0) return false;
    const edge = this.low[this.cutAxis] + this.cutAt * (this.high[this.cutAxis] - this.low[this.cutAxis]);
    return this.cutFlip ? place[this.cutAxis] < edge : place[this.cutAxis] > edge;
  }

  // Returns what is seen at a place of the canvas: {kind, index}, or null.
  pick(x, y) {
    const aspect = this.canvas.clientWidth / this.canvas.clientHeight;
    const ray = this.camera.ray((2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight, aspect);
    const eye = this.camera.eye(), best = { t: Infinity };
    for (const kind of this.kinds) if (this.shown[kind]) this.pickKind(kind, eye, ray, best);
    return best.kind ? best : null;
  }

  pickKind(kind, eye, ray, best) {
    const arrays = this.frames[this.index].kinds[kind];
    if (!arrays || kind === "walls" || TUBES.includes(kind)) return;
    const place = realsOf(arrays.position, "position"), point = (k) => [place[3 * k], place[3 * k + 1], place[3 * k + 2]];
    const take = (t, index) => {
      if (t < best.t && !this.isCut(add(eye, scaled(t, ray)))) Object.assign(best, { t, kind, index });
    };
    if (kind === "bodies") {
      const radius = realsOf(arrays.radius);
      for (let k = 0; k < radius.length; k++) take(meetSphere(eye, ray, point(k), radius[k]), k);
    } else if (kind === "interfaces") {
      const opening = arrays.opening ? realsOf(arrays.opening) : null;
      for (let k = 0; k < arrays.position.count; k++)
        if (!opening || opening[k] > this.openAbove) take(meetSphere(eye, ray, point(k), DOT * this.grain), k);
    } else {
      const corner = arrays.corner.number, sides = arrays.sides.number, faces = arrays.faces.number;
      for (let body = 0, begin = 0, polygon = 0; body < faces.length; body++)
        for (let f = 0; f < faces[body]; f++, begin += sides[polygon++])
          for (let k = 1; k + 1 < sides[polygon]; k++)
            take(meetTriangle(eye, ray, point(corner[begin]), point(corner[begin + k]), point(corner[begin + k + 1])), body);
    }
  }

  // The middle of a body: of its sphere, or of the corners of a block.
  middleOf(kind, index) {
    const arrays = this.frames[this.index].kinds[kind], place = realsOf(arrays.position, "position");
    if (kind !== "blocks") return [...place.subarray(3 * index, 3 * index + 3)];
    const corners = new Set();
    for (let body = 0, begin = 0, polygon = 0; body <= index; body++)
      for (let f = 0; f < arrays.faces.number[body]; f++, begin += arrays.sides.number[polygon++])
        if (body === index) for (let k = 0; k < arrays.sides.number[polygon]; k++) corners.add(arrays.corner.number[begin + k]);
    let sum = [0, 0, 0];
    for (const k of corners) sum = add(sum, place.subarray(3 * k, 3 * k + 3));
    return scaled(1 / corners.size, sum);
  }
}
