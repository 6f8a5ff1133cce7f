//! Exact decimal arithmetic for quantities: splits number and unit, multiplies them, and writes the value as decimals.

use std::fmt;

/// The most significant digits read. Every `u64` value in base units needs fewer.
const DIGITS: usize = 24;

/// Splits a text into its leading number and the unit after it; `None` if there is no number.
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

/// Length of the leading digits and underscores. The first character must be a digit.
fn digits(text: &str) -> Option<usize> {
    let is_digit = |&octet: &u8| octet.is_ascii_digit() || octet == b'_';
    text.starts_with(|first: char| first.is_ascii_digit()).then(|| text.bytes().take_while(is_digit).count())
}

/// Why a number is not a whole number of base units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inexact {
    /// A fraction remains.
    Fraction,
    /// The value exceeds a `u64`.
    TooLarge,
}

/// A number from `split`, times `size`, if the product is a whole number.
pub(super) fn whole(number: &str, size: u64) -> Result<u64, Inexact> {
    let (significant, power) = significant(number);
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

/// The significant digits of a number from `split` (none for zero), and the power of ten after them: 25 and -3 for
/// 0.0250.
fn significant(number: &str) -> (String, i64) {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (units, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let decimals = decimals.replace('_', "");
    let figures = units.replace('_', "") + &decimals;
    let significant = figures.trim_end_matches('0');
    let exponent = exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN } else { i64::MAX });
    let power =
        exponent.saturating_add((figures.len() - significant.len()) as i64).saturating_sub(decimals.len() as i64);
    (significant.trim_start_matches('0').to_owned(), power)
}

/// `value / size` as a decimal, if it has finitely many digits and at most `most` characters.
pub(super) fn decimal(value: u64, size: u64, most: usize) -> Option<String> {
    let mut text = (value / size).to_string();
    let mut rest = value % size;
    if rest > 0 {
        text.push('.');
    }
    while rest > 0 {
        if text.len() > DIGITS || text.len() >= most {
            return None;
        }
        rest = rest.checked_mul(10)?;
        text.push(char::from(b'0' + (rest / size) as u8));
        rest %= size;
    }
    (text.len() <= most).then_some(text)
}

/// An exact decimal number: `figures` / 10^`decimals`, with the fewest decimals possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decimal {
    figures: i128,
    decimals: u32,
}

impl Decimal {
    /// The most decimals, and the bound of the figures: two numbers with the same decimals fit into an `i128`.
    const MOST_DECIMALS: u32 = 18;
    const MOST_FIGURES: u128 = u64::MAX as u128;

    /// Reads a number from `split`, with an optional sign; `None` beyond 18 decimals or about 19 digits in all.
    pub(crate) fn read(number: &str) -> Option<Decimal> {
        let unsigned = number.strip_prefix('-').unwrap_or(number);
        let (significant, power) = significant(unsigned);
        if significant.is_empty() {
            return Some(Decimal::default());
        }
        let decimals =
            u32::try_from(power.min(0).unsigned_abs()).ok().filter(|&some| some <= Decimal::MOST_DECIMALS)?;
        let scale = u32::try_from(power.max(0)).ok().and_then(|power| 10u128.checked_pow(power))?;
        let figures = significant.parse::<u128>().ok().and_then(|figures| figures.checked_mul(scale))?;
        let figures = (figures <= Decimal::MOST_FIGURES).then_some(figures as i128)?;
        Some(Decimal { figures: if unsigned.len() < number.len() { -figures } else { figures }, decimals })
    }

    /// Number of whole steps from `from` up to `to`; `None` if the step is zero or has the wrong sign.
    pub(crate) fn steps(from: Decimal, to: Decimal, step: Decimal) -> Option<u128> {
        let [from, to, step] = Decimal::aligned([from, to, step]).0;
        let distance = to - from;
        (step != 0 && distance.signum() * step.signum() >= 0).then(|| distance.unsigned_abs() / step.unsigned_abs())
    }

