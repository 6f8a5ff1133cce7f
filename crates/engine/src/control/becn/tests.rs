use super::filter::{Everything, PerVc, Period, Reset};
use super::*;
use crate::control::laws::{port_of, sender};
use crate::core::pdu::{CELL_OCTETS, FlowId};
use crate::core::roles::Cases;
use crate::core::time::Rate;

impl Cases for PointParams {
    const CASES: &[&str] = &[
        "{}",
        "{ filter = { none = {} } }",
        "{ filter = { per_vc = { period = '7 ms' } }, threshold = '9 cells' }",
        "{ filter = { per_vc = { period = '7 ms', reset = 'address_by_address' } } }",
    ];
    const EAGER: &[&str] = &["{ filter = { simple = { period = '51 ms' } }, threshold = '0 PDUs' }"];
}

impl Cases for Params {
    const CASES: &[&str] = &[
        "{}",
        "{ peak = 0.25, recovery = { own_cells = 128 } }",
        "{ on_notice = 'stop', recovery = { constant = '1 ms' }, moves_pending = false }",
        "{ levels = 9, recovery = { by_level = { lowest = '2 ms', highest = '8 ms' } } }",
    ];
}

/// One cell time, in picoseconds. The times below are in cell times.
const SLOT: u64 = 1000;
const LINE: LineRate = LineRate::CellIn(Span(SLOT));

fn at(slot: u64) -> Time {
    Time(slot * SLOT)
}

fn slots(count: u64) -> Span {
    Span(count * SLOT)
}

fn cell(flow: u32) -> Pdu {
    Pdu::new(FlowId(flow), 0, CELL_OCTETS, 0, Body::Data { born: Time::ZERO, number: 0 })
}

fn detector(threshold: u64, filter: Filter) -> Detector {
    let params = PointParams { threshold: Count(threshold), filter };
    assert_eq!(params.check(), Ok(()));
    Detector::new(&params, port_of(Rate(155_520_000), 3))
}

/// Whether a cell of `flow` that finds `length` cells causes a BECN cell at this slot.
fn tells(point: &mut Detector, slot: u64, flow: u32, length: u64) -> bool {
    let view = PortView { now: at(slot), length, size: None, refused: false };
    point.on_arrival(&mut cell(flow), &view).is_some()
}

fn simple(period: u64) -> Filter {
    Filter::Simple(Period { period: slots(period) })
}

fn per_vc(period: u64) -> Filter {
    Filter::PerVc(PerVc { period: slots(period), reset: Reset::Together })
}

#[test]
fn congestion_begins_with_the_cell_above_the_threshold() {
    let mut point = detector(250, Filter::None(Everything {}));
    // The cell that makes 250 is not above the threshold. The cell that makes 251 is, and so is every one after it.
    assert!(!tells(&mut point, 1, 0, 249));
    assert!(tells(&mut point, 1, 0, 250));
    assert!(tells(&mut point, 1, 0, 251));
    let mut rm = Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::ResourceManagement { er: 1.0, ccr: 1.0 });
    let view = PortView { now: at(2), length: 900, size: None, refused: false };
    assert_eq!(point.on_arrival(&mut rm, &view), None);
}

#[test]
fn the_simple_filter_counts_from_its_last_becn_cell_whatever_the_flow() {
    let mut point = detector(0, simple(4));
    let actual: Vec<u64> = (10..24).filter(|&slot| tells(&mut point, slot, (slot % 3) as u32, 9)).collect();
    assert_eq!(actual, [10, 14, 18, 22]);
    // Two cells in one slot cause one BECN cell. Without congestion the filter stays open for the next.
    assert!(!tells(&mut point, 24, 0, 9) && tells(&mut point, 30, 0, 9) && !tells(&mut point, 30, 1, 9));
    let mut point = detector(5, simple(4));
    assert!(!tells(&mut point, 10, 0, 4) && tells(&mut point, 11, 0, 5) && !tells(&mut point, 14, 0, 5));
    assert!(tells(&mut point, 15, 0, 5));
    // A period of 0 is no filter.
    let mut point = detector(0, simple(0));
    assert!((0..3).all(|flow| tells(&mut point, 7, flow, 9)));
}

