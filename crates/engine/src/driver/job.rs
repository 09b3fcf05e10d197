//! All that a measurement depends on, and its key.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

/// All that a measurement depends on. Equal jobs have equal results, on any machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MeasurementJob {
    /// The game's name.
    pub game: String,
    /// The content key of the suite.
    pub suite: String,
    /// The scheme's text.
    pub scheme: String,
    /// The search settings' text.
    pub settings: String,
    /// The node limit a problem.
    pub nodes: u64,
    /// The seed.
    pub seed: u64,
    /// The random number generator that the seed is for.
    pub random: String,
    /// The revision of the search, or of the driver of an external engine.
    pub revision: u32,
    /// What the features of the scheme and the evaluation do (`GameInfo::behaviour`). Empty for external engines, whose
    /// content is in the key, and in jobs of versions that did not know it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub behaviour: String,
    /// The external engine, if it is one. Its options and the mapping of weights are in the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<ExternalEngineKey>,
}

/// The external engine that a measurement depends on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExternalEngineKey {
    /// Its command line.
    pub command: String,
    /// Its name.
    pub name: String,
    /// A content key of the program and of the files that its arguments name.
    pub content: String,
}

impl MeasurementJob {
    /// The job's key: equal for equal jobs.
    pub fn key(&self) -> String {
        let MeasurementJob { game, suite, scheme, settings, nodes, seed, random, revision, behaviour, engine } = self;
        let mut text = format!("{game}\n{suite}\n{scheme}\n{settings}\n{nodes}\n{seed}\n{random}\n{revision}");
        // Only where there is one, so that results of external engines stored by earlier versions are still found.
        if !behaviour.is_empty() {
            text += &format!("\nbehaviour {behaviour}");
        }
        // Only for external engines, so that results stored by earlier versions are still found.
        if let Some(ExternalEngineKey { command, name, content }) = engine {
            text += &format!("\n{command}\n{name}\n{content}");
        }
        format!("{:032x}", xxh3_128(text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::{ExternalEngineKey, MeasurementJob};

    #[test]
    fn built_in_jobs_keep_the_names_under_which_they_are_stored() {
        let job = MeasurementJob {
            game: "breakthrough".to_string(),
            suite: "00ff".to_string(),
            scheme: "Ud-RdTt@0.5".to_string(),
            settings: "classic".to_string(),
            nodes: 500_000,
            seed: 1,
            random: "xoshiro256++".to_string(),
            revision: 2,
            behaviour: String::new(),
            engine: None,
        };
        // What version 0.1 named and stored this job as, before there were external engines.
        assert_eq!(job.key(), "790f5530e6bc8d4dd592448f21fa643f");
        let stored = r#"{"game":"breakthrough","suite":"00ff","scheme":"Ud-RdTt@0.5","settings":"classic","nodes":500000,"seed":1,"random":"xoshiro256++","revision":2}"#;
        assert_eq!(serde_json::to_string(&job).unwrap(), stored);
        assert_eq!(serde_json::from_str::<MeasurementJob>(stored).unwrap(), job);
        let external = |content: &str| {
            let (command, name) = ("glaurung".to_string(), "Glaurung 2.2".to_string());
            MeasurementJob {
                engine: Some(ExternalEngineKey { command, name, content: content.to_string() }),
                ..job.clone()
            }
        };
        assert_ne!(external("1").key(), job.key());
        assert_ne!(external("1").key(), external("2").key());
    }
}
