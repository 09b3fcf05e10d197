//! Breakthrough once more, the slow and obvious way: letters in rows, no bits, nothing turned around.
//!
//! Written from the rules and from the readings of the features alone, to compare the real one with.

/// A position: rows of letters from White's first row up, '.' for an empty square.
#[derive(Clone)]
pub struct Slow {
    rows: Vec<Vec<char>>,
    black_to_move: bool,
    /// Where the last move went, if there was one.
    last: Option<Square>,
}

/// Column and row from White's left lower corner.
pub type Square = (i32, i32);

/// A step of one man.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Step {
    from: Square,
    to: Square,
}

impl Slow {
    /// Reads a legal position's text.
    pub fn read(text: &str) -> Slow {
        let (ranks, side) = text.split_once(' ').expect("two words");
        let row = |rank: &str| {
            let square = |letter: char| match letter.to_digit(10) {
                Some(empty) => ".".repeat(empty as usize),
                None => letter.to_string(),
            };
            rank.chars().map(square).collect::<String>().chars().collect()
        };
        Slow { rows: ranks.rsplit('/').map(row).collect(), black_to_move: side == "b", last: None }
    }

    /// The position's text.
    pub fn text(&self) -> String {
        let rank = |row: &Vec<char>| {
            let mut text: String = row.iter().collect();
            for empty in (1..=8).rev() {
                text = text.replace(&".".repeat(empty), &empty.to_string());
            }
            text
        };
        let ranks: Vec<_> = self.rows.iter().rev().map(rank).collect();
        format!("{} {}", ranks.join("/"), if self.black_to_move { 'b' } else { 'w' })
    }

    /// The position with the colours exchanged and the board upside down.
    pub fn mirrored(&self) -> Slow {
        let swap = |&man: &char| match man {
            'P' => 'p',
            'p' => 'P',
            other => other,
        };
        let rows = self.rows.iter().rev().map(|row| row.iter().map(swap).collect()).collect();
        let last = self.last.map(|(column, row)| (column, self.rows.len() as i32 - 1 - row));
        Slow { rows, black_to_move: !self.black_to_move, last }
    }

    /// A move's name on the mirrored board.
    pub fn mirrored_name(&self, name: &str) -> String {
        let turn = |letter: char| match letter.to_digit(10) {
            Some(rank) => (self.rows.len() as u32 + 1 - rank).to_string(),
            None => letter.to_string(),
        };
        name.chars().map(turn).collect()
    }

    /// Whether the side that just moved has won.
    pub fn is_over(&self) -> bool {
        let goal = if self.black_to_move { self.rows.len() - 1 } else { 0 };
        self.rows[goal].contains(&self.enemy()) || !self.rows.iter().flatten().any(|&man| man == self.own())
    }

    /// All legal steps.
    pub fn steps(&self) -> Vec<Step> {
        if self.is_over() {
            return Vec::new();
        }
        let men = self.squares().into_iter().filter(|&square| self.at(square) == Some(self.own()));
        men.flat_map(|(column, row)| {
            [-1, 0, 1].map(|aside| Step { from: (column, row), to: (column + aside, row + self.forward()) })
        })
        .filter(|step| match self.at(step.to) {
            Some('.') => true,
            Some(man) => man == self.enemy() && step.from.0 != step.to.0,
            None => false,
        })
        .collect()
    }

    /// The position after a step.
    pub fn after(&self, step: Step) -> Slow {
        let mut next = self.clone();
        next.rows[step.from.1 as usize][step.from.0 as usize] = '.';
        next.rows[step.to.1 as usize][step.to.0 as usize] = self.own();
        next.black_to_move = !self.black_to_move;
        next.last = Some(step.to);
        next
    }

