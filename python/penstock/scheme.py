"""What a control scheme of your own uses: functions and random numbers with the same bits everywhere, and the events.

A controller of a byte stream is a class in a file of yours. A scenario names it in ``transport.stream``, as
``controller.python = { file = "gentle.py", class = "Gentle", parameters = { beta = 0.8 } }``. These methods are called,
if the class has them:

- ``begin(stream)``: the stream begins; ``stream`` is a :class:`Stream`.
- ``on_ack(ack)``: an acknowledgement arrives (:class:`Ack`).
- ``on_congestion(congestion)``: the network is congested (:class:`Congestion`).
- ``on_lost(lost)``: a segment is taken for lost (:class:`Lost`); only with ``samples_rate = True``.
- ``on_idle(idle)``: data are sent after a pause of at least a timeout (:class:`Idle`).

After each call its attributes are read: ``window``, the octets that may be in flight; ``pacing_rate``, the pace in bits
per second on the line or ``None``, with ``paces = True``; ``is_in_slow_start``, if it has that.
"""

from penstock._engine import Ack, Congestion, Idle, Lost, Random, Stream, cbrt, exp, log
from penstock._engine import pow as pow  # noqa: A004  # the one with the same bits everywhere

__all__ = ["Ack", "Congestion", "Idle", "Lost", "Random", "Stream", "cbrt", "exp", "log", "pow"]
