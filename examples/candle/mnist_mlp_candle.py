"""A multilayer perceptron that reads digits, written the CANDLE way.

It is plain numpy. By hand:

    python3 mnist_mlp_candle.py -e 2 --dense 64 32
"""

import candle_keras as candle
import numpy as np

import digits
import mlp
import mnist


class Checkpoint(candle.CandleCkpt):
    def write_model_backend(self, model, epoch):
        with open(self.model_file, 'wb') as file:
            np.savez(file, *model.state())

    def build_model(self, model_file):
        with np.load(model_file) as arrays:
            self.model.restore([arrays[name] for name in arrays.files])


def initialize_parameters(default_model='mnist_params.txt'):
    bmk = mnist.MNIST(mnist.file_path, default_model, 'numpy',
                      prog='mnist_mlp', desc='MNIST MLP in plain numpy')
    return candle.finalize_parameters(bmk)


def load_data(gParameters):
    x, y = digits.draw(gParameters['samples'], gParameters['pixel_noise'],
                       seed=gParameters['rng_seed'])
    x = candle.scale_array(x, 'std').astype(gParameters['data_type'])
    cut = int(len(x) * gParameters['val_split'])
    y = candle.to_categorical(y, 10)
    return (x[cut:], y[cut:]), (x[:cut], y[:cut])


def run(gParameters):
    candle.set_seed(gParameters['rng_seed'])
    train, val = load_data(gParameters)
    model = mlp.MLP([train[0].shape[1]] + gParameters['dense'] + [10],
                    gParameters['activation'], gParameters['dropout'],
                    gParameters['optimizer'], gParameters['learning_rate'])
    ckpt = Checkpoint(gParameters, verbose=False)
    ckpt.set_model(model)
    J = ckpt.restart(model)
    log = candle.CandleRemoteMonitor(params=gParameters)
    timer = candle.TerminateOnTimeOut(gParameters['timeout'])
    history = {}
    log.on_train_begin()
    for epoch in range(J['epoch'] if J else 0, gParameters['epochs']):
        history = {'loss': model.train(*train, gParameters['batch_size'])}
        history['val_loss'], history['val_accuracy'] = model.evaluate(*val)
        ckpt.ckpt_epoch(epoch, '-', history['val_loss'])
        log.on_epoch_end(epoch, history)
        timer.on_epoch_end(epoch, history)
        if log.stop_training or timer.stop_training:
            break
    log.on_train_end()
    return history


def main():
    history = run(initialize_parameters())
    if history:
        print('val_accuracy: %r' % history['val_accuracy'])
        print('IMPROVE_RESULT val_loss: %r' % history['val_loss'])


if __name__ == '__main__':
    main()
