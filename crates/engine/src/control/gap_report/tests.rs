use super::*;
use crate::control::laws::receiver;
use crate::core::pdu::{CELL_OCTETS, FlowId};

/// A file of 12 cells.
const CELLS: u32 = 12;

struct Sink(GapReport);

impl Sink {
    fn new(frame: u64) -> Sink {
        Sink(GapReport::new(&Params { frame: Count(frame) }, receiver()))
    }

    /// The reports after a cell of file 1, sent at the time of its index.
    fn cell(&mut self, index: u32) -> Vec<Body> {
        self.cell_of(1, index, Time(u64::from(index)))
    }

    fn cell_of(&mut self, file: u32, index: u32, born: Time) -> Vec<Body> {
        let number = FileCell { file, index, is_last: index + 1 == CELLS }.number();
        let pdu = Pdu::new(FlowId(0), 0, CELL_OCTETS, 1, Body::Data { born, number });
        let first = self.0.on_pdu(&pdu, Time::ZERO);
        first.into_iter().chain(std::iter::from_fn(|| self.0.further_answer())).map(|answer| answer.body).collect()
    }

    fn cells(&mut self, indices: impl IntoIterator<Item = u32>) -> Vec<Body> {
        indices.into_iter().flat_map(|index| self.cell(index)).collect()
    }

    fn measures(&self) -> (u64, u64) {
        (self.0.measures.accepted, self.0.measures.duplicates)
    }
}

fn gap(first: u32, count: u32) -> Body {
    Body::GapReport { file: 1, first, count }
}

fn end(sent: u64) -> Body {
    Body::FileReport { file: 1, sent: Time(sent) }
}

#[test]
fn a_whole_file_causes_one_report_at_its_end() {
    for frame in [1, 4, 5, 32] {
        let mut sink = Sink::new(frame);
        assert_eq!(sink.cells(0..CELLS), [end(11)], "frames of {frame}");
        assert_eq!(sink.measures(), (12, 0));
        // The report was lost, and the source asks. The time is still that of the first copy.
        assert_eq!(sink.cell_of(1, 11, Time(99)), [end(11)]);
        assert_eq!(sink.measures(), (12, 1));
        // The next file begins.
        assert_eq!(sink.cell_of(2, 0, Time(200)), []);
    }
}

#[test]
fn gaps_are_reported_at_the_next_cell_and_filled() {
    let mut sink = Sink::new(1);
    assert_eq!(sink.cells([0, 1, 5]), [gap(2, 3)]);
    assert_eq!(sink.cells([6, 8]), [gap(7, 1)]);
    assert_eq!(sink.cells([2, 3, 4, 9]), []);
    assert_eq!(sink.cells([7, 10, 11]), [end(11)]);
    assert_eq!(sink.measures(), (12, 0));
}

#[test]
fn what_is_lost_again_is_reported_when_something_reported_later_arrives() {
    let mut sink = Sink::new(1);
    assert_eq!(sink.cells([0, 3, 5, 7]), [gap(1, 2), gap(4, 1), gap(6, 1)]);
    // 2 arrives: 1 is lost again. 6 arrives: so is 4.
    assert_eq!(sink.cell(2), [gap(1, 1)]);
    assert_eq!(sink.cell(6), [gap(4, 1)]);
    // 1 is now before 4, as the reports were.
    assert_eq!(sink.cell(4), [gap(1, 1)]);
    assert_eq!(sink.cells([8, 9, 10, 11]), []);
    assert_eq!(sink.cell_of(1, 1, Time(77)), [end(77)]);
}

#[test]
fn the_last_cell_once_more_asks_for_all_that_is_missing() {
    let mut sink = Sink::new(1);
    // The report of 2 and 3 is lost, and so are the last three cells.
    assert_eq!(sink.cells([0, 1, 4, 5, 6, 7, 8]), [gap(2, 2)]);
    assert_eq!(sink.cell(11), [gap(9, 2)]);
    assert_eq!(sink.cell(11), [gap(2, 2), gap(9, 2)]);
    assert_eq!(sink.cells([2, 3, 9, 10]), [end(10)]);
}

#[test]
fn a_frame_is_judged_when_it_has_passed() {
    let mut sink = Sink::new(4);
    // Frame 0 without 1 and 2, frame 1 without its last cell, frame 2 without its first.
    assert_eq!(sink.cells([0, 3]), [gap(0, 4)]);
    assert_eq!(sink.cells([4, 5, 6]), []);
    assert_eq!(sink.cell(9), [gap(4, 4)]);
    assert_eq!(sink.cells([10, 11]), [gap(8, 4)]);
    // The first is lost in part again: its other cells count. Of the second no cell arrives.
    assert_eq!(sink.cells([0, 1]), []);
    assert_eq!(sink.cells([8, 9, 10, 11]), [gap(0, 8)]);
    assert_eq!(sink.cells([2]), []);
    assert_eq!(sink.cells([3, 4, 5, 6]), []);
    assert_eq!(sink.cell_of(1, 7, Time(50)), [end(50)]);
    assert_eq!(sink.measures().0, 12);
}

#[test]
fn a_frame_sent_again_without_its_end_is_reported_when_the_file_goes_on() {
    let mut sink = Sink::new(4);
    assert_eq!(sink.cells([0, 1, 2, 4]), [gap(0, 4)]);
    assert_eq!(sink.cells([0, 1, 2]), []);
    assert_eq!(sink.cell(5), [gap(0, 4)]);
    assert_eq!(sink.cells([0, 1, 2, 3, 6, 7, 8, 9, 10, 11]), [end(11)]);
}

#[test]
fn faults() {
    let check = |frame| Params { frame: Count(frame) }.check().map_err(|fault| fault.path);
    assert_eq!((check(0), check(1), check(65_535)), (Err("frame".to_owned()), Ok(()), Ok(())));
    assert_eq!(check(65_536), Err("frame".to_owned()));
}
