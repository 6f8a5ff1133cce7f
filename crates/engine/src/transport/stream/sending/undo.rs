//! The undo of a timeout that was a mistake: Eifel's detection (RFC 3522) and response (RFC 4015).
//!
//! The first acknowledgement of new data after a timeout tells. If a transmission from before the timeout caused it, that one
//! was only late: controller and phase are again what they were (RFC 9438, 4.9), and what was taken for lost and is not sent
//! again counts as in flight. Each transmission has a number of its own, so there is no doubt which one it was. The timeout
//! itself follows the late sample.

use super::{Before, Sending};
use crate::transport::stream::controller::Controller;
use crate::transport::stream::scoreboard::Change;

impl Sending {
    /// The retransmission timer expires for the first time since data were acknowledged.
    pub(super) fn remember(&mut self) {
        self.before = self.params.undo.then(|| {
            Box::new(Before {
                controller: self.controller.clone(),
                phase: self.phase.clone(),
                recovery_end: self.recovery_end,
                reduced: self.reduced,
                first: self.board.next_number(),
            })
        });
    }

    /// An acknowledgement with this change arrives: it may show that the timeout before it was a mistake.
    #[inline]
    pub(super) fn reconsider(&mut self, change: &Change) {
        if self.before.is_some() && change.has_progress {
            self.undo(change);
        }
    }

    fn undo(&mut self, change: &Change) {
        let Some(before) = self.before.take() else { return };
        // A probe is no proof: what it repeats may be lost.
        if change.cause.is_none_or(|(number, _, is_repeat)| is_repeat || number >= before.first) {
            return;
        }
        self.board.find_again();
        if before.controller.window() > self.controller.window() {
            self.controller = before.controller;
        }
        (self.phase, self.recovery_end, self.reduced) = (before.phase, before.recovery_end, before.reduced);
    }
}

#[cfg(test)]
mod tests {
    use crate::core::time::Span;
    use crate::transport::stream::tests::Pair;

    /// A stream whose path holds all that is under way for a second, at 350 ms: window in octets before, when the timer has
    /// expired, and after the first late acknowledgement; retransmissions and timeouts.
    fn held_up(params: &str) -> ([u64; 3], u64, u64) {
        let mut pair = Pair::new(params, true, &[]);
        pair.run(Span::milliseconds(350));
        let before = pair.window();
        pair.hold(Span::milliseconds(1_000));
        pair.run(Span::milliseconds(1_300));
        let meanwhile = pair.window();
        pair.run(Span::milliseconds(1_450));
        let counts = pair.counts();
        ([before, meanwhile, pair.window()], counts.retransmitted, counts.timeouts)
    }

    #[test]
    fn a_timeout_that_was_a_mistake_is_undone() {
        for controller in ["new_reno", "cubic", "dctcp", "bbr"] {
            let ([before, meanwhile, after], repeated, timeouts) = held_up(&format!("controller.{controller} = {{}}"));
            assert!(meanwhile < before && after >= before, "{controller}: {before} {meanwhile} {after}");
            // One repetition for each expiry, and one of a probe.
            assert!(timeouts > 0 && repeated <= timeouts + 1, "{controller}: {repeated} {timeouts}");
            let ([before, _, after], repeated, _) = held_up(&format!("controller.{controller} = {{}}\nundo = false"));
            // BBR comes back in a round trip by itself.
            assert!(
                repeated > 10 && (after < before || controller == "bbr"),
                "{controller}: {before} {after} {repeated}"
            );
        }
    }

    /// The whole first window is lost, and the timeout is right.
    #[test]
    fn a_timeout_for_losses_stays() {
        let all: Vec<u64> = (0..10).collect();
        let windows = ["undo = true", "undo = false"].map(|params| {
            let mut pair = Pair::new(params, true, &all);
            pair.run(Span::milliseconds(1_150));
            (pair.window(), pair.counts().timeouts)
        });
        assert_eq!(windows[0], windows[1]);
        assert!(windows[0].1 > 0 && windows[0].0 < 10_000, "{windows:?}");
    }
}
