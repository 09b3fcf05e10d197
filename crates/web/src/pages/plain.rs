//! Any view as HTML: text, tables and charts in order.

use maud::{Markup, PreEscaped, html};
use plysmith_runs::view::{Block, Cell, Table, View};

/// A whole view.
pub fn view(view: &View) -> Markup {
    html! { @for part in &view.blocks { (block(part)) } }
}

/// A part of a view.
pub fn block(part: &Block) -> Markup {
    match part {
        Block::Text(text) => html! { p.text { (text.trim_matches('\n')) } },
        Block::Table(part) => table(part),
        // Drawn by us, with all text escaped.
        Block::Chart(chart) => html! { figure.chart { (PreEscaped(chart.svg())) } },
    }
}

/// A table with typed cells.
pub fn table(table: &Table) -> Markup {
    let class = |column: usize| table.columns.get(column).is_some_and(|column| column.is_number).then_some("number");
    html! {
        div.scroll {
            table {
                thead { tr { @for (index, column) in table.columns.iter().enumerate() { th class=[class(index)] { (column.name) } } } }
                tbody {
                    @for row in &table.rows {
                        tr { @for (index, cell) in row.iter().enumerate() { td class=[class(index)] { (text(cell)) } } }
                    }
                }
            }
        }
    }
}

fn text(cell: &Cell) -> String {
    cell.to_string()
}
