//! A chart in letters: each line has one of its own.

use plysmith_core::printable::printable;

use super::{Chart, Series};

const ROWS: usize = 14;
const COLUMNS: usize = 60;

pub fn draw(chart: &Chart) -> String {
    let (axis, iterations) = (chart.axis(), chart.iterations());
    let mut canvas = vec![vec![' '; COLUMNS]; ROWS];
    for (number, series) in chart.series.iter().enumerate() {
        for (iteration, value) in series.values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
            let row = ((1.0 - axis.share(*value)) * (ROWS - 1) as f64).round() as usize;
            let column = iteration * (COLUMNS - 1) / iterations.saturating_sub(1).max(1);
            // Where lines meet, the first is seen.
            if canvas[row][column] == ' ' {
                canvas[row][column] = letter(number);
            }
        }
    }
    let mut labels = vec![String::new(); ROWS];
    for value in axis.ticks() {
        labels[((1.0 - axis.share(value)) * (ROWS - 1) as f64).round() as usize] = axis.label(value);
    }
    let width = labels.iter().map(String::len).max().unwrap_or(0);
    let mut text = format!("{} ({})\n", printable(&chart.title), printable(&chart.unit));
    for (label, row) in labels.iter().zip(canvas) {
        let row: String = row.into_iter().collect();
        text += format!("{label:>width$} |{row}").trim_end();
        text.push('\n');
    }
    text += &format!("{:>width$} +{}\n", "", "-".repeat(COLUMNS));
    let ends = format!("1{:>1$}", iterations.max(1), COLUMNS - 1);
    text += &format!("{:>width$}  {ends} iterations\n", "");
    let name = |(number, series): (usize, &Series)| format!("{} {}", letter(number), printable(&series.name));
    let names: Vec<_> = chart.series.iter().enumerate().map(name).collect();
    text + &format!("{:>width$}  {}\n", "", names.join("   "))
}

fn letter(number: usize) -> char {
    char::from(b'a' + (number % 26) as u8)
}
