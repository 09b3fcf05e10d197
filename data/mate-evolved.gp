; Bred by scripts/evolve-mates on the 100 training problems alone: the champion of generation 16 of its last step, of 53
; elements, simplified by `plysmith program --simplify` to 32 that do the same.
(If3
  IsCheck
  (If3
    (And2
      (Or3 IsPinCloseToKing (Not (Smaller 9 (MakeBestMove Again))) (Smaller -5 EvaluateMaterial))
      IsDiscoveredProtectedCheck)
    0
    (MakeBestMove (MakeBestMove Again)))
  (MakeBestMove
    (MakeBestMove
      (If3
        IsCheck
        (MakeBestMove Again)
        (If3 IsOppKingProtectingPiece (MakeBestMove Again) (MakeBestMove (MakeBestMove Again)))))))
