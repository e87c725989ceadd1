#!/usr/bin/env python3
"""Residuals of the solution that an FCLIB file carries, straight from its HDF5 datasets and the
formulas of engine/problem/residual.h, without any code of Gabion:

    fclib_check.py FILE.hdf5 ...

prints for each file its name, the scaled and the FCLIB residual of /solution/r, and the largest
difference between /solution/u and W r + q, over the norm of the velocities."""
import sys

import h5py
import numpy as np

STICKS = 1e100  # friction from here on means infinite
ROUNDING_MOST = 1e-9  # share of the scale that is allowed for the rounding of u


def read_matrix(group):
    m, n, nz = (int(group[name][0]) for name in ("m", "n", "nz"))
    p, i, x = (group[name][:] for name in ("p", "i", "x"))
    W = np.zeros((m, n))
    if nz >= 0:  # triplets: p is the column and i the row
        np.add.at(W, (i[:nz], p[:nz]), x[:nz])
        return W
    lines = np.repeat(np.arange(len(p) - 1), np.diff(p))
    rows, columns = (lines, i) if nz == -2 else (i, lines)
    np.add.at(W, (rows, columns), x)
    return W


def project(a, mu):
    """On the cone |a_T| <= mu a_N, one contact a row."""
    normal, tangent = a[:, 0], np.linalg.norm(a[:, 1:], axis=1)
    result = a.copy()
    for k in range(len(a)):
        if mu[k] >= STICKS:
            result[k] = a[k] if normal[k] > 0 else 0
        elif mu[k] * tangent[k] <= -normal[k]:
            result[k] = 0
        elif tangent[k] > mu[k] * normal[k]:
            result[k, 0] = (mu[k] * tangent[k] + normal[k]) / (1 + mu[k] ** 2)
            result[k, 1:] = mu[k] * result[k, 0] * a[k, 1:] / tangent[k]
    return result


def natural_map(r, u, mu, rho):
    shifted = u.copy()
    finite = mu < STICKS
    shifted[finite, 0] += mu[finite] * np.linalg.norm(u[finite, 1:], axis=1)
    return r - project(r - rho[:, None] * shifted, mu)


def closing_speeds(q, floor):
    """|q| of the contacts that close, at most ten times the usual one where there is a floor."""
    speed = np.linalg.norm(q[q[:, 0] < 0], axis=1)
    speed = speed[speed > 0]
    if floor == 0 or not speed.size:
        return speed
    weight = np.minimum(speed / floor, 1) ** 2
    fraction, exponent = np.frexp(speed ** 2)
    mean = np.average(exponent + 2 * fraction - 2, weights=weight)  # log2, straight between powers of two
    usual = np.sqrt(2 ** np.floor(mean) * (1 + mean - np.floor(mean)))
    return np.minimum(speed, 10 * max(usual, floor))


def read_least(file):
    """The floor of the scale and the error that counts as none: of exported steps; else zeros."""
    step = file["gabion"].attrs if "gabion" in file else {}
    return float(step.get("floor", 0)), float(step.get("still", 0))


def scaled_residual(errors, impulses, q, least):
    """errors are |e| / rho and impulses |r| / rho of each contact, both velocities."""
    floor, still = least
    closing = np.linalg.norm(closing_speeds(q, floor))
    scale = max(closing, floor)
    rounding = 4 * np.finfo(float).eps * np.hypot(closing, np.linalg.norm(impulses))
    allowed = min(rounding, ROUNDING_MOST * scale) if floor > 0 else 0
    error = np.linalg.norm(errors[~(errors <= still)])  # a NaN stays
    return max(error - allowed, 0) / (scale if scale > np.finfo(float).tiny else 1)


def residuals(path):
    with h5py.File(path) as file:
        W = read_matrix(file["fclib_local/W"])
        q = file["fclib_local/vectors/q"][:]
        mu = file["fclib_local/vectors/mu"][:]
        r = file["solution/r"][:]
        stored = file["solution/u"][:]
        least = read_least(file)
    u = W @ r + q
    blocks = [W[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] for k in range(len(mu))]
    norms = np.array([np.linalg.norm(block, 2) for block in blocks])
    rho = np.divide(1, norms, out=np.zeros_like(norms), where=norms > 0)
    rows = [v.reshape(-1, 3) for v in (q, r, u)]
    fclib = np.linalg.norm(natural_map(rows[1], rows[2], mu, np.ones(len(mu))))
    fclib /= max(np.linalg.norm(v) for v in (q, r, u))
    velocities = [np.linalg.norm(v, axis=1) * norms for v in (natural_map(rows[1], rows[2], mu, rho), rows[1])]
    scaled = scaled_residual(*velocities, rows[0], least)
    difference = np.abs(stored - u).max() / max(np.linalg.norm(q), np.linalg.norm(u))
    return scaled, fclib, difference


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(name, *("%.6g" % value for value in residuals(name)))
