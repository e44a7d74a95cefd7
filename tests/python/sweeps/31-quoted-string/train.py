import sys

lr = sys.argv[5][len("--lr="):]
expected = ["--name", "two words", "--pattern", "a b", "--lr=" + lr,
            "back slash", "--lr=" + lr]
assert sys.argv[1:] == expected, sys.argv
assert float(lr) in (0.1, 0.2)
