//! Columns: one definition of a row produces its struct and the columns of its table with their docs.

use std::sync::Arc;

/// The values of one column, one per row.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<'a> {
    /// Names.
    Texts(Vec<&'a str>),
    /// Counts.
    Counts(Vec<u64>),
    /// Numbers, in the unit at the end of the column's name.
    Numbers(Vec<f64>),
    /// Counts or nothing.
    OptionalCounts(Vec<Option<u64>>),
    /// Numbers or nothing.
    OptionalNumbers(Vec<Option<f64>>),
}

impl Values<'_> {
    /// The kind of the values, in words.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Values::Texts(_) => "text",
            Values::Counts(_) => "count",
            Values::Numbers(_) => "number",
            Values::OptionalCounts(_) => "count or null",
            Values::OptionalNumbers(_) => "number or null",
        }
    }
}

/// One column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column<'a> {
    /// Its name; the suffix `_s` means seconds, `_bps` bits per second.
    pub name: &'static str,
    /// Its doc comment, line by line.
    doc: &'static str,
    /// Its values.
    pub values: Values<'a>,
}

/// One table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<'a> {
    /// Its name.
    pub name: &'static str,
    /// The doc comment of a row, line by line.
    pub(super) doc: &'static str,
    /// Its columns, all of the same length.
    pub columns: Vec<Column<'a>>,
}

impl Column<'_> {
    /// Its meaning, in one line.
    #[must_use]
    pub fn meaning(&self) -> String {
        in_one_line(self.doc)
    }
}

impl Table<'_> {
    /// The meaning of a row, in one line.
    #[must_use]
    pub fn meaning(&self) -> String {
        in_one_line(self.doc)
    }
}

/// A doc comment without its line ends.
fn in_one_line(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The type of a field of a row: a value, which makes one column, or a struct of fields shared between rows.
pub trait Field: Sized {
    /// The doc comment of the row, if it is one.
    const DOC: &'static str = "";

    /// Adds the columns of a field called `name`.
    fn add<'a>(
        name: &'static str,
        doc: &'static str,
        cells: impl Iterator<Item = &'a Self> + Clone,
        to: &mut Vec<Column<'a>>,
    ) where
        Self: 'a;
}

/// The columns of a table with these rows.
#[must_use]
pub fn columns<R: Field>(rows: &[R]) -> Vec<Column<'_>> {
    let mut columns = Vec::new();
    R::add("", "", rows.iter(), &mut columns);
    columns
}

/// Lists the types of values, and the kind of column for each.
macro_rules! values {
    ($($type:ty => $kind:ident, $cell:ident => $value:expr;)*) => {$(
        impl Field for $type {
            fn add<'a>(
                name: &'static str,
                doc: &'static str,
                cells: impl Iterator<Item = &'a Self> + Clone,
                to: &mut Vec<Column<'a>>,
            ) {
                to.push(Column { name, doc, values: Values::$kind(cells.map(|$cell| $value).collect()) });
            }
        }
    )*};
}

values! {
    String => Texts, text => text.as_str();
    Arc<str> => Texts, text => &**text;
    u64 => Counts, count => *count;
    f64 => Numbers, number => *number;
    Option<u64> => OptionalCounts, count => *count;
    Option<f64> => OptionalNumbers, number => *number;
}

/// Defines the struct of a row: each field is a column or a struct of shared fields.
macro_rules! row {
    ($(#[doc = $about:literal])* $row:ident { $($(#[doc = $doc:literal])* $field:ident: $type:ty,)* }) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $row {
            $($(#[doc = $doc])* pub $field: $type,)*
        }

        impl $crate::report::table::Field for $row {
            const DOC: &'static str = concat!($($about, "\n"),*);

            fn add<'a>(
                _: &'static str,
                _: &'static str,
                rows: impl Iterator<Item = &'a Self> + Clone,
                to: &mut Vec<$crate::report::table::Column<'a>>,
            ) {
                $(<$type as $crate::report::table::Field>::add(
                    stringify!($field), concat!($($doc, "\n"),*), rows.clone().map(|row| &row.$field), to,
                );)*
            }
        }
    };
}

/// Defines the report: a vector of rows for each table, and the values for the run as a whole.
macro_rules! report {
    ($(#[doc = $about:literal])* tables { $($(#[doc = $table_doc:literal])* $table:ident: $row:ident,)* }
     run { $($(#[doc = $doc:literal])* $field:ident: $type:ty,)* }) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Report {
            $($(#[doc = $table_doc])* pub $table: Vec<$row>,)*
            $($(#[doc = $doc])* pub $field: $type,)*
        }

        impl Report {
            /// Every table with its columns, in order. An empty report also has all columns.
            #[must_use]
            pub fn tables(&self) -> Vec<$crate::report::table::Table<'_>> {
                use $crate::report::table::{Field, Table, columns};
                vec![$(Table { name: stringify!($table), doc: $row::DOC, columns: columns(&self.$table) }),*]
            }
        }
    };
}

pub(super) use {report, row};

#[cfg(test)]
mod tests {
    #![allow(unreachable_pub, reason = "the macro is for rows that all may use")]

    use super::*;

    row! {
        /// Fields that rows share.
        Shared {
            /// A count.
            count: Option<u64>,
            /// Seconds of
            /// something.
            length_s: f64,
        }
    }

    row! {
        /// A row.
        Row {
            /// Its name.
            name: String,
            /// What others have too.
            shared: Shared,
            /// The last.
            last: u64,
        }
    }

    #[test]
    fn a_field_is_a_column_and_shared_fields_stand_where_they_are_named() {
        let rows = [
            Row { name: "a".into(), shared: Shared { count: None, length_s: 0.5 }, last: 1 },
            Row { name: "b".into(), shared: Shared { count: Some(7), length_s: 1.5 }, last: 2 },
        ];
        let columns = columns(&rows);
        let meanings: Vec<String> = columns.iter().map(Column::meaning).collect();
        let seen: Vec<_> =
            columns.iter().zip(&meanings).map(|(column, meaning)| (column.name, meaning.as_str())).collect();
        assert_eq!(
            seen,
            [
                ("name", "Its name."),
                ("count", "A count."),
                ("length_s", "Seconds of something."),
                ("last", "The last.")
            ]
        );
        assert_eq!(columns[1].values, Values::OptionalCounts(vec![None, Some(7)]));
        assert_eq!(columns[2].values, Values::Numbers(vec![0.5, 1.5]));
        assert_eq!(columns[1].values.kind(), "count or null");
        assert_eq!(super::columns::<Row>(&[]).len(), columns.len());
    }
}
