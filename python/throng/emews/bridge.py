"""Between an EMEWS algorithm and throng.

The algorithm runs in a thread of its own and blocks in IN_get(); this side
reads throng's requests. Points that it posts at once are one batch, whose
results it gets when all of them are there. What throng has told of earlier
runs answers for a point that is posted again: so an algorithm that draws the
same numbers for the same seed goes on where it was, though it saves nothing.
"""

import importlib
import importlib.util
import json
import os
import queue
import sys
import threading
import traceback
import types

ABORT = "EQPY_ABORT"
LAST_WORD_S = 10
ENDS = ("DONE", "FINAL", "EQPY_FINAL")


def main(words):
    if not 1 <= len(words) <= 2:
        sys.stderr.write("usage: python3 -m throng.emews ALGORITHM "
                         "[SETTINGS]\n")
        return 2
    answers, sys.stdout = sys.stdout, sys.stderr  # its prints are for people
    bridge = Bridge(Algorithm(words[0]), words[1] if len(words) > 1 else "")
    for line in sys.stdin:
        said = bridge.hear(json.loads(line))
        if said is not None:
            answers.write(json.dumps(said) + "\n")
            answers.flush()
    bridge.close()
    return 0


class Algorithm:
    """The thread in which it runs, and its two queues."""

    def __init__(self, path):
        self.path, self.out, self.into = path, queue.Queue(), queue.Queue()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def start(self):
        eqpy = types.ModuleType("eqpy", "throng's stand-in for EMEWS's eqpy.")
        eqpy.OUT_put, eqpy.IN_get = self.out.put, self.into.get
        eqpy.EQPY_ABORT = ABORT
        sys.modules["eqpy"] = eqpy
        self.thread.start()

    def run(self):
        """A module, by its name or file, whose run() is the algorithm."""
        try:
            module = self.load()
            if hasattr(module, "run"):
                module.run()
            self.out.put(None)
        except BaseException:
            self.out.put(ABORT)
            self.out.put(traceback.format_exc())

    def load(self):
        folder = os.path.dirname(os.path.abspath(self.path))
        sys.path.insert(0, folder)
        if not self.path.endswith(".py"):
            return importlib.import_module(self.path)
        name = os.path.splitext(os.path.basename(self.path))[0]
        spec = importlib.util.spec_from_file_location(name, self.path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module


class Bridge:
    def __init__(self, algorithm, settings):
        self.algorithm, self.settings = algorithm, settings
        self.names = []     # of parameters, in the order of the study
        self.known = {}     # results from before, by point
        self.batch = []     # results of the batch at hand; None: not there yet
        self.waiting = []   # (place in the batch, point) not handed out yet
        self.out = {}       # trial: place in the batch
        self.running = {}   # trial of an earlier run that is out: its point
        self.begun = self.ended = False

    def hear(self, said):
        """The answer to a line of throng's, or None where it wants none."""
        if "study" in said:
            self.names = [p["name"] for p in
                          said["study"]["space"]["parameters"]]
        elif "told" in said:
            self.told(said["told"])
        elif "tell" in said:
            self.tell(said["tell"], said)
        elif "ask" in said:
            return self.ask(said["ask"], said["first"])
        return None

    # ---- from throng

    def told(self, trial):
        if trial.get("state") == "running":
            self.running[trial["id"]] = _key(trial["params"])
            return
        self.known.setdefault(_key(trial["params"]), []).append(
            _result(trial))

    def tell(self, trial, said):
        key, place = self.running.pop(trial, None), self.out.pop(trial, None)
        if place is not None:
            self.batch[place] = _result(said)
            self.hand_in()
        elif key is not None:
            self.known.setdefault(key, []).append(_result(said))

    def ask(self, count, first):
        if not self.begun:
            self.begin()
        while not (self.waiting or self.out or self.ended):
            self.take(self.algorithm.out.get())
        given, self.waiting = self.waiting[:count], self.waiting[count:]
        for i, (place, _) in enumerate(given):
            self.out[first + i] = place
        answer = {"trials": [{"params": point} for _, point in given]}
        if len(given) < count:
            answer["end" if self.ended else "wait"] = True
        return answer

    def close(self):
        """No more is asked for; an algorithm that has all results may say its
        last word."""
        try:
            while self.begun and not (self.waiting or self.out or self.ended):
                self.take(self.algorithm.out.get(timeout=LAST_WORD_S))
        except queue.Empty:
            pass

    # ---- from the algorithm

    def begin(self):
        """The first thing that it posts asks for its settings."""
        self.begun = True
        self.algorithm.start()
        first = self.algorithm.out.get()
        if first is not None and first != ABORT and self.points(first) is None:
            self.algorithm.into.put(self.settings)
        else:
            self.take(first)

    def take(self, said):
        if said == ABORT:
            raise SystemExit("the algorithm %s failed:\n%s" % (
                self.algorithm.path, self.algorithm.out.get()))
        if said is None or said in ENDS:
            self.ended = True
            if said is not None:
                self.say_last()
            return
        points = self.points(said)
        if points is None:
            raise SystemExit(
                "the algorithm posted what is no list of points: %.200s\n"
                "(as in {\"x\": 1};{\"x\": 2})" % said)
        self.batch = [None] * len(points)
        for place, point in enumerate(points):
            self.place(place, point)
        self.hand_in()

    def place(self, place, point):
        """A point that was tried before has its result, or is out."""
        key = _key(point)
        if self.known.get(key):
            self.batch[place] = self.known[key].pop(0)
            return
        for trial, running in self.running.items():
            if running == key and trial not in self.out:
                self.out[trial] = place
                return
        self.waiting.append((place, point))

    def hand_in(self):
        if self.batch and None not in self.batch:
            results, self.batch = self.batch, []
            self.algorithm.into.put(";".join(results))

    def say_last(self):
        try:
            last = self.algorithm.out.get(timeout=LAST_WORD_S)
        except queue.Empty:
            return
        if last is not None:
            sys.stderr.write("%s\n" % last)

    def points(self, text):
        """Objects or lists of numbers, joined by `;` or in a JSON list; None
        when it is neither."""
        points = []
        for part in _parts(text):
            if isinstance(part, list) and len(part) == len(self.names) \
                    and not any(isinstance(p, (list, dict)) for p in part):
                part = dict(zip(self.names, part))
            for each in part if isinstance(part, list) else [part]:
                if isinstance(each, list) and len(each) == len(self.names):
                    each = dict(zip(self.names, each))
                if not isinstance(each, dict):
                    return None
                points.append(each)
        return points or None


def _parts(text):
    """What stands between the semicolons, read as JSON or as numbers."""
    decoder, at, parts = json.JSONDecoder(), 0, []
    text = text.strip()
    if not text.startswith(("{", "[")):
        return [_numbers(part) for part in text.split(";")]
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            return [None]
        parts.append(value)
        while at < len(text) and text[at] in ";, \n":
            at += 1
    return parts


def _numbers(text):
    try:
        return [json.loads(word) for word in text.split(",")]
    except ValueError:
        return None


def _key(point):
    """The same for points that mean the same: 5 and 5.0 are one number."""
    return json.dumps({k: float(v) if type(v) is int else v
                       for k, v in point.items()}, sort_keys=True)


def _result(said):
    """As EMEWS writes results: numbers as text, NaN for a failure."""
    if said.get("state", "done") not in ("done", "stopped"):
        return "NaN"
    values = said.get("values", [said.get("value")])
    return ",".join("NaN" if v is None else str(v) for v in values)
