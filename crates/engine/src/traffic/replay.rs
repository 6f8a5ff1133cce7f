//! Video from recorded frame sizes.
//!
//! Its page: docs/models/mpeg.md.
//!
//! The engine reads no files. [`parse`] reads the sizes from a file's text, and the loader of a scenario puts the sizes
//! in place of the file name. So a scenario that runs, or is stored, contains its data, and its hash covers them.
//!
//! A file has one frame a line. A line is one number, or several columns (for example "index type bytes"). The size is
//! in the last column, or in the one given by `column`. Blanks, commas or semicolons separate columns. Every line has
//! as many columns as the first. Empty lines are skipped, and so is all text after `#` or `%`.

use std::sync::Arc;

use super::frames::{FrameSending, Frames, MOST_FRAMES, check_per_second};
use super::held::fixed;
use super::records::{BadFile, records};
use super::sequence::Sequence;
use super::{Held, ModelParams, NamedFile, Offer};
use crate::core::check;
use crate::core::error::Fault;
use crate::core::random::Stream;
use crate::core::word;

/// The unit of the frame sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SizeUnit {
    /// Octets of 8 bits.
    #[default]
    Octets,
    /// Bits.
    Bits,
}

impl SizeUnit {
    fn bits(self) -> u64 {
        match self {
            SizeUnit::Octets => 8,
            SizeUnit::Bits => 1,
        }
    }
}

/// Frame sizes. Clones share them.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(from = "Vec<u32>", into = "Vec<u32>")]
#[schemars(with = "Vec<u32>")]
pub struct Sizes(Arc<[u32]>);

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes(Arc::from([]))
    }
}

impl Sizes {
    /// Number of frames.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl From<Vec<u32>> for Sizes {
    fn from(sizes: Vec<u32>) -> Sizes {
        Sizes(sizes.into())
    }
}

impl From<Sizes> for Vec<u32> {
    fn from(sizes: Sizes) -> Vec<u32> {
        sizes.0.to_vec()
    }
}

/// The recording, and how it is sent.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// File with one frame a line, in the folder of the scenario file or with a path from there. When the scenario is
    /// loaded, the sizes replace `frames`, and the file name is dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Column of the file that contains the sizes, counted from 1, or "last".
    #[serde(default, with = "word::last")]
    #[schemars(schema_with = "word::last::schema::<u32>")]
    pub column: Option<u32>,
    /// Sizes of the frames in sending order, instead of a file. At most 100 000.
    #[serde(default)]
    pub frames: Sizes,
    /// The unit of the sizes.
    #[serde(default)]
    pub unit: SizeUnit,
    /// Frames a second.
    pub frames_per_second: f64,
    /// How frames are sent.
    #[serde(default)]
    pub sending: FrameSending,
    /// What happens to data that the sender may not send yet.
    #[serde(default = "super::held::wait")]
    pub held: Held,
}

impl Params {
    /// The first fault of the parameters.
    pub fn check(&self) -> Result<(), Fault> {
        let remedy = "give the sizes in the scenario, for example frames = [12000, 3500]";
        check::unread(self.file.as_ref(), None, remedy)?;
        if let Some(column) = self.column {
            return Err(Fault::new("column", column, "there is no `file` with columns", "remove it, or name a file"));
        }
        check_per_second(self.frames_per_second)?;
        self.held.check()?;
        let sizes = &self.frames.0;
        if sizes.iter().all(|&size| size == 0) {
            let reason = if sizes.is_empty() { "there is nothing to replay" } else { "every frame is empty" };
            return Err(Fault::new("frames", format!("{sizes:.40?}"), reason, "name a `file`, or give sizes above 0"));
        }
        if sizes.len() > MOST_FRAMES {
            return Err(Fault::new("frames", format!("{} numbers", sizes.len()), TOO_LONG, SHORTER));
        }
        Ok(())
    }

    /// Reads the sizes from the text of the named file.
    fn read(&mut self, text: &str) -> Result<(), Fault> {
        let Some(file) = &self.file else { return Ok(()) };
        self.frames = Sizes(parse(text, self.column).map_err(|fault| fault.within(file))?.into());
        (self.file, self.column) = (None, None);
        Ok(())
    }
}

impl ModelParams for Params {
    fn held(&self) -> Option<&Held> {
        Some(&self.held)
    }

