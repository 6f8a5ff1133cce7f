//! Feedback: what the parts of a control scheme send to each other. Each part declares what it sends and what it hears.
//! So the assembly can refuse parts that do not meet.

use std::fmt;

/// A set of kinds of feedback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signals(u16);

impl Signals {
    /// No feedback.
    pub const NONE: Signals = Signals(0);
    /// Notice cells from a port or a receiver to a source.
    pub const NOTICES: Signals = Signals(1);
    /// EFCI marks on data.
    pub const EFCI: Signals = Signals(1 << 1);
    /// Forward RM cells from a source.
    pub const FORWARD_RM_CELLS: Signals = Signals(1 << 2);
    /// Backward RM cells: forward RM cells that the receiver returned.
    pub const BACKWARD_RM_CELLS: Signals = Signals(1 << 3);
    /// Explicit rates in backward RM cells.
    pub const EXPLICIT_RATES: Signals = Signals(1 << 4);
    /// CI marks on backward RM cells.
    pub const CI: Signals = Signals(1 << 5);
    /// Congestion experienced marks on NPDUs.
    pub const CE: Signals = Signals(1 << 6);
    /// CLNP Error Reports.
    pub const ERROR_REPORTS: Signals = Signals(1 << 7);
    /// Acknowledgements.
    pub const ACKNOWLEDGEMENTS: Signals = Signals(1 << 8);

    /// Reports of gaps in files, and of their ends.
    pub const FILE_REPORTS: Signals = Signals(1 << 9);
    /// Congestion experienced in the ECN field.
    pub const ECN: Signals = Signals(1 << 10);
    /// Losses.
    pub const LOSS: Signals = Signals(1 << 11);
    /// Notice cells whose severity says by how much to reduce a rate.
    pub const GRADED_NOTICES: Signals = Signals(1 << 12);
    /// Requests of a source for a rate (RCP).
    pub const RATE_REQUESTS: Signals = Signals(1 << 13);
    /// The rates of ports in these requests.
    pub const OFFERED_RATES: Signals = Signals(1 << 14);
    /// The load of ports beside segments.
    pub const TELEMETRY: Signals = Signals(1 << 15);

    const NAMES: [&str; 16] = [
        "notices",
        "EFCI marks",
        "forward RM cells",
        "backward RM cells",
        "explicit rates",
        "CI marks",
        "CE marks",
        "Error Reports",
        "acknowledgements",
        "file reports",
        "ECN marks",
        "losses",
        "graded notices",
        "rate requests",
        "offered rates",
        "telemetry",
    ];

    /// What a port writes into RM cells and rate requests. It reaches a source only if the receiver returns them.
    pub const IN_RM_CELLS: Signals = Signals::EXPLICIT_RATES.with(Signals::CI).with(Signals::OFFERED_RATES);

    /// These and those of `others`.
    #[must_use]
    pub const fn with(self, others: Signals) -> Signals {
        Signals(self.0 | others.0)
    }

    /// Those that are also in `others`.
    #[must_use]
    pub const fn only(self, others: Signals) -> Signals {
        Signals(self.0 & others.0)
    }

    /// Those that are not in `others`.
    #[must_use]
    pub const fn without(self, others: Signals) -> Signals {
        Signals(self.0 & !others.0)
    }

    /// These, if `condition` holds.
    #[must_use]
    pub const fn when(self, condition: bool) -> Signals {
        if condition { self } else { Signals::NONE }
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether one of them is in `others`.
    #[must_use]
    pub const fn meets(self, others: Signals) -> bool {
        !self.only(others).is_empty()
    }

    /// Each alone.
    pub fn each(self) -> impl Iterator<Item = Signals> {
        (0..Signals::NAMES.len()).map(|bit| Signals(1 << bit)).filter(move |&signal| self.meets(signal))
    }
}

impl fmt::Display for Signals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Signals::NAMES
            .iter()
            .enumerate()
            .filter(|(bit, _)| self.0 >> bit & 1 == 1)
            .map(|(_, name)| *name)
            .collect();
        formatter.write_str(&names.join(", "))
    }
}

