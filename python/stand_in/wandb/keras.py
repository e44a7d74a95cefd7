"""The older place of the Keras callbacks."""

from .integration import keras as _inner


def __getattr__(name):
    return getattr(_inner, name)
