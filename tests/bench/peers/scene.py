"""The scenes of scene.h, for peers that are driven from Python: the same words, the same line of what they took."""
import time


class Scene:
    def __init__(self, path):
        self.planes, self.spheres, self.boxes = [], [], []
        self.step = self.gravity = self.friction = 0.0
        self.steps = 0
        with open(path, encoding="ascii") as file:
            for line in file:
                word, *rest = line.split()
                numbers = [float(number) for number in rest]
                if word in ("step", "gravity", "friction"):
                    setattr(self, word, numbers[0])
                elif word == "steps":
                    self.steps = int(numbers[0])
                else:
                    {"plane": self.planes, "sphere": self.spheres, "box": self.boxes}[word].append(numbers)


def run(steps, limit, advance, stride=1):
    """Calls advance(count) until the steps are made or the seconds are used up."""
    begin, made = time.monotonic(), 0
    while made < steps and time.monotonic() - begin < limit:
        advance(stride)
        made += stride
    print("steps: %d\nseconds: %.6f" % (made, time.monotonic() - begin), flush=True)


def write(path, states):
    with open(path, "w", encoding="ascii") as file:
        for state in states:
            file.write(" ".join("%.9g" % number for number in state) + "\n")
