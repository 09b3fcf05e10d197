//! A learned table as constants for programs, and as parameters for those who tune by games.
//!
//! A program computes a mask in which each bit is one condition, and looks the reduction up. An entry is the sum of the amounts
//! of all conjunctions that hold. Depths are in 1024ths of a ply, as engines count them today.

use std::fmt::Write;

use plysmith_core::feature::{Atom, Conjunction};
use plysmith_core::games;
use plysmith_core::parameter::ONE;
use plysmith_core::settings::Tunable;

use super::format::TableFormat;
use super::result::{Constant, Entry, Learned, MethodResult};
use crate::error::RunError;

/// A parameter as tuners of games take it.
struct SpsaLine {
    name: String,
    value: i64,
    least: i64,
    most: i64,
    /// The smallest sensible step at the end.
    step: i64,
}

/// Parts of a ply in tables.
const PLY: i64 = 1024;
/// How far from its value a tuner may move an amount, and the furthest it may get, in parts of a ply.
const REACH: i64 = PLY;
const FURTHEST: i64 = 3 * PLY;
/// The gain at the end that both tuners suggest.
const R_END: &str = "0.002";
/// A range is this many steps of the end.
const STEPS: i64 = 20;
/// Entries in a line.
const IN_A_LINE: usize = 16;

impl Learned {
    /// What the first method with a table learned; for tuners of games also constants, if there is no table.
    pub fn print(&self, format: TableFormat) -> Result<String, RunError> {
        let missing =
            || RunError::input("the run learned no table: no conjunction was added; there is nothing to write");
        let result = self.first_with(|result| !result.table.is_empty());
        let tuners = [TableFormat::OpenBench, TableFormat::Fishtest];
        match (result, format) {
            (Some(result), TableFormat::Text) => Ok(self.text(result)),
            (Some(result), TableFormat::Rust) => Ok(self.rust(result, &Lookup::new(&self.game, &result.table)?)),
            (Some(result), TableFormat::C) => Ok(self.c(result, &Lookup::new(&self.game, &result.table)?)),
            (Some(result), format) => {
                Ok(result.table.iter().map(|entry| SpsaLine::of_entry(entry).print(format)).collect())
            }
            (None, format) if tuners.contains(&format) => {
                let result = self.first_with(|result| !result.constants.is_empty()).ok_or_else(missing)?;
                Ok(result.constants.iter().filter_map(SpsaLine::of_constant).map(|line| line.print(format)).collect())
            }
            (None, _) => Err(missing()),
        }
    }

    fn text(&self, result: &MethodResult) -> String {
        let rows = result.table.iter().map(|entry| format!("{} {}\n", entry.conjunction, signed(entry)));
        format!("# {}\n# In plies; all that hold are added.\n{}", self.origin(result), rows.collect::<String>())
    }

    /// Where the table is from, for comments.
    fn origin(&self, result: &MethodResult) -> String {
        format!(
            "Reductions of {} ({}), learned by plysmith reductions --method {} from {} with {} evaluations.",
            self.game, self.settings, result.method, self.suite, result.evaluations
        )
    }

    fn rust(&self, result: &MethodResult, lookup: &Lookup) -> String {
        let mut text = format!("// {}\n//\n{}", self.origin(result), conjunctions("//", &result.table));
        let names: Vec<String> = lookup.names.iter().map(|name| format!("\"{name}\"")).collect();
        let _ = write!(
            text,
            "\n/// The conditions of the bits of a mask, bit 0 first.\n\
             pub const REDUCTION_CONDITIONS: [&str; {}] = [{}];\n\n\
             /// What is added to the reduction of a move, in 1/{PLY} ply, by the mask of the conditions that hold.\n\
             pub const REDUCTIONS: [i32; {}] = [\n{}];\n",
            names.len(),
            names.join(", "),
            lookup.entries.len(),
            lookup.rows()
        );
        text
    }

    fn c(&self, result: &MethodResult, lookup: &Lookup) -> String {
        let mut text = format!("/* {}\n *\n{} */\n\n", self.origin(result), conjunctions(" *", &result.table));
        let _ = writeln!(text, "/* The conditions of the bits of a mask. */\nenum reduction_condition {{");
        for (bit, name) in lookup.names.iter().enumerate() {
            let _ = writeln!(text, "    REDUCTION_{} = 1 << {bit},", name.to_uppercase());
        }
        let _ = write!(
            text,
            "}};\n\n/* What is added to the reduction of a move, in 1/{PLY} ply, by the mask of the conditions that hold. */\n\
             static const int reductions[{}] = {{\n{}}};\n",
            lookup.entries.len(),
            lookup.rows()
        );
        text
    }
}

/// The table of conjunctions as comments.
fn conjunctions(mark: &str, table: &[Entry]) -> String {
    table.iter().map(|entry| format!("{mark} {:>7} plies  {}\n", signed(entry), entry.conjunction)).collect()
}

