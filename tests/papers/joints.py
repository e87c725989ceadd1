#!/usr/bin/python3
"""Joints (validation catalogue, 9.10 and 9.11): pendulums against the elliptic integral, a double pendulum against a
wall, the heavy top against Runge-Kutta."""
import math
import sys

import numpy

from section import Section, arguments, history, run, sets

PERIOD = 2.360681  # 4 K(1/sqrt 2) / pi: length 1 m, g = pi^2, from 90 degrees
INERTIA = 1e-3  # of the bob about its centre, 2/5 m r^2
RIGID = {"gravity": "[0, 0, %.17g]" % (-math.pi ** 2 * (1 + INERTIA))}  # a rod that turns its bob
PLANE = {"bodies.0.lock": "[y, rx, rz]"}
JOINTS = {
    "distance": {},
    "ball": {"joints": "[{first: bob, ball: {anchor: [0, 0, 0]}}]", **RIGID},
    "hinge": {"joints": "[{first: bob, hinge: {anchor: [0, 0, 0], axis: [0, 1, 0]}}]", **RIGID},
}
STEPS = (4e-3, 2e-3, 1e-3, 5e-4)
HAMILTONIAN = 1269.975
QUIET = {"output.vtk_every": 0}


def period_of(rows):
    """From the bob's highest points, every half period, between rows by interpolation."""
    time, up = rows["time"], rows["velocity.z"]
    k = numpy.flatnonzero((up[:-1] > 0) & (up[1:] <= 0))
    tops = time[k] + (time[k + 1] - time[k]) * up[k] / (up[k] - up[k + 1])
    return 2 * tops[-1] / len(tops)


def exact_bob(time):
    """Where the bob is: angle'' = pi^2 cos(angle) below the horizontal, by Runge-Kutta."""
    angle, rate, h = 0.0, 0.0, 1e-3
    for _ in range(round(time / h)):
        slopes = []
        for c in (0, h / 2, h / 2, h):
            before = slopes[-1] if slopes else (0, 0)
            slopes.append((rate + c * before[1], math.pi ** 2 * math.cos(angle + c * before[0])))
        angle += h / 6 * sum(w * s[0] for w, s in zip((1, 2, 2, 1), slopes))
        rate += h / 6 * sum(w * s[1] for w, s in zip((1, 2, 2, 1), slopes))
    return numpy.array((math.cos(angle), -math.sin(angle)))


def pendulum(section, name, settings):
    out = section.scratch(name)
    summary = run("pendulum", out, *sets({**QUIET, **settings}))
    rows = history(out)
    return {
        "period": period_of(rows),
        "energy": numpy.abs(rows["kinetic_energy"] + rows["potential_energy"]).max() / math.pi ** 2,
        "drift": rows["joint_error"].max(),
        "end": numpy.array((rows["bob.x"][-1], rows["bob.z"][-1])),
        "unexplained": float(summary["energy-error"]),
    }


def pendulums(section):
    section.text(
        "<p>A pendulum of length 1 m under g = &pi;<sup>2</sup> is let go at 90&deg;. Its period is 4 K(1/&radic;2)/&pi; "
        "= 2.360681 s; its energy counted from the pivot is 0 and stays so, of which &pi;<sup>2</sup> J go to and fro. "
        "The rod is a distance between two points, or a ball joint or hinge that turns the bob along (gravity is then "
        "larger by the share of the bob's inertia). Ten seconds, h = 10<sup>-3</sup> s, &theta; = 1/2.</p>")
    rows, good = [], True
    for joint, settings in JOINTS.items():
        for where, lock in (("3D", {}), ("2D, by locks", PLANE)):
            got = pendulum(section, "%s-%s" % (joint, where[:2]), {**settings, **lock})
            rows.append((joint, where, "%.6f" % got["period"], "%.1e" % got["energy"], "%.1e" % got["drift"],
                         "%.1e" % got["unexplained"]))
            good &= abs(got["period"] - PERIOD) < 2e-6 and got["energy"] < 5e-5 and got["drift"] < 1e-6
    section.table("The simple pendulum; exact period 2.360681 s", ("joint", "", "period [s]", "energy error, of pi^2",
                  "largest joint error [m]", "books [J]"), rows)
    section.check("9.11 pendulum", "period 2.360681 s, energy pi^2 kept, joint error <= 1e-6 l in 10 s, for three joints in "
                  "2D and 3D", "period %s to %s s, energy within %s, error up to %s m" %
                  (min(r[2] for r in rows), max(r[2] for r in rows), max(r[3] for r in rows), max(r[4] for r in rows)),
                  good)


