//! The files that a scenario names: frame sizes, traces, tables of lengths, demands, series and opportunities. The loader reads
//! their texts into the scenario.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{line_at, part};
use crate::core::error::Fault;
use crate::scenario::path::shown_key;
use crate::scenario::spec::{Demands, Flow, Scenario, Series};
use crate::traffic::{self, ModelParams};

impl Scenario {
    /// Triples (path, file name, SHA-256) of the files to read before the run, each with the path of its name.
    #[must_use]
    pub fn files(&self) -> Vec<(String, String, Option<String>)> {
        let flows = self.flow.iter().filter_map(|(group, flow)| {
            let traffic::NamedFile { path, name, sha256 } = flow.traffic.file()?;
            let path = format!("flow.{}.traffic.{}.{path}", shown_key(group), flow.traffic.keyword());
            Some((path, name.to_owned(), sha256.map(str::to_owned)))
        });
        let demands = self.demands.iter().map(|demands| ("demands.file".to_owned(), &demands.file, &demands.sha256));
        let series = self.series.iter().enumerate();
        let series = series.map(|(number, of)| (format!("series[{number}].file"), &of.file, &of.sha256));
        let lines = self.line.iter().flat_map(|(name, line)| {
            let own = line.opportunities();
            own.map(move |(key, of)| (format!("line.{}.{key}.file", shown_key(name)), &of.file, &of.sha256))
        });
        let lists = demands.chain(series).chain(lines);
        let lists = lists.filter_map(|(path, file, sha256)| Some((path, file.clone()?, sha256.clone())));
        flows.chain(lists).collect()
    }

    /// Triples (path, name, SHA-256) of the traces that the groups name as they are written, each with the path of its
    /// SHA-256.
    #[must_use]
    pub fn traces(&self) -> Vec<(String, String, String)> {
        let named = |(group, flow): (&String, &Flow)| {
            let (name, sha256) = flow.traffic.trace()?;
            let path = format!("flow.{}.traffic.{}.sha256", shown_key(group), flow.traffic.keyword());
            Some((path, name.to_owned(), sha256.to_owned()))
        };
        self.flow.iter().filter_map(named).collect()
    }

    /// Gives every group the packets of its trace, where they have been loaded.
    pub(crate) fn share_recordings(&mut self) {
        let mut flows = std::mem::take(&mut self.flow);
        flows.values_mut().for_each(|flow| self.share_recording(flow));
        self.flow = flows;
    }

    /// Gives a group the packets of its trace, if they are there.
    pub(crate) fn share_recording(&self, flow: &mut Flow) {
        let recording = flow.traffic.trace().and_then(|(_, sha256)| self.recordings.get(sha256));
        if let Some(recording) = recording {
            flow.traffic.take_packets(recording);
        }
    }

    /// Reads the text of the file whose name has this path.
    ///
    /// # Errors
    /// The fault in the text, with its line.
    pub fn take_file(&mut self, path: &str, text: &str) -> Result<(), Fault> {
        if let Some(demands) = self.demands.as_mut().filter(|_| path == "demands.file") {
            let Demands { file, sha256, list } = demands;
            return Listed { file, sha256, list }.take(text).map_err(|fault| fault.under("demands"));
        }
        for (number, series) in self.series.iter_mut().enumerate() {
            if path == format!("series[{number}].file") {
                let Series { file, sha256, list, .. } = series;
                return Listed { file, sha256, list }
                    .take(text)
                    .map_err(|fault| fault.under(&format!("series[{number}]")));
            }
        }
        for (name, line) in &mut self.line {
            for (key, of) in line.opportunities_mut() {
                if path == format!("line.{}.{key}.file", shown_key(name)) {
                    let read = of.read_file(text);
                    return read.map_err(|fault| fault.under(key).under(&shown_key(name)).under("line"));
                }
            }
        }
        for (group, flow) in &mut self.flow {
            let keyword = flow.traffic.keyword();
            let Some(own) = flow.traffic.file().map(|file| file.path) else { continue };
            if path == format!("flow.{}.traffic.{keyword}.{own}", shown_key(group)) {
                let read = flow.traffic.read_file(text);
                return read
                    .map_err(|fault| fault.under(keyword).under("traffic").under(&shown_key(group)).under("flow"));
            }
        }
        Ok(())
    }
}

/// What a file with a list holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<T> {
    list: Vec<T>,
}

/// A list that may stand in a file.
struct Listed<'a, T> {
    file: &'a mut Option<String>,
    sha256: &'a mut Option<String>,
    list: &'a mut Vec<T>,
}

impl<T: DeserializeOwned> Listed<'_, T> {
    /// Takes the list of the file with this text.
    fn take(self, text: &str) -> Result<(), Fault> {
        let Some(file) = &*self.file else { return Ok(()) };
        if !self.list.is_empty() {
            return Err(Fault::new("list", "", "there is a list, and a file that has one", "delete one of the two"));
        }
        let tree: Result<Value, toml::de::Error> = toml::from_str(text);
        let tree = tree.map_err(|error| {
            let line = line_at(text, error.span().map_or(0, |span| span.start));
            let first = error.message().lines().next().unwrap_or_default();
            Fault::new("file", file, format!("line {line}: {first}"), "write it as list = [[...], [...]]")
        })?;
        let read: File<T> = part(&tree).map_err(|fault| {
            Fault::new("file", file, format!("{} in it: {}", fault.path, fault.reason), fault.remedy)
        })?;
        *self.list = read.list;
        (*self.file, *self.sha256) = (None, None);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::document::parse;

    /// A table of lengths is deep below its traffic model: its file has the whole path.
    #[test]
    fn a_table_of_lengths_is_read_from_its_file() {
        let text = r#"
            duration = "1 s"
            line.l = { between = ["a", "b"], rate = "1 Mb/s" }
            [flow.web]
            path = ["a", "b"]
            traffic.messages = { arrivals.poisson.every = "1 ms", sizes.table = TABLE }
        "#;
        let read = |table: &str| parse(&text.replace("TABLE", table)).unwrap_or_else(|error| panic!("{error}"));
        let mut scenario = read("{ file = 'sizes.csv', sha256 = 'abc' }");
        let path = "flow.web.traffic.messages.sizes.table.file".to_owned();
        assert_eq!(scenario.files(), [(path.clone(), "sizes.csv".to_owned(), Some("abc".to_owned()))]);
        let fault = scenario.take_file(&path, "100,50\n200,40").expect_err("a fault");
        assert_eq!((fault.path, fault.reason.starts_with("line 2 of the file")), (path.clone(), true));
        assert_eq!(scenario.take_file(&path, "100,50\n200,100"), Ok(()));
        assert_eq!(scenario, read("{ points = [[100, 50], [200, 100]] }"));
    }
}
