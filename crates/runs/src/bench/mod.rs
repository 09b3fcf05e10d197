//! Benchmarks: node-count signatures, search speed, and the overhead of matches and external engines.
//!
//! | file | what |
//! | --- | --- |
//! | `signatures` | fixed searches to a fixed depth: node counts and nodes per second |
//! | `engines` | nodes per second of the built-in engine and of UCI engines on the same positions |
//! | `drivers` | processor time that measuring an external engine costs |
//! | `arena` | the share of a match that is not search |
//! | `mate` | boards per second of an evolved program and of the bare move generator |
//!
//! No benchmark is a stored run. Speeds within one report can be compared with each other, because the parts take
//! turns; speeds of two reports depend on the load of the machine.

mod arena;
mod drivers;
mod engines;
mod mate;
mod median;
mod signatures;

pub use arena::{ArenaMatch, ArenaOverhead, arena};
pub use drivers::{DriverOverhead, DriverTiming, drivers, drivers_view};
pub use engines::{EngineSpeed, SpeedReport, SpeedTiming, engines};
pub use mate::{MateSpeed, mate};
pub use signatures::{ShortSignature, Signature, short_signature, signatures, signatures_view};
