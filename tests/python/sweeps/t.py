"""Takes any parameters. What stands on the command line must be what throng
says besides; the loss falls for 81 steps unless throng asks to stop."""
import sys

import throng

params = throng.params()
words = ["--%s=%s" % (name, value) for name, value in sorted(params.items())]
assert sys.argv[1:] == words, (sys.argv[1:], words)
numbers = [v for v in params.values() if isinstance(v, (int, float))]
far = abs(sum(numbers))
for step in range(throng.budget(81)):
    if not throng.report(step=step, loss=far / (1 + step)):
        break