    /// The number `times` steps after `from`.
    pub(crate) fn after(from: Decimal, step: Decimal, times: u32) -> Decimal {
        let ([from, step], decimals) = Decimal::aligned([from, step]);
        Decimal { figures: from + step * i128::from(times), decimals }.shortest()
    }

    /// Whether each number from `from` to `times` steps after it reads back: none has too many figures.
    pub(crate) fn reads_back(from: Decimal, step: Decimal, times: u32) -> bool {
        let ([first, step], _) = Decimal::aligned([from, step]);
        let last = first + step * i128::from(times);
        times == 0 || first.unsigned_abs().max(last.unsigned_abs()) <= Decimal::MOST_FIGURES
    }

    /// The figures of all numbers, with the same number of decimals.
    fn aligned<const N: usize>(numbers: [Decimal; N]) -> ([i128; N], u32) {
        let decimals = numbers.iter().map(|number| number.decimals).max().unwrap_or_default();
        (numbers.map(|number| number.figures * 10i128.pow(decimals - number.decimals)), decimals)
    }

    fn shortest(mut self) -> Decimal {
        while self.decimals > 0 && self.figures % 10 == 0 {
            self.figures /= 10;
            self.decimals -= 1;
        }
        self
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = 10u128.pow(self.decimals);
        let (whole, rest) = (self.figures.unsigned_abs() / scale, self.figures.unsigned_abs() % scale);
        let sign = if self.figures < 0 { "-" } else { "" };
        match self.decimals as usize {
            0 => write!(f, "{sign}{whole}"),
            decimals => write!(f, "{sign}{whole}.{rest:0decimals$}"),
        }
    }
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
        // 21 digits that become whole with 60 x 10^12: 5 x 10^-14 gives 3. But 10^-14 x 60 x 10^12 = 0.6.
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
        assert_eq!(decimal(155_520_000, 1_000_000, 6).as_deref(), Some("155.52"));
        assert_eq!(decimal(155_520_000, 1_000_000, 5), None);
        assert_eq!(decimal(15, 60, usize::MAX).as_deref(), Some("0.25"));
        assert_eq!(decimal(20, 60, usize::MAX), None);
        assert_eq!([decimal(120, 1, 3).as_deref(), decimal(120, 1, 2).as_deref()], [Some("120"), None]);
    }

    fn read(number: &str) -> Decimal {
        Decimal::read(number).expect(number)
    }

    #[test]
    fn decimal_numbers_are_read_and_written_exactly() {
        let numbers =
            ["0.10", "-2.50e1", "1e3", "1_000.5", "0.000e99999999999999999999", "1e-18", "18446744073709551615"];
        let texts = ["0.1", "-25", "1000", "1000.5", "0", "0.000000000000000001", "18446744073709551615"];
        assert_eq!(numbers.map(|number| read(number).to_string()), texts);
        assert_eq!(
            ["18446744073709551616", "1e-19", "1e99999999999999999999", "123456789.01234567890123"].map(Decimal::read),
            [None; 4]
        );
    }

    #[test]
    fn steps_are_counted_and_taken_without_rounding() {
        let count = |from, to, step| Decimal::steps(read(from), read(to), read(step));
        // In floating point 0.1 + 0.1 + 0.1 exceeds 0.3, and (1.1 - 0.1) / 0.1 falls short of 10.
        assert_eq!([count("0.1", "0.3", "0.1"), count("0.1", "1.1", "0.1")], [Some(2), Some(10)]);
        assert_eq!(
            [count("1", "2", "0.3"), count("2", "-1", "-0.5"), count("5", "5", "7")],
            [Some(3), Some(6), Some(0)]
        );
        assert_eq!([count("1", "2", "0"), count("1", "2", "-1"), count("2", "1", "1")], [None; 3]);
        assert_eq!(
            count("-18446744073709551615", "18446744073709551615", "1e-18"),
            Some(2 * u128::from(u64::MAX) * 10u128.pow(18))
        );
        assert_eq!(Decimal::after(read("0.1"), read("0.1"), 2).to_string(), "0.3");
        assert_eq!(Decimal::after(read("0.25"), read("-0.25"), 5).to_string(), "-1");
    }
}
