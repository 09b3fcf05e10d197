//! What is best at the root is told while a search is under way, changes nothing, and may end it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use plysmith_core::feature::Scheme;
use plysmith_core::games;
use plysmith_core::search::{End, Limit, Root, Sight, Task, Watch, Workspace};

#[test]
fn a_watch_sees_the_root_s_best_moves_and_does_not_disturb() {
    for (game, preset) in
        [("breakthrough", "classic"), ("breakthrough", "modern"), ("chess", "classic"), ("chess", "modern")]
    {
        let game = games::find(game).unwrap();
        let settings = game.parse_settings(preset).unwrap();
        for text in game.bench.iter().take(3) {
            let position = (game.open)(text).unwrap();
            let (scheme, mut workspace) = (Scheme::neutral(), Workspace::default());
            let sights = Mutex::new(Vec::new());
            let keep = |sight: &Sight| sights.lock().unwrap().push(sight.clone());
            let limit = Limit::nodes(20_000);
            let task = Task { settings, scheme: &scheme, limit, seed: 3, interrupt: &|| false, root: Root::default() };
            let alone = position.search(&task, &mut workspace);
            let root = Root { watch: Some(Watch(&keep)), ..Root::default() };
            let watched = position.search(&Task { root, ..task.clone() }, &mut workspace);
            assert_eq!(watched, alone, "{preset} {text}");

            let sights = sights.into_inner().unwrap();
            assert!(sights.len() > 2 && sights.iter().map(|sight| sight.nodes).is_sorted(), "{sights:?}");
            let moves = position.moves();
            assert!(sights.iter().all(|sight| moves.contains(&sight.best)), "{sights:?}");

            // The first moment at which the last best move is best: a search that ends there has come just as far.
            let wanted = &sights.last().unwrap().best;
            let first = sights.iter().find(|sight| sight.best == *wanted).unwrap();
            let found = AtomicBool::new(false);
            let look =
                |sight: &Sight| found.store(sight.best == *wanted || found.load(Ordering::Relaxed), Ordering::Relaxed);
            let interrupt = || found.load(Ordering::Relaxed);
            let root = Root { watch: Some(Watch(&look)), ..Root::default() };
            let ended = position.search(&Task { root, interrupt: &interrupt, ..task }, &mut workspace);
            assert_eq!(
                (ended.end, ended.nodes, &ended.line[0]),
                (End::Interrupted, first.nodes, wanted),
                "{preset} {text}"
            );
        }
    }
}
