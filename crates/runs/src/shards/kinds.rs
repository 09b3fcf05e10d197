//! Jobs and results of any kind, checked before they are believed.

use plysmith_engine::arena::game::GameJob;
use plysmith_store::NewResult;

use super::form::ResultLine;
use crate::choice::ChoiceJob;
use crate::job::Job;
use crate::kinds::evolve::ProgramJob;
use crate::mates::{EngineMateJob, MateJob};
use crate::self_play::SelfPlayJob;
use crate::suite_maker::SuiteGameJob;
use crate::suite_runner::AttemptJob;

/// A result that can be stored, in its canonical form.
pub struct CheckedResult {
    /// As the store takes it.
    pub new: NewResult,
    /// As the store would give it back.
    pub body: serde_json::Value,
    /// The measurement that it is a part of, if it is.
    pub part_of: Option<String>,
}

/// Checks that the key is that of the job, and that the result can be its result.
pub fn check(line: ResultLine) -> Result<CheckedResult, String> {
    match line.kind.as_str() {
        AttemptJob::KIND => {
            let part_of = |job: &AttemptJob| Some(job.measurement.key());
            check_as(line, part_of)
        }
        GameJob::KIND => check_as::<GameJob>(line, |_| None),
        SelfPlayJob::KIND => check_as::<SelfPlayJob>(line, |_| None),
        ChoiceJob::KIND => check_as::<ChoiceJob>(line, |_| None),
        MateJob::KIND => check_as::<MateJob>(line, |_| None),
        EngineMateJob::KIND => check_as::<EngineMateJob>(line, |_| None),
        ProgramJob::KIND => check_as::<ProgramJob>(line, |_| None),
        SuiteGameJob::KIND => check_as::<SuiteGameJob>(line, |_| None),
        other => Err(format!("'{other}' is not a kind of job that this program knows")),
    }
}

fn check_as<J: Job>(line: ResultLine, part_of: impl Fn(&J) -> Option<String>) -> Result<CheckedResult, String> {
    let ResultLine { kind, key, job, result } = line;
    let job: J =
        serde_json::from_value(job).map_err(|error| format!("this is no job of the kind '{kind}': {error}"))?;
    if job.key() != key {
        return Err(format!("the key of this job is {}, not {key}", job.key()));
    }
    let result: J::Result =
        serde_json::from_value(result).map_err(|error| format!("this is no result of a {kind}: {error}"))?;
    job.check(&result).map_err(|reason| format!("a result that cannot be: {reason}"))?;
    let body = serde_json::to_value(&result).map_err(|error| error.to_string())?;
    let new = NewResult::new(key.as_str(), J::done(&result), &job, &result).map_err(|error| error.to_string())?;
    Ok(CheckedResult { new, body, part_of: part_of(&job) })
}
