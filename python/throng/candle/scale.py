"""Arrays: scaling, filling gaps, classes. Needs numpy."""

import numpy as np

SCALINGS = ("maxabs", "minmax", "std", "none")


def scale_array(mat, scaling=None):
    """The columns scaled: 'maxabs' to [-1, 1] by the largest magnitude,
    'minmax' to [0, 1], 'std' to mean 0 and standard deviation 1 (of the
    population); None or 'none' leaves them. Gaps (NaN) stay gaps; a column
    without spread is only moved. 'minabs', which CANDLE's own list of choices
    has in place of 'maxabs', means that."""
    name = scaling.lower() if isinstance(scaling, str) else scaling
    if name is None or name == "none":
        return mat
    if name not in SCALINGS + ("minabs",):
        raise ValueError("scaling is one of %s, not %r"
                         % (", ".join(SCALINGS), scaling))
    mat = np.asarray(mat)
    if not np.issubdtype(mat.dtype, np.floating):
        mat = mat.astype(np.float64)
    if mat.shape[0] == 0:
        return mat
    offset, spread = _columns(mat, name)
    spread = np.where((spread == 0) | np.isnan(spread), 1, spread)
    return (mat - offset) / spread


def _columns(mat, name):
    """What is taken off each column, and what it is then divided by."""
    with np.errstate(all="ignore"):
        gaps = np.isnan(mat)
        if name in ("maxabs", "minabs"):
            most = np.abs(np.where(gaps, 0, mat)).max(axis=0)
            return np.zeros(mat.shape[1], mat.dtype), most
        if name == "minmax":
            low = np.where(gaps, np.inf, mat).min(axis=0)
            high = np.where(gaps, -np.inf, mat).max(axis=0)
            empty = gaps.all(axis=0)
            return np.where(empty, 0, low), np.where(empty, 1, high - low)
        count = np.maximum((~gaps).sum(axis=0), 1)
        mean = np.where(gaps, 0, mat).sum(axis=0, dtype=np.float64) / count
        apart = np.where(gaps, 0, mat - mean)
        deviation = np.sqrt((apart ** 2).sum(axis=0) / count)
        # A column of equal numbers has a deviation of rounding only.
        noise = 10 * np.finfo(mat.dtype).eps * np.abs(mean)
        deviation = np.where(deviation <= noise, 0, deviation)
        return mean.astype(mat.dtype), deviation.astype(mat.dtype)


def impute_and_scale_array(mat, scaling=None):
    """Gaps (NaN) filled with the mean of their column, then scaled. A column
    of gaps alone becomes 0."""
    return scale_array(_filled(np.asarray(mat, dtype=np.float64), "mean"),
                       scaling)


def _filled(mat, imputing):
    mat = mat.copy()
    for j in range(mat.shape[1]):
        gaps = np.isnan(mat[:, j])
        if not gaps.any():
            continue
        there = mat[~gaps, j]
        if not there.size:
            value = 0.0
        elif imputing == "mean":
            value = there.mean()
        elif imputing == "median":
            value = np.median(there)
        elif imputing == "most_frequent":
            values, counts = np.unique(there, return_counts=True)
            value = values[counts.argmax()]
        else:
            raise ValueError("imputing is one of mean, median, most_frequent, "
                             "not %r" % (imputing,))
        mat[gaps, j] = value
    return mat


def drop_impute_and_scale_dataframe(df, scaling="std", imputing="mean",
                                    dropna="all"):
    """A pandas frame with its gaps filled and its columns scaled. dropna
    'all' drops columns of gaps alone, 'any' columns with a gap; None sets
    columns of gaps alone to 0."""
    import pandas as pd
    if dropna:
        df = df.dropna(axis=1, how=dropna)
    else:
        df = df.copy()
        df[df.columns[df.notnull().sum() == 0]] = 0
    mat = df.values.astype(np.float64)
    if imputing is not None and imputing.lower() != "none":
        mat = _filled(mat, imputing)
    return pd.DataFrame(scale_array(mat, scaling), columns=df.columns)


def to_categorical(y, num_classes=None):
    """One-hot rows (float32) of whole numbers; a last axis of length 1 goes
    away."""
    y = np.array(y, dtype="int")
    shape = y.shape
    if len(shape) > 1 and shape[-1] == 1:
        shape = shape[:-1]
    y = y.ravel()
    classes = int(num_classes) if num_classes else int(y.max()) + 1
    if y.size and (y.min() < 0 or y.max() >= classes):
        raise ValueError("the class %d is not one of %d (0 to %d)" % (
            y.min() if y.min() < 0 else y.max(), classes, classes - 1))
    out = np.zeros((y.size, classes), dtype=np.float32)
    out[np.arange(y.size), y] = 1
    return out.reshape(shape + (classes,))


def convert_to_class(y_one_hot, dtype=int):
    """The class of each row: its largest entry."""
    y_one_hot = np.asarray(y_one_hot)
    if y_one_hot.shape[0] == 0:
        return np.zeros(0, dtype=dtype)
    return y_one_hot.argmax(axis=1).astype(dtype)


def discretize_array(y, bins=5):
    """The number of the bin of each value, bins of equal shares."""
    return np.digitize(y, _thresholds(y, bins))


def discretize_dataframe(df, col, bins=2, cutoffs=None):
    """The frame with a column replaced by numbers of bins."""
    df[col] = np.digitize(df[col], _thresholds(df[col], bins)
                          if cutoffs is None else cutoffs)
    return df


def _thresholds(y, bins):
    return [np.percentile(y, 100 / bins * (i + 1)) for i in range(bins - 1)]


def lookup(df, query, ret, keys, match="match"):
    """Values of the columns `ret` in rows where one of the columns `keys` is,
    or with match='contains' holds, the query, whatever the case."""
    mask = None
    for key in keys:
        texts = df[key].astype(str)
        found = texts.str.contains(query, case=False, regex=False) \
            if match == "contains" else texts.str.upper() == query.upper()
        mask = found if mask is None else mask | found
    if mask is None:
        return []
    return list(set(df[mask][ret].values.flatten().tolist()))