#[test]
fn the_period_per_vc_is_the_same_for_all() {
    let mut point = detector(0, per_vc(768));
    assert!(tells(&mut point, 766, 0, 9) && !tells(&mut point, 767, 0, 9));
    // Cleared at the multiple of the period: flow 0 again two slots later. A period of its own would suppress it until
    // 1534.
    assert!(tells(&mut point, 768, 0, 9) && tells(&mut point, 768, 1, 9));
    assert!(!tells(&mut point, 1535, 0, 9) && tells(&mut point, 1535, 2, 9));
    assert!(tells(&mut point, 1536, 0, 9) && tells(&mut point, 1536, 2, 9));
}

/// Three flows, reset at multiples of 9 slots, 3 slots later and 6 slots later. Each is notified once between two resets.
#[test]
fn the_memory_is_reset_address_by_address() {
    let filter = Filter::PerVc(PerVc { period: slots(9), reset: Reset::AddressByAddress });
    let mut point = detector(0, filter);
    let actual = |point: &mut Detector, flow| (0..30).filter(|&slot| tells(point, slot, flow, 9)).collect::<Vec<_>>();
    assert_eq!(actual(&mut point, 0), [0, 9, 18, 27]);
    assert_eq!(actual(&mut point, 1), [0, 3, 12, 21]);
    assert_eq!(actual(&mut point, 2), [0, 6, 15, 24]);
}

fn source(params: &Params) -> Source {
    assert_eq!(params.check(), Ok(()));
    Source::new(params, SenderEnv { line_rate: LINE, ..sender(Span::ZERO) })
}

fn halving(peak: f64, recovery: u64) -> Params {
    let recovery = Recovery::Constant(slots(recovery));
    Params { peak, levels: 6, on_notice: OnNotice::Halve, recovery, moves_pending: true }
}

fn tell(source: &mut Source, slot: u64) {
    let notice = Pdu::new(FlowId(0), 0, CELL_OCTETS, 0, Body::Notice { point: 1, severity: 0 });
    source.on_feedback(&notice, at(slot));
}

/// Sends the next cell, which must be due at this slot.
fn sends(source: &mut Source, slot: u64) {
    assert_eq!(source.allowance(at(slot)), Allowance::From(at(slot)));
    source.on_send(&mut cell(0), at(slot));
}

fn level(source: &mut Source, slot: u64) -> f64 {
    let mut level = f64::NAN;
    source.readings(at(slot), &mut |_, value| level = value);
    level
}

#[test]
fn a_becn_cell_moves_the_pending_cell() {
    let mut source = source(&halving(0.25, 1000));
    source.on_send(&mut cell(0), at(0));
    sends(&mut source, 4);
    tell(&mut source, 5);
    sends(&mut source, 12);
    tell(&mut source, 13);
    sends(&mut source, 28);
    assert_eq!((level(&mut source, 28), source.obeyed()), (2.0, [2, 0, 0, 0]));
}

#[test]
fn becn_cells_are_ignored_until_a_cell_was_sent() {
    let mut source = source(&halving(1.0, 100));
    source.on_send(&mut cell(0), at(0));
    tell(&mut source, 1);
    tell(&mut source, 1);
    tell(&mut source, 1);
    assert_eq!(level(&mut source, 1), 1.0);
    sends(&mut source, 2);
    tell(&mut source, 3);
    assert_eq!((level(&mut source, 3), source.obeyed()), (2.0, [2, 0, 0, 0]));
    // Obeyed or not, it restarts the timer: recovery comes at 5 + 100 and again 100 later.
    tell(&mut source, 5);
    assert_eq!([102, 103, 104, 105, 204, 205].map(|slot| level(&mut source, slot)), [2.0, 2.0, 2.0, 1.0, 1.0, 0.0]);
}

