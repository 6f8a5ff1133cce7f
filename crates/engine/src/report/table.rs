//! Columns: one definition of a row produces its struct and the columns of its table with their docs.

/// The values of one column, one per row.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Names.
    Texts(Vec<String>),
    /// Counts.
    Counts(Vec<u64>),
    /// Numbers, in the unit at the end of the column's name.
    Numbers(Vec<f64>),
    /// Counts or nothing.
    OptionalCounts(Vec<Option<u64>>),
    /// Numbers or nothing.
    OptionalNumbers(Vec<Option<f64>>),
}

impl Values {
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
pub struct Column {
    /// Its name; the suffix `_s` means seconds, `_bps` bits per second.
    pub name: &'static str,
    /// Its meaning.
    pub meaning: String,
    /// Its values.
    pub values: Values,
}

/// One table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The meaning of a row.
    pub meaning: String,
    /// Its columns, all of the same length.
    pub columns: Vec<Column>,
}

/// The type of a field of a row: a value, which makes one column, or a struct of fields shared between rows.
pub trait Field: Sized {
    /// The meaning of the row, if it is one.
    const MEANING: &'static str = "";

    /// Adds the columns of a field called `name`.
    fn add<'a>(name: &'static str, meaning: &str, cells: impl Iterator<Item = &'a Self> + Clone, to: &mut Vec<Column>)
    where
        Self: 'a;
}

/// Lists the types of values, and the kind of column for each.
macro_rules! values {
    ($($type:ty => $kind:ident;)*) => {$(
        impl Field for $type {
            fn add<'a>(
                name: &'static str, meaning: &str, cells: impl Iterator<Item = &'a Self> + Clone, to: &mut Vec<Column>,
            ) {
                let values = Values::$kind(cells.cloned().collect());
                to.push(Column { name, meaning: in_one_line(meaning), values });
            }
        }
    )*};
}

values! {
    String => Texts;
    u64 => Counts;
    f64 => Numbers;
    Option<u64> => OptionalCounts;
    Option<f64> => OptionalNumbers;
}

/// A doc comment in one line.
pub(super) fn in_one_line(comment: &str) -> String {
    comment.split_whitespace().collect::<Vec<_>>().join(" ")
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
            const MEANING: &'static str = concat!($($about, "\n"),*);

            fn add<'a>(
                _: &'static str,
                _: &str,
                rows: impl Iterator<Item = &'a Self> + Clone,
                to: &mut Vec<$crate::report::table::Column>,
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
            pub fn tables(&self) -> Vec<$crate::report::table::Table> {
                use $crate::report::table::{Field, Table, in_one_line};
                vec![$({
                    let mut columns = Vec::new();
                    $row::add("", "", self.$table.iter(), &mut columns);
                    Table { name: stringify!($table), meaning: in_one_line($row::MEANING), columns }
                }),*]
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
        let mut columns = Vec::new();
        Row::add("", "", rows.iter(), &mut columns);
        let seen: Vec<_> = columns.iter().map(|column| (column.name, column.meaning.as_str())).collect();
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
        let mut none = Vec::new();
        Row::add("", "", [].iter(), &mut none);
        assert_eq!(none.len(), columns.len());
    }
}
