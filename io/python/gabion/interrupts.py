"""Ctrl-C while the library steps.

Python runs the handlers of signals between its own instructions, not while a function of the library runs. The stop
function of the library gives it the opportunity several times per second; the handler that is set for that time does not
raise, because nobody could catch that inside of the library, but takes a note.
"""
import signal
import threading

from . import _interface
from .library import call


class Interrupts:
    """While this context lasts, SIGINT abandons the step of a world. `repeat` then does what would have been done."""

    def __init__(self, pointer):
        self.pointer = pointer
        self.noted = None
        self.former = None
        self.asked = _interface.StopFunction(lambda user: self.noted is not None)

    def __enter__(self):
        former = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and callable(former):
            call("gabion_set_stop_function", self.pointer, self.asked, None)
            self.former = former
            signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number, frame):
        self.noted = (number, frame)

    def __exit__(self, *_):
        if self.former is not None:
            signal.signal(signal.SIGINT, self.former)
            call("gabion_set_stop_function", self.pointer, _interface.StopFunction(), None)

    def repeat(self):
        if self.noted is not None:
            self.former(*self.noted)