#[test]
fn a_becn_cell_at_the_instant_of_a_recovery_comes_first() {
    let mut source = source(&halving(1.0, 100));
    source.on_send(&mut cell(0), at(0));
    tell(&mut source, 1);
    sends(&mut source, 2);
    tell(&mut source, 101);
    assert_eq!(level(&mut source, 101), 2.0);
    // A reading at the same time, before the BECN cell, changes nothing.
    let mut source = self::source(&halving(1.0, 100));
    source.on_send(&mut cell(0), at(0));
    tell(&mut source, 1);
    sends(&mut source, 2);
    assert_eq!(level(&mut source, 101), 0.0);
    tell(&mut source, 101);
    assert_eq!(level(&mut source, 101), 2.0);
}

#[test]
fn recovery_moves_the_pending_cell_forward_and_lets_a_late_one_go_at_once() {
    let mut source = source(&halving(1.0, 20));
    source.on_send(&mut cell(0), at(0));
    for slot in [0, 2, 6, 14] {
        tell(&mut source, slot);
        source.on_send(&mut cell(0), at(slot));
    }
    // Level 4, every 16 slots. The timer started at 14. The cell of 30 is due before the recovery at 34.
    assert_eq!(level(&mut source, 14), 4.0);
    sends(&mut source, 30);
    // Level 3 from 34: the pending cell of 46 moves to 38. The next, at 46, is sent before level 2 at 54.
    sends(&mut source, 38);
    sends(&mut source, 46);
    // Level 2 at 54: the pending cell of 54 stays. Then 58, 62, ...
    sends(&mut source, 54);
    assert_eq!(level(&mut source, 54), 2.0);
    sends(&mut source, 58);
    // With a recovery in the gap, the time 72 + 1 at level 1 (from 74) would have passed: the cell is sent at 74.
    for slot in [62, 66, 70] {
        sends(&mut source, slot);
    }
    sends(&mut source, 74);
    assert_eq!(level(&mut source, 74), 1.0);
}

#[test]
fn a_stopped_source_has_no_pending_cell_and_obeys_nothing() {
    let mut source = source(&Params { on_notice: OnNotice::Stop, ..halving(1.0, 256) });
    source.on_send(&mut cell(0), at(0));
    tell(&mut source, 10);
    assert_eq!(level(&mut source, 10), 5.0);
    // At zero until 266, then level 4. The last cell is more than 16 slots ago, so a cell is sent at 266.
    assert_eq!(source.allowance(at(10)), Allowance::From(at(266)));
    // A BECN cell is not obeyed, but restarts the timer.
    tell(&mut source, 20);
    assert_eq!(source.obeyed(), [1, 0, 0, 0]);
    sends(&mut source, 276);
    sends(&mut source, 292);
    // Level 4 until 532, then level 3. The cell of 548 would be 16 after that of 532. It is sent at 540.
    (308..=532).step_by(16).for_each(|slot| sends(&mut source, slot));
    assert_eq!(level(&mut source, 532), 3.0);
    sends(&mut source, 540);
}

#[test]
fn own_cells_count_the_sources_own_time() {
    let mut source = source(&Params { recovery: Recovery::OwnCells(128), ..halving(0.25, 1) });
    tell(&mut source, 0);
    assert_eq!([511, 512].map(|slot| level(&mut source, slot)), [1.0, 0.0]);
}

fn by_level() -> ByLevel {
    ByLevel { lowest: slots(768), highest: slots(3072), down_to_zero: false }
}

fn nine_levels(recovery: ByLevel) -> Params {
    Params { levels: 9, recovery: Recovery::ByLevel(recovery), ..halving(1.0, 1) }
}

