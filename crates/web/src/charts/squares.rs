//! A table of squares as a picture with a pixel for each square: a million squares are a few kilobytes and painted at once.
//!
//! The script reads the pixels back, so the picture is all the data there is.

use maud::{Markup, html};
use plysmith_core::printable::printable;
use plysmith_runs::chart::{Matrix, Square};

use super::png;

/// The widest and the highest picture, and the largest squares.
const WIDTH: usize = 960;
const HEIGHT: usize = 640;
const LARGEST: usize = 14;
/// The colours of the pixels; `charts.js` knows them too.
const SOLVED: [u8; 4] = [0x00, 0x72, 0xb2, 0xff];
const UNTRIED: [u8; 4] = [0x99, 0x99, 0x99, 0xff];
const EXCLUDED: [u8; 4] = [0xe6, 0x9f, 0x00, 0xff];
const FAILED: [u8; 4] = [0, 0, 0, 0];

/// The table with what it means, and the problems by how many features solve them.
pub fn figure(matrix: &Matrix) -> Markup {
    let (rows, columns) = (matrix.rows.len(), matrix.columns.len());
    let across = (WIDTH / columns.max(1)).clamp(1, LARGEST);
    let down = (HEIGHT / rows.max(1)).clamp(1, LARGEST);
    let source = picture(matrix);
    let names = |names: &[String]| {
        let names: Vec<_> = names.iter().map(|name| printable(name).into_owned()).collect();
        serde_json::to_string(&names).unwrap_or_default()
    };
    html! {
        figure.chart.wide data-chart="matrix" data-rows=(names(&matrix.rows)) data-columns=(names(&matrix.columns)) {
            figcaption { b { (matrix.title) } ": a row for each feature, a column for each problem; those that solve the most \
                and those that are solved most are first." }
            p.legend {
                span.key.solved { "solved" } " " span.key.failed { "not solved" }
                @if matrix.squares.contains(&Square::Untried) { " " span.key.untried { "not tried" } }
                @if matrix.squares.contains(&Square::Excluded) { " " span.key.excluded { "excluded" } }
            }
            div.scroll {
                img.squares src=(source) width=(across * columns) height=(down * rows)
                    alt=(format!("{rows} features and {columns} problems"));
            }
            @if matrix.hidden != [0, 0] {
                p.hint { (matrix.hidden[0]) " more features and " (matrix.hidden[1]) " more problems are not shown." }
            }
            (by_problem(matrix))
        }
    }
}

/// How many features solve each problem.
fn by_problem(matrix: &Matrix) -> Markup {
    let count =
        |column: usize| (0..matrix.rows.len()).filter(|row| matrix.square(*row, column) == Square::Solved).count();
    html! {
        details {
            summary { "Problems, by how many of the " (matrix.rows.len()) " features solve them" }
            div.scroll.tall {
                table {
                    thead { tr { th { "problem" } th.number { "features" } } }
                    tbody {
                        @for (column, name) in matrix.columns.iter().enumerate() {
                            tr { td { (printable(name)) } td.number { (count(column)) } }
                        }
                    }
                }
            }
        }
    }
}

/// The picture as an address that contains it.
fn picture(matrix: &Matrix) -> String {
    let pixel = |square: &Square| match square {
        Square::Failed => FAILED,
        Square::Solved => SOLVED,
        Square::Untried => UNTRIED,
        Square::Excluded => EXCLUDED,
    };
    let pixels: Vec<u8> = matrix.squares.iter().flat_map(pixel).collect();
    let (width, height) = (matrix.columns.len() as u32, matrix.rows.len() as u32);
    match png::of_pixels(width, height, &pixels) {
        Some(bytes) => format!("data:image/png;base64,{}", base64(&bytes)),
        None => String::new(),
    }
}

/// Bytes as letters (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use plysmith_runs::chart::{Matrix, Square};

    use super::{base64, figure};

    #[test]
    fn bytes_become_the_letters_of_the_standard() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn a_million_squares_are_a_small_picture() {
        let kinds = [Square::Failed, Square::Solved, Square::Untried];
        let row = |row: usize| {
            let squares = (0..1_000).map(|column| kinds[(row * 31 + column * column) % 3]).collect();
            (format!("feature-{row}<b>"), squares)
        };
        let columns: Vec<String> = (0..1_000).map(|column| format!("problem \"{column}\"")).collect();
        let html = figure(&Matrix::new("t", (0..1_000).map(row).collect(), &columns)).into_string();
        assert!(html.len() < 1_000_000, "{} bytes", html.len());
        assert!(html.contains("src=\"data:image/png;base64,iVBOR") && !html.contains("<b>\""));
        assert!(html.contains("feature-0&lt;b&gt;") && html.contains("problem \\&quot;0\\&quot;"));
    }
}
