"""Scripts written to CANDLE's conventions run as they are: by hand, and as
the program of a study. The listings of CANDLE's tutorial work as printed."""

import glob
import json
import os
import shutil
import subprocess
import unittest
from unittest import mock

from candle_place import CANDLE, Candle
from place import THRONG

MNIST = '''
import os
import candle_keras as candle

additional_definitions = [
    {'name':'latent_dim',
     'action':'store',
     'type': int,
     'help':'latent dimensions'},
    {'name':'model',
     'default':'ae',
     'choices':['ae', 'vae', 'cvae'],
     'help':'model to use: ae, vae, cvae'},
    {'name':'use_landmark_genes',
     'type': candle.str2bool,
     'default': False,
     'help':'use the 978 landmark genes from LINCS (L1000) as expression features'},
]

required = [
    'activation',
    'batch_size',
    'drop',
    'epochs',
    'rng_seed',
    'model',
    'validation_split',
]


class MNIST(candle.Benchmark):
    def set_locals(self):
        self.required = set(required)
        self.additional_definitions = additional_definitions
'''
SCRIPT = '''
import json
import sys
import candle_keras as candle
import mnist


class Ckpt(candle.CandleCkpt):
    def write_model_backend(self, model, epoch):
        with open(self.model_file, "w") as file:
            json.dump(model, file)

    def build_model(self, model_file):
        with open(model_file) as file:
            self.model[:] = json.load(file)


def initialize_parameters():
    mnist_common = mnist.MNIST('.', 'mnist_params.txt', 'keras',
                               prog='mnist_mlp', desc='MNIST example')
    return candle.finalize_parameters(mnist_common)


def run(gParameters):
    model = []
    ckpt = Ckpt(gParameters, logger=None)
    ckpt.set_model(model)
    J = ckpt.restart(model)
    log = candle.CandleRemoteMonitor(params=gParameters)
    log.on_train_begin()
    for epoch in range(J["epoch"] if J else 0, gParameters['epochs']):
        model.append(epoch)
        loss = gParameters['learning_rate'] + 1 / (epoch + 1)
        ckpt.ckpt_epoch(epoch, "-", loss)
        log.on_epoch_end(epoch, {"val_loss": loss})
        if gParameters.get('dies') == epoch and not J:
            sys.exit(7)
    log.on_train_end()
    print("MODEL", model)
    print("PARAMS " + json.dumps(gParameters))
    return gParameters


if __name__ == '__main__':
    run(initialize_parameters())
'''
# Prints and writes nothing: what it has is its History.
KERAS_LIKE = '''
import candle
import mnist


class History:
    pass


def initialize_parameters(default_model="mnist_params.txt"):
    return candle.finalize_parameters(
        mnist.MNIST(".", default_model, "keras", prog="mnist"))


def run(gParameters):
    print("DENSE", gParameters["dense"])
    history = History()
    losses = [gParameters["learning_rate"] + 3 / (epoch + 1)
              for epoch in range(gParameters["epochs"])]
    history.epoch = list(range(len(losses)))
    history.history = {"loss": losses, "val_loss": losses, "lr": losses}
    return history


def main():
    run(initialize_parameters())


if __name__ == "__main__":
    raise SystemExit("this is not how it was to be run")
'''
# On a library of its own, which knows nothing of throng.
NUMBER = '''
def initialize_parameters():
    return {"x": 1}


def run(params):
    return params["x"] * 2.0
'''
PARAMS = '''
[Global_Params]
epochs = 3
batch_size = 128
activation = 'relu'
optimizer = 'rmsprop'
learning_rate = 0.5
dropout = 0.0
val_split = 0.1
'''


