; The champion of generation 25 of: plysmith evolve --dialect recursive --fitness plain --population 100 --generations 80 --islands 1 --migration 10 --sample 5 --tournament 4 --size 150 --budget 50000 --seed 1
; plysmith 0.1.0
(MakeBestMove
  (IfAttackingKingMove
    Again
    (IfExistsCheckingMove
      (If3
        (Smaller NumOppPiecesAttacked (IfForAllOpponentMoves IsMaterialChange Again 721))
        (MakeBestMove (If3 IsOppPiecePinned Again 1000))
        -278)
      Again)))
