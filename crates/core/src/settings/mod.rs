//! How to search: presets, switches and constants of the search, and their text form.
//!
//! | file | what |
//! | --- | --- |
//! | `presets` | `classic` and `modern` of a game, changes to them, and their text |
//! | `switches` | techniques that are on or off |
//! | `tunables` | constants of the search that can be set and tuned |

mod presets;
mod switches;
mod tunables;

pub use presets::{Heuristic, Presets, Settings, SettingsError};
pub use switches::{Bare, Switch, Switches, Techniques};
pub use tunables::{Tunable, Tunables};