#[test]
fn periods_by_level_are_linear_in_its_number() {
    let source = source(&nine_levels(by_level()));
    // 768 (1 + 3 (7 - k) / 7), rounded up to whole cell times: 2742.86, 2413.71, 2084.57, 1755.43, 1426.29, 1097.14.
    let periods = source.periods[..9].iter().map(|period| period.0 / SLOT).collect::<Vec<_>>();
    assert_eq!(periods, [3072, 2743, 2414, 2085, 1756, 1427, 1098, 768, 768]);
    // W3: 768 (4 - 3k / 8), a whole number at every level.
    let source = self::source(&nine_levels(ByLevel { down_to_zero: true, ..by_level() }));
    let periods = source.periods[..9].iter().map(|period| period.0 / SLOT).collect::<Vec<_>>();
    assert_eq!(periods, [3072, 2784, 2496, 2208, 1920, 1632, 1344, 1056, 768]);
}

#[test]
fn a_period_by_level_is_never_shorter_than_its_line() {
    // 10 + 6 x 6/7 = 15.14 ps at level 1: 16 ps, or four slots of 5 ps.
    let line = ByLevel { lowest: Span(10), highest: Span(16), down_to_zero: false };
    assert_eq!([1, 5].map(|slot| line.period(1, 8, Span(slot)).0), [16, 20]);
}

#[test]
fn the_timer_runs_by_the_level_it_started_at_and_shortens_with_it() {
    let mut source = source(&nine_levels(by_level()));
    source.on_send(&mut cell(0), at(0));
    // Down to level 6, whose period is 1098, by slot 200.
    for slot in [1, 2, 4, 8, 100, 150] {
        tell(&mut source, slot);
        source.on_send(&mut cell(0), at(slot));
    }
    assert_eq!(level(&mut source, 150), 6.0);
    // One more: level 7, 768. From 200 the timer is that of level 7, not the rest of the longer one: 968.
    tell(&mut source, 200);
    assert_eq!([967, 968].map(|slot| level(&mut source, slot)), [7.0, 6.0]);
    // Then 1098 for level 6 and 1427 for level 5.
    assert_eq!([2065, 2066, 3492, 3493].map(|slot| level(&mut source, slot)), [6.0, 5.0, 5.0, 4.0]);
}

#[test]
fn a_gap_in_progress_may_be_left_alone() {
    let mut source = source(&Params { moves_pending: false, ..halving(1.0, 40) });
    source.on_send(&mut cell(0), at(0));
    tell(&mut source, 0);
    sends(&mut source, 1);
    sends(&mut source, 3);
    // Stopped in a gap: nothing is sent until the source rises to the lowest rate. Then it sends at once.
    let stop = Params { moves_pending: false, on_notice: OnNotice::Stop, ..halving(1.0, 40) };
    let mut source = self::source(&stop);
    source.on_send(&mut cell(0), at(0));
    tell(&mut source, 0);
    sends(&mut source, 40);
    sends(&mut source, 56);
}

#[test]
fn time_is_counted_at_each_level() {
    let mut source = source(&halving(0.5, 100));
    source.on_send(&mut cell(0), at(0));
    tell(&mut source, 30);
    let spent =
        |source: &Source, slot| source.levels(at(slot)).iter().map(|(_, spent)| spent.0 / SLOT).collect::<Vec<_>>();
    assert_eq!(spent(&source, 50), [30, 20, 0, 0, 0, 0]);
    assert_eq!(spent(&source, 180), [80, 100, 0, 0, 0, 0]);
    assert_eq!(
        source.levels(at(1)).iter().map(|(rate, _)| *rate).collect::<Vec<_>>(),
        [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.0]
    );
    source.reset_measures(at(120));
    assert_eq!(spent(&source, 180), [50, 10, 0, 0, 0, 0]);
}

