"""Counts checks and prints one line for each, and the count at the end."""


class Verdict:
    """Checks and comparisons count towards the exit status; aims on time are reported but never fail."""

    def __init__(self):
        self.passed = self.failed = 0

    def _count(self, good):
        self.passed += bool(good)
        self.failed += not good

    def check(self, what, good):
        self._count(good)
        print("%s: %s" % ("pass" if good else "FAIL", what), flush=True)

    def compare(self, holds, name, reference, measured):
        """A check that shows a reference beside a measured value."""
        self._count(holds)
        print("%s  %-36s reference %-22s measured %s" % ("PASS" if holds else "FAIL", name, reference, measured), flush=True)

    def aim(self, what, met):
        print("aim %s: %s" % ("met" if met else "missed", what), flush=True)

    def note(self, text):
        print("note  " + text, flush=True)

    def end(self):
        """Prints the count that tests/tally.sh reads and returns the exit status."""
        print("%d passed, %d failed" % (self.passed, self.failed))
        return 1 if self.failed else 0
