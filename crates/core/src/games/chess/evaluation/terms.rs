//! The groups of weights: what they are called, and where in the table they stand.

/// A weight for the middle and one for the end of the game, in hundredths of a pawn.
pub type Pair = (i16, i16);

/// Weights that belong together.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// What its weights are for, and how they are sorted.
    pub name: &'static str,
    /// The place of its first weight in the table.
    pub first: usize,
    /// How many there are.
    pub count: usize,
    /// How often they count at most for one side, all together, on any board that can be set up.
    pub most: i32,
}

impl Group {
    const fn then(self, name: &'static str, count: usize, most: i32) -> Group {
        Group { name, first: self.first + self.count, count, most }
    }
}

const NONE: Group = Group { name: "", first: 0, count: 0, most: 0 };

/// How many men a side can have besides its king; all of them may be queens.
const MEN: i32 = 15;
const PAWNS: i32 = 8;
/// Files before a king.
const FILES: i32 = 3;

/// By piece, without the king.
pub const PIECES: Group = NONE.then("pieces: pawn, knight, bishop, rook, queen", 5, MEN);
/// By piece and square, Black's seen in a mirror.
pub const SQUARES: Group = PIECES.then("squares: for each piece, a1, b1, ... h8 as White sees them", 6 * 64, MEN + 1);
/// By number of squares.
pub const KNIGHT_MOBILITY: Group = SQUARES.then("knight mobility: by number of squares no pawn attacks", 9, MEN);
/// By number of squares.
pub const BISHOP_MOBILITY: Group = KNIGHT_MOBILITY.then("bishop mobility", 14, MEN);
/// By number of squares.
pub const ROOK_MOBILITY: Group = BISHOP_MOBILITY.then("rook mobility", 15, MEN);
/// By number of squares.
pub const QUEEN_MOBILITY: Group = ROOK_MOBILITY.then("queen mobility", 28, MEN);
/// Two bishops or more.
pub const BISHOP_PAIR: Group = QUEEN_MOBILITY.then("bishop pair", 1, 1);
/// For each own pawn on the bishop's colour.
pub const BISHOP_PAWNS: Group = BISHOP_PAIR.then("own pawns on a bishop's colour", 1, PAWNS);
/// A minor piece that a pawn protects and none can drive away.
pub const OUTPOST: Group = BISHOP_PAWNS.then("outpost: knight, bishop", 2, MEN);
/// A minor piece with an own pawn before it.
pub const BEHIND_PAWN: Group = OUTPOST.then("minor piece behind a pawn", 1, PAWNS);
/// A rook on a file without own pawns.
pub const ROOK_FILE: Group = BEHIND_PAWN.then("rook file: no own pawns, no pawns at all", 2, MEN);
/// A rook that cuts off the king or attacks pawns on their home rank.
pub const ROOK_SEVENTH: Group = ROOK_FILE.then("rook on the seventh rank", 1, 8);
/// A pawn with another before it.
pub const DOUBLED: Group = ROOK_SEVENTH.then("doubled pawn", 1, PAWNS);
/// A pawn without neighbours; also where its file is open.
pub const ISOLATED: Group = DOUBLED.then("isolated pawn: always, and more on a half-open file", 2, 2 * PAWNS);
/// A pawn that its neighbours have left behind; also where its file is open.
pub const BACKWARD: Group = ISOLATED.then("backward pawn: always, and more on a half-open file", 2, 2 * PAWNS);
/// By rank.
pub const SUPPORTED: Group = BACKWARD.then("pawn protected by a pawn: third to seventh rank", 5, PAWNS);
/// By rank.
pub const PHALANX: Group = SUPPORTED.then("pawn beside a pawn: second to seventh rank", 6, PAWNS);
/// By rank.
pub const PASSED: Group = PHALANX.then("passed pawn: second to seventh rank", 6, PAWNS);
/// By rank.
pub const PASSED_FREE: Group = PASSED.then("passed pawn that can step: fourth to seventh rank", 4, PAWNS);
/// By rank.
pub const PASSED_SAFE: Group = PASSED_FREE.then("passed pawn with a safe way: fourth to seventh rank", 4, PAWNS);
/// By distance.
pub const PASSED_OWN_KING: Group = PASSED_SAFE.then("own king's distance to the square before a passed pawn", 8, PAWNS);
/// By distance.
pub const PASSED_THEIR_KING: Group =
    PASSED_OWN_KING.then("their king's distance to the square before a passed pawn", 8, PAWNS);
