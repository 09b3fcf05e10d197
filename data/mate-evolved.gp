; Written by hand, until evolution has made a better one: every check and every reply to it.
(MakeBestMove (If3 IsMateInOneOrLess 1000 (IfExistsCheckingMove Again -1000)))
