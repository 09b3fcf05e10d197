//! Arguments that say with which openings games begin.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use plysmith_core::games::GameInfo;
use plysmith_runs::opening_book::{BookRequest, OpeningBook, OpeningOrder, OpeningSource};

use super::SkipBadArgument;
use super::count::count;
use crate::failure::Failure;
use crate::output::say;

/// Openings from a file, or the start positions of Chess960.
#[derive(Debug, Args)]
pub struct BookArguments {
    /// File of openings: PGN, EPD, a list of positions, a suite, or a Polyglot book (.bin). May be followed by
    /// ',plies=N,start=N,order=random' instead of the options below
    #[arg(long, value_name = "FILE", conflicts_with_all = ["size", "first"])]
    openings: Option<String>,

    /// Order in which the openings of the file are used. A Polyglot book has none: its moves are drawn by their weights
    /// [default: sequential; with --chess960 and no file, random]
    #[arg(long, value_enum, value_name = "ORDER")]
    opening_order: Option<Order>,

    /// Begin with this opening of the order
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    opening_start: Option<u64>,

    /// Play Chess960: openings are its 960 start positions, or the positions of --openings read as those of Chess960
    #[arg(long, conflicts_with_all = ["size", "first"])]
    chess960: bool,

    #[command(flatten)]
    skip: SkipBadArgument,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Order {
    /// The order of the file
    Sequential,
    /// Shuffled with the random seed
    #[value(alias = "shuffled")]
    Random,
}

/// What `--openings` says: a file, and what may be given as options too.
#[derive(Default, PartialEq, Debug)]
struct Named {
    path: PathBuf,
    plies: Option<u32>,
    start: Option<u64>,
    order: Option<Order>,
}

impl BookArguments {
    /// The openings for this many games, if there are any but made ones.
    pub fn resolve(
        &self,
        game: &'static GameInfo,
        plies: Option<u32>,
        games: u64,
        seed: u64,
    ) -> Result<Option<OpeningBook>, Failure> {
        let named = self.openings.as_deref().map(Named::parse).transpose()?;
        let is_file = named.is_some();
        if !is_file && !self.chess960 {
            return match (self.opening_order, self.opening_start) {
                (None, None) => Ok(None),
                _ => Err(Failure::input("--opening-order and --opening-start need --openings or --chess960")),
            };
        }
        if !is_file && plies.is_some() {
            return Err(Failure::input(
                "--opening-plies needs --openings: the start positions of Chess960 have no moves",
            ));
        }
        let Named { path, plies: more, start, order } = named.unwrap_or_default();
        let usual = if is_file { Order::Sequential } else { Order::Random };
        let request = BookRequest {
            game,
            source: if is_file { OpeningSource::File(&path) } else { OpeningSource::Chess960 },
            skip_bad: self.skip.skip_bad,
            plies: once("plies", "--opening-plies", more, plies)?,
            order: match once("order", "--opening-order", order, self.opening_order)?.unwrap_or(usual) {
                Order::Sequential => OpeningOrder::Sequential,
                Order::Random => OpeningOrder::Shuffled,
            },
            seed,
            first: once("start", "--opening-start", start, self.opening_start)?.unwrap_or(1),
            chess960: self.chess960,
            games,
        };
        Ok(Some(OpeningBook::read(&request, &|note| say(note))?))
    }
}

/// One of two values; both are one too many.
fn once<T>(name: &str, option: &str, one: Option<T>, other: Option<T>) -> Result<Option<T>, Failure> {
    match (one, other) {
        (Some(_), Some(_)) => {
            Err(Failure::input(format!("'{name}=' and {option} say the same; leave out one of them")))
        }
        (one, other) => Ok(one.or(other)),
    }
}

impl Named {
    /// Reads `FILE[,plies=N][,start=N][,order=ORDER]`. A comma that none of these follows belongs to the name, and so do
    /// all of them if there is such a file.
    fn parse(text: &str) -> Result<Named, Failure> {
        let mut named = Named::default();
        let mut rest = text;
        while !Path::new(rest).exists()
            && let Some((before, part)) = rest.rsplit_once(',')
            && let Some((key, value)) = part.split_once('=')
        {
            let wrong = |expected: &str| Failure::input(format!("--openings: '{part}' is wrong; expected {expected}"));
            match key.trim() {
                "plies" => {
                    let plies = value.trim().parse().ok().filter(|plies| *plies <= 1000);
                    named.plies = Some(plies.ok_or_else(|| wrong("a number of plies, like 'plies=8'"))?);
                }
                "start" => {
                    let start = value.trim().parse().ok().filter(|start| *start >= 1);
                    named.start = Some(start.ok_or_else(|| wrong("the number of an opening, like 'start=1'"))?);
                }
                "order" => {
                    let order = Order::from_str(value.trim(), true);
                    named.order = Some(order.map_err(|_| wrong("'order=sequential' or 'order=random'"))?);
                }
                _ => break,
            }
            rest = before;
        }
        Ok(Named { path: PathBuf::from(rest), ..named })
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Named, Order};

    #[test]
    fn what_follows_the_name_is_read_and_commas_of_names_stay() {
        let read = |text: &str| Named::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let plain = |path: &str| Named { path: PathBuf::from(path), ..Named::default() };
        assert_eq!(read("book.pgn"), plain("book.pgn"));
        assert_eq!(read("a,b.pgn"), plain("a,b.pgn"));
        assert_eq!(read("a,b=c.pgn"), plain("a,b=c.pgn"));
        let all = Named { plies: Some(8), start: Some(3), order: Some(Order::Random), ..plain("a,b.pgn") };
        assert_eq!(read("a,b.pgn,plies=8,order=random,start=3"), all);
        assert_eq!(read("a,b.pgn,order=shuffled").order, Some(Order::Random));
        for wrong in ["b.pgn,plies=x", "b.pgn,start=0", "b.pgn,order=odd"] {
            assert!(Named::parse(wrong).is_err(), "{wrong}");
        }
    }
}