    fn held_fault(&self, is_scaled: bool) -> Option<&'static str> {
        fixed(&self.held, is_scaled)
    }

    fn check_octets(&self, octets: u16) -> Result<(), Fault> {
        let largest = u64::from(self.frames.0.iter().copied().max().unwrap_or_default()) * self.unit.bits();
        self.sending.check(largest, self.frames_per_second, octets).map_err(|fault| fault.under("sending"))
    }

    fn offer(&self, _pdu_bits: f64, mean: Option<f64>) -> Option<Offer> {
        // The sequence is exact: the amount sent in whole rounds does not vary.
        let frames = self.frames.len() as f64;
        Some(Offer { mean: Some(mean?), late: (frames + 1.0) / self.frames_per_second, ..Offer::STEADY })
    }

    fn file(&self) -> Option<NamedFile<'_>> {
        Some(NamedFile { path: "file", name: self.file.as_deref()?, sha256: None })
    }

    fn read_file(&mut self, text: &str) -> Result<(), Fault> {
        self.read(text)
    }

    fn sequence(&self, group_stream: Stream) -> Option<Sequence> {
        Some(self.draw_sequence(group_stream))
    }
}

impl Frames for Params {
    fn draw_sequence(&self, _stream: Stream) -> Sequence {
        Sequence { sizes: self.frames.0.clone(), unit: self.unit.bits(), per_second: self.frames_per_second }
    }

    fn sending(&self) -> &FrameSending {
        &self.sending
    }
}

const TOO_LONG: &str = "a recording may have at most 100000 frames";
const SHORTER: &str = "use a part of the recording";

/// The sizes in the text of a file, from `column` (counted from 1) or from the last column.
fn parse(text: &str, column: Option<u32>) -> Result<Vec<u32>, BadFile> {
    let mut sizes = Vec::new();
    let mut columns = 0;
    for (line, fields) in records(text) {
        let refuse = |reason: String, remedy: &str| Err(BadFile { line, reason, remedy: remedy.into() });
        if columns == 0 {
            columns = fields.len();
        }
        if fields.len() != columns {
            let reason = format!("there are {} columns, but the lines before have {columns}", fields.len());
            return refuse(reason, "write every line with the same columns; comments begin with # or %");
        }
        let place = match column {
            None => columns,
            Some(column) => column as usize,
        };
        let Some(field) = place.checked_sub(1).and_then(|place| fields.get(place)) else {
            return refuse(
                format!("there is no column {place}"),
                "columns are counted from 1; without `column`, the last column is used",
            );
        };
        let Ok(size) = field.parse() else {
            let shown: String = field.chars().take(40).collect();
            let reason = format!("{shown:?} is not a frame size");
            return refuse(reason, "write a whole number from 0 to 4294967295; comments begin with # or %");
        };
        if sizes.len() == MOST_FRAMES {
            return refuse(TOO_LONG.to_owned(), SHORTER);
        }
        sizes.push(size);
    }
    if sizes.is_empty() {
        let (reason, remedy) = ("the file has no frame sizes", "write one frame size on each line");
        return Err(BadFile { line: 0, reason: reason.into(), remedy: remedy.into() });
    }
    Ok(sizes)
}