fn signed(entry: &Entry) -> String {
    format!("{}{}", if entry.amount.0 < 0 { "" } else { "+" }, entry.amount)
}

/// An amount in parts of a ply, rounded to the nearest.
fn parts(thousandths: i64) -> i64 {
    (2 * thousandths * PLY + ONE * thousandths.signum()) / (2 * ONE)
}

/// The entry of each mask of conditions.
struct Lookup {
    names: Vec<&'static str>,
    entries: Vec<i64>,
}

impl Lookup {
    fn new(game: &str, table: &[Entry]) -> Result<Lookup, RunError> {
        let vocabulary = games::find(game)?.vocabulary;
        let read = |entry: &Entry| Ok((vocabulary.parse(&entry.conjunction)?, entry.amount.0));
        let rules: Vec<(Conjunction, i64)> = table.iter().map(read).collect::<Result<_, RunError>>()?;
        let used: Vec<Atom> =
            rules.iter().fold(Conjunction::NEUTRAL, |all, (conjunction, _)| all.and(*conjunction)).atoms().collect();
        let having = |mask: usize| {
            Conjunction::of(used.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1).map(|(_, atom)| *atom))
        };
        let entry = |mask: usize| {
            let has = having(mask);
            parts(rules.iter().filter(|(conjunction, _)| conjunction.is_within(has)).map(|(_, amount)| amount).sum())
        };
        Ok(Lookup {
            entries: (0..1 << used.len()).map(entry).collect(),
            names: used.iter().map(|atom| vocabulary.facts(*atom).name).collect(),
        })
    }

    fn rows(&self) -> String {
        let row = |row: &[i64]| {
            let numbers: Vec<String> = row.iter().map(i64::to_string).collect();
            format!("    {},\n", numbers.join(", "))
        };
        self.entries.chunks(IN_A_LINE).map(row).collect()
    }
}

impl SpsaLine {
    fn of_entry(entry: &Entry) -> SpsaLine {
        let capital = |name: &str| name[..1].to_uppercase() + &name[1..];
        let value = parts(entry.amount.0);
        let (least, most) = ((value - REACH).max(-FURTHEST), (value + REACH).min(FURTHEST));
        SpsaLine {
            name: format!("Lmr{}", entry.conjunction.split('-').map(capital).collect::<String>()),
            value,
            least,
            most,
            step: ((most - least) / STEPS).max(1),
        }
    }

    fn of_constant(constant: &Constant) -> Option<SpsaLine> {
        let Tunable { min, max, step, .. } = *Tunable::find(&constant.name)?;
        let step = i64::from(step).max(i64::from(max - min) / STEPS);
        Some(SpsaLine {
            name: constant.name.clone(),
            value: constant.value.into(),
            least: min.into(),
            most: max.into(),
            step,
        })
    }

    fn print(&self, format: TableFormat) -> String {
        let SpsaLine { name, value, least, most, step } = self;
        match format {
            TableFormat::OpenBench => format!("{name}, int, {value}, {least}, {most}, {step}, {R_END}\n"),
            _ => format!("{name},{value},{least},{most},{step},{R_END}\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::parameter::Thousandths;

    use super::{Entry, Lookup, SpsaLine, TableFormat, parts};

    fn entry(conjunction: &str, amount: i64) -> Entry {
        Entry { conjunction: conjunction.to_string(), amount: Thousandths(amount) }
    }

    #[test]
    fn an_entry_is_the_sum_of_all_conjunctions_that_hold() {
        let table = [entry("cut-late", 500), entry("late", -250), entry("cut-late-quiet", 1000)];
        let lookup = Lookup::new("chess", &table).unwrap();
        assert_eq!(lookup.names, ["cut", "quiet", "late"], "in the order of the vocabulary");
        assert_eq!(lookup.entries, [0, 0, 0, 0, -256, 256, -256, 1280]);
        assert_eq!(lookup.rows(), "    0, 0, 0, 0, -256, 256, -256, 1280,\n");
        assert!(Lookup::new("chess", &[entry("nothing", 1)]).is_err());
    }

    #[test]
    fn thousandths_are_rounded_to_the_nearest_part() {
        assert_eq!([1, -1, 500, -1000, 333, 3].map(parts), [1, -1, 512, -1024, 341, 3]);
    }

    #[test]
    fn tuners_read_the_lines() {
        let line = SpsaLine::of_entry(&entry("cut-late", 500));
        assert_eq!(line.print(TableFormat::OpenBench), "LmrCutLate, int, 512, -512, 1536, 102, 0.002\n");
        assert_eq!(line.print(TableFormat::Fishtest), "LmrCutLate,512,-512,1536,102,0.002\n");
    }
}
