#!/usr/bin/python3
"""The elastic bouncing column (cases/papers/bouncing_column.yaml) keeps its energy.

At theta = 1/2 kinetic plus potential energy is constant. At any theta it is E + (theta - 1/2) h F.v
that is, so that E itself only swings.
"""

import os

from measured_run import Tally, output_folder, run_case

SPHERES, MASS, GRAVITY, STEP = 8, 1.0, 9.81, 1e-3
TOLERANCE = 1e-12


def touching(sphere):
    return 1.5 + sphere


def staggered(sphere):
    """Gaps of 0.05 k m, so that impacts do not come all at once."""
    return 1.5 + sphere + 0.05 * sphere * (sphere + 1) / 2


def swing(energies, start):
    return max(abs(energy - start) / start for energy in energies)


def measure(folder, theta, height):
    settings = ["time.theta=%g" % theta]
    for sphere in range(SPHERES):
        settings.append("bodies[%d].position=[0, 0, %.17g]" % (sphere, height(sphere)))
    summary, history = run_case("bouncing_column", folder, settings)
    energy = [a + b for a, b in zip(history["kinetic_energy"], history["potential_energy"])]
    momentum = [SPHERES * MASS * v for v in history["column.z"]]
    kept = [e - (theta - 0.5) * STEP * GRAVITY * p for e, p in zip(energy, momentum)]
    start = MASS * GRAVITY * sum(height(sphere) for sphere in range(SPHERES))
    return {
        "kept": swing(kept, start),
        "low": min(energy) / start - 1,
        "high": max(energy) / start - 1,
        "overlap": 1e3 * max(history["max_overlap"]),
        "impacts": sum(contacts > 0 for contacts in history["contacts"]),
        "sweeps": max(history["sweeps"]),
        "unconverged": int(summary["unconverged-steps"]),
    }


def main():
    tally = Tally()
    folder = os.path.join(output_folder(), "bouncing_column")
    for text, theta, height in (
        ("touching, theta 0.5", 0.5, touching),
        ("staggered, theta 0.5", 0.5, staggered),
        ("touching, theta 0.6", 0.6, touching),
        ("touching, theta 1", 1.0, touching),
    ):
        run = measure(folder, theta, height)
        print("column %s: E/E(0) - 1 from %.1e to %.1e, overlap %.1f mm, %d steps with impacts, "
              "at most %d sweeps" % (text, run["low"], run["high"], run["overlap"], run["impacts"],
                                     run["sweeps"]))
        tally.check(run["kept"] <= TOLERANCE and run["unconverged"] == 0 and run["impacts"] > 0,
                    "column %s: energy kept to %.1e (at most %.0e)"
                    % (text, run["kept"], TOLERANCE))
    tally.finish()


main()