#[cfg(test)]
impl crate::core::roles::Cases for Params {
    const CASES: &[&str] = &["{ frames = [900, 0, 120, 400, 20], unit = 'octets', frames_per_second = 25.0, \
         sending = { burst = '200 kb/s', header = 5 } }"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::time::Rate;

    fn line(text: &str, column: Option<u32>) -> (usize, String) {
        parse(text, column).map_err(|bad| (bad.line, bad.reason)).expect_err("a fault")
    }

    fn replay(frames: &[u32]) -> Params {
        Params {
            file: None,
            column: None,
            frames: frames.to_vec().into(),
            unit: SizeUnit::Octets,
            frames_per_second: 25.0,
            sending: FrameSending::default(),
            held: crate::traffic::held::wait(),
        }
    }

    #[test]
    fn one_number_a_line() {
        assert_eq!(parse("# a clip\n1200\n\n 0 \n3400 # scene 2\r\n17", None), Ok(vec![1200, 0, 3400, 17]));
    }

    #[test]
    fn index_type_octets() {
        let text = "% Nframe | type | QP | PSNR | size (Bytes) \n0 I 31.13 37.89 78754\n1 P 33.82 36.38 9403\n";
        assert_eq!(parse(text, None), Ok(vec![78_754, 9_403]));
        assert_eq!(parse("1;I;9000\n2;\tB;100\n", None), Ok(vec![9_000, 100]));
        assert_eq!(parse("1,I,9000,38.2\n2,B,100,37.0\n", Some(3)), Ok(vec![9_000, 100]));
    }

    #[test]
    fn each_fault_names_its_line() {
        assert_eq!(line("1200\n-5\n", None), (2, "\"-5\" is not a frame size".into()));
        assert_eq!(line("# c\n\n12.5\n", None), (3, "\"12.5\" is not a frame size".into()));
        assert_eq!(line("index type bytes\n1 I 900\n", None), (1, "\"bytes\" is not a frame size".into()));
        assert_eq!(line("4294967296", None), (1, "\"4294967296\" is not a frame size".into()));
        assert_eq!(line("1 I 900\n2 P\n", None), (2, "there are 2 columns, but the lines before have 3".into()));
        assert_eq!(line("1 I 900\n", Some(4)), (1, "there is no column 4".into()));
        assert_eq!(line("1 I 900\n", Some(0)), (1, "there is no column 0".into()));
        assert_eq!(line("# nothing\n", None), (0, "the file has no frame sizes".into()));
        let many = "7\n".repeat(MOST_FRAMES);
        assert_eq!(parse(&many, None).map(|sizes| sizes.len()), Ok(MOST_FRAMES));
        let (at, reason) = line(&(many + "7"), None);
        assert_eq!(at, MOST_FRAMES + 1);
        assert!(reason.contains("at most 100000 frames"), "{reason}");
    }

    #[test]
    fn the_file_gives_way_to_its_sizes() {
        let mut params = Params { file: Some("clip.txt".into()), column: Some(2), ..replay(&[1]) };
        assert_eq!(params.check().map_err(|fault| fault.path), Err("file".to_owned()));
        let fault = params.read("1 900\n2 x\n").expect_err("a fault");
        assert_eq!((fault.path.as_str(), fault.value.as_str()), ("file", "\"clip.txt\""));
        assert_eq!(fault.reason, "line 2 of the file: \"x\" is not a frame size");
        assert_eq!(params.read("1 900\n2 30\n"), Ok(()));
        assert_eq!(params, replay(&[900, 30]));
        assert_eq!(params.draw_sequence(Stream::new(1, 0, "")).frame_bits(), [7_200, 240]);
        let bits = Params { unit: SizeUnit::Bits, ..params };
        assert_eq!(bits.draw_sequence(Stream::new(1, 0, "")).frame_bits(), [900, 30]);
    }

    #[test]
    fn faults() {
        let path = |params: Params| params.check().map_err(|fault| fault.path);
        assert_eq!(path(replay(&[0, 5])), Ok(()));
        assert_eq!(path(replay(&[])), Err("frames".to_owned()));
        assert_eq!(path(replay(&[0, 0])), Err("frames".to_owned()));
        assert_eq!(path(replay(&vec![7; MOST_FRAMES + 1])), Err("frames".to_owned()));
        assert_eq!(path(Params { column: Some(1), ..replay(&[5]) }), Err("column".to_owned()));
        assert_eq!(path(Params { frames_per_second: 0.0, ..replay(&[5]) }), Err("frames_per_second".to_owned()));
        let sending = FrameSending { burst: Some(Rate(1_000_000)), ..FrameSending::default() };
        let burst = |octets: u32| Params { sending: sending.clone(), ..replay(&[octets]) }.check_octets(53);
        assert_eq!(burst(5_000), Ok(()));
        assert_eq!(burst(5_002).map_err(|fault| fault.path), Err("sending.burst".to_owned()));
    }

    /// The recordings beside this repository, if present. They are not part of the repository.
    #[test]
    fn recordings_read() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/video-frame-sizes");
        for (file, frames, first) in [
            ("big-buck-bunny-1080p-1500kbps.txt", 6_000, 78_754),
            ("elephants-dream-360p-1500kbps.txt", 6_000, 13_456),
            ("video-chat-540p-1500kbps.txt", 7_200, 12_167),
        ] {
            let Ok(text) = std::fs::read_to_string(folder.join(file)) else { continue };
            let sizes = parse(&text, None).expect(file);
            assert_eq!((sizes.len(), sizes[0]), (frames, first), "{file}");
        }
    }
}
