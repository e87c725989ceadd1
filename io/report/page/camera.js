// A camera that turns about a point, upright.

class Camera {
  constructor(up) {
    this.up = up; // index of the axis that points up
    this.angle = (32 * Math.PI) / 180;
    this.target = [0, 0, 0];
    this.distance = 1;
    this.turn = 0.5;
    this.rise = 0.35;
    this.size = 1;
  }

  // The three axes of the eye: right, up, back.
  axes() {
    const u = this.up, a = (u + 1) % 3, b = (u + 2) % 3;
    const back = [0, 0, 0], right = [0, 0, 0];
    back[u] = Math.sin(this.rise);
    back[a] = Math.cos(this.rise) * Math.sin(this.turn);
    back[b] = -Math.cos(this.rise) * Math.cos(this.turn);
    right[a] = Math.cos(this.turn);
    right[b] = Math.sin(this.turn);
    return { right, up: cross(back, right), back };
  }

  eye() { return add(this.target, scaled(this.distance, this.axes().back)); }

  // Shows a box, from the side that it is widest on.
  frame(low, high) {
    const extent = subtract(high, low), u = this.up, a = (u + 1) % 3, b = (u + 2) % 3;
    this.target = scaled(0.5, add(low, high));
    this.size = Math.max(lengthOf(extent), 1e-9);
    const flat = Math.min(extent[a], extent[b]) < 0.35 * Math.max(extent[a], extent[b]);
    const along = extent[a] >= extent[b] ? 0 : Math.PI / 2;
    this.turn = along + (flat ? 0.35 : 0.55);
    this.rise = flat ? 0.16 : 0.28;
    const aspect = this.aspect || 1.6;
    const wide = Math.hypot(extent[a], extent[b]), high_ = extent[u] + 0.3 * Math.min(extent[a], extent[b]);
    this.distance = (0.58 * Math.max(wide / aspect, high_)) / Math.tan(this.angle / 2) + 0.3 * Math.min(extent[a], extent[b]);
    this.home = { target: this.target, turn: this.turn, rise: this.rise, distance: this.distance };
  }

  reset() { Object.assign(this, this.home); }

  from(axis) {
    const u = this.up, a = (u + 1) % 3;
    this.target = this.home.target;
    this.rise = axis === u ? 1.5699 : 0;
    this.turn = axis === u || axis !== a ? 0 : Math.PI / 2;
  }

  rotate(dx, dy) {
    this.turn -= dx * 0.006;
    this.rise = Math.min(1.5699, Math.max(-1.5699, this.rise + dy * 0.006));
  }

  move(dx, dy, height) {
    const { right, up } = this.axes();
    const pixel = (2 * this.distance * Math.tan(this.angle / 2)) / height;
    this.target = add(this.target, add(scaled(-dx * pixel, right), scaled(dy * pixel, up)));
  }

  zoom(factor) { this.distance = Math.min(50 * this.size, Math.max(1e-3 * this.size, this.distance * factor)); }

  matrices(aspect) {
    const { right, up, back } = this.axes();
    this.aspect = aspect;
    const near = Math.max(this.distance - 2 * this.size, 0.01 * this.distance);
    return { look: lookMatrix(this.eye(), right, up, back), project: perspective(this.angle, aspect, near, this.distance + 12 * this.size) };
  }

  // The direction in which the eye sees a place of the picture; x and y from -1 to 1.
  ray(x, y, aspect) {
    const { right, up, back } = this.axes();
    const t = Math.tan(this.angle / 2);
    return unit(add(add(scaled(x * t * aspect, right), scaled(y * t, up)), scaled(-1, back)));
  }

  // Follows the mouse and fingers on an element; calls back after every change.
  attach(element, changed) {
    const pointers = new Map();
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, event);
      element.setPointerCapture(event.pointerId);
      element.classList.add("turning");
    });
    const release = (event) => { pointers.delete(event.pointerId); element.classList.remove("turning"); };
    element.addEventListener("pointerup", release);
    element.addEventListener("pointercancel", release);
    element.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
      if (pointers.size === 2) this.pinch(pointers, event, dx, dy, element);
      else if (before.buttons === 2 || before.buttons === 4 || event.shiftKey) this.move(dx, dy, element.clientHeight);
      else this.rotate(dx, dy);
      pointers.set(event.pointerId, event);
      changed();
    });
    element.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(0.0012 * event.deltaY));
      changed();
    }, { passive: false });
  }

  pinch(pointers, event, dx, dy, element) {
    const other = [...pointers.values()].find((one) => one.pointerId !== event.pointerId);
    const gap = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    this.zoom(gap(pointers.get(event.pointerId)) / (gap(event) || 1));
    this.move(dx / 2, dy / 2, element.clientHeight);
  }
}
