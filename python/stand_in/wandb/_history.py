"""wandb.log: values of one step make one row.

log(x)                 the row is complete; the next one is a step further
log(x, commit=False)   wait for more of this row
log(x, step=7)         a row of step 7; more may come for it, but it is
                       written at once, so that throng can decide on it
"""

from ._say import once


class History:
    def __init__(self, write, first_step=0):
        self._write = write  # called with a step and a dict
        self.step = first_step
        self._row = {}
        self._any = False

    def log(self, values, step=None, commit=None):
        if step is not None and not self._go_to(int(step)):
            return
        self._any = True
        self._row.update(values)
        if commit is False:
            return
        self.flush()
        if commit or step is None:
            self.step += 1

    def flush(self):
        row, self._row = self._row, {}
        if row:
            self._write(self.step, row)

    def _go_to(self, step):
        """A script that goes on from its checkpoint may go back at first."""
        if step < self.step and self._any:
            once("log() to step %d, but the run is at step %d already; steps "
                 "only go up, so this and the like is left out (a step of "
                 "your own as a metric goes into the dict)"
                 % (step, self.step), "steps only go up")
            return False
        if step != self.step:
            self.flush()
            self.step = step
        return True
