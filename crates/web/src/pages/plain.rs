//! Any view as HTML: text, tables and charts in order.

use maud::{Markup, html};
use plysmith_core::printable::{printable, printable_lines};
use plysmith_runs::chart::{Figure, Lines};
use plysmith_runs::view::{Block, Cell, Table, View};

use crate::charts;

/// A whole view. Names inside the page begin with `prefix`, so that several views fit on one page.
pub fn view(view: &View, prefix: &str) -> Markup {
    html! { @for part in &view.blocks { (block(part, prefix)) } }
}

/// A part of a view.
pub fn block(part: &Block, prefix: &str) -> Markup {
    match part {
        Block::Text(words) => text(words),
        Block::Heading(words) => html! { h2 { (printable(words)) } },
        Block::Table(part) => table(part, prefix),
        Block::Chart(chart) => charts::figure(&Figure::Lines(Lines::from(chart)), prefix),
        Block::Figure(figure) => charts::figure(figure, prefix),
    }
}

/// Text; in letters of one width if it has columns of its own.
fn text(words: &str) -> Markup {
    let words = printable_lines(words.trim_matches('\n'));
    html! {
        @if words.contains("  ") { pre.text { (words) } }
        @else if !words.is_empty() { p.text { (words) } }
    }
}

/// A table with typed cells.
pub fn table(table: &Table, prefix: &str) -> Markup {
    let class = |column: usize| table.columns.get(column).is_some_and(|column| column.is_number).then_some("number");
    let anchor = |row: usize| table.anchors.get(row).map(|name| format!("{prefix}{name}"));
    html! {
        div.scroll.tall[table.rows.len() > MOST_SEEN] {
            table.sortable {
                thead {
                    tr {
                        @for (index, column) in table.columns.iter().enumerate() {
                            th class=[class(index)] scope="col" { (printable(&column.name)) }
                        }
                    }
                }
                tbody {
                    @for (number, row) in table.rows.iter().enumerate() {
                        tr id=[anchor(number)] { @for (index, cell) in row.iter().enumerate() { (table_cell(cell, class(index))) } }
                    }
                }
            }
        }
    }
}

/// Longer tables scroll in a frame.
const MOST_SEEN: usize = 60;

/// A cell; with its number for those who sort, if what is shown is written for people.
fn table_cell(cell: &Cell, class: Option<&str>) -> Markup {
    html! { td class=[class] data-value=[cell.number()] { (cell) } }
}

#[cfg(test)]
mod tests {
    use plysmith_runs::view::{Cell, Table, View};

    use super::view;

    #[test]
    fn text_from_outside_stays_text() {
        let hostile = "</td><script>alert(1)</script>\u{202e}";
        let rows = [vec![hostile.into(), Cell::Count(1_000)]];
        let table = Table { anchors: vec!["row-\"><b>".to_string()], ..Table::new(&[hostile, ">n"], rows) };
        let all = View::new().text(hostile).heading(hostile).table(table);
        let html = view(&all, "p-").into_string();
        assert!(!html.contains("<script") && !html.contains("<b>") && !html.contains('\u{202e}'), "{html}");
        assert!(html.contains("<td class=\"number\" data-value=\"1000\">1,000</td>"), "{html}");
        assert!(html.contains("<tr id=\"p-row-&quot;&gt;"), "{html}");
    }

    #[test]
    fn columns_of_text_keep_their_places() {
        let html = view(&View::new().text("games  2\npairs  1\n").text("A sentence.\n").text("\n"), "").into_string();
        assert_eq!(html, "<pre class=\"text\">games  2\npairs  1</pre><p class=\"text\">A sentence.</p>");
    }
}
