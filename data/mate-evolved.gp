; Bred by scripts/evolve-mates, seed 1, on training problems alone: a champion of generation 0, refined after generation 3,
; which nothing beat up to generation 11. The order of moves has no effect: MovesLeft is the same for all.
(If3
  (Or2 (Smaller NumQuietMoves 1) (Smaller 0 Attempt))
  (MakeBestMoveInOrder MovesLeft Again)
  -1000)
