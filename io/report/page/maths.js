// Vectors as arrays of three numbers, matrices as WebGL stores them: by columns.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (s, a) => [s * a[0], s * a[1], s * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const lengthOf = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scaled(1 / (lengthOf(a) || 1), a);

// The matrix that takes world coordinates to those of an eye with three axes (right, up, back).
function lookMatrix(eye, right, up, back) {
  return new Float32Array([
    right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1]);
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1,
    0, 0, (2 * far * near) / (near - far), 0]);
}

// Where a ray from the eye meets a sphere; Infinity where it does not.
function meetSphere(eye, ray, centre, radius) {
  const way = subtract(centre, eye);
  const along = dot(way, ray);
  const under = along * along - dot(way, way) + radius * radius;
  if (under < 0) return Infinity;
  const t = along - Math.sqrt(under);
  return t > 0 ? t : Infinity;
}

// Where a ray meets a triangle (Moller and Trumbore 1997).
function meetTriangle(eye, ray, a, b, c) {
  const ab = subtract(b, a), ac = subtract(c, a);
  const p = cross(ray, ac);
  const determinant = dot(ab, p);
  if (Math.abs(determinant) < 1e-300) return Infinity;
  const s = subtract(eye, a);
  const u = dot(s, p) / determinant;
  const q = cross(s, ab);
  const v = dot(ray, q) / determinant;
  const t = dot(ac, q) / determinant;
  return u >= 0 && v >= 0 && u + v <= 1 && t > 0 ? t : Infinity;
}

// The value below which a share of the numbers lies; of many, a sample is taken.
function quantiles(numbers, low, high) {
  const finite = [];
  const stride = Math.max(1, Math.floor(numbers.length / 50000));
  for (let k = 0; k < numbers.length; k += stride) if (Number.isFinite(numbers[k])) finite.push(numbers[k]);
  if (finite.length === 0) return [0, 1];
  finite.sort((a, b) => a - b);
  const at = (share) => finite[Math.min(finite.length - 1, Math.floor(share * finite.length))];
  return [at(low), at(high)];
}
