//! Measures of messages, by class of their length.

use super::rows::MessageRow;
use crate::core::completions::{Class, Completions};
use crate::core::quantity::Bits;
use crate::core::time::Span;

/// The rows of a group: one for each class of length, then one for all its messages.
pub(super) fn message_rows(group: &str, completions: &Completions) -> Vec<MessageRow> {
    let classes = completions.classes().map(|(limits, class)| row(group, named(limits), limits, class));
    let all = completions.all();
    classes.chain([row(group, "all".to_owned(), (Bits(0), None), &all)]).collect()
}

/// The name of a class with these limits.
fn named(limits: (Bits, Option<Bits>)) -> String {
    match limits {
        (Bits(0), None) => "any".to_owned(),
        (Bits(0), Some(to)) => format!("to {}", octets(to)),
        (from, Some(to)) => format!("{} to {}", octets(from), octets(to)),
        (from, None) => format!("above {}", octets(from)),
    }
}

/// A whole number of the largest unit: 100 kB, and not 0.1 MB.
fn octets(limit: Bits) -> String {
    let octets = limit.0 / 8;
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    let (size, unit) = units.into_iter().find(|(size, _)| octets.is_multiple_of(*size)).unwrap_or((1, "octets"));
    format!("{} {unit}", octets / size)
}

fn row(group: &str, class: String, (from, to): (Bits, Option<Bits>), own: &Class) -> MessageRow {
    let seconds = |picoseconds: u64| Span(picoseconds).seconds();
    let quantile = |q: f64| own.times().quantile(q).map(seconds);
    let (times, ages) = (own.times().ended(), own.times().ages());
    let [finished, unfinished] = own.counts();
    MessageRow {
        group: group.to_owned(),
        class,
        above_octets: from.0 / 8,
        up_to_octets: to.map(|to| to.0 / 8),
        finished,
        unfinished,
        octets_mean: own.mean_octets(),
        fct_mean_s: times.mean_s(),
        fct_p50_s: quantile(0.5),
        fct_p99_s: quantile(0.99),
        fct_max_s: times.maximum().map(seconds),
        slowdown_mean: own.mean_slowdown(),
        slowdown_p50: own.slowdown(0.5),
        slowdown_p99: own.slowdown(0.99),
        unfinished_age_mean_s: ages.mean_s(),
        unfinished_age_max_s: ages.maximum().map(seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::completions::SizeClasses;
    use crate::core::time::Time;
    use crate::report::table::{Values, columns};

    const MS: u64 = 1_000_000_000;

    /// Two short messages of 1 and 3 ms that would take 1 ms alone, and one long message that has lasted 40 ms.
    #[test]
    fn a_group_has_a_row_for_each_class_and_one_for_all() {
        let mut own = Completions::new(SizeClasses::default());
        own.record(1_000, Time(0), Time(MS), Span(MS));
        own.record(3_000, Time(MS), Time(4 * MS), Span(MS));
        own.unfinished(20_000_000, Time(10 * MS), Time(50 * MS), Span(20 * MS));
        let rows = message_rows("web", &own);
        let named: Vec<&str> = rows.iter().map(|row| row.class.as_str()).collect();
        assert_eq!(named, ["to 10 kB", "10 kB to 100 kB", "100 kB to 1 MB", "1 MB to 10 MB", "above 10 MB", "all"]);
        let counts: Vec<_> = rows.iter().map(|row| (row.finished, row.unfinished)).collect();
        assert_eq!(counts, [(2, 0), (0, 0), (0, 0), (0, 0), (0, 1), (2, 1)]);
        let [short, .., long, all] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((short.above_octets, short.up_to_octets), (0, Some(10_000)));
        assert_eq!((long.above_octets, long.up_to_octets), (10_000_000, None));
        assert_eq!((short.octets_mean, short.fct_mean_s, short.slowdown_mean), (Some(2_000.0), Some(0.002), Some(2.0)));
        assert_eq!((short.fct_p50_s, short.fct_max_s, short.fct_p99_s), (Some(0.001), Some(0.003), Some(0.003)));
        assert_eq!((short.slowdown_p50, short.slowdown_p99), (Some(1.0), Some(3.0)));
        assert_eq!((long.fct_mean_s, long.fct_p50_s, long.slowdown_p99), (None, None, None));
        assert_eq!((long.unfinished_age_mean_s, long.unfinished_age_max_s), (Some(0.04), Some(0.04)));
        // Two of the three are known to have finished within 3 ms, so 99 % are not known.
        assert!(all.fct_p50_s.is_some_and(|time| (0.001..=0.003).contains(&time)));
        assert_eq!(all.fct_p99_s, None);
        // The unfinished one has a slowdown of 2 at least: those beyond 2 that are known end at 3.
        assert_eq!(all.slowdown_p99, Some(3.0));
    }

    #[test]
    fn every_column_has_a_name_and_a_meaning() {
        let rows = message_rows("web", &Completions::new(SizeClasses::from(Vec::new())));
        assert_eq!(rows.iter().map(|row| row.class.as_str()).collect::<Vec<_>>(), ["any", "all"]);
        let columns = columns(&rows);
        assert_eq!(columns.len(), 16);
        assert!(columns.iter().all(|column| !column.meaning().is_empty()));
        assert_eq!(columns[4].values, Values::Counts(vec![0, 0]));
    }
}
