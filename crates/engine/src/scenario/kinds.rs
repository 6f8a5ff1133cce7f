//! Kinds of traffic by name, for the mixes of `[traffic]`. To add a kind, add one entry.

/// A kind of traffic: what `mix = { voice = 0.3 }` names.
#[derive(Clone, Copy, Debug)]
pub struct TrafficKind {
    /// Its name in scenario files.
    pub keyword: &'static str,
    /// What one flow is.
    pub meaning: &'static str,
    /// Keys of a flow, as TOML.
    pub keys: &'static str,
    /// Where it is from.
    pub source: &'static str,
}

/// Every kind. Sources that pause between sessions in their study are in one session here: then the load of a run of
/// seconds is near its mean.
pub const KINDS: &[TrafficKind] = &[
    TrafficKind {
        keyword: "voice",
        meaning: "one call: 64 kb/s in talk spurts of 0.5 s, silences of 0.5 s",
        keys: "traffic.on_off = { peak_rate = \"64 kb/s\", on = \"0.5 s\", off = \"0.5 s\" }",
        source: "satellite thesis, 6.2.1.1; docs/models/voice-video-data.md#voice",
    },
    TrafficKind {
        keyword: "video",
        meaning: "one picture telephone: 512 and 192 kb/s in turn, 0.5 s each",
        keys: "traffic.two_rate_video = { high = \"512 kb/s\", low = \"192 kb/s\", high_time = \"0.5 s\", low_time = \"0.5 s\" }",
        source: "satellite thesis, 6.2.1.2; docs/models/voice-video-data.md#two-rate-video",
    },
    TrafficKind {
        keyword: "data",
        meaning: "one user: files of 1 MB at 500 kb/s, pauses of 16 s",
        keys: "traffic.file_transfer = { size = \"1 MB\", rate = \"500 kb/s\", idle = \"16 s\" }",
        source: "satellite thesis, 6.2.1.3; docs/models/voice-video-data.md#files",
    },
    TrafficKind {
        keyword: "mpeg_video",
        meaning: "one film: MPEG-1 frames of 4.5 Mb/s in the mean, 14.84 Mb/s at the peak",
        keys: "traffic.mpeg = { mean = \"4.5 Mb/s\", peak = \"14.84 Mb/s\" }",
        source: "Ohsaki and others 1995, III; docs/models/mpeg.md",
    },
    TrafficKind {
        keyword: "greedy",
        meaning: "one transfer without end: it always has data to send",
        keys: "traffic.greedy = {}",
        source: "",
    },
];

impl TrafficKind {
    /// Its keys, as in JSON.
    pub(crate) fn table(&self) -> serde_json::Map<String, serde_json::Value> {
        toml::from_str(self.keys).unwrap_or_default()
    }
}

/// The kind of this name.
#[must_use]
pub fn find(keyword: &str) -> Option<&'static TrafficKind> {
    KINDS.iter().find(|kind| kind.keyword == keyword)
}
