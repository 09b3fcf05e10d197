//! What the searches of this program do, as a short text, and how fast.

use std::sync::OnceLock;

use plysmith_runs::bench;

use crate::error::ClusterError;

/// The bench searches at a small depth. Workers with another one are refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BenchSignature {
    /// The program's version and revision, and a hash of the nodes of all searches.
    pub text: String,
    /// Nodes a second of one thread.
    pub speed: u64,
}

impl BenchSignature {
    /// Runs the searches, once in the life of the process: a fraction of a second.
    pub fn measure() -> Result<BenchSignature, ClusterError> {
        static MEASURED: OnceLock<BenchSignature> = OnceLock::new();
        if let Some(signature) = MEASURED.get() {
            return Ok(signature.clone());
        }
        let short = bench::short_signature().map_err(ClusterError::failed)?;
        let signature = BenchSignature { text: short.text, speed: short.nodes_per_second as u64 };
        Ok(MEASURED.get_or_init(|| signature).clone())
    }
}
