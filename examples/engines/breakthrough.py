#!/usr/bin/env python3
"""A plug engine for Plysmith in Python: Breakthrough, alpha-beta search, six features of moves and two of the search.

Everything the protocol asks for is in main(); docs/plug-protocol.md explains it. Try it:
  plysmith discover --engine 'python3 examples/engines/breakthrough.py' --suite examples/engines/small.suite --nodes 3000
"""
import sys

WIN, HIGHEST, PLY = 100000, 60, 1000
FEATURES = [  # name, group, parent, meaning; the bit of a feature is its place here
    ("Cap", "capture", None, "Captures a man."),
    ("Safe", "threat", None, "Cannot be captured where it goes."),
    ("Free", "path", None, "No man stands ahead of it on its column."),
    ("Up", "rank", None, "Goes to the upper half of the board."),
    ("Top", "rank", "Up", "Goes to one of the two last ranks."),
    ("Edge", "column", None, "Goes to the first or last column."),
]
STATE = [  # the same for the state of the search
    ("late", "number", None, "The fifth move of the node or a later one."),
    ("deep", "depth", None, "Three plies or more are left."),
]
NAMES = [feature[0] for feature in FEATURES + STATE]


class OutOfNodes(Exception):
    pass


class Engine:
    def __init__(self):
        self.scheme = []  # (cost, [bits of an alternative, …]) by rising cost
        self.amounts = []  # the same for amounts, which are added to the cost
        self.board = None

    # -- what can be set ------------------------------------------------------------------------------------------
    def set_board(self, text):
        ranks, side = text.split()[:2]
        rows = []
        for rank in ranks.split("/"):
            row = []
            for letter in rank:
                row += [0] * int(letter) if letter.isdigit() else [{"P": 1, "p": 2}[letter]]
            rows.append(row)
        self.height, self.width = len(rows), len(rows[0])
        if any(len(row) != self.width for row in rows) or side not in "wb":
            raise ValueError("ranks of different lengths, or nobody to move")
        self.board = [square for row in reversed(rows) for square in row]
        self.side = 1 if side == "w" else 2

    def set_scheme(self, text):
        scheme, amounts = [], []
        for part in [] if text == "Neutral" else text.split(","):
            feature, weight = part.replace("(", "").replace(")", "").split("@")
            bits = [sum(1 << NAMES.index(name) for name in one.split("-")) for one in feature.split("|")]
            (amounts if weight[0] in "+-" else scheme).append((round(float(weight) * PLY), bits))
        self.scheme, self.amounts = sorted(scheme), amounts

    def set_weights(self, words):
        if len(words) != len(FEATURES):
            raise ValueError(f"expected {len(FEATURES)} weights")
        self.set_scheme(",".join(f"{name}@{word}" for name, word in zip(NAMES, words)))  # of moves

    # -- the game -------------------------------------------------------------------------------------------------
    def moves(self, side):
        """All moves, those of the most advanced men first."""
        board, width, height = self.board, self.width, self.height
        forward = 1 if side == 1 else -1
        for row in range(height - 2, -1, -1) if side == 1 else range(1, height):
            for column in range(width):
                start = row * width + column
                if board[start] != side:
                    continue
                for step in (-1, 0, 1):
                    if 0 <= column + step < width:
                        target = start + forward * width + step
                        if board[target] == 0 or (step != 0 and board[target] != side):
                            yield start, target

    def name(self, move):
        square = lambda index: "abcdefgh"[index % self.width] + str(index // self.width + 1)
        return square(move[0]) + square(move[1])

    def cost(self, side, move, number, depth):
        """What the move costs of the depth: the lowest weight of a feature that it has, or a ply; and what is added."""
        if not self.scheme and not self.amounts:
            return PLY, 0
        board, width, height, target = self.board, self.width, self.height, move[1]
        row, column = divmod(target, width)
        advance = row if side == 1 else height - 1 - row
        ahead = row + (1 if side == 1 else -1)
        bits = 1 if board[target] else 0
        if not 0 <= ahead < height or all(board[ahead * width + near] != 3 - side
                                          for near in (column - 1, column + 1) if 0 <= near < width):
            bits |= 2
        path = range(ahead, height) if side == 1 else range(ahead, -1, -1)
        if all(board[other * width + column] == 0 for other in path):
            bits |= 4
        bits |= 8 if advance * 2 >= height else 0
        bits |= 16 if advance >= height - 2 else 0
        bits |= 32 if column in (0, width - 1) else 0
        bits |= 64 if number >= 4 else 0
        bits |= 128 if depth >= 3 * PLY else 0
        holds = lambda alternatives: any(bits & wanted == wanted for wanted in alternatives)
        cost = next((cost for cost, alternatives in self.scheme if holds(alternatives)), PLY)
        added = sum(amount for amount, alternatives in self.amounts if holds(alternatives))
        return cost, max(added if number else min(added, 0), -cost)  # the first move is never reduced

    def evaluate(self, side):
        score = 0
        for index, man in enumerate(self.board):
            if man == 1:
                score += 10 + index // self.width
            elif man == 2:
                score -= 9 + self.height - index // self.width
        return score if side == 1 else -score

    # -- the search -----------------------------------------------------------------------------------------------
    def search(self, side, depth, alpha, beta, height, first=None):
        self.nodes += 1
        if self.nodes > self.limit:
            raise OutOfNodes
        if depth <= 0 or height >= HIGHEST:
            return self.evaluate(side), None
        board, goal = self.board, self.height - 1 if side == 1 else 0
        best = None
        moves = list(self.moves(side))
        if first in moves:
            moves.sort(key=lambda move: move != first)
        for number, move in enumerate(moves):
            start, target = move
            captured = board[target]
            if target // self.width == goal or captured and board.count(captured) == 1:
                self.nodes += 1
                score = WIN - height - 1
            else:
                cost, added = self.cost(side, move, number, depth)
                board[start], board[target] = 0, side
                try:
                    score = -self.search(3 - side, depth - cost - added, -beta, -alpha, height + 1)[0]
                    if added > 0 and score > alpha:  # it was reduced, and is better than it looked
                        score = -self.search(3 - side, depth - cost, -beta, -alpha, height + 1)[0]
                finally:
                    board[start], board[target] = side, captured
            if score > alpha or best is None:
                best = move
            if score > alpha:
                alpha = score
                if alpha >= beta:
                    break
        return (alpha, best) if best else (-WIN + height, None)

    def solve(self, limit, best, avoid, proven):
        """Searches deeper and deeper until it agrees, is sure of something else, or has no nodes left."""
        self.nodes, self.limit = 0, limit
        first, depth = None, 0
        try:
            while depth < HIGHEST:
                depth += 1
                score, first = self.search(self.side, depth * PLY, -WIN, WIN, 0, first)
                name = self.name(first) if first else ""
                is_right = (not best or name in best) and name not in avoid
                if first and is_right and (score > WIN - 1000 or not proven):
                    return f"nodes 1 {self.nodes} depth {depth}"
                if abs(score) > WIN - 1000:
                    break
        except OutOfNodes:
            depth -= 1
        return f"nodes 0 {limit} depth {depth}"


def main():
    engine = Engine()
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        words, answer = rest.split(), []
        try:
            if command == "plug":
                answer += ["name Example in Python", "game breakthrough", "can setscheme gosolve amounts"]
                answer += [f"param {name} 0.1 2 1" for name in NAMES[:len(FEATURES)]] + ["plugok"]
            elif command == "features":
                for name, group, parent, meaning in FEATURES + STATE:
                    answer.append(f"feature {name} group {group}{' parent ' + parent if parent else ''} meaning {meaning}")
                answer += ["state " + " ".join(name for name, *_ in STATE), "featuresok"]
            elif command == "setboard":
                engine.set_board(rest)
            elif command == "setparam":
                engine.set_weights(words)
            elif command == "setscheme":
                engine.set_scheme(rest)
            elif command == "gountil":
                answer.append(engine.solve(int(words[1]), [words[0]], [], False))
            elif command == "gosolve":
                lists = {"best": [], "avoid": [], "proven": []}
                for word in words[1:]:
                    if word in lists:
                        current = lists[word]
                    else:
                        current.append(word)
                answer.append(engine.solve(int(words[0]), lists["best"], lists["avoid"], "proven" in words))
            elif command == "quit":
                return
        except Exception as error:  # whatever it is, the other side should know
            answer = [f"error {command}: {error!r}"]
        print("\n".join(answer) + "\n" if answer else "", end="", flush=True)


main()
