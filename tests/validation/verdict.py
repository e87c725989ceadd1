"""One line for each comparison of a reference with a measured value, and the count at the end."""


class Verdict:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, holds, name, reference, measured):
        holds = bool(holds)
        self.passed += holds
        self.failed += not holds
        print("%s  %-36s reference %-22s measured %s" % ("PASS" if holds else "FAIL", name, reference, measured), flush=True)

    def note(self, text):
        print("note  " + text, flush=True)

    def end(self):
        """Prints the count that tests/tally.sh reads and returns the exit status."""
        print("%d passed, %d failed" % (self.passed, self.failed))
        return 1 if self.failed else 0