def corrections(section):
    rows, errors, drifts, end = [], [], {}, exact_bob(10)
    for theta in (0.5, 1):
        for correction in (1, 0):
            drifts[theta, correction] = []
            for h in STEPS:
                got = pendulum(section, "h%g-%g-%g" % (h, theta, correction),
                               {"time.step": h, "time.theta": theta, "contact.joint_correction": correction})
                error = numpy.linalg.norm(got["end"] - end)
                rows.append((theta, "yes" if correction else "no", h, "%.7f" % got["period"], "%.1e" % error,
                             "%.1e" % got["energy"], "%.1e" % got["drift"]))
                drifts[theta, correction].append(got["drift"])
                if theta == 0.5 and correction == 1:
                    errors.append(error)
    section.table("Corrected and not, by step (distance joint, 10 s)",
                  ("theta", "corrected", "h [s]", "period [s]", "error of the bob at 10 s [m]", "energy error, of pi^2",
                   "largest joint error [m]"), rows)
    section.plot("joint_drift.svg", "Largest joint error in 10 s by step.", "h [s]", "joint error [m]",
                 [("theta %g, %s" % (theta, "corrected" if correction else "not corrected"), STEPS, values)
                  for (theta, correction), values in drifts.items()], log_x=True, log_y=True)
    at = STEPS.index(1e-3)
    section.check("9.11 drift", "joint error <= 1e-6 l per 10 s with correction at h = 1e-3; reported without",
                  "%.1e m with, %.1e m without; at theta = 1 %.1e and %.1e m" %
                  (drifts[0.5, 1][at], drifts[0.5, 0][at], drifts[1, 1][at], drifts[1, 0][at]), drifts[0.5, 1][at] <= 1e-6)
    orders = [math.log2(a / b) for a, b in zip(errors, errors[1:])]
    section.check("9.11 order", "second order in h at theta = 1/2", "orders %s of the bob's place at 10 s" %
                  ", ".join("%.2f" % order for order in orders), min(orders) > 1.9)


def double_pendulum(section):
    section.text(
        "<p>A double pendulum against a wall: masses of 1 kg, rods of 1 m, angles &pi;/3 and &pi;/5 from the vertical, "
        "restitution 0.1 (Potra and others 2006, as the Solfec manual gives the data). No numbers are printed and the "
        "place of the wall is not stated; here it stands below the pivot. What can be asked for is that the motion "
        "converges with h: of first order, since a step does not know when inside it the impact was.</p>")
    steps, paths, rows = (4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4), [], []
    for h in steps:
        out = section.scratch("double-%g" % h)
        run("papers/double_pendulum", out, *sets({"time.step": h, "output.vtk_every": 0 if h != 1e-3 else 50}))
        table = history(out)
        every = round(4e-3 / h)
        paths.append(numpy.stack([table[name][every - 1::every] for name in
                                  ("upper.x", "upper.z", "lower.x", "lower.z")]))
        energy = table["kinetic_energy"] + table["potential_energy"]
        rows.append([h, "%.6f" % table["lower.x"][-1], "%.5f" % energy[-1], "%.1e" % table["joint_error"].max(), ""])
    apart = [math.sqrt(((a - b) ** 2).mean()) for a, b in zip(paths, paths[1:])]
    for row, distance in zip(rows, apart):
        row[-1] = "%.2e" % distance
    section.table("The double pendulum, 2 s", ("h [s]", "x of the lower bob at the end [m]", "energy at the end [J]",
                  "largest joint error [m]", "mean distance to the path of h/2 [m]"), rows)
    section.plot("double_pendulum.svg", "Paths of the two bobs (h = 2.5e-4 s); the wall is at x = 0 for their centres.",
                 "x [m]", "z [m]", [("upper", paths[-1][0], paths[-1][1]), ("lower", paths[-1][2], paths[-1][3])],
                 equal=True)
    section.render(section.scratch("double-0.001"), "double_pendulum.png", "After 0.5 s.", "--frame", "500", "--front")
    section.check("9.11 double pendulum", "converges in h", "paths of h and h/2 apart by %s m" %
                  ", ".join("%.1e" % d for d in apart), apart[-1] < 1e-3 and apart[-1] < 0.3 * apart[0])


