//! The command line as a user meets it: every test drives the real `plysmith` as its own process, in a home of its own.
//!
//! | file | what |
//! | --- | --- |
//! | `commands` | the small commands: overview, help, perft, features, measure, runs, export, completions |
//! | `chess_features` | features of chess: explained, with alternatives, and discovered from a part of them |
//! | `bench` | the node-count signatures |
//! | `papers` | the papers' tables, by both meanings of solved |
//! | `discover` | the main job: same result on any number of threads, warm or cold, settled early or not |
//! | `discover_classes` | classes of features: text, JSON and a chart |
//! | `discover_seeds` | discovery with several seeds: means, tests, resuming |
//! | `resume` | SIGKILL, Ctrl-C, and resuming |
//! | `halts` | stopping a run at a chosen event or result |
//! | `tune` | tuning weights: kills, files, comparisons, Figure 1 |
//! | `reductions` | moves that may be searched less, and learned tables of reductions |
//! | `planted` | a made-up engine whose truth is known, found again through the plug protocol |
//! | `coarse_engine` | tuning an engine with coarse options, and policies on every engine |
//! | `suites` | making suites and proving them |
//! | `follow_up` | discovery with several weights, then tuning and games |
//! | `fitness` | schemes that are measured, discovered and tuned by what their moves cost |
//! | `fit` | finding the weights of the chess evaluation |
//! | `transitions` | realization probabilities from game records, and schemes from files |
//! | `weights` | weight files: bad ones, changed ones, and players that use them |
//! | `input` | what was typed or read is wrong |
//! | `limits` | numbers at the edge of their type, and too little memory |
//! | `notation` | chess files from elsewhere: suites with bad lines, openings, and games written for other programs |
//! | `shards` | runs in files for other machines |
//! | `game_files` | games in forms of other programs: PGN as games end, Chess960, Polyglot books, logs of engines, python-chess |
//! | `stores` | databases that are not ours, homes that cannot be used |
//! | `arena` | matches, tournaments and the statistics |
//! | `engines` | foreign engines: good, bad and real ones; clocks |
//! | `guards` | nothing that an engine starts outlives us, whoever is killed |
//! | `explain` | two searches of a problem side by side |
//! | `fair_matches` | what makes a match misleading: nodes, clocks, changed engines, a stopped process, few games |
//! | `drivers` | foreign engines that are measured: by plug and UCI, the examples, faults, resuming |
//! | `play_and_engine` | the engine protocol, and a person at the board |
//! | `mates` | mate problems, proofs, evolved programs and evolution |
//! | `mate_engines` | foreign engines in the table of mates: limits, counts and faults |
//! | `disk` | a full disk, and outputs that nobody takes |
//! | `files` | files that are written: links, modes, several writers |
//! | `hostile` | names that are made to control a terminal |
//! | `damage` | damaged, read-only and vanished stores |

mod arena;
#[path = "../../../engine/tests/bad_engine/mod.rs"]
mod bad_engine;
mod bench;
mod chess_features;
mod coarse_engine;
mod commands;
mod daily;
mod damage;
mod discover;
mod discover_classes;
mod discover_seeds;
mod disk;
mod drivers;
mod engines;
mod explain;
mod fair_matches;
mod files;
mod fit;
mod fitness;
mod follow_up;
mod game_files;
#[cfg(target_os = "linux")]
mod guards;
mod guides;
mod halts;
mod hostile;
mod input;
mod labels;
mod limits;
#[cfg(unix)]
mod match_runner;
mod mate_engines;
mod mates;
mod notation;
mod old_store;
mod papers;
mod planted;
#[path = "../../../learn/tests/planted_truth/mod.rs"]
mod planted_truth;
mod play_and_engine;
mod reductions;
mod report;
mod resume;
mod screen;
mod shards;
#[path = "../../../core/tests/skipped/mod.rs"]
mod skipped;
mod stores;
mod suites;
mod support;
mod transitions;
mod tune;
mod weights;
