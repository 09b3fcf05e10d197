//! A report as Markdown, as GitHub and most editors read it. Charts are links to files.

use std::fmt::Write;

use plysmith_core::printable::{printable, printable_lines};
use plysmith_runs::view::{Block, Table};

use super::{Reported, UNFINISHED};

/// Runs as Markdown. Charts are named as files of this folder; without one they are left out.
pub fn markdown(reported: &[Reported], folder: Option<&str>) -> String {
    let mut text = String::new();
    for one in reported {
        run(&mut text, one, folder);
    }
    text
}

fn run(text: &mut String, reported: &Reported, folder: Option<&str>) {
    let _ = writeln!(text, "# {}\n\n{}\n", escaped(&reported.title()), escaped(&reported.facts()));
    if let Some(command) = reported.command() {
        fenced(text, &command);
    }
    if !reported.is_finished() {
        let _ = writeln!(text, "{UNFINISHED}\n");
    }
    let mut charts = reported.charts().into_iter();
    for block in &reported.view.blocks {
        match block {
            Block::Heading(words) => {
                let _ = writeln!(text, "## {}\n", escaped(&printable(words)));
            }
            Block::Text(words) => paragraph(text, &printable_lines(words.trim_matches('\n'))),
            Block::Table(part) => table(text, part),
            Block::Chart(_) | Block::Figure(_) => {
                if let (Some((name, scene)), Some(folder)) = (charts.next(), folder) {
                    let _ = writeln!(text, "![{}](<{folder}/{name}.svg>)\n", escaped(&printable(&scene.title)));
                }
            }
        }
    }
}

/// Text; as code if it has columns of its own.
fn paragraph(text: &mut String, words: &str) {
    if words.contains("  ") {
        fenced(text, words);
    } else if !words.is_empty() {
        let lines: Vec<String> = words.lines().map(|line| start_escaped(&escaped(line))).collect();
        let _ = writeln!(text, "{}\n", lines.join("  \n"));
    }
}

/// Code, in a fence that is longer than any in it.
fn fenced(text: &mut String, words: &str) {
    let longest = words.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let _ = writeln!(text, "{fence}text\n{words}\n{fence}\n");
}

fn table(text: &mut String, table: &Table) {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let names = table.columns.iter().map(|column| escaped(&printable(&column.name)));
    let marks = table.columns.iter().map(|column| if column.is_number { "--:" } else { "---" }.to_string());
    let _ = writeln!(text, "{}\n{}", line(names.collect()), line(marks.collect()));
    for row in &table.rows {
        let _ = writeln!(text, "{}", line(row.iter().map(|cell| escaped(&cell.to_string())).collect()));
    }
    text.push('\n');
}

/// Text whose letters mean themselves.
fn escaped(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    for letter in words.chars() {
        if "\\`*_[]<>|&~$".contains(letter) {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

/// A line that begins no list, heading or quotation.
fn start_escaped(line: &str) -> String {
    let begins = line.trim_start();
    let digits = begins.chars().take_while(char::is_ascii_digit).count();
    let is_marked = begins.starts_with(['#', '+', '-', '=']);
    let is_numbered = digits > 0 && begins[digits..].starts_with(['.', ')']);
    match (is_marked, is_numbered) {
        (true, _) => format!("\\{begins}"),
        (_, true) => format!("{}\\{}", &begins[..digits], &begins[digits..]),
        _ => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use plysmith_runs::view::{Cell, Table};

    use super::{escaped, fenced, paragraph, start_escaped, table};

    #[test]
    fn words_mean_themselves() {
        assert_eq!(escaped("a|b <i> *x* [y](z)"), "a\\|b \\<i\\> \\*x\\* \\[y\\](z)");
        assert_eq!(["# a", "12. b", "c", "1 d"].map(start_escaped), ["\\# a", "12\\. b", "c", "1 d"]);
        let mut text = String::new();
        paragraph(&mut text, "one\n- two");
        assert_eq!(text, "one  \n\\- two\n\n");
    }

    #[test]
    fn code_stays_in_its_fence() {
        let mut text = String::new();
        fenced(&mut text, "a  ```b");
        assert_eq!(text, "````text\na  ```b\n````\n\n");
    }

    #[test]
    fn tables_are_tables() {
        let mut text = String::new();
        table(&mut text, &Table::new(&["name", ">n"], [vec!["a|b".into(), Cell::Count(1_000)]]));
        assert_eq!(text, "| name | n |\n| --- | --: |\n| a\\|b | 1,000 |\n\n");
    }
}