def exact_top(time):
    """Angle that the axis of the Lagrange top has gone round: de/dt = w x e, dL/dt = M g l (z x e), by Runge-Kutta."""
    across, spin, load, h = 5.0, 50.0, 20.0, 5e-4
    tilt = 0.05
    state = numpy.array([math.sin(tilt), 0, math.cos(tilt)])
    state = numpy.concatenate([state, spin * state])

    def slope(y):
        e, momentum = y[:3], y[3:]
        w = momentum / across + (spin - momentum @ e / across) * e
        return numpy.concatenate([numpy.cross(w, e), load * numpy.cross([0, 0, 1], e)])

    angles = [0.0]
    for _ in range(round(time / h)):
        a = slope(state)
        b = slope(state + h / 2 * a)
        c = slope(state + h / 2 * b)
        state = state + h / 6 * (a + 2 * b + 2 * c + slope(state + h * c))
        angles.append(math.atan2(state[1], state[0]))
    return numpy.unwrap(angles)[-1]


def heavy_top(section):
    section.text(
        "<p>The heavy top of Simo and Wong (1991), as in the Solfec manual: moments 5, 5, 1 about the pivot, M g l = 20, "
        "tilt 0.05 rad, spin 50 rad/s. Its Hamiltonian is 1269.975. The slow precession is about M g l/(I<sub>3</sub> "
        "&omega;<sub>3</sub>) = 0.4 rad/s; let go without it the top also nutates, and goes round a little faster: the "
        "exact mean over 10 s is from Runge&ndash;Kutta.</p>")
    exact, rows, errors, energies = exact_top(10) / 10, [], [], []
    for h in (4e-3, 2e-3, 1e-3, 5e-4):
        out = section.scratch("top-%g" % h)
        run("heavy_top", out, *sets({**QUIET, "time.step": h}))
        table = history(out)
        angle = numpy.unwrap(numpy.concatenate([[0], numpy.arctan2(table["top.y"], table["top.x"])]))[-1] / 10
        energy = table["kinetic_energy"] + table["potential_energy"]
        worst = energy[numpy.abs(energy - HAMILTONIAN).argmax()]
        rows.append((h, "%.4f" % worst, "%.6f" % angle, "%.1e" % abs(angle / exact - 1),
                     "%.1e" % table["joint_error"].max()))
        errors.append(abs(angle / exact - 1))
        energies.append(abs(worst / HAMILTONIAN - 1))
        if h == 1e-3:
            section.plot("heavy_top.svg", "The path of the top's centre of mass, seen from above (10 s, h = 1e-3 s).",
                         "x [m]", "y [m]", [("centre of mass", table["top.x"], table["top.y"])], equal=True)
    section.table("The heavy top; exact precession %.6f rad/s" % exact,
                  ("h [s]", "Hamiltonian, worst [J]", "precession [rad/s]", "error", "largest joint error [m]"), rows)
    section.check("9.10 heavy top", "Hamiltonian 1269.975 within 0.1 % over 10 s at h = 1e-3", "%s J, within %.1e" %
                  (rows[2][1], energies[2]), energies[2] < 1e-3)
    section.check("9.10 precession", "about 0.4 rad/s; %.5f by Runge-Kutta" % exact, "%s rad/s, error %s, of order %.1f" %
                  (rows[2][2], rows[2][3], math.log2(errors[1] / errors[2])), errors[2] < 1e-3)


def main():
    section = Section(arguments(__doc__).folder, "joints", "Joints: pendulums and the heavy top", "beyond")
    section.text(
        "<p>Ball joints, hinges, welds and distances are rows of the same problem as the contacts, solved in the same "
        "sweeps, always active. None of the papers prints numbers for them; these are closed forms, and the scenes of "
        "the Solfec validation manual.</p>")
    pendulums(section)
    corrections(section)
    double_pendulum(section)
    heavy_top(section)
    section.write()
    sys.exit(section.failures > 0)


if __name__ == "__main__":
    main()
