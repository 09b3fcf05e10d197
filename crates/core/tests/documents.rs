//! Tables of the documentation that repeat what the code says.

use plysmith_core::games;
use plysmith_core::settings::Switches;

const FILE_FORMATS: &str = include_str!("../../../docs/file-formats.md");

/// The table of presets in docs/file-formats.md has a row for every switch, and says of each preset what it has.
#[test]
fn the_table_of_presets_is_true() {
    let games = ["breakthrough", "chess"].map(|name| games::find(name).unwrap());
    for switch in Switches::ALL {
        let row = FILE_FORMATS.lines().find(|line| line.starts_with(&format!("| `{}`: ", switch.name)));
        let row = row.unwrap_or_else(|| panic!("docs/file-formats.md has no row for '{}'", switch.name));
        let said: Vec<&str> = row.split('|').skip(2).map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let presets = games.iter().flat_map(|game| [game.presets.classic, game.presets.modern]);
        let true_row: Vec<&str> = presets.map(|preset| if (switch.get)(&preset) { "on" } else { "off" }).collect();
        assert_eq!(said, true_row, "docs/file-formats.md, {}", switch.name);
    }
}
