//! All addresses of the server. A module with pages has a constant `ROUTES`, and a line here.

use crate::router::Route;
use crate::{assets, explore, pages, play_page, run_list, run_page, security, start_page};

/// The tables of all modules, in the order in which they are asked.
pub const TABLES: &[&[Route]] = &[
    run_list::ROUTES,
    run_page::ROUTES,
    start_page::ROUTES,
    pages::ROUTES,
    explore::ROUTES,
    play_page::ROUTES,
    assets::ROUTES,
    security::login::ROUTES,
];
