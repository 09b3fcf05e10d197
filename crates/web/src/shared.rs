//! What all pages work with: the store, its live state, and what the server was started with.

use std::sync::Arc;

use maud::{Markup, html};
use plysmith_store::{Run, Store};

use crate::error::WebError;
use crate::explorations::Explorations;
use crate::feed::Listeners;
use crate::game_room::GameRoom;
use crate::launch::Launcher;
use crate::live::Live;
use crate::request::Request;
use crate::secret::random_token;

/// The form field that holds the form token.
pub const FORM_TOKEN: &str = "form-token";

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
    /// The state of all runs.
    pub live: Arc<Live>,
    /// Who is sent events.
    pub listeners: Listeners,
    /// Searches that are kept for the position explorer.
    pub explorations: Explorations,
    /// Games against engines.
    pub games: GameRoom,
    /// Starts runs; none if this server only shows them.
    pub launcher: Option<Launcher>,
}

impl Shared {
    /// Pages on this store, which start no runs.
    pub fn new(store: Arc<Store>, options: Options) -> Shared {
        let live = Arc::new(Live::new(Arc::clone(&store)));
        let (form_token, listeners) = (random_token(), Listeners::default());
        let (explorations, games) = (Explorations::default(), GameRoom::default());
        Shared { store, options, form_token, live, listeners, explorations, games, launcher: None }
    }

    /// With runs started by this launcher.
    #[must_use]
    pub fn with_launcher(self, launcher: Launcher) -> Shared {
        Shared { launcher: Some(launcher), ..self }
    }

    /// The run whose number the path names as `{run}`.
    pub fn run_of(&self, request: &Request) -> Result<Run, WebError> {
        let run = request.part("run").parse().map_err(WebError::not_found)?;
        Ok(self.store.run(run)?)
    }

    /// What every form that changes something must contain.
    pub fn token_field(&self) -> Markup {
        html! { input type="hidden" name=(FORM_TOKEN) value=(self.form_token); }
    }

    /// Fails if the store cannot be written.
    pub fn require_writable(&self) -> Result<(), WebError> {
        match self.store.is_read_only() {
            true => Err(WebError::conflict("the store is read-only: nothing can be changed in it")),
            false => Ok(()),
        }
    }

    /// Fails if runs cannot be started here.
    pub fn require_launcher(&self) -> Result<&Launcher, WebError> {
        self.require_writable()?;
        self.launcher.as_ref().ok_or_else(|| WebError::forbidden("this server only shows runs; it does not start any"))
    }
}