/// By whose rook it is.
pub const ROOK_BEHIND: Group = PASSED_THEIR_KING.then("rook behind a passed pawn: own, theirs", 2, 2 * PAWNS);
/// A passed pawn that a lone king cannot catch.
pub const UNSTOPPABLE: Group = ROOK_BEHIND.then("unstoppable passed pawn", 1, 1);
/// By file and rank.
pub const SHIELD: Group = UNSTOPPABLE.then(
    "shield: files a/h, b/g, c/f, d/e, on each the rank of the next own pawn, 0 for none",
    4 * 8,
    FILES,
);
/// By file and rank.
pub const STORM: Group =
    SHIELD.then("storm: files a/h, b/g, c/f, d/e, on each the rank of the next enemy pawn, 0 for none", 4 * 8, FILES);
/// By rank.
pub const STORM_BLOCKED: Group = STORM.then("storm that an own pawn blocks: rank of the enemy pawn", 8, FILES);
/// By how much is attacked around their king; see `king`.
pub const KING_DANGER: Group = STORM_BLOCKED.then("danger of their king: by attack units", 32, 1);
/// By the piece that can give check.
pub const SAFE_CHECK: Group = KING_DANGER.then("safe check: knight, bishop, rook, queen", 4, 4);
/// By the attacked piece.
pub const PAWN_HITS: Group = SAFE_CHECK.then("pawn attacks: minor piece, rook, queen", 3, MEN);
/// By the attacked piece.
pub const MINOR_HITS: Group = PAWN_HITS.then("minor piece attacks: weak pawn, weak minor piece, rook, queen", 4, MEN);
/// By the attacked piece.
pub const ROOK_HITS: Group = MINOR_HITS.then("rook attacks: weak pawn, weak minor piece, weak rook, queen", 4, MEN);
/// The king attacks something weak.
pub const KING_HITS: Group = ROOK_HITS.then("king attacks something weak", 1, 1);
/// By what is attacked.
pub const HANGING: Group = KING_HITS.then("attacked and not defended: pawn, piece", 2, MEN);
/// A pawn could step forward safely and attack a piece.
pub const PUSH_HITS: Group = HANGING.then("pawn that could step and attack a piece", 1, MEN);
/// For each square.
pub const SPACE: Group = PUSH_HITS.then("safe square behind the own pawns in the centre", 1, 24);
/// The right to move.
pub const TEMPO: Group = SPACE.then("the move", 1, 1);

/// How many weights there are.
pub const COUNT: usize = TEMPO.first + TEMPO.count;

/// All groups, in the order of the table.
pub const GROUPS: &[Group] = &[
    PIECES,
    SQUARES,
    KNIGHT_MOBILITY,
    BISHOP_MOBILITY,
    ROOK_MOBILITY,
    QUEEN_MOBILITY,
    BISHOP_PAIR,
    BISHOP_PAWNS,
    OUTPOST,
    BEHIND_PAWN,
    ROOK_FILE,
    ROOK_SEVENTH,
    DOUBLED,
    ISOLATED,
    BACKWARD,
    SUPPORTED,
    PHALANX,
    PASSED,
    PASSED_FREE,
    PASSED_SAFE,
    PASSED_OWN_KING,
    PASSED_THEIR_KING,
    ROOK_BEHIND,
    UNSTOPPABLE,
    SHIELD,
    STORM,
    STORM_BLOCKED,
    KING_DANGER,
    SAFE_CHECK,
    PAWN_HITS,
    MINOR_HITS,
    ROOK_HITS,
    KING_HITS,
    HANGING,
    PUSH_HITS,
    SPACE,
    TEMPO,
];
