//! Where a path stands in the text of a scenario file.

use toml::de::{DeTable, DeValue};

use super::defaults;
use crate::scenario::path::{Path, Tree};

/// Where a path leads in the text of a document.
pub(super) struct TextPlace {
    /// Position of the last step that stands there.
    pub(super) position: usize,
    /// Whether every step does.
    pub(super) is_end: bool,
    /// The value, if every step does, and if it can be shown.
    pub(super) value: Option<String>,
}

/// What stands in a document: its own table, or a value in it and where its key begins, or the value of an entry.
#[derive(Clone, Copy)]
pub(super) enum Node<'d, 't> {
    Document(&'d DeTable<'t>),
    Value(usize, &'d toml::Spanned<DeValue<'t>>),
}

impl<'d, 't> Node<'d, 't> {
    fn table(self) -> Option<&'d DeTable<'t>> {
        match self {
            Node::Document(table) => Some(table),
            Node::Value(_, value) => value.get_ref().as_table(),
        }
    }
}

impl<'d> Tree<'d> for Node<'d, '_> {
    fn keys(self) -> impl Iterator<Item = &'d str> {
        self.table().into_iter().flat_map(|table| table.keys().map(|key| key.get_ref().as_ref()))
    }

    fn value(self, key: &str) -> Option<Self> {
        let (key, value) = self.table()?.get_key_value(key)?;
        Some(Node::Value(key.span().start, value))
    }

    fn entry(self, index: usize) -> Option<Self> {
        let Node::Value(_, value) = self else { return None };
        let entry = value.get_ref().as_array()?.get(index)?;
        Some(Node::Value(entry.span().start, entry))
    }

    fn length(self) -> Option<usize> {
        let Node::Value(_, value) = self else { return None };
        value.get_ref().as_array().map(|list| list.len())
    }
}

/// Where `path` stands in `text`, as far as it is there.
pub(super) fn find(text: &str, path: &str) -> Option<TextPlace> {
    let path: Path = path.parse().ok()?;
    let mut document = DeTable::parse(text).ok()?;
    // As far as they are sound; a fault of theirs is looked for among them.
    defaults::in_toml(document.get_mut()).ok();
    match path.follow(Node::Document(document.get_ref())) {
        (Node::Document(_), _) => None,
        (Node::Value(position, value), is_end) => {
            let shown = |_: &&str| is_end && !is_spread(value, text);
            Some(TextPlace { position, is_end, value: text.get(value.span()).filter(shown).map(super::shorten) })
        }
    }
}

/// Whether a value is a table below a header of its own, or behind a key with dots, or a list of such: its place in the
/// text shows nothing of it.
fn is_spread(value: &toml::Spanned<DeValue<'_>>, text: &str) -> bool {
    match value.get_ref() {
        DeValue::Table(_) => !text[value.span()].starts_with('{'),
        DeValue::Array(list) => list.iter().any(|entry| is_spread(entry, text)),
        _ => false,
    }
}
