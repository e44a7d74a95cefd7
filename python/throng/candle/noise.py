"""Noise in labels and features, to see what a model makes of it. Needs numpy.

Draws come from Python's and numpy's own generators, so that set_seed makes
them the same again.
"""

import random

import numpy as np


def add_noise(data, labels, params):
    """Features and labels with the noise that the parameters ask for: none
    without add_noise; else the first of noise_cluster, label_noise,
    noise_gaussian, noise_column that is set. (CANDLE looks at label_noise
    first; noise_cluster, which uses it as its own level, could then never do
    anything.)"""
    get = params.get
    if not get("add_noise"):
        return data, labels
    if get("noise_cluster"):
        data = add_cluster_noise(
            data, 0.0, params["std_dev"], params["feature_col"],
            get("noise_type") or "gaussian", params["sample_ids"],
            get("label_noise") or 0.0)
    elif get("label_noise"):
        if get("noise_correlated"):
            labels, _ = label_flip_correlated(
                labels, params["label_noise"], data, params["feature_col"],
                params["feature_threshold"])
        else:
            labels, _ = label_flip(labels, params["label_noise"])
    elif get("noise_gaussian"):
        data = add_gaussian_noise(data, 0, params["std_dev"])
    elif get("noise_column"):
        data = add_column_noise(data, 0, params["std_dev"],
                                params["feature_col"],
                                get("noise_type") or "gaussian")
    return data, labels


def _flip(row):
    """Another class: the other one of two, any other one of more. (CANDLE
    turns every bit of a row, which for more than two classes is no label.)"""
    now = int(np.argmax(row))
    classes = len(row)
    if classes < 2:
        return
    other = 1 - now
    if classes > 2:
        other = random.randrange(classes - 1)
        other += other >= now
    row[now], row[other] = 0, 1


def _say(what, count, of, level):
    fraction = count / of if of else 0.0
    print("%s on %d samples out of %d: %06.4f (%06.4f requested)"
          % (what, count, of, fraction, level))
    return fraction


def label_flip(y_data_categorical, y_noise_level):
    """One-hot labels, each given another class with this probability, and
    the fraction that was."""
    count = 0
    for row in y_data_categorical:
        if random.random() < y_noise_level:
            count += 1
            _flip(row)
    return y_data_categorical, _say("Labels flipped", count,
                                    len(y_data_categorical), y_noise_level)


def label_flip_correlated(y_data_categorical, y_noise_level, x_data, col_ids,
                          threshold):
    """The same for rows whose feature is above the threshold, for each of
    the columns in turn."""
    fraction = 0.0
    for column in col_ids:
        count = 0
        for i, row in enumerate(y_data_categorical):
            if x_data[i][column] > threshold and \
                    random.random() < y_noise_level:
                count += 1
                _flip(row)
        fraction = _say("Labels flipped by feature %d" % column, count,
                        len(y_data_categorical), y_noise_level)
    return y_data_categorical, fraction


def _draw(noise_type, loc, scale, size=None):
    if noise_type == "gaussian":
        return np.random.normal(loc, scale, size)
    if noise_type == "uniform":
        return np.random.uniform(-scale, scale, size)
    raise ValueError("noise_type is gaussian or uniform, not %r"
                     % (noise_type,))


def add_gaussian_noise(x_data, loc=0.0, scale=0.5):
    """Features with normal noise added to each."""
    return x_data + np.random.normal(loc, scale, size=x_data.shape)


def add_column_noise(x_data, loc=0.0, scale=0.5, col_ids=(0,),
                     noise_type="gaussian"):
    """Features with noise added to every row of some columns."""
    for column in col_ids:
        x_data[:, column] = x_data[:, column] + _draw(
            noise_type, loc, scale, x_data.shape[0])
    return x_data


def add_cluster_noise(x_data, loc=0.0, scale=0.5, col_ids=(0,),
                      noise_type="gaussian", row_ids=(0,),
                      y_noise_level=0.0):
    """Features with noise added to some columns of each of some rows, with
    this probability."""
    count = 0
    for row in row_ids:
        if random.random() < y_noise_level:
            count += 1
            for column in col_ids:
                x_data[row, column] += _draw(noise_type, loc, scale)
    _say("Noise added", count, len(row_ids), y_noise_level)
    return x_data