/// One kind of feedback, as a class in Python names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// Notice cells from a port or a receiver to a source.
    Notices,
    /// Notice cells whose severity says by how much to reduce a rate.
    GradedNotices,
    /// EFCI marks on data.
    Efci,
    /// Forward RM cells from a source.
    ForwardRmCells,
    /// Backward RM cells: forward RM cells that the receiver returned.
    BackwardRmCells,
    /// Explicit rates in backward RM cells.
    ExplicitRates,
    /// CI marks on backward RM cells.
    Ci,
    /// Congestion experienced marks on NPDUs.
    Ce,
    /// Congestion experienced in the ECN field.
    Ecn,
    /// Acknowledgements.
    Acknowledgements,
}

impl Signal {
    fn signals(self) -> Signals {
        match self {
            Signal::Notices => Signals::NOTICES,
            Signal::GradedNotices => Signals::GRADED_NOTICES,
            Signal::Efci => Signals::EFCI,
            Signal::ForwardRmCells => Signals::FORWARD_RM_CELLS,
            Signal::BackwardRmCells => Signals::BACKWARD_RM_CELLS,
            Signal::ExplicitRates => Signals::EXPLICIT_RATES,
            Signal::Ci => Signals::CI,
            Signal::Ce => Signals::CE,
            Signal::Ecn => Signals::ECN,
            Signal::Acknowledgements => Signals::ACKNOWLEDGEMENTS,
        }
    }

    /// All of these.
    #[must_use]
    pub fn all(of: &[Signal]) -> Signals {
        of.iter().fold(Signals::NONE, |all, signal| all.with(signal.signals()))
    }
}

/// What a part of a control scheme sends and hears. Its parameters implement it.
pub trait Feedback {
    /// All that a part with any parameters may send.
    const SENDS: Signals;
    /// All that a part with any parameters may hear. A part that only observes the traffic hears nothing.
    const HEARS: Signals;
    /// What it sends only with a certain parameter, and that parameter, for remedies.
    const IF: &'static [(Signals, &'static str)] = &[];

    /// What a part with these parameters sends.
    fn sends(&self) -> Signals {
        Self::SENDS
    }

    /// What a part with these parameters hears.
    fn hears(&self) -> Signals {
        Self::HEARS
    }
}

/// A part in the table of all parts.
#[derive(Clone, Copy, Debug)]
pub struct PartFeedback {
    /// Its keyword.
    pub keyword: &'static str,
    /// What it may send.
    pub sends: Signals,
    /// What it may hear.
    pub hears: Signals,
    /// What it sends only with a certain parameter, and that parameter.
    pub conditions: &'static [(Signals, &'static str)],
}

/// Forwards [`Feedback`] from the parameters of a role to the variant, and lists what each variant sends and hears.
macro_rules! define_feedback {
    ([$params:ident]
     $($(#[doc = $doc:literal])* $keyword:ident $variant:ident = $given:path => $built:path;)*) => {
        impl $params {
            /// What each variant may send and hear, in the order of the list.
            pub const FEEDBACK: &[crate::core::feedback::PartFeedback] = &[$(crate::core::feedback::PartFeedback {
                keyword: stringify!($keyword),
                sends: <$given as crate::core::feedback::Feedback>::SENDS,
                hears: <$given as crate::core::feedback::Feedback>::HEARS,
                conditions: <$given as crate::core::feedback::Feedback>::IF,
            }),*];

            /// What a part with these parameters sends.
            #[must_use]
            pub fn sends(&self) -> crate::core::feedback::Signals {
                match self {
                    $(Self::$variant(params) => crate::core::feedback::Feedback::sends(params),)*
                }
            }

            /// What a part with these parameters hears.
            #[must_use]
            pub fn hears(&self) -> crate::core::feedback::Signals {
                match self {
                    $(Self::$variant(params) => crate::core::feedback::Feedback::hears(params),)*
                }
            }
        }
    };
}

pub(crate) use define_feedback;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_signals() {
        let both = Signals::NOTICES.with(Signals::CE);
        assert_eq!(both.each().collect::<Vec<_>>(), [Signals::NOTICES, Signals::CE]);
        assert_eq!((both.without(Signals::CE), both.only(Signals::CI)), (Signals::NOTICES, Signals::NONE));
        assert_eq!((both.when(true), both.when(false)), (both, Signals::NONE));
        assert!(both.meets(Signals::CE) && !both.meets(Signals::IN_RM_CELLS));
        assert_eq!(both.to_string(), "notices, CE marks");
        assert_eq!(Signals::NONE.to_string(), "");
    }
}
