#!/usr/bin/python3
"""What `make demo` shows of its run: nut_demo.py DIR says when the nut surfaced and draws DIR/nut.png (the bed cut at the nut)
and DIR/height.svg (its height against time). What cannot be drawn on this machine is reported; the run stays good."""
import os
import shutil
import sys


def draw_height(folder, motion):
    import plot
    from nut_motion import PERIOD, START, TOP_LAYER
    from section import history
    if not shutil.which("gnuplot"):
        return "gnuplot is missing"
    rows = history(folder)
    times = [START + PERIOD * n for n in range(motion.periods + 1)]
    surface = [sorted(x[1:, 2])[-TOP_LAYER] for x in motion.x]
    with open(os.path.join(folder, "height.svg"), "w", encoding="utf-8") as stream:
        stream.write(plot.lines("t [s]", "height / R", [("centre of the nut", rows["time"], rows["nut.z"]),
                                                        ("lower end of the top layer, as the bed leaves the floor", times, surface)]))
    return None


def draw_picture(folder, motion):
    from nut_motion import FIRST_STEP, STEPS_PER_PERIOD
    from section import render
    last = FIRST_STEP + STEPS_PER_PERIOD * motion.periods
    return render(folder, os.path.join(folder, "nut.png"), "--frame", str(last), "--color", "radius",
                  "--cut", str(motion.x[-1, 0, 1] - 0.01))


def main():
    folder = sys.argv[1]
    try:
        from nut_motion import Motion
    except ImportError as missing:
        print("no picture and no plot: %s" % missing)
        return
    motion = Motion(folder)
    came = motion.arrival(0)
    if came is None:
        print("The nut has not come to the top layer in %d periods of shaking." % motion.periods)
    else:
        print("The nut came to the top layer after %d periods of shaking." % came)
    for name, what, draw in (("nut.png", "the bed cut at the nut, which is red", draw_picture),
                             ("height.svg", "the height of the nut against time", draw_height)):
        problem = draw(folder, motion)
        print("%s: %s" % (os.path.join(folder, name), what if problem is None else "not drawn (%s)" % problem))


main()
