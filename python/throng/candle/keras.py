"""What CANDLE's models ask of Keras: optimizers, initializers, counts.

Keras is looked for when one of these is called, not before: models import the
names whether they use them or not. The one that the script has imported is
used, keras or tensorflow.keras.
"""

import math
import os
import sys
from importlib import import_module

from .logs import keras_default_config

# Keras's class and the numbers of keras_default_config that it takes.
_OPTIMIZERS = {
    "sgd": ("SGD", {"momentum": "momentum_sgd", "nesterov": "nesterov_sgd"}),
    "rmsprop": ("RMSprop", {"rho": "rho", "epsilon": "epsilon"}),
    "adagrad": ("Adagrad", {"epsilon": "epsilon"}),
    "adadelta": ("Adadelta", {"rho": "rho", "epsilon": "epsilon"}),
    "adam": ("Adam", {"beta_1": "beta_1", "beta_2": "beta_2",
                      "epsilon": "epsilon"}),
}
# Those that take a seed and nothing else.
_INITIALIZERS = {"glorot_uniform": "GlorotUniform",
                 "glorot_normal": "GlorotNormal",
                 "lecun_uniform": "LecunUniform", "he_normal": "HeNormal"}


def find_keras(what):
    """The module keras, as `what` needs it."""
    names = ["keras", "tensorflow.keras"]
    names.sort(key=lambda name: name.split(".")[0] not in sys.modules)
    for name in names:
        try:
            return import_module(name)
        except ImportError:
            continue
    raise ImportError("candle.%s needs Keras, which is not installed for this "
                      "Python" % what, name="keras")


def set_parallelism_threads():
    """Gives TensorFlow the threads that NUM_INTRA_THREADS and
    NUM_INTER_THREADS say; without it, or them, there is nothing to do."""
    tensorflow = sys.modules.get("tensorflow")
    intra = os.environ.get("NUM_INTRA_THREADS")
    inter = os.environ.get("NUM_INTER_THREADS")
    if tensorflow is None or not intra or not inter:
        return
    threading = tensorflow.config.threading
    threading.set_intra_op_parallelism_threads(int(intra))
    threading.set_inter_op_parallelism_threads(int(inter))


def build_optimizer(optimizer, lr=None, kerasDefaults=None):
    """An optimizer of Keras by CANDLE's name for it, with CANDLE's numbers;
    others by the name that Keras knows. `lr` None: Keras's own."""
    optimizers = find_keras("build_optimizer").optimizers
    numbers = {**keras_default_config(), **(kerasDefaults or {})}
    known = _OPTIMIZERS.get(str(optimizer).lower())
    if known is None:
        made = optimizers.get(optimizer)
        if lr is not None:
            made.learning_rate = lr
        return made
    name, takes = known
    options = {key: numbers[number] for key, number in takes.items()}
    decay = numbers.get("decay_lr") or 0
    if lr is not None and decay:
        lr = optimizers.schedules.InverseTimeDecay(lr, 1, decay)
    if lr is not None:
        options["learning_rate"] = lr
    return getattr(optimizers, name)(**options)


def build_initializer(initializer, kerasDefaults=None, seed=None,
                      constant=0.0):
    """An initializer of Keras by CANDLE's name for it."""
    initializers = find_keras("build_initializer").initializers
    numbers = {**keras_default_config(), **(kerasDefaults or {})}
    if initializer == "constant":
        return initializers.Constant(value=constant)
    if initializer == "uniform":
        return initializers.RandomUniform(
            minval=numbers["minval_uniform"], maxval=numbers["maxval_uniform"],
            seed=seed)
    if initializer == "normal":
        return initializers.RandomNormal(
            mean=numbers["mean_normal"], stddev=numbers["stddev_normal"],
            seed=seed)
    if initializer in _INITIALIZERS:
        return getattr(initializers, _INITIALIZERS[initializer])(seed=seed)
    return initializers.get(initializer)


def compute_trainable_params(model):
    """How many parameters a model of Keras, or of PyTorch, has."""
    if hasattr(model, "trainable_weights"):
        trained = _count(model.trainable_weights)
        fixed = _count(model.non_trainable_weights)
    else:
        weights = list(model.parameters())
        trained = _count(w for w in weights if w.requires_grad)
        fixed = _count(weights) - trained
    return {"trainable_params": trained, "non_trainable_params": fixed,
            "total_params": trained + fixed}


def _count(weights):
    return sum(math.prod(int(n) for n in w.shape) for w in weights)


def permanent_dropout():
    """The class PermanentDropout: dropout that goes on after training."""
    dropout = find_keras("PermanentDropout").layers.Dropout

    class PermanentDropout(dropout):
        """Dropout that draws in predictions too, so that several of them
        show how sure the model is."""

        def call(self, inputs, training=None):
            return super().call(inputs, training=True)

    return PermanentDropout


def register_permanent_dropout():
    """Lets Keras read saved models that have a PermanentDropout."""
    from .. import candle
    find_keras("register_permanent_dropout").utils.get_custom_objects()[
        "PermanentDropout"] = candle.PermanentDropout


def __getattr__(name):
    if name != "PermanentDropout":
        raise AttributeError("module %r has no attribute %r"
                             % (__name__, name))
    globals()[name] = permanent_dropout()
    return globals()[name]