    /// The names of the features of a step, in the order of the papers' table.
    pub fn features(&self, step: Step) -> Vec<&'static str> {
        let next = self.after(step);
        let (own, enemy, forward) = (Some(self.own()), Some(self.enemy()), self.forward());
        let (column, row) = step.to;
        let at = |aside: i32, ahead: i32| next.at((column + aside, row + ahead * forward));
        let (columns, rows) = (self.rows[0].len() as i32, self.rows.len() as i32);
        let undisputed = at(-1, 1) != enemy && at(1, 1) != enemy;
        let passed = (1..rows).all(|ahead| matches!(at(0, ahead), None | Some('.')));
        let (aside, mut along) = (column - step.from.0, 1..rows);
        let capture = self.at(step.to) == enemy;
        let around = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)].map(|(x, y)| at(x, y));
        let near = around.iter().filter(|man| man.is_some()).count();
        let friends = around.iter().filter(|&&man| man == own).count();
        let rank = if self.black_to_move { rows - row } else { row + 1 };
        let zone = zone_of(rank, rows);
        let edge = column.min(columns - 1 - column) < columns / 4;
        let all = [
            ("Ud", undisputed),
            ("PP", passed),
            ("Rc", capture && self.last == Some(step.to)),
            ("C", capture),
            ("Ms", 2 * friends > near),
            ("Rdb", zone < 2),
            ("RdBt", zone == 1),
            ("RdBb", zone == 0),
            ("Rdt", zone >= 2),
            ("RdTt", zone == 3),
            ("RdTb", zone == 2),
            ("Edg", edge),
            ("Mr", !edge),
            ("Udp", undisputed && at(0, 1) == enemy),
            ("Bv2", at(0, 1) == enemy && at(0, -1) == own),
            ("PPd", rank < rows && along.all(|ahead| matches!(at(ahead * aside, ahead), None | Some('.')))),
        ];
        all.into_iter().filter(|&(_, has)| has).map(|(name, _)| name).collect()
    }

    /// The values of the heuristics `material`, `advance` and `guarded` for the side to move.
    pub fn values(&self) -> [i32; 3] {
        let (mut material, mut advance, mut guarded) = (0, 0, 0);
        for (column, row) in self.squares() {
            let man = self.at((column, row));
            let (sign, forward) = match man {
                Some('.') | None => continue,
                man => (if man == Some(self.own()) { 1 } else { -1 }, if man == Some('P') { 1 } else { -1 }),
            };
            let done = if forward == 1 { row } else { self.rows.len() as i32 - 1 - row };
            let hostile = |aside: i32| {
                let other = self.at((column + aside, row + forward));
                matches!(other, Some('P' | 'p')) && other != man
            };
            material += sign * 10;
            advance += sign * done;
            guarded += sign * (10 + if hostile(-1) || hostile(1) { 0 } else { done });
        }
        [material, advance, guarded]
    }

    fn squares(&self) -> Vec<Square> {
        let (columns, rows) = (self.rows[0].len() as i32, self.rows.len() as i32);
        (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row))).collect()
    }

    fn at(&self, (column, row): Square) -> Option<char> {
        let row = self.rows.get(usize::try_from(row).ok()?)?;
        row.get(usize::try_from(column).ok()?).copied()
    }

    fn own(&self) -> char {
        if self.black_to_move { 'p' } else { 'P' }
    }

    fn enemy(&self) -> char {
        if self.black_to_move { 'P' } else { 'p' }
    }

    fn forward(&self) -> i32 {
        if self.black_to_move { -1 } else { 1 }
    }
}

/// The zone of a rank, from the side that moves; both are counted from 1.
fn zone_of(rank: i32, ranks: i32) -> i32 {
    match (ranks, rank) {
        (_, 1 | 2) => 0,
        (8, 3 | 4) | (7, 3 | 4) | (6, 3) | (5, 3) => 1,
        (8, 5 | 6) | (7, 5) | (6, 4) => 2,
        _ => 3,
    }
}

impl Step {
    /// The text of the step.
    pub fn name(self) -> String {
        let square = |(column, row): Square| format!("{}{}", char::from(b'a' + column as u8), row + 1);
        square(self.from) + &square(self.to)
    }
}
