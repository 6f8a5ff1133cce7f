//! Control schemes by name: the list of all schemes, each with its parts.
//!
//! A scheme puts a congestion point or a queue at the ports, and a reaction and a notification point, or a transport, at the
//! hosts.
//! Its parts stand here as in a scenario file. To add a scheme, add one entry.

/// A control scheme: what `scheme = "erica"` stands for.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// Its name in scenario files.
    pub keyword: &'static str,
    /// What it does, in one sentence.
    pub meaning: &'static str,
    /// Its parts, as TOML.
    pub parts: &'static str,
    /// The role of the part to which the parameters in its table belong: `[scheme.erica] target = 0.9`. `none` has no part.
    pub main: &'static str,
    /// What a switch keeps.
    pub state: &'static str,
    /// What the feedback adds to the traffic.
    pub overhead: &'static str,
    /// What the network must have.
    pub needs: &'static str,
    /// Where it is from.
    pub source: &'static str,
}

const POINT: &str = "congestion_point";
const TRANSPORT: &str = "transport";
const RM_CELLS: &str = "one RM cell in 32 cells, there and back";

/// The source and the destination of TM 4.0 behind a congestion point. A source begins with an equal share of the lines on
/// its path: with the rate of its own line, all sources together would fill the queue in the first round trip.
macro_rules! explicit_rate {
    ($point:literal) => {
        concat!(
            "congestion_point.",
            $point,
            "\nreaction_point.tm40 = { icr = \"auto\" }\nnotification_point.turn_round = {}"
        )
    };
}

/// The scheme that is a class in Python. It is not in the list: without a file there is none.
pub const PYTHON: Scheme = Scheme {
    keyword: "python",
    meaning: "A class in Python, in a file of your own, controls every flow.",
    parts: "transport.stream = { controller.python = { file = '', class = '' } }",
    main: TRANSPORT,
    state: "none",
    overhead: "acknowledgements",
    needs: "consent to run the class",
    source: "",
};

