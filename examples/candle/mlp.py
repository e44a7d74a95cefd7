"""A multilayer perceptron in plain numpy."""

import numpy as np

ACTIVATIONS = {  # the function, and its slope by its value
    'relu': (lambda z: np.maximum(z, 0), lambda a: a > 0),
    'tanh': (np.tanh, lambda a: 1 - a ** 2),
    'sigmoid': (lambda z: 1 / (1 + np.exp(-z)), lambda a: a * (1 - a)),
}


class MLP:
    def __init__(self, sizes, activation, dropout, optimizer, rate):
        if optimizer not in ('sgd', 'adam'):
            raise ValueError('optimizer is sgd or adam, not %r' % optimizer)
        self.act, self.slope = ACTIVATIONS[activation]
        self.dropout, self.optimizer, self.rate = dropout, optimizer, rate
        self.weights = []
        for n_in, n_out in zip(sizes, sizes[1:]):
            limit = np.sqrt(6 / (n_in + n_out))
            self.weights.append(np.random.uniform(-limit, limit,
                                                  (n_in, n_out)))
            self.weights.append(np.zeros(n_out))
        self.first = [np.zeros_like(w) for w in self.weights]
        self.second = [np.zeros_like(w) for w in self.weights]
        self.steps = np.zeros(1)

    def state(self):
        return self.weights + self.first + self.second + [self.steps]

    def restore(self, arrays):
        for mine, saved in zip(self.state(), arrays):
            mine[...] = saved

    def forward(self, x, training=False):
        """The output of each layer, and what dropout left of it."""
        outputs, masks = [x], []
        layers = len(self.weights) // 2
        for i in range(layers):
            z = outputs[-1] @ self.weights[2 * i] + self.weights[2 * i + 1]
            if i == layers - 1:
                z = np.exp(z - z.max(axis=1, keepdims=True))
                outputs.append(z / z.sum(axis=1, keepdims=True))
                break
            a = self.act(z)
            mask = np.ones_like(a)
            if training and self.dropout > 0:
                mask = (np.random.random_sample(a.shape) >= self.dropout) \
                    / (1 - self.dropout)
            masks.append((a, mask))
            outputs.append(a * mask)
        return outputs, masks

    def gradients(self, x, y):
        outputs, masks = self.forward(x, training=True)
        grads = [None] * len(self.weights)
        delta = (outputs[-1] - y) / len(x)
        for i in reversed(range(len(self.weights) // 2)):
            grads[2 * i] = outputs[i].T @ delta
            grads[2 * i + 1] = delta.sum(axis=0)
            if i:
                a, mask = masks[i - 1]
                delta = delta @ self.weights[2 * i].T * mask * self.slope(a)
        return loss_of(outputs[-1], y), grads

    def step(self, grads):
        self.steps += 1
        t = self.steps[0]
        for w, g, m, v in zip(self.weights, grads, self.first, self.second):
            if self.optimizer == 'sgd':
                m *= 0.9
                m -= self.rate * g
                w += m
                continue
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            w -= self.rate * (m / (1 - 0.9 ** t)) \
                / (np.sqrt(v / (1 - 0.999 ** t)) + 1e-8)

    def train(self, x, y, batch_size):
        """One epoch; the mean loss."""
        order, losses = np.random.permutation(len(x)), []
        for at in range(0, len(x), batch_size):
            batch = order[at:at + batch_size]
            loss, grads = self.gradients(x[batch], y[batch])
            losses.append(loss)
            self.step(grads)
        return float(np.mean(losses))

    def evaluate(self, x, y):
        """Loss and accuracy."""
        out = self.forward(x)[0][-1]
        right = (out.argmax(axis=1) == y.argmax(axis=1)).mean()
        return loss_of(out, y), float(right)


def loss_of(out, y):
    return float(-np.log(np.maximum((out * y).sum(axis=1), 1e-12)).mean())
