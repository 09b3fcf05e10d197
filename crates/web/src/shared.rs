//! What all pages work with: the store, and what the server was started with.

use std::sync::Arc;

use plysmith_store::{Run, Store};

use crate::error::WebError;
use crate::request::Request;

/// What the server was started with.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Whether engines may be started from a page.
    pub allow_engines: bool,
    /// Who does not have this is not answered.
    pub token: Option<String>,
}

/// What all pages work with.
pub struct Shared {
    /// Where runs and results are kept.
    pub store: Arc<Store>,
    /// What the server was started with.
    pub options: Options,
    /// A secret of this server, which its own forms send back.
    pub form_token: String,
}

impl Shared {
    /// Pages on this store.
    pub fn new(store: Arc<Store>, options: Options) -> Shared {
        Shared { store, options, form_token: random_token() }
    }

    /// The run whose number the path names as `{run}`.
    pub fn run_of(&self, request: &Request) -> Result<Run, WebError> {
        let run = request.part("run").parse().map_err(WebError::not_found)?;
        Ok(self.store.run(run)?)
    }
}

/// 128 random bits as text.
pub fn random_token() -> String {
    let mut bytes = [0_u8; 16];
    // The system's source of random numbers does not fail once it has been seeded; without it there is no safe token.
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