/// Every scheme.
pub const SCHEMES: &[Scheme] = &[
    Scheme {
        keyword: "none",
        meaning: "No control: sources send as their traffic says.",
        parts: "",
        main: "",
        state: "none",
        overhead: "none",
        needs: "nothing",
        source: "",
    },
    Scheme {
        keyword: "becn",
        meaning: "A long queue notifies the sources of arriving cells, and they halve their rates.",
        parts: "congestion_point.becn = {}\nreaction_point.becn = { levels = 9 }",
        main: POINT,
        state: "one mark a flow and period",
        overhead: "one notice a flow and period, while congested",
        needs: "a path back for notices",
        source: "Newman, Globecom 1993, with one filter for each flow; docs/models/becn.md",
    },
    Scheme {
        keyword: "qcn",
        meaning: "Ports tell sources how far a queue is above its equilibrium, and they reduce their rates by as much (QCN).",
        parts: "congestion_point.qcn = {}\nreaction_point.qcn = {}",
        main: POINT,
        state: "the length of the queue at the last sample",
        overhead: "at most one notice in 100 PDUs without congestion, and in 12 with the worst",
        needs: "a path back for notices",
        source: "IEEE 802.1Qau; docs/models/qcn.md",
    },
    Scheme {
        keyword: "dcqcn",
        meaning: "Long queues mark packets at random, receivers tell the sources, and these reduce their rates (DCQCN).",
        parts: "congestion_point.dcqcn = {}\nreaction_point.dcqcn = {}\nnotification_point.dcqcn = {}",
        main: POINT,
        state: "none",
        overhead: "at most one notice in 167 PDUs that the line could carry, for each flow",
        needs: "a path back for notices",
        source: "Zhu and others, SIGCOMM 2015; docs/models/dcqcn.md",
    },
    Scheme {
        keyword: "rcp",
        meaning: "Each port offers one rate to all flows, by its load and its queue, and sources send at the lowest (RCP).",
        parts: "congestion_point.rcp = {}\nreaction_point.rcp = {}\nnotification_point.turn_round = {}",
        main: POINT,
        state: "one rate",
        overhead: "one request in 32 PDUs, there and back",
        needs: "a path back for requests",
        source: "Dukkipati, Stanford 2008; docs/models/rcp.md",
    },
    // The 50 ms do not belong to one network: they are the delay of long terrestrial paths, and the thesis asks for the
    // same interval on satellite links (5.1).
    Scheme {
        keyword: "rate_factor",
        meaning: "Ports measure the rates of four classes, and notified sources reduce the factor on their nominal rates.",
        parts: "congestion_point.class_rates = {}\nreaction_point.rate_factor = {}",
        main: POINT,
        state: "four rates, and the time of the last notice of each flow",
        overhead: "at most one notice a flow in 50 ms, while congested",
        needs: "traffic with a nominal rate, such as cbr or on_off",
        source: "satellite thesis, case 2; docs/models/satellite.md",
    },
    Scheme {
        keyword: "efci",
        meaning: "A long queue marks data. Destinations set CI in RM cells, and sources change their rates by steps.",
        parts: "congestion_point.efci = {}\nreaction_point.tm40 = { icr = \"auto\", rif = \"auto\" }\n\
                notification_point.turn_round = {}",
        main: POINT,
        state: "none",
        overhead: RM_CELLS,
        needs: "a path back for RM cells",
        source: "ATM Forum TM 4.0; docs/models/eprca.md",
    },
    Scheme {
        keyword: "eprca_bes",
        meaning: "A long queue sets CI for the connections above the mean rate first (EPRCA, binary enhanced switch).",
        parts: "congestion_point.bes = {}\nreaction_point.eprca = {}\nnotification_point.turn_round = {}",
        main: POINT,
        state: "one mean rate",
        overhead: RM_CELLS,
        needs: "a path back for RM cells",
        source: "ATM Forum 94-0735R1; docs/models/eprca.md",
    },
    Scheme {
        keyword: "eprca_eds",
        meaning: "A long queue reduces the explicit rates of the connections above the mean (EPRCA, explicit down switch).",
        parts: "congestion_point.eds = {}\nreaction_point.eprca = {}\nnotification_point.turn_round = {}",
        main: POINT,
        state: "one mean rate",
        overhead: RM_CELLS,
        needs: "a path back for RM cells",
        source: "ATM Forum 94-0735R1; docs/models/eprca.md",
    },
    Scheme {
        keyword: "eprca_plus_plus",
        meaning: "Ports measure their load and grant the fair share, or more to connections that bring it (EPRCA++).",
        parts: explicit_rate!("eprca_plus_plus = { interval = \"auto\", active = \"seen\" }"),
        main: POINT,
        state: "one mark a flow and interval",
        overhead: RM_CELLS,
        needs: "a path back for RM cells",
        source: "ATM Forum 94-1173; docs/models/eprca-plus-plus.md",
    },
    Scheme {
        keyword: "erica",
        meaning: "Ports measure their load and grant equal rates to all connections that can use them (ERICA).",
        parts: explicit_rate!("erica = { interval = \"auto\" }"),
        main: POINT,
        state: "a rate and a mark for each flow",
        overhead: RM_CELLS,
        needs: "a path back for RM cells",
        source: "ATM Forum 96-1172; docs/models/erica.md",
    },
    Scheme {
        keyword: "erica_plus",
        meaning: "ERICA with a target that the queue sets: the line is full, with a short queue (ERICA+).",
        parts: explicit_rate!("erica_plus = { t0 = \"auto\", erica.interval = \"auto\" }"),
        main: POINT,
        state: "a rate and a mark for each flow",
        overhead: RM_CELLS,
        needs: "a path back for RM cells",
        source: "S. Kalyanaraman, thesis 1997, p. 180; docs/models/erica.md",
    },
    Scheme {
        keyword: "capc",
        meaning: "One rate for all connections, adjusted by the distance of the load from its target (CAPC).",
        parts: explicit_rate!("capc = { interval = \"auto\" }"),
        main: POINT,
        state: "one rate",
        overhead: RM_CELLS,
        needs: "a path back for RM cells",
        source: "ATM Forum 94-0983; docs/models/capc.md",
    },
    Scheme {
        keyword: "phantom",
        meaning: "Each connection may use a multiple of the capacity that is left over (Phantom).",
        parts: explicit_rate!(
            "phantom = { interval = \"auto\", alpha_inc = \"auto\", alpha_dec = \"auto\", initial_macr = \"auto\" }"
        ),
        main: POINT,
        state: "one rate",
        overhead: RM_CELLS,
        needs: "a path back for RM cells",
        source: "Afek, Mansour and Ostfeld, SIGCOMM 1996; docs/models/phantom.md",
    },
    Scheme {
        keyword: "charny",
        meaning: "Ports compute the rate that fills the line from the rates in RM cells (Charny).",
        parts: explicit_rate!("charny = { target = 0.9, interval = \"auto\" }"),
        main: POINT,
        state: "a rate for each flow",
        overhead: RM_CELLS,
        needs: "a path back for RM cells",
        source: "A. Charny, thesis, MIT 1994; docs/models/charny.md",
    },
    Scheme {
        keyword: "congestion_avoidance",
        meaning: "Switches mark NPDUs, and the receivers of TP4 connections enlarge and reduce the credit.",
        parts: "congestion_point.clnp = { ce_threshold = \"27000 bits\" }\n\
                transport.tp4 = { credit.congestion_avoidance = {} }",
        main: TRANSPORT,
        state: "none",
        overhead: "acknowledgements",
        needs: "a path back for acknowledgements",
        source: "ATNP/WG2/WP197, 3.1; docs/models/atn.md",
    },
    Scheme {
        keyword: "withdrawing_credit",
        meaning: "Switches mark NPDUs, and the receivers of TP4 connections withdraw credit.",
        parts: "congestion_point.clnp = { ce_threshold = \"27000 bits\" }\n\
                transport.tp4 = { credit.withdrawing_credit = {} }",
        main: TRANSPORT,
        state: "none",
        overhead: "acknowledgements",
        needs: "a path back for acknowledgements",
        source: "ATNP/WG2/WP197, 3.2; docs/models/atn.md",
    },
    Scheme {
        keyword: "backoff",
        meaning: "TP4 senders take a retransmission for congestion, and begin with a window of 1 again.",
        parts: "transport.tp4 = { window.backoff = {} }",
        main: TRANSPORT,
        state: "none",
        overhead: "acknowledgements",
        needs: "queues that can discard",
        source: "ATNP/WG2/WP197, 3.3; docs/models/atn.md",
    },
    Scheme {
        keyword: "error_npdu",
        meaning: "Switches report discarded NPDUs, and TP4 senders begin with a window of 1 again.",
        parts: "congestion_point.clnp = { error_reports = {} }\ntransport.tp4 = { window.error_npdu = {} }",
        main: TRANSPORT,
        state: "none",
        overhead: "acknowledgements, and one Error Report for each discarded NPDU",
        needs: "queues that can discard",
        source: "ATNP/WG2/WP197, 3.3; docs/models/atn.md",
    },
    Scheme {
        keyword: "decbit",
        meaning: "Switches mark NPDUs by their average queue, and TP4 senders adjust the window every two windows (DECbit).",
        parts: "congestion_point.decbit = {}\ntransport.tp4 = { window.decbit = {} }",
        main: TRANSPORT,
        state: "the length of the queue over one cycle",
        overhead: "acknowledgements",
        needs: "a path back for acknowledgements",
        source: "Ramakrishnan and Jain, ACM TOCS 1990; docs/models/decbit.md",
    },
    Scheme {
        keyword: "new_reno",
        meaning: "Byte streams send a segment more each round trip, and half the window after a loss (NewReno).",
        parts: "transport.stream = { controller.new_reno = {} }",
        main: TRANSPORT,
        state: "none",
        overhead: "acknowledgements",
        needs: "queues that can discard",
        source: "RFC 5681, 6582; docs/models/new-reno.md",
    },
    Scheme {
        keyword: "abe",
        meaning: "NewReno that gives up a fifth of its window after an ECN mark, and half of it after a loss (ABE).",
        parts: "congestion_point.step_ecn = {}\ntransport.stream = { controller.abe = {}, ecn = \"classic\" }",
        main: TRANSPORT,
        state: "none",
        overhead: "acknowledgements",
        needs: "a path back for acknowledgements",
        source: "RFC 8511; docs/models/new-reno.md",
    },
    Scheme {
        keyword: "cubic",
        meaning: "The window of a byte stream is a cubic function of the time since its last reduction (CUBIC).",
        parts: "transport.stream = { controller.cubic = {} }",
        main: TRANSPORT,
        state: "none",
        overhead: "acknowledgements",
        needs: "queues that can discard",
        source: "RFC 9438; docs/models/cubic.md",
    },
    Scheme {
        keyword: "dctcp",
        meaning: "Long queues mark segments, and byte streams reduce their windows by the marked share (DCTCP).",
        parts: "congestion_point.step_ecn = {}\ntransport.stream = { controller.dctcp = {}, ecn = \"dctcp\" }",
        main: TRANSPORT,
        state: "none",
        overhead: "acknowledgements",
        needs: "a path back for acknowledgements",
        source: "RFC 8257; docs/models/dctcp.md",
    },
    Scheme {
        keyword: "prague",
        meaning: "Queues with two lists mark early for byte streams that give way by the marked share, and keep others apart \
                  (L4S).",
        parts: "queue.dual_pi2 = {}\ntransport.stream = { controller.prague = {}, ecn = \"accurate\" }",
        main: TRANSPORT,
        state: "one probability",
        overhead: "acknowledgements",
        needs: "queues that have only a limit",
        source: "RFC 9331, 9332; docs/models/prague.md",
    },
    Scheme {
        keyword: "hpcc",
        meaning: "Every port tells of its load beside the segments, and byte streams bring the highest to a target (HPCC).",
        parts: "congestion_point.telemetry = {}\ntransport.stream = { controller.hpcc = {}, header = 82 }",
        main: TRANSPORT,
        state: "one count of bits",
        overhead: "acknowledgements, and 42 octets in each segment and acknowledgement",
        needs: "a path back for acknowledgements, and at most 8 ports on a path",
        source: "Li and others, SIGCOMM 2019; docs/models/hpcc.md",
    },
    Scheme {
        keyword: "pull",
        meaning: "Receivers behind one line give credit in turn, at the line's rate, after a first round trip without (pull).",
        parts: "transport.stream = { controller.pull = {} }",
        main: TRANSPORT,
        state: "none",
        overhead: "acknowledgements, and one credit in four segments",
        needs: "a path back for credits",
        source: "EQDS, Olteanu and others, NSDI 2022; docs/models/pull.md",
    },
    Scheme {
        keyword: "vegas",
        meaning: "Byte streams keep a few segments each in the queues, by their round trips (Vegas).",
        parts: "transport.stream = { controller.vegas = {} }",
        main: TRANSPORT,
        state: "none",
        overhead: "acknowledgements",
        needs: "a path back for acknowledgements",
        source: "Brakmo and Peterson, IEEE JSAC 1995; docs/models/vegas.md",
    },
    Scheme {
        keyword: "ledbat",
        meaning: "Byte streams keep a fixed delay in the queues, and give way to other traffic (LEDBAT).",
        parts: "transport.stream = { controller.ledbat = {} }",
        main: TRANSPORT,
        state: "none",
        overhead: "acknowledgements",
        needs: "a path back for acknowledgements",
        source: "RFC 6817; docs/models/ledbat.md",
    },
    Scheme {
        keyword: "hybla",
        meaning: "Byte streams with long round trips grow as fast as NewReno with a short one (Hybla).",
        parts: "transport.stream = { controller.hybla = {} }",
        main: TRANSPORT,
        state: "none",
        overhead: "acknowledgements",
        needs: "queues that can discard",
        source: "Caini and Firrincieli, 2004; docs/models/hybla.md",
    },
    Scheme {
        keyword: "copa",
        meaning: "Byte streams keep a few segments each in the queues, which they empty now and then (Copa).",
        parts: "transport.stream = { controller.copa = {} }",
        main: TRANSPORT,
        state: "none",
        overhead: "acknowledgements",
        needs: "a path back for acknowledgements",
        source: "Arun and Balakrishnan, NSDI 2018; docs/models/copa.md",
    },
    Scheme {
        keyword: "bbr",
        meaning: "Byte streams send at the rate that the network delivers, which they probe for (BBR).",
        parts: "transport.stream = { controller.bbr = {} }",
        main: TRANSPORT,
        state: "none",
        overhead: "acknowledgements",
        needs: "a path back for acknowledgements",
        source: "draft-ietf-ccwg-bbr-06; docs/models/bbr.md",
    },
    Scheme {
        keyword: "swift",
        meaning: "Byte streams keep the round trip at a target, with less than a segment in flight if need be (Swift).",
        parts: "transport.stream = { controller.swift = {} }",
        main: TRANSPORT,
        state: "none",
        overhead: "acknowledgements",
        needs: "a path back for acknowledgements",
        source: "Kumar et al., SIGCOMM 2020; docs/models/swift.md",
    },
];

/// The scheme of this name.
#[must_use]
pub fn find(keyword: &str) -> Option<&'static Scheme> {
    SCHEMES.iter().find(|scheme| scheme.keyword == keyword)
}
