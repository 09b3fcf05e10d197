//! What is shown of counts, and their file.

use plysmith_core::feature::Scheme;
use plysmith_core::transitions::FILE_HEADER;

use super::config::{CategoryChoice, Config, CountBy, Source};
use super::{CategoryRow, Counted};
use crate::chart::{Bar, Bars, Figure};
use crate::view::{Cell, Table, View, counted, thousands};

/// The view of a finished run.
pub fn view(config: &Config, result: &Counted) -> View {
    let Counted { games, positions, single, lost, overall, .. } = result;
    let of = match &config.source {
        Source::SelfPlay { player, nodes, .. } => format!("of {player} at {} nodes per move", thousands(*nodes)),
        Source::Records { files, .. } => format!("from {}", counted(files.len(), "file")),
    };
    let (what, overall) = (rate_in_words(config.count), 100.0 * overall);
    let warnings: String = warnings(config, result).iter().map(|warning| format!("Warning: {warning}.\n")).collect();
    View::new()
        .text(format!(
            "{} {of} ({}): {} positions; left out: {} with a single legal move, {} lost\n\n",
            counted(*games as usize, "game"),
            config.game,
            thousands(*positions),
            thousands(*single),
            thousands(*lost),
        ))
        .table(table(result))
        .text(format!(
            "\nProbabilities are {what}, smoothed with strength {} towards the overall rate of {overall:.2} %. Intervals \
             (95 %, Wilson) are of the rate before.\n{warnings}\n{}",
            config.smoothing,
            usage(config, result)
        ))
}

fn rate_in_words(count: CountBy) -> &'static str {
    match count {
        CountBy::PerMove => "moves played per move that could be played",
        CountBy::PerPosition => "moves played per position in which one could be (formula 2.1)",
    }
}

/// The scheme, and how to play with it.
fn usage(config: &Config, result: &Counted) -> String {
    let (game, scheme) = (&config.game, &result.scheme);
    let named = match &config.output {
        Some(path) => format!("@{}", path.display()),
        None => scheme.clone(),
    };
    format!("Scheme:\n  {scheme}\nTo play with it:\n  plysmith match {game} --a 'modern+{named}' --b modern\n")
}

/// What makes a probability doubtful.
pub fn warnings(config: &Config, result: &Counted) -> Vec<String> {
    let rows = &result.categories;
    let named = |test: &dyn Fn(&CategoryRow) -> bool| {
        let names: Vec<&str> = rows.iter().filter(|row| test(row)).map(|row| row.category.as_str()).collect();
        names.join(", ")
    };
    let mut warnings = Vec::new();
    let never = match config.categories {
        CategoryChoice::Features(_) => named(&|row| row.moves == 0),
        // Cells that do not occur are no rows; all moves may have one of the atoms.
        CategoryChoice::Partition(_) => String::new(),
    };
    if !never.is_empty() {
        warnings.push(format!(
            "no move of {never} could be played in these games; the probability is the overall rate, which says nothing of it"
        ));
    }
    let smallest = named(&|row| row.moves > 0 && row.probability == Some(1e-6));
    if !smallest.is_empty() {
        warnings.push(format!(
            "no move of {smallest} was played, and nothing is smoothed; the probability is the smallest there is, 0.0001%"
        ));
    }
    let certain = named(&|row| row.probability == Some(1.0));
    if !certain.is_empty() {
        warnings.push(format!("a move of {certain} was always played; a probability of 100% costs what RpsLeast says"));
    }
    let without = rows.iter().filter(|row| row.probability.is_none()).count();
    if without > 0 {
        warnings.push(format!(
            "a scheme has at most {} rules; the {without} rarest cells have none, and count as Other; name fewer atoms",
            Scheme::MOST_RULES
        ));
    }
    warnings
}

fn table(result: &Counted) -> Table {
    let headings =
        ["category", ">moves", ">positions", ">played", ">per move", ">per position", ">probability", ">low", ">high"];
    Table::new(&headings, result.categories.iter().map(CategoryRow::cells))
}

impl CategoryRow {
    fn cells(&self) -> Vec<Cell> {
        let probability = match self.probability {
            Some(share) => Cell::Text(format!("{:.4} %", 100.0 * share)),
            None => Cell::Missing,
        };
        vec![
            self.category.clone().into(),
            Cell::Count(self.moves),
            Cell::Count(self.positions),
            Cell::Count(self.played),
            Cell::percent(self.per_move),
            Cell::percent(self.per_position),
            probability,
            Cell::percent(self.low),
            Cell::percent(self.high),
        ]
    }
}

/// The file: a header, the scheme, and behind an empty line the counts, as plain numbers separated by tabs.
pub fn file(config: &Config, result: &Counted) -> String {
    let Counted { game, games, positions, moves, single, lost, overall, scheme, .. } = result;
    let (command, count, smoothing) = (config.command(), config.count, config.smoothing);
    let header = format!(
        "{FILE_HEADER}\nmade by {command}\ngame {game}\ngames {games}\npositions {positions}\nmoves {moves}\n\
         left out {single} with a single legal move, {lost} lost\ncount {count}\nsmoothing {smoothing}\n\
         overall {overall:.6}\nscheme {scheme}\n\n\
         category\tmoves\tpositions\tplayed\tper move\tper position\tprobability\tlow\thigh\n"
    );
    let number = |number: Option<f64>| number.map_or("-".to_string(), |number| format!("{number:.6}"));
    let line = |row: &CategoryRow| {
        let CategoryRow { category, moves, positions, played, per_move, per_position, low, high, probability } = row;
        let numbers = [per_move, per_position, probability, low, high].map(|share| number(*share)).join("\t");
        format!("{category}\t{moves}\t{positions}\t{played}\t{numbers}\n")
    };
    header + &result.categories.iter().map(line).collect::<String>()
}

/// How often a move of each category is played, if it can be.
pub(super) fn bars(rows: &[&CategoryRow]) -> Figure {
    let bar = |row: &&CategoryRow| {
        let value = row.probability.or(row.per_position)?;
        let interval = row.low.zip(row.high).map(|(low, high)| [100.0 * low, 100.0 * high]);
        Some(Bar { interval, ..Bar::new(&row.category, 100.0 * value) })
    };
    let bars = rows.iter().filter_map(bar).collect();
    Figure::Bars(Bars { title: "How often moves of a category are played".to_string(), unit: "%".to_string(), bars })
}
