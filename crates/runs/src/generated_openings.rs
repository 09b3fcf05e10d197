//! Random openings, computed once: they are kept in the result cache in batches.
//!
//! To find an opening takes a search of ten thousand nodes and several tries, more than many a game. A resumed run and
//! other runs with the same seed read them instead.

use std::num::NonZeroUsize;

use plysmith_core::feature::Scheme;
use plysmith_core::random::Random;
use plysmith_core::search::{Interrupt, REVISION};
use plysmith_engine::arena::openings::{Book, OpeningBatch, OpeningError, OpeningPlan, judge, rules};
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::job::{Job, Key};
use crate::memo::Memo;

/// A batch of the openings of a plan. Equal jobs find equal openings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpeningsJob {
    /// The game's name.
    pub game: String,
    /// The plan.
    #[serde(flatten)]
    pub plan: OpeningPlan,
    /// The number of the batch in the plan.
    pub batch: u64,
    /// How openings are chosen.
    pub rules: String,
    /// The random number generator that the seed is for.
    pub random: String,
    /// The revision of the search.
    pub revision: u32,
    /// What the evaluation does that openings are judged by (`GameInfo::behaviour`). Empty in jobs of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub behaviour: String,
}

/// Openings in a batch.
const BATCH: usize = 100;

impl Job for OpeningsJob {
    const KIND: &'static str = "openings";
    /// A batch begins with the openings before it.
    const IS_PORTABLE: bool = false;
    type Result = OpeningBatch;

    fn key(&self) -> Key {
        let OpeningsJob { game, plan, batch, rules, random, revision, behaviour } = self;
        let OpeningPlan { start, plies, seed } = plan;
        let mut text =
            format!("openings\n{game}\n{start}\n{plies}\n{seed}\n{batch} of {BATCH}\n{rules}\n{random}\n{revision}");
        if !behaviour.is_empty() {
            text += &format!("\nbehaviour {behaviour}");
        }
        Key::of(&text)
    }

    fn done(batch: &OpeningBatch) -> u32 {
        batch.openings.len() as u32
    }
}

/// Extends a book to at least this many openings: from the cache as far as they are there, and the others into it.
pub fn extend(
    book: &mut Book,
    count: usize,
    memo: Memo<'_>,
    threads: NonZeroUsize,
    interrupt: &Interrupt<'_>,
) -> Result<(), RunError> {
    while book.openings().len() < count {
        let Some(plan) = book.plan().cloned() else { return Ok(()) };
        let number = book.openings().len() / BATCH;
        let (begin, end) = (number * BATCH, count.min((number + 1) * BATCH));
        let job = OpeningsJob {
            game: book.game().name.to_string(),
            plan,
            batch: number as u64,
            rules: rules(),
            random: Random::ALGORITHM.to_string(),
            revision: REVISION,
            behaviour: book.game().behaviour(&judge(book.game()), &Scheme::neutral()),
        };
        let stored = memo.recall(&job)?.filter(|stored| begin + stored.openings.len() > book.openings().len());
        if let Some(stored) = stored {
            book.set_batch(begin, stored);
            continue;
        }
        book.extend_to(end, threads, interrupt).map_err(opening_error)?;
        memo.keep(&job, &book.batch(begin))?;
    }
    Ok(())
}

fn opening_error(error: OpeningError) -> RunError {
    match error {
        OpeningError::Interrupted => RunError::Cancelled(None),
        wrong => RunError::input(wrong),
    }
}

#[cfg(test)]
mod tests {
    use plysmith_core::games::{self, Start};
    use plysmith_store::{Home, Store};

    use super::*;

    fn plan() -> OpeningPlan {
        let start = Start { size: Some((5, 6)), black_first: false };
        OpeningPlan { start: (games::find("breakthrough").unwrap().start)(&start).unwrap(), plies: 4, seed: 3 }
    }

    fn extended(memo: Memo<'_>, counts: &[usize]) -> Book {
        let mut book = Book::new(games::find("breakthrough").unwrap(), &plan()).unwrap();
        for count in counts {
            extend(&mut book, *count, memo, NonZeroUsize::MIN, &|| false).unwrap();
            assert!(book.openings().len() >= *count);
        }
        book
    }

    /// However the openings were asked for before, they are the same, and what is stored is not looked for again.
    #[test]
    fn openings_are_found_once() {
        let direct = extended(Memo::Disabled, &[230]);
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Home::at(folder.path()).store_path()).unwrap();
        let memo = Memo::Store(&store);
        for (counts, is_new) in [
            (&[30][..], true),
            (&[30], false),
            (&[10, 90], true),
            (&[20, 130], true),
            (&[130], false),
            (&[1, 2, 99, 100, 101], false),
            (&[230], true),
            (&[50, 230], false),
        ] {
            let book = extended(memo, counts);
            let found = book.openings().len();
            assert_eq!(book.openings(), &direct.openings()[..found], "{counts:?}");
            assert_eq!(book.own_tries() > 0, is_new, "{counts:?} made {} tries", book.own_tries());
        }
        assert_eq!(extended(memo, &[230]).own_tries(), 0);
    }

    /// What is asked for beyond the last opening there is fails as it does without a store, again and again.
    #[test]
    fn a_plan_with_too_few_openings_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Home::at(folder.path()).store_path()).unwrap();
        let one = OpeningPlan { plies: 0, ..plan() };
        for _ in 0..2 {
            let mut book = Book::new(games::find("breakthrough").unwrap(), &one).unwrap();
            extend(&mut book, 1, Memo::Store(&store), NonZeroUsize::MIN, &|| false).unwrap();
            let error = extend(&mut book, 2, Memo::Store(&store), NonZeroUsize::MIN, &|| false).unwrap_err();
            assert!(error.to_string().contains("only 1 of 2 balanced openings"), "{error}");
        }
    }
}
