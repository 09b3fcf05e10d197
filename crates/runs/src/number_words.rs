//! Numbers as text.

/// A whole number with its thousands separated: `1,234,567`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share as a percentage: `12.34 %`.
pub fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// Shares as percentages, separated by commas.
pub fn percents(shares: &[f64]) -> String {
    shares.iter().map(|&share| percent(share)).collect::<Vec<_>>().join(", ")
}

/// `1 line`, `2 lines`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
