//! Exact decimal arithmetic for quantities: the number at the head of a text, times a unit, and back.

/// Significant digits that are read: any value that a `u64` of the base unit can hold has fewer.
const DIGITS: usize = 24;

/// The number at the head of a text, and the unit behind it; `None` without a number.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    let mut end = digits(text)?;
    if let Some(length) = text[end..].strip_prefix('.').and_then(digits) {
        end += 1 + length;
    }
    if let Some(exponent) = text[end..].strip_prefix(['e', 'E']) {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let length = unsigned.bytes().take_while(u8::is_ascii_digit).count();
        if length > 0 {
            end = text.len() - unsigned.len() + length;
        }
    }
    Some((&text[..end], text[end..].trim_start_matches(' ')))
}

/// Length of the digits and underscores at the head of a text, which a digit begins.
fn digits(text: &str) -> Option<usize> {
    let is_digit = |&octet: &u8| octet.is_ascii_digit() || octet == b'_';
    text.starts_with(|first: char| first.is_ascii_digit()).then(|| text.bytes().take_while(is_digit).count())
}

/// Why a number is not a whole number of base units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inexact {
    /// A fraction is left over.
    Fraction,
    /// More than a `u64` holds.
    TooLarge,
}

/// A number as `split` finds it, times `size`, if that is a whole number.
pub(super) fn whole(number: &str, size: u64) -> Result<u64, Inexact> {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (units, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let decimals = decimals.replace('_', "");
    let figures = units.replace('_', "") + &decimals;
    let significant = figures.trim_end_matches('0');
    let exponent = exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN } else { i64::MAX });
    let power =
        exponent.saturating_add((figures.len() - significant.len()) as i64).saturating_sub(decimals.len() as i64);
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() {
        return Ok(0);
    }
    if significant.len() > DIGITS {
        return Err(if power < 0 { Inexact::Fraction } else { Inexact::TooLarge });
    }
    let product = significant.parse::<u128>().map_err(|_| Inexact::TooLarge)? * u128::from(size);
    let scale = u32::try_from(power.unsigned_abs()).ok().and_then(|power| 10u128.checked_pow(power));
    let value = match scale {
        Some(scale) if power >= 0 => product.checked_mul(scale).ok_or(Inexact::TooLarge)?,
        Some(scale) if product.is_multiple_of(scale) => product / scale,
        None if power >= 0 => return Err(Inexact::TooLarge),
        _ => return Err(Inexact::Fraction),
    };
    u64::try_from(value).map_err(|_| Inexact::TooLarge)
}

/// `value / size` in decimals, if they end.
pub(super) fn decimal(value: u64, size: u64) -> Option<String> {
    let mut text = (value / size).to_string();
    let mut rest = u128::from(value % size);
    if rest > 0 {
        text.push('.');
    }
    while rest > 0 {
        if text.len() > DIGITS {
            return None;
        }
        rest *= 10;
        text.push(char::from(b'0' + (rest / u128::from(size)) as u8));
        rest %= u128::from(size);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_ends_where_the_unit_begins() {
        let texts = ["5 s", "1_000.5e-3kb/s", "2.x", "3e", "4e+ s", "6"];
        let parts = [("5", "s"), ("1_000.5e-3", "kb/s"), ("2", ".x"), ("3", "e"), ("4", "e+ s"), ("6", "")];
        assert_eq!(texts.map(split), parts.map(Some));
        assert_eq!(["", ".5", "_1", "-1", "e5"].map(split), [None; 5]);
    }

    #[test]
    fn whole_numbers_are_exact() {
        assert_eq!(
            [whole("155.52", 1_000_000), whole("1_0.50_", 10), whole("1e-3", 1_000)],
            [Ok(155_520_000), Ok(105), Ok(1)]
        );
        // 21 digits that 60 x 10^12 makes whole: 10^-14 x 60 x 10^12 = 0.6, but 5 x 10^-14 gives 3.
        assert_eq!(whole("300000.00000000000005", 60_000_000_000_000), Ok(18_000_000_000_000_000_003));
        assert_eq!(whole("0.00000000000001", 60_000_000_000_000), Err(Inexact::Fraction));
        assert_eq!(whole("0.1", 1), Err(Inexact::Fraction));
        assert_eq!(whole("1.0000000000000000000000000000000000000001", 1), Err(Inexact::Fraction));
    }

    #[test]
    fn extremes_are_refused_not_wrapped() {
        assert_eq!(whole("18446744073709551615", 1), Ok(u64::MAX));
        assert_eq!(whole("18446744073709551616", 1), Err(Inexact::TooLarge));
        assert_eq!(whole("1e99999999999999999999", 1), Err(Inexact::TooLarge));
        assert_eq!(whole("1e-99999999999999999999", 1), Err(Inexact::Fraction));
        assert_eq!(whole(&"9".repeat(1_000), 1), Err(Inexact::TooLarge));
        assert_eq!(whole("0.000e99999999999999999999", 1), Ok(0));
    }

    #[test]
    fn decimals_end_or_are_not_given() {
        assert_eq!(decimal(155_520_000, 1_000_000).as_deref(), Some("155.52"));
        assert_eq!(decimal(15, 60).as_deref(), Some("0.25"));
        assert_eq!(decimal(20, 60), None);
    }
}
