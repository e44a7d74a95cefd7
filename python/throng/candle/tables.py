"""Tables of features and labels from CSV files. Needs numpy and pandas."""

import numpy as np

from .scale import convert_to_class, scale_array, to_categorical

SEED = 7102
_DTYPES = {"f16": "float16", "f32": "float32", "f64": "float64"}


def _pandas():
    try:
        import pandas
    except ImportError:
        raise ImportError("CANDLE's loaders of tables need pandas, which is "
                          "not installed for this Python (Debian: "
                          "python3-pandas)") from None
    return pandas


def _dtype(dtype):
    return _DTYPES.get(dtype, dtype) if isinstance(dtype, str) else dtype


def _shuffled(frame, shuffle, seed):
    return frame.sample(frac=1, random_state=seed) if shuffle else frame


# ---- load_csv_data ---------------------------------------------------------

def load_csv_data(train_path, test_path=None, sep=",", nrows=None,
                  x_cols=None, y_cols=None, drop_cols=None, onehot_cols=None,
                  n_cols=None, random_cols=False, shuffle=False, scaling=None,
                  dtype=None, validation_split=None, return_dataframe=True,
                  return_header=False, seed=SEED):
    """Features and labels of a training and a test file with a header:
    x_train[, y_train][, x_val[, y_val]][, x_test[, y_test]][, names of x,
    names of y]. Labels come with y_cols, validation with validation_split
    (the last rows of training), test with test_path.

    Columns keep the file's order. With n_cols fewer than there are, the first
    n_cols columns are taken (or random ones), those of onehot_cols and x_cols
    always. One-hot columns are called `column:value` and come first. Scaling
    looks at training and test together, as CANDLE's does."""
    pd = _pandas()
    x_names, y_names = _choose(pd, train_path, sep, x_cols, y_cols, drop_cols,
                               onehot_cols, n_cols, random_cols, seed)
    train = _read(pd, train_path, sep, nrows, x_names, y_names)
    test = _read(pd, test_path, sep, nrows, x_names, y_names) \
        if test_path else train[0:0].copy()
    train = _shuffled(train, shuffle, seed)
    test = _shuffled(test, shuffle and test_path, seed)
    both = pd.concat([train, test])
    x, y = _one_hot(pd, both[x_names], both[y_names], onehot_cols)
    if scaling is not None:
        x = pd.DataFrame(scale_array(x.values.astype(np.float64), scaling),
                         index=x.index, columns=x.columns,
                         dtype=_dtype(dtype))
    elif dtype is not None:
        x = x.astype(_dtype(dtype))
    parts = _parts(x, y, len(train), validation_split, test_path)
    out = [part for pair in parts
           for part in (pair if y_cols is not None else pair[:1])]
    if not return_dataframe:
        out = [part.values for part in out]
    if return_header:
        out += [x.columns.tolist(), y.columns.tolist()]
    return tuple(out) if len(out) > 1 else out


def _names(columns, which):
    """Columns by name, or by number where there is no such name."""
    out, there = [], set(columns)
    for one in which:
        if one in there:
            out.append(one)
        elif isinstance(one, (int, np.integer)) and 0 <= one < len(columns):
            out.append(columns[one])
        else:
            raise KeyError("there is no column %r; the file has %s%s" % (
                one, ", ".join(map(str, columns[:20])),
                " and more" if len(columns) > 20 else ""))
    return out


def _choose(pd, path, sep, x_cols, y_cols, drop_cols, onehot_cols, n_cols,
            random_cols, seed):
    columns = pd.read_csv(path, sep=sep, nrows=0).columns.tolist()
    y_names = _names(columns, y_cols or [])
    out = set(y_names) | set(_names(columns, drop_cols or []))
    free = [c for c in columns if c not in out]
    wanted = _names(columns, x_cols or [])
    reserved = [c for c in _names(columns, onehot_cols or []) + wanted
                if c not in out]
    if n_cols and n_cols < len(free):
        if random_cols:
            random = np.random.RandomState(seed)
            first = [free[i] for i in sorted(
                random.choice(len(free), n_cols, replace=False))]
        else:
            first = free[:n_cols]
        always = set(reserved)
        rest = [c for c in first if c not in always]
        keep = set(reserved + rest[:max(n_cols - len(reserved), 0)])
        return [c for c in free if c in keep], y_names
    wanted = set(wanted if x_cols is not None else free)
    return [c for c in columns if c in wanted], y_names


def _read(pd, path, sep, nrows, x_names, y_names):
    wanted = set(x_names) | set(y_names)
    return pd.read_csv(path, sep=sep, nrows=nrows,
                       usecols=lambda name: name in wanted)


def _one_hot(pd, x, y, columns):
    for column in columns or []:
        frame = y if column in y.columns else x
        if column not in frame.columns:
            continue
        dummies = pd.get_dummies(frame[column], prefix=column, prefix_sep=":")
        frame = pd.concat([dummies.astype(np.uint8),
                           frame.drop(column, axis=1)], axis=1)
        if column in y.columns:
            y = frame
        else:
            x = frame
    return x, y


