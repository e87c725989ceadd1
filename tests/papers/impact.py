#!/usr/bin/python3
"""Anitescu 2003, section III.D and figure 1: a ball against a wall, at many time steps.

    impact.py [-o FOLDER] [--full]
"""
import math
import sys

import section

CASE = "papers/impact"
RADIUS = 0.0009765625
STEPS = (0.05, 0.03, 0.011, 0.007, 0.003)
PRINTED = (-1.0000, -0.3333, -0.9091, -0.8571, -0.3333)
RESTITUTIONS = (0.25, 0.5, 1.0)
EXACT = 1e-14  # asked of the velocities that do not depend on the step

SCHEMES = {
    "uncorrected": {"contact.gap": "stabilized", "contact.restitution_velocity": "uncorrected"},
    "corrected": {"contact.gap": "stabilized"},
    "Moreau-Jean": {"contact.gap": "moreau", "time.theta": 0.5},
}


class Impact:
    """What a run leaves: the multiplier of the step of arrival, the velocity after, how late the ball is."""

    def __init__(self, s, scheme, h, e):
        out = s.scratch("run")
        settings = dict(SCHEMES[scheme], **{"time.step": repr(h), "laws.0.restitution": e, "output.history_every": 1})
        section.run(CASE, out, *section.sets(settings), "--steps", str(math.ceil(1 / h) + 5))
        rows = section.history(out)
        v, time = rows["velocity.x"], rows["time"]
        arrival = math.ceil(1 / h) - 1  # the row of step ceil(1/h)
        self.velocity = v[-1]
        self.multiplier = v[arrival - 1] - v[arrival]
        way = rows["position.x"][-1] + RADIUS + 1
        self.position_error = abs(way - (1 - e * (time[-1] - 1)))


def formula(h):
    """The uncorrected velocity after impact for e = 1, and the multiplier: section III.D."""
    return -(1 / h - math.ceil(1 / h) + 1), math.ceil(1 / h) - 1 / h


def rounding(h):
    """Of 1/h positions near 1, in a gap that is divided by h."""
    return sys.float_info.epsilon / h ** 2


def compare(s):
    rows = []
    worst = {name: 0.0 for name in ("uncorrected", "multiplier", "corrected", "Moreau-Jean", "position")}
    printed = 0.0
    for h, value in zip(STEPS, PRINTED):
        one = {name: Impact(s, name, h, 1.0) for name in SCHEMES}
        velocity, multiplier = formula(h)
        rows.append(["%g" % h, "%.4f" % value] + ["%.4f" % one[name].velocity for name in SCHEMES] +
                    ["%.4f" % multiplier, "%.4f" % one["uncorrected"].multiplier])
        printed = max(printed, abs(one["uncorrected"].velocity - value))
        for e in RESTITUTIONS:
            found = one if e == 1.0 else {name: Impact(s, name, h, e) for name in SCHEMES}
            left = found["uncorrected"]
            worst["uncorrected"] = max(worst["uncorrected"], abs(left.velocity - e * velocity) / rounding(h))
            worst["multiplier"] = max(worst["multiplier"], abs(left.multiplier - multiplier) / rounding(h))
            for name in ("corrected", "Moreau-Jean"):
                worst[name] = max(worst[name], abs(found[name].velocity + e))
                worst["position"] = max(worst["position"], found[name].position_error / ((1 + e) * h))
    s.table("Velocity after the impact and multiplier of the step of arrival, e = 1",
            ["h [s]", "uncorrected, catalogue 7.1", *SCHEMES, "multiplier, formula", "multiplier, ours"], rows)
    s.check("7.1 uncorrected, e = 1", "-1.0000 -0.3333 -0.9091 -0.8571 -0.3333", "largest difference %.1e" % printed,
            printed <= 5e-5)
    s.check("7.1 uncorrected, e = 1/4, 1/2, 1", "-e (1/h - ceil(1/h) + 1), to the rounding of 1/h positions",
            "%.2g of that rounding" % worst["uncorrected"], worst["uncorrected"] <= 1)
    s.check("7.1 multiplier", "ceil(1/h) - 1/h, to the same rounding", "%.2g of it" % worst["multiplier"],
            worst["multiplier"] <= 1)
    for name in ("corrected", "Moreau-Jean"):
        s.check("7.1 %s, every h and e" % name, "-e to %.0e" % EXACT, "largest difference %.1e" % worst[name],
                worst[name] <= EXACT)
    s.check("7.1 position after impact", "at most (1 + e) h off", "%.2g of that" % worst["position"],
            worst["position"] <= 1)


def figure(s, full):
    """Even in 1/h, eight for each tooth; where 1/h is whole the uncorrected velocity jumps from 0 to -1."""
    steps = [1 / (10 + (k + 0.5) / 8) for k in range(400 if full else 160)]
    few = steps[::8] + steps[-1:]
    series = [(name, sample, [Impact(s, name, h, 1.0).velocity for h in sample])
              for name, sample in zip(SCHEMES, (steps, few, few))]
    s.plot("impact.svg", "Figure 1: velocity after the collision against the step, e = 1. The paper shows the uncorrected "
           "curve; the exact velocity is -1, and so are the other two, one upon the other.", "time step h [s]",
           "velocity after collision [m/s]", series)
    least = max(series[0][2])
    s.note("uncorrected, largest error among %d steps: %.3f of e = 1 at h = %.4g" %
           (len(steps), 1 + least, steps[series[0][2].index(least)]))


def main():
    options = section.arguments(__doc__)
    s = section.Section(options.folder, "impact", "Ball against a wall", "2003")
    s.text("<p>A ball starts one metre from a wall at 1 m/s, without gravity. The paper's scheme lets it travel just as far "
           "as the gap in the step of the collision, so the velocity that this step leaves is anything between 0 and 1, "
           "however small the step. Restitution from that velocity (<em>uncorrected</em>) is wrong by up to e; the paper's "
           "remedy (<em>corrected</em>, its section IV) takes the velocity before that step. <code>contact.gap: "
           "stabilized</code> is the scheme, <code>contact.restitution_velocity</code> the choice. Moreau-Jean "
           "(<code>contact.gap: moreau</code>, theta 1/2) acts on the velocity before the step and has no such error.</p>"
           "<p>The paper calls it a collision when the gap is open and the multiplier positive; with the linearised "
           "constraint both hold in the one step that arrives. We say the same by the multiplier alone: positive now and "
           "zero in the step before. Rounding cannot sway that, and a ball that touches the wall exactly when a step ends, "
           "which has no multiplier yet, is not missed.</p>")
    compare(s)
    figure(s, options.full)
    s.write()
    sys.exit(s.failures > 0)


if __name__ == "__main__":
    main()
