//! A storm of mutated commands and positions: the engine must neither fall over nor fall silent.

use plysmith_core::feature::Scheme;
use plysmith_core::games::find;
use plysmith_core::random::Random;
use plysmith_engine::uci::server::options::ServerOptions;
use plysmith_engine::uci::server::serve;

/// How many lines each game gets.
const LINES: usize = 100_000;

const COMMON: &[&str] = &[
    "uci",
    "isready",
    "ucinewgame",
    "setoption name Hash value 1",
    "setoption name Clear Hash",
    "setoption name Threads value 2",
    "setoption name MultiPV value 3",
    "setoption name Move Overhead value 30",
    "setoption name Ponder value true",
    "setoption name Preset value modern",
    "setoption name Preset value classic",
    "setoption name NullWindow value false",
    "setoption name Scheme value RdTt@0.5",
    "setoption name Weight RdTt value 750",
    "setoption name Seed value 18446744073709551615",
    "go nodes 50",
    "go depth 2 movetime 5",
    "go wtime 100 btime 100 winc 1 binc 1 movestogo 2",
    "go infinite",
    "go ponder wtime 1000 btime 1000",
    "go mate 2",
    "ponderhit",
    "stop",
    "show",
];

const CHESS: &[&str] = &[
    "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1 e8c8",
    "position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "position fen rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8 moves d7c8q",
    "position fen rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3 moves e5f6",
    "position fen 8/P7/8/8/8/8/7p/k1K5 w - - 99 70",
    "position fen QQQQQQQQ/QQQQQQQ1/8/8/8/1k6/8/7K w - - 0 1",
    "position fen Q4QQ1/Q1QQ4/Q5Q1/4Q3/7k/1Q3Q2/3Q4/Q4QQK w - - 0 1",
    "position fen 3Q4/1Q4QQ/4Q3/2Q4Q/k1K2Q1Q/2Q4Q/4Q3/1Q4QQ w - - 0 65535 moves c4c5 a4a3 c5c4 a3a4",
    "go searchmoves e2e4 d2d4 nodes 50",
];

const BREAKTHROUGH: &[&str] = &[
    "position startpos moves a2a3 a7a6 b2b3",
    "position fen pppp/4/4/PPPP w moves a1a2 b4b3",
    "position 8/3P4/p7/8/8/8/P7/8 w",
    "position pppppp/pppppp/6/6/PPPPPP/PPPPPP b",
    "go searchmoves a2a3 d2d4 nodes 50",
];

/// Words that meet odd places.
const WORDS: &[&str] = &[
    "moves",
    "value",
    "name",
    "fen",
    "startpos",
    "go",
    "nodes",
    "infinite",
    "-1",
    "0",
    "99999999999999999999",
    "é♞",
    "\u{0}",
    "e7e8q",
    "w",
    "b",
    "KQkq",
    "-",
    "8/8/8/8/8/8/8/8",
    "k",
    "NaN",
    "18446744073709551615",
    "2147483648",
];

#[test]
fn chess_weathers_a_storm() {
    weather("chess", CHESS);
}

#[test]
fn breakthrough_weathers_a_storm() {
    weather("breakthrough", BREAKTHROUGH);
}

fn weather(game: &str, own: &[&str]) {
    let game = find(game).unwrap();
    let seedlings: Vec<&str> = COMMON.iter().chain(own).copied().collect();
    let mut random = Random::new(20_260_101);
    let mut script = Vec::new();
    for number in 0..LINES {
        let line = mutated(&seedlings, &mut random);
        let is_go = line.trim_ascii_start().starts_with(b"go");
        script.extend_from_slice(&line);
        script.extend_from_slice(if is_go { b" nodes 50\n" } else { b"\n" });
        // Now and then the next commands come while a search is under way.
        if is_go && random.below(4) > 0 {
            script.extend_from_slice(b"stop\n");
        }
        if number % 500 == 0 {
            script.extend_from_slice(b"stop\nsetoption name Threads value 1\nsetoption name MultiPV value 1\n");
        }
    }
    script.extend_from_slice(b"stop\nsetoption name Preset value modern\nucinewgame\nisready\ngo nodes 100\n");

    let options = ServerOptions::new(game, game.parse_settings("modern,table=1").unwrap(), Scheme::neutral(), 1);
    let mut output = Vec::new();
    serve(options, &script[..], &mut output).unwrap();

    let output = String::from_utf8(output).unwrap();
    let count = |beginning: &str| output.lines().filter(|line| line.starts_with(beginning)).count();
    assert!(!output.contains("report this as a bug"), "a search failed; see the messages above");
    let (errors, moves) = (count("info string error: "), count("bestmove "));
    println!("{errors} errors, {moves} searches");
    assert!(errors > LINES / 10 && moves > LINES / 20, "{errors} errors, {moves} searches");
    for line in output.lines() {
        assert!(line.chars().count() < 2_000 && !line.contains(char::is_control), "{line:?}");
    }
    let end: Vec<&str> = output.lines().skip_while(|&line| line != "readyok").collect();
    let best = end.iter().rev().find_map(|line| line.strip_prefix("bestmove ")).unwrap().split(' ').next().unwrap();
    (game.open)(game.bench[0]).unwrap().play(best).unwrap();
}

/// One of the seedlings, changed in none to three places.
fn mutated(seedlings: &[&str], random: &mut Random) -> Vec<u8> {
    let mut line = seedlings[random.below(seedlings.len())].as_bytes().to_vec();
    for _ in 0..random.below(5).saturating_sub(1) {
        line = mutate(line, seedlings, random);
    }
    line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
    // Not by chance: commands that end the conversation, or ask for more memory and threads than a test should take.
    let text = String::from_utf8_lossy(&line).to_lowercase();
    let is_greedy = ["hash", "table", "threads", "multipv"].iter().any(|name| text.contains(name));
    if text.contains("quit") || is_greedy && text.bytes().filter(u8::is_ascii_digit).count() > 1 {
        return b"isready".to_vec();
    }
    line
}

fn mutate(mut line: Vec<u8>, seedlings: &[&str], random: &mut Random) -> Vec<u8> {
    let at = random.below(line.len().min(10_000) + 1);
    match random.below(10) {
        0 => line.insert(at, random.below(256) as u8),
        1 => line.truncate(at),
        2 => line.extend_from_slice(seedlings[random.below(seedlings.len())].as_bytes()),
        3 if at < line.len() => line[at] ^= 1 << random.below(8),
        4 if at < line.len() => drop(line.remove(at)),
        5 if random.below(50) == 0 => line.extend(vec![b'a' + random.below(26) as u8; 1 << random.below(19)]),
        6 => drop(line.splice(at..at, format!("{}{}", random.below(1 << 16), random.below(1 << 16)).into_bytes())),
        _ => line = with_words_changed(&line, random),
    }
    line
}

/// A word repeated, left out, exchanged with another, or replaced.
fn with_words_changed(line: &[u8], random: &mut Random) -> Vec<u8> {
    let mut words: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
    let (one, other) = (random.below(words.len()), random.below(words.len()));
    match random.below(5) {
        0 => words.insert(one, words[other]),
        1 => drop(words.remove(one)),
        2 => words.swap(one, other),
        3 => words.insert(one, WORDS[random.below(WORDS.len())].as_bytes()),
        _ => words[one] = WORDS[random.below(WORDS.len())].as_bytes(),
    }
    words.join(&b' ')
}