class Scripts(Candle):
    def setUp(self):
        super().setUp()
        self.write("mnist.py", MNIST)
        self.write("mnist_mlp_candle.py", SCRIPT)
        self.write("mnist_params.txt", PARAMS)

    def by_hand(self, *words, status=0):
        env = {**os.environ, "PYTHONPATH": CANDLE,
               "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(["python3", "mnist_mlp_candle.py", *words],
                              env=env, capture_output=True, text=True,
                              timeout=250)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def params(self, text):
        line = [ln for ln in text.splitlines() if ln.startswith("PARAMS ")]
        return json.loads(line[0][len("PARAMS "):])

    def throng(self, *words, status=0):
        done = subprocess.run([THRONG, *words], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=250)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done.stdout

    def study(self, text, program="mnist_mlp_candle.py", metric="val_loss"):
        self.write("study.yaml", "program: %s\n"
                   "metric: {name: %s, goal: minimize}\n"
                   "keep: all\n" % (program, metric) + text)
        self.throng("run", "study.yaml")
        rows = [json.loads(line) for line in self.throng(
            "export", "all", "--jsonl").splitlines()]
        self.assertEqual({row["state"] for row in rows}, {"done"})
        return rows

    def test_by_hand(self):
        done = self.by_hand()
        params = self.params(done.stdout)
        self.assertIn("Configuration file: ./mnist_params.txt", done.stdout)
        self.assertIn("Params:\n{'activation': 'relu',", done.stdout)
        self.assertEqual(params["output_dir"],
                         self.folder + "/Output/EXP000/RUN000")
        self.assertEqual((params["experiment_id"], params["run_id"],
                          params["rng_seed"], params["timeout"]),
                         ("EXP000", "RUN000", 7102, -1))
        self.write("mnist_complex.txt", "epochs = 4\nmodel = 'vae'\n")
        params = self.params(self.by_hand("-conf", "mnist_complex.txt")
                             .stdout)
        self.assertEqual((params["epochs"], params["model"],
                          params["batch_size"]), (4, "vae", 128))
        params = self.params(self.by_hand(
            "-e", "1", "--learning_rate", "0.02", "--drop", "0.1",
            "--run_id", "run2").stdout)
        self.assertEqual((params["epochs"], params["learning_rate"],
                          params["dropout"], params["drop"]),
                         (1, 0.02, 0.1, 0.1))
        self.assertTrue(os.path.exists("Output/EXP000/run2/run.run2.json"))
        self.assertIn("one of ae, vae, cvae",
                      self.by_hand("-help").stdout)
        self.assertIn("one of ae, vae, cvae, not 'gan'",
                      self.by_hand("--model", "gan", status=2).stderr)

    def test_beside_the_stand_in_for_runs_by_hand(self):
        shutil.copytree(CANDLE, "other")
        with mock.patch.dict(os.environ, PYTHONPATH=os.path.abspath("other")):
            rows = self.study("parameters: {epochs: {values: [1]}}\n"
                              "method: grid\n")
        self.assertEqual(len(rows), 1)

    def test_as_the_program_of_a_study(self):
        rows = self.study("method: grid\nparameters:\n"
                          "  learning_rate: {values: [0.1, 0.2]}\n"
                          "  use_landmark_genes: {values: [true, false]}\n")
        self.assertEqual(len(rows), 4)
        for row in rows:
            text = self.throng("logs", str(row["id"]))
            params = self.params(text)
            self.assertEqual(row["value"],
                             row["params"]["learning_rate"] + 1 / 3)
            for name, value in row["params"].items():
                self.assertEqual(params[name], value)
            self.assertEqual(params["run_id"], "RUN%03d" % row["id"])
            self.assertEqual(params["experiment_id"], "study")
        logs = glob.glob(".throng/study/trials/*/*/output/run.RUN*.json")
        self.assertEqual(len(logs), 4)
        for path in logs:
            with open(path) as file:
                self.assertEqual(json.load(file)[-1]["status"],
                             {"set": "Finished"})
        self.assertFalse(os.path.exists("Output"))

    def test_runs_of_an_unrolled_parameter_file(self):
        self.write("upf.txt", '{"id": "first", "epochs": 2, "drop": 0.5}\n'
                   '{\n"id": "second",\n"epochs": 5\n}\n')
        rows = self.study("parameters_file: upf.txt\n")
        self.assertEqual([row["run_id"] for row in rows],
                         ["first", "second"])
        params = self.params(self.throng("logs", "1"))
        self.assertEqual((params["run_id"], params["epochs"],
                          params["dropout"], params["drop"]),
                         ("first", 2, 0.5, 0.5))
        self.assertEqual([row["value"] for row in rows], [1.0, 0.7])

    def test_with_protocol_candle(self):
        self.write("plain.py", """
import os
import candle
bmk = candle.Benchmark(os.path.dirname(os.path.abspath(__file__)),
                       'mnist_params.txt', 'keras', required=['dense'])
gParameters = candle.finalize_parameters(bmk)
assert gParameters['output_dir'] == os.environ['CANDLE_OUTPUT_DIR']
assert gParameters['run_id'] == os.environ['CANDLE_RUN_ID']
assert gParameters['experiment_id'] == os.environ['CANDLE_EXPERIMENT_ID']
print('IMPROVE_RESULT val_loss: %r' % (sum(gParameters['dense']) * 1e-5))
""")
        for style in ("", "candle: {style: config_file}\n"):
            self.write("plain.yaml", "program: plain.py\nprotocol: candle\n"
                       "metric: {name: val_loss}\nmethod: grid\n"
                       "parameters:\n  dense: {values: ['200 20', '1']}\n"
                       "  batch_size: {value: 7}\n" + style)
            name = "plain%d" % len(style)
            self.throng("run", "plain.yaml", "--new", name)
            rows = [json.loads(line) for line in self.throng(
                "export", name, "all", "--jsonl").splitlines()]
            self.assertEqual([row["value"] for row in rows],
                             [220 * 1e-5, 1e-5])

    def test_a_run_that_died_goes_on_from_its_checkpoint(self):
        rows = self.study(
            "retries: 1\nretry_delay: 0s\nmethod: grid\nparameters:\n"
            "  epochs: {value: 6}\n  ckpt_save_interval: {value: 1}\n"
            "  dies: {values: [3, 9]}\n")
        self.assertEqual([row["attempts"] for row in rows], [2, 1])
        for row in rows:
            self.assertIn("MODEL [0, 1, 2, 3, 4, 5]",
                          self.throng("logs", str(row["id"])))

    def test_population_based_training(self):
        """A trial goes on from the checkpoint of the one before it."""
        rows = self.study(
            "method: pbt\nseed: 1\nrun_cap: 9\npbt: {population: 3, steps: 2}\n"
            "parallel: 1\nparameters:\n  learning_rate: {min: 0.1, max: 0.9}\n"
            "  ckpt_save_interval: {value: 1}\n")
        models = [json.loads(self.throng("logs", str(row["id"])).split(
            "MODEL ")[1].splitlines()[0]) for row in rows]
        for model in models:
            self.assertEqual(model, list(range(len(model))))
        lengths = sorted(map(len, models))
        self.assertEqual(lengths[:3], [2, 2, 2])
        self.assertTrue(all(n in (4, 6, 8) for n in lengths[3:]), lengths)

    def test_a_benchmark_that_only_returns_its_history_is_imported(self):
        self.write("keras_like.py", KERAS_LIKE)
        rows = self.study(
            "protocol: candle\ncandle: {style: import}\nmethod: grid\n"
            "parameters: {learning_rate: {values: [0.25, 0.5]}, "
            "dense: {value: '20 10'}}\n", "keras_like.py")
        self.assertEqual([row["value"] for row in rows], [1.25, 1.5])
        self.assertIn("DENSE [20, 10]", self.throng("logs", "1"))

    def test_one_that_returns_a_number_too(self):
        self.write("number.py", NUMBER)
        rows = self.study(
            "protocol: candle\ncandle: {style: import}\nmethod: grid\n"
            "parameters: {x: {values: [3]}}\n", "number.py", "error")
        self.assertEqual(rows[0]["value"], 6)

    def test_a_program_without_run_is_told_so(self):
        self.write("plain.py", "print('no functions')\n")
        self.write("study.yaml", "program: plain.py\nprotocol: candle\n"
                   "candle: {style: import}\nmethod: grid\n"
                   "metric: {name: val_loss}\nparameters: {x: {value: 1}}\n")
        self.throng("run", "study.yaml", status=3)
        self.assertIn("plain.py has no function initialize_parameters()",
                      self.throng("logs", "1"))

    def test_a_wrong_value_fails_the_trial_with_its_reason(self):
        self.write("study.yaml", "program: mnist_mlp_candle.py\n"
                   "method: grid\nparameters: {epochs: {values: [many]}}\n")
        self.throng("run", "study.yaml", status=3)
        self.assertIn("epochs is a whole number, not 'many'",
                      self.throng("logs", "1"))


if __name__ == "__main__":
    unittest.main()
