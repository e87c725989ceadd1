#!/usr/bin/python3
"""Steady flow on an incline: incline.py [-o FOLDER] [--full]

A layer of disks flows down a rough base. There are no periodic cells: the layer is so long that the middle of it flows
as on an endless slope until the waves from its ends arrive; only that time and part are measured. Criteria (catalogue,
section 11): Bagnold's profile v ~ H^(3/2) - (H - z)^(3/2) with one fitted number and R2 > 0.98. That the flow is
steady and uniform enough is a check of its own: speed and thickness of the part change by less than 10 % during the
measurement. Thickness about 10 d, length 520 d; --full: 20 d, 1500 d.

A first version, 300 d long and measured at 0.55 L ... 0.75 L until 45 sqrt(d/g), was measured when the wave from the lower
end had arrived, which pulls the layer forward. That wave goes upwards at about 3 sqrt(g d), the one from the upper end downwards
at 2.5 sqrt(g d), as speeds and thicknesses along a layer of 400 d at 21 degrees show; what is measured now lies between them.
A layer that starts at rest reaches its speed with a time constant of 20 sqrt(d/g), so that 50 sqrt(d/g) were too short.
"""
import sys

import numpy

import grains
from grains import D, GRAVITY, TICK

FRICTION = 0.5
PART = 0.33, 0.6  # of the length: what is measured


def case_of(length, end, position, radii, angle, rest=False):
    """Gravity is tilted instead of the base. The upper end has a wall, while filling the lower one too."""
    radians = numpy.radians(angle)
    case = grains.scene(1e-3, end, FRICTION, plane="xz", solver=grains.FAST,
                        gravity=[float(GRAVITY * numpy.sin(radians)), 0, float(-GRAVITY * numpy.cos(radians))])
    count = int(1.5 * length)
    base = numpy.column_stack([(numpy.arange(count) + 0.5) * D, numpy.full(count, -0.5 * D)])
    case["bodies"] = grains.disks(base, numpy.full(count, 0.5 * D), "wall", name="base", fixed=True)
    case["bodies"] += grains.disks(position, radii)
    for normal, place in ((1, 0), (-1, length))[:2 if rest else 1]:
        case["bodies"].append({"material": "wall", "half_space": {"normal": [normal, 0, 0]}, "position": [place * D, 0, 0]})
    return case


def filled(section, length, thickness):
    csv = section.scratch("disks.csv")
    grains.make_folder(csv)
    random = numpy.random.default_rng(5)
    x, z = numpy.meshgrid((numpy.arange(int(length / 1.2)) + 0.5) * 1.2, 0.7 + 1.2 * numpy.arange(int(thickness * 1.22)))
    place = numpy.column_stack([x.ravel(), z.ravel()]) * D + random.uniform(-0.04, 0.04, (x.size, 2)) * D
    radii = 0.5 * D * random.uniform(0.9, 1.1, x.size)
    out, _ = grains.run(section.scratch("filling"), case_of(length, 0.3, place, radii, 0, rest=True))
    state = grains.Grains(grains.checkpoint(out))
    kept = grains.moving(state)
    return state.position[kept][:, [0, 2]], state.radius[kept]


class Flow:
    """The part of a flow that is measured, averaged over the last 30 % of the run."""

    def __init__(self, section, length, disks, angle, thickness):
        end = 65 * TICK * (thickness / 10) ** 0.5
        case = case_of(length, end, *disks, angle)
        case["output"]["frames_every"] = 25
        out, _ = grains.run(section.scratch("angle-%g" % angle), case)
        self.angle, self.times, self.speeds, self.tops = angle, [], [], []
        places, speeds = [], []
        for path in grains.frames(out):
            state = grains.Grains(path)
            x, z = state.position[:, 0] / D / length, state.position[:, 2] / D
            part = grains.moving(state) & (x > PART[0]) & (x < PART[1])
            speed = state.velocity[part, 0] / (GRAVITY * D) ** 0.5
            self.times.append(state.time / TICK)
            self.speeds.append(speed.mean())
            self.tops.append(2 * z[part].mean() + 0.5)
            if state.time > 0.7 * end:
                places.append(z[part])
                speeds.append(speed)
        place, speed = numpy.concatenate(places), numpy.concatenate(speeds)
        self.thickness = float(numpy.mean(self.tops[int(0.7 * len(self.tops)):]))
        edges = numpy.arange(0.5, self.thickness - 1.0)
        self.height = edges + 0.5
        self.profile = numpy.array([speed[(place >= low) & (place < low + 1)].mean() for low in edges])

    def bagnold(self):
        """The fitted factor, the model and its R2; heights are counted from the tops of the base."""
        shape = self.thickness ** 1.5 - numpy.clip(self.thickness - self.height, 0, None) ** 1.5
        factor = (shape @ self.profile) / (shape @ shape)
        return factor, factor * shape, grains.r_squared(self.profile, factor * shape)

    def change(self, values):
        """Relative change during the measurement, by a straight line."""
        chosen = slice(int(0.7 * len(values)), None)
        time, value = numpy.array(self.times[chosen]), numpy.array(values[chosen])
        slope, offset, _ = grains.line_fit(time, value)
        return slope * (time[-1] - time[0]) / value.mean()


def main():
    section, full = grains.open_section("incline", "Steady flow on an incline", __doc__)
    length, thickness, angles = (1500, 20, (19, 20, 21)) if full else (520, 10, (19, 21))
    disks = filled(section, length, thickness)
    flows = [Flow(section, length, disks, angle, thickness) for angle in angles]
    section.text("%d disks of d ± 10 %%, friction %.1f, in a layer of %g d length on a base of disks. Measured between %g and %g "
                 "of the length, over the last 30 %% of the time." % (len(disks[1]), FRICTION, length, *PART))
    section.table("Flows", ("angle [deg]", "thickness/d", "mean speed/√(g d)", "change of speed", "of thickness", "R² of Bagnold",
                            "R² of a straight line"),
                  [(f.angle, f.thickness, f.profile.mean(), f.change(f.speeds), f.change(f.tops), f.bagnold()[2],
                    grains.line_fit(f.height, f.profile)[2]) for f in flows])
    curves = []
    for flow in flows:
        curves += [("%g°, measured" % flow.angle, flow.profile, flow.height, "points"),
                   ("%g°, Bagnold" % flow.angle, flow.bagnold()[1], flow.height)]
    section.plot("incline_profile.svg", "Velocity profiles", "velocity/√(g d)", "height/d", curves)
    section.plot("incline_time.svg", "Mean speed of the part that is measured", "t/√(d/g)", "speed/√(g d)",
                 [("%g°" % f.angle, f.times, f.speeds) for f in flows])
    for flow in flows:
        steady = max(abs(flow.change(flow.speeds)), abs(flow.change(flow.tops)))
        section.check("11 incline: steady and uniform at %g°" % flow.angle, "speed, thickness change by less than 10 %",
                      "%.1f %%" % (100 * steady), steady < 0.1)
        section.check("11 incline: Bagnold's profile at %g°" % flow.angle, "R² > 0.98", "%.4f" % flow.bagnold()[2],
                      flow.bagnold()[2] > 0.98)
    section.write()
    return section.failures > 0


if __name__ == "__main__":
    sys.exit(main())
