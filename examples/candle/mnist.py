"""What the model may be told, beside CANDLE's own keywords."""

import os

import candle_keras as candle

file_path = os.path.dirname(os.path.realpath(__file__))

additional_definitions = [
    {'name': 'samples',
     'type': int,
     'default': 1000,
     'help': 'number of pictures that are drawn'},
    {'name': 'pixel_noise',
     'type': float,
     'default': 0.3,
     'help': 'standard deviation of the noise in each pixel'},
]

required = [
    'activation',
    'batch_size',
    'dense',
    'drop',
    'epochs',
    'learning_rate',
    'optimizer',
]


class MNIST(candle.Benchmark):
    def set_locals(self):
        self.required = set(required)
        self.additional_definitions = additional_definitions
