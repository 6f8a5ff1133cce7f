"""What a control scheme of your own uses: functions and random numbers with the same bits everywhere, and the events.

A part of a scheme is a class in a file of yours. A scenario names it where it would name one of the engine, as in
``controller.python = { file = "gentle.py", class = "Gentle", parameters = { beta = 0.8 } }``. Each instance has one
place: a stream, a port, a flow, a queue. These methods are called, if the class has them, after ``begin`` with the
place.

A **controller** of a byte stream (``controller.python`` in ``transport.stream``, or ``scheme.python``):

- ``begin(stream)``: the stream begins; ``stream`` is a :class:`Stream`.
- ``on_ack(ack)``: an acknowledgement arrives (:class:`Ack`).
- ``on_congestion(congestion)``: the network is congested (:class:`Congestion`).
- ``on_lost(lost)``: a segment is taken for lost (:class:`Lost`); only with ``samples_rate = True``.
- ``on_telemetry(telemetry)``: the ports of the path wrote this beside the segment that the next acknowledgement is
  about (:class:`Telemetry`, :class:`Hop`); only with ``reads_telemetry = True``.
- ``on_idle(idle)``: data are sent after a pause of at least a timeout (:class:`Idle`).

After each call its attributes are read: ``window``, the octets that may be in flight; ``pacing_rate``, the pace in
bits per second on the line or ``None``, with ``paces = True``; ``is_in_slow_start``, if it has that. With
``begins_at_line = True`` it sets its own first window, from ``stream.line_rate``; the stream may then have neither
``initial_window`` nor ``slow_start_after_idle``.

A **congestion point** (``congestion_point.python``), with ``sends`` and ``hears``, the feedback that it sends and
hears:

- ``begin(port)``: ``port`` is a :class:`Port`.
- ``on_arrival(pdu, queue)``: a PDU arrives (:class:`Pdu`, :class:`PortQueue`). It may set marks and the explicit
  rate. It returns ``None``, the severity of a notice to the source, or an :class:`Answer`: a cell for the source
  (``makes_rm_cells = True``), or ``Answer.error_report(pdu)`` if ``pdu.wants_error_report``. With
  ``makes_error_reports = True`` it is an intermediate system of CLNP, and takes one off the lifetime of each NPDU.
- ``on_discard(pdu, queue)``: the PDU is discarded. It returns the same. A PDU that is on its way back to the source
  (``pdu.is_backward``) has no answer but an Error Report.
- ``on_departure(pdu, queue)``: the PDU leaves the queue; only with ``wants_departures = True``.
- ``on_service(pdu, hop)``: the line begins to send the PDU, and ``hop`` is what the port writes beside it for the
  stream (:class:`Hop`). It returns ``None``, or ``hop.replace(waiting_bits=...)``: what is written in its place; only
  with ``writes_telemetry = True``. Without this method such a port writes what ``telemetry`` of the engine does.
- ``on_backward(pdu, queue)``: the PDU of a flow through the port passes in the backward direction; only with
  ``wants_backward = True``.
- ``on_rate(rate, moment)``: the rate of the line is another from now on (:class:`Moment`).

With ``counts_bits = True`` lengths are in bits. With ``controls_last_queue = True`` it controls the last queue alone.

A **notification point** (``notification_point.python``), with ``sends`` and ``hears``:

- ``begin(receiver)``: ``receiver`` is a :class:`Receiver`.
- ``on_pdu(pdu, moment)``: a PDU arrives. It returns ``None``, an :class:`Answer`, or a list of them.

``answers_wait`` is ``"never"`` (they are sent at once), ``"overwrite"`` or ``"queue"``: how answers wait for the
sender of the same host. ``least_octets`` is the length of its shortest answer, 53 without it.

A **reaction point** (``reaction_point.python``), with ``sends`` and ``hears``:

- ``begin(sender)``: ``sender`` is a :class:`Sender`.
- ``on_feedback(pdu, moment)``: a backward PDU arrives.
- ``on_send(pdu, moment)``: a PDU is about to be sent. It may set marks.
- ``choose(waiting, moment)``: what to send before what is ready (:class:`Waiting`): an :class:`Answer`, or ``None``.
- ``on_time(moment)``: the sender asks what it may do. It may be called at any time and any number of times.

After each call but ``choose`` one attribute is read: ``rate``, the allowed rate in bits per second; ``earliest_ps``,
the time of the next PDU in picoseconds; ``is_open``, whether one more PDU may be sent; or, with ``scales = True``,
``factor``, that on the nominal rate of the traffic, from 0 to 1, and ``resumes_ps`` while it is 0. With ``scales``,
``on_session_begin(moment)`` and ``on_session_end(moment)`` tell of the sessions of the traffic.

A **queue discipline** (``queues = [{ python = ... }]``, ``queue.python`` in a scheme), with ``sends``, the marks that
it sets:

- ``begin(line)``: ``line`` is a :class:`Line`.
- ``on_arrival(pdu, queue)``: a PDU arrives (:class:`Arrival`). It returns whether the PDU joins. It may set marks.
- ``on_head(pdu, head)``: the line is free for the PDU at the head (:class:`Head`). It returns whether the PDU is
  sent; only with ``decides_at_head = True``.
- ``on_rate(rate)``: the rate of the line is another from now on.

With ``keeps_lists = True`` it keeps PDUs in several lists, in an order of its own:

- ``list_of(pdu, moment)``: the number of the list that the PDU joins, from 0 to 4095. Asked when it joins.
- ``next_list(lists, moment)``: the number of the list whose first PDU is next (:class:`Lists`), or ``None`` if
  nothing waits. It is asked again if a PDU joins before that one leaves. So take note of a turn in ``on_head``
  (``decides_at_head = True``), which is called when the PDU leaves its list.
- ``make_room(pdu, lists)``: the queue is full. It returns a pair, the number of a list and how many PDUs at its head
  are discarded, or ``None``: then ``pdu`` is. Without this method ``pdu`` is.

``lists.lengths`` has the PDUs of each list by its number; it ends with the last list that has been used.

``size``, a number in the class or a parameter, is the most PDUs that the queue holds. What it admits beyond is
discarded, if ``make_room`` makes no room.

Every class may have ``on_change(names)``: the run changed parameters of these names, and their attributes have the new
values.

Telemetry and Error Reports are feedback that flags say (``writes_telemetry``, ``makes_error_reports``). The other kinds
of feedback have these names: ``notices``, ``graded_notices``, ``efci``, ``ce``, ``ecn``, ``forward_rm_cells``,
``backward_rm_cells``, ``explicit_rates``, ``ci``, ``acknowledgements``.
"""

from penstock._engine import (
    Ack,
    Answer,
    Arrival,
    Congestion,
    Head,
    Hop,
    Idle,
    Line,
    Lists,
    Lost,
    Moment,
    Pdu,
    Port,
    PortQueue,
    Random,
    Receiver,
    Sender,
    Stream,
    Telemetry,
    Waiting,
    cbrt,
    exp,
    log,
)
from penstock._engine import pow as pow  # noqa: A004  # the one with the same bits everywhere

__all__ = [
    "Ack",
    "Answer",
    "Arrival",
    "Congestion",
    "Head",
    "Hop",
    "Idle",
    "Line",
    "Lists",
    "Lost",
    "Moment",
    "Pdu",
    "Port",
    "PortQueue",
    "Random",
    "Receiver",
    "Sender",
    "Stream",
    "Telemetry",
    "Waiting",
    "cbrt",
    "exp",
    "log",
    "pow",
]