def _parts(x, y, n_train, validation_split, test):
    split = validation_split or 0
    if not 0 <= split < 1:
        raise ValueError("validation_split is a fraction from 0 to 1, not %r"
                         % (validation_split,))
    cut = n_train - int(n_train * split)
    parts = [(x[:cut], y[:cut])]
    parts += [(x[cut:n_train], y[cut:n_train])] if split else []
    parts += [(x[n_train:], y[n_train:])] if test else []
    return parts


# ---- the older loaders -----------------------------------------------------

def _load(train_file, test_file, class_col, drop_cols, n_cols, shuffle,
          scaling, dtype, seed):
    """Features of both files, scaled together, the length of the first, and
    the labels of both."""
    pd = _pandas()
    usecols = list(range(n_cols + len(drop_cols or []))) if n_cols else None
    frames = [_shuffled(pd.read_csv(path, usecols=usecols), shuffle, seed)
              for path in (train_file, test_file)]
    labels = None if class_col is None else [_labels(f, class_col)
                                             for f in frames]
    if drop_cols is not None:
        frames = [f.drop(list(drop_cols), axis=1) for f in frames]
    mats = [f.values.astype(_dtype(dtype)) for f in frames]
    mat = scale_array(np.concatenate(mats, axis=0), scaling)
    return mat, len(mats[0]), labels


def _labels(frame, class_col):
    """The column of the labels, which models name as a list of one too."""
    if isinstance(class_col, str) or not hasattr(class_col, "__len__"):
        return frame[class_col]
    if len(class_col) != 1:
        raise ValueError("class_col names the one column of the labels, not "
                         "%d: %s" % (len(class_col), list(class_col)))
    return frame[class_col[0]]


def _hot_labels(labels):
    """One column for each class of either file: a class that one of them
    lacks still has its column there."""
    import pandas as pd
    classes = sorted(set(labels[0]) | set(labels[1]))
    return [pd.get_dummies(pd.Categorical(part, categories=classes))
            .values.astype(np.uint8) for part in labels]


def _need_class(class_col):
    if class_col is None:
        raise ValueError("class_col must name the column of the labels")


def load_X_data(train_file, test_file, drop_cols=None, n_cols=None,
                shuffle=False, scaling=None, dtype="float32", seed=SEED):
    """Features of a training and a test file: X_train, X_test."""
    mat, n, _ = _load(train_file, test_file, None, drop_cols, n_cols, shuffle,
                      scaling, dtype, seed)
    return mat[:n], mat[n:]


def load_X_data2(train_file, test_file, drop_cols=None, n_cols=None,
                 shuffle=False, scaling=None, validation_split=0.1,
                 dtype="float32", seed=SEED):
    """X_train, X_val, X_test; validation is the first rows of training."""
    mat, n, _ = _load(train_file, test_file, None, drop_cols, n_cols, shuffle,
                      scaling, dtype, seed)
    cut = int(n * validation_split)
    return mat[cut:n], mat[:cut], mat[n:]


def load_Xy_one_hot_data(train_file, test_file, class_col=None,
                         drop_cols=None, n_cols=None, shuffle=False,
                         scaling=None, dtype="float32", seed=SEED):
    """(X_train, y_train), (X_test, y_test), labels one-hot."""
    _need_class(class_col)
    mat, n, labels = _load(train_file, test_file, class_col, drop_cols,
                           n_cols, shuffle, scaling, dtype, seed)
    train, test = _hot_labels(labels)
    return (mat[:n], train), (mat[n:], test)


def load_Xy_one_hot_data2(train_file, test_file, class_col=None,
                          drop_cols=None, n_cols=None, shuffle=False,
                          scaling=None, validation_split=0.1,
                          dtype="float32", seed=SEED):
    """(X_train, y_train), (X_val, y_val), (X_test, y_test), labels one-hot;
    validation is the first rows of training."""
    _need_class(class_col)
    mat, n, labels = _load(train_file, test_file, class_col, drop_cols,
                           n_cols, shuffle, scaling, dtype, seed)
    train, test = _hot_labels(labels)
    cut = int(n * validation_split)
    return ((mat[cut:n], train[cut:]), (mat[:cut], train[:cut]),
            (mat[n:], test))


def load_Xy_data2(train_file, test_file, class_col=None, drop_cols=None,
                  n_cols=None, shuffle=False, scaling=None,
                  validation_split=0.1, dtype="float32", seed=SEED):
    """As load_Xy_one_hot_data2, with the labels as numbers of classes."""
    parts = load_Xy_one_hot_data2(train_file, test_file, class_col, drop_cols,
                                  n_cols, shuffle, scaling, validation_split,
                                  dtype, seed)
    return tuple((x, convert_to_class(y)) for x, y in parts)


def load_Xy_data_noheader(train_file, test_file, classes, usecols=None,
                          scaling=None, dtype="float32"):
    """X_train, Y_train, X_test, Y_test of files without a header whose first
    column is the number of the class; labels one-hot."""
    pd = _pandas()
    mats = [pd.read_csv(path, header=None, usecols=usecols)
            .values.astype(_dtype(dtype)) for path in (train_file, test_file)]
    labels = [to_categorical(m[:, 0].astype("int"), classes) for m in mats]
    mat = scale_array(np.concatenate([m[:, 1:] for m in mats], axis=0),
                      scaling)
    n = len(mats[0])
    return mat[:n], labels[0], mat[n:], labels[1]