#[test]
fn parameters_are_checked() {
    let good = halving(0.25, 1);
    assert_eq!((good.check(), good.check_slots()), (Ok(()), Ok(())));
    let paths = [
        Params { peak: 0.0, ..good.clone() },
        Params { peak: f64::NAN, ..good.clone() },
        Params { levels: 1, ..good.clone() },
        Params { recovery: Recovery::Constant(Span::ZERO), ..good.clone() },
        Params { recovery: Recovery::OwnCells(0), ..good.clone() },
        nine_levels(ByLevel { highest: Span(1), ..by_level() }),
    ]
    .map(|params| params.check().unwrap_err().path);
    assert_eq!(
        paths,
        ["peak", "peak", "levels", "recovery.constant", "recovery.own_cells", "recovery.by_level.highest"]
    );
    assert_eq!(Params { peak: 0.3, ..good }.check_slots().unwrap_err().path, "peak");
    assert!(PointParams { threshold: Count(1), filter: per_vc(0) }.check().is_err());
}

#[test]
fn automatic_periods_follow_the_line_and_the_round_trip() {
    // 768 cells of 424 bits at 155.52 Mb/s take 2,093,827,160 ps.
    let period = Rate(155_520_000).span(768 * 424);
    let mut point = detector(0, Filter::Auto);
    let tells_at = |point: &mut Detector, time: u64| {
        let view = PortView { now: Time(time), length: 1, size: None, refused: false };
        point.on_arrival(&mut cell(0), &view).is_some()
    };
    assert!(tells_at(&mut point, 0) && !tells_at(&mut point, period.0 - 1) && tells_at(&mut point, period.0));
    // The source's own line and a short round trip: 768 of its cells at the lowest rate, four times as many at the peak.
    let short = ByLevel::auto(slots(1), slots(700));
    assert_eq!((short.lowest, short.highest), (slots(768), slots(3072)));
    let long = ByLevel::auto(slots(1), slots(1000));
    assert_eq!((long.lowest, long.highest), (slots(1000), slots(4000)));
}

#[test]
fn another_recovery_ends_at_the_change_at_the_earliest() {
    // Level 1 from slot 10 on, with a recovery of 100 slots.
    let actual = || {
        let mut source = source(&halving(1.0, 100));
        let mut sent = cell(0);
        source.on_send(&mut sent, at(9));
        tell(&mut source, 10);
        source
    };
    let change = |source: &mut Source, recovery: u64, slot: u64| {
        source.retune(&ReactionParams::Becn(halving(1.0, recovery)), at(slot));
        source.level
    };
    let mut longer = actual();
    assert_eq!(change(&mut longer, 200, 50), 1);
    longer.recover(at(209));
    assert_eq!(longer.level, 1);
    longer.recover(at(210));
    assert_eq!(longer.level, 0);
    // By a period of 30 slots it would have risen at slot 40. It rises at the change, and 40 slots count at level 1.
    let mut shorter = actual();
    assert_eq!(change(&mut shorter, 30, 50), 0);
    assert_eq!(shorter.levels(at(60))[1].1, slots(40));
    // A source that stops at a notice takes it so from then on.
    let mut stops = actual();
    stops.retune(&ReactionParams::Becn(Params { on_notice: OnNotice::Stop, ..halving(1.0, 100) }), at(50));
    stops.on_send(&mut cell(0), at(60));
    tell(&mut stops, 61);
    assert_eq!(stops.level, 5);
}

#[test]
fn another_filter_begins_anew() {
    let mut point = detector(0, per_vc(768));
    assert!(tells(&mut point, 10, 0, 9) && !tells(&mut point, 11, 0, 9));
    let change = |point: &mut Detector, filter: Filter| {
        let params = PointParams { threshold: Count(0), filter };
        point.retune(&CongestionParams::Becn(params), &port_of(Rate(155_520_000), 3), at(20));
    };
    // The same filter goes on.
    change(&mut point, per_vc(768));
    assert!(!tells(&mut point, 21, 0, 9));
    change(&mut point, simple(4));
    assert!(tells(&mut point, 22, 0, 9) && !tells(&mut point, 25, 1, 9) && tells(&mut point, 26, 1, 9));
}
