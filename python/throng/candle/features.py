"""Which features to keep, and rows brought to one distribution. Needs numpy
(pandas for frames and for correlations of ranks or with gaps)."""

import numpy as np


def _array(data):
    values = getattr(data, "values", data)
    if not isinstance(values, np.ndarray) or values.ndim != 2:
        raise TypeError("the data must be a numpy array of rows and columns "
                        "or a pandas frame, not %s" % type(data).__name__)
    return values.astype(np.float64)


def select_features_by_missing_values(data, threshold=0.1):
    """Numbers of the columns of which fewer than this fraction are gaps."""
    return np.where(np.isnan(_array(data)).mean(axis=0) < threshold)[0]


def select_features_by_variation(data, variation_measure="var",
                                 threshold=None, portion=None,
                                 draw_histogram=False, bins=100, log=False):
    """Numbers of the columns that vary by more than a threshold, or the
    portion of them that varies most; by variance (var), standard deviation
    (std) or median absolute deviation (mad), gaps left out."""
    if threshold is not None and portion is not None:
        raise ValueError("give threshold or portion, not both")
    data = _array(data)
    there = np.where(~np.isnan(data).all(axis=0))[0]
    measures = {"var": np.nanvar, "std": np.nanstd, "mad": _deviation}
    if variation_measure not in measures:
        raise ValueError("variation_measure is one of var, std, mad, not %r"
                         % (variation_measure,))
    variation = measures[variation_measure](data[:, there], axis=0)
    if draw_histogram:
        import matplotlib.pyplot as plt
        plt.hist(variation, bins=min(bins, len(variation)), log=log)
        plt.show()
    if threshold is not None:
        return there[variation > threshold]
    if portion is None:
        return np.array([])
    count = int(min(portion * data.shape[1], len(variation)))
    return np.sort(there[np.argsort(-variation)[:count]])


def _deviation(data, axis):
    middle = np.nanmedian(data, axis=axis)
    return np.nanmedian(np.abs(data - middle), axis=axis)


def select_decorrelated_features(data, method="pearson", threshold=None,
                                 random_seed=None):
    """Numbers of columns no two of which correlate by the threshold or more
    (None: are equal). The first of two stays; with a seed they are looked at
    in random order. Columns without spread are left out."""
    values = _array(data)
    there = np.where((~np.isnan(values)).sum(axis=0) > 1)[0]
    there = there[np.nanstd(values[:, there], axis=0) > 0]
    if random_seed is not None:
        there = np.random.RandomState(random_seed).permutation(there)
    values = values[:, there]
    alike = _equal(values) if threshold is None \
        else _correlations(values, method) >= threshold
    kept = []
    gone = np.zeros(len(there), dtype=bool)
    for i in range(len(there)):
        if not gone[i]:
            kept.append(i)
            gone |= alike(i) if threshold is None else alike[i]
    return np.sort(there[kept])


def _equal(values):
    def alike(i):
        with np.errstate(invalid="ignore"):
            one = values[:, [i]]
            return ((values == one) |
                    (np.isnan(values) & np.isnan(one))).all(axis=0)
    return alike


def _correlations(values, method):
    if method == "pearson" and not np.isnan(values).any():
        return np.abs(np.corrcoef(values, rowvar=False)).reshape(
            values.shape[1], values.shape[1])
    import pandas as pd
    return np.abs(pd.DataFrame(values).corr(method=method).values)


def quantile_normalization(data):
    """Every row with the same distribution: that of the mean of the sorted
    rows. Gaps stay gaps; for the distribution they are filled with values of
    their row drawn at random."""
    values = _array(data)
    gaps = np.isnan(values)
    filled = values.copy()
    for i in np.where(gaps.any(axis=1))[0]:
        there = values[i, ~gaps[i]]
        filled[i, gaps[i]] = np.random.choice(there, gaps[i].sum())
    profile = np.sort(filled, axis=1).mean(axis=0)
    out = np.empty_like(filled)
    for i, row in enumerate(filled):
        ordered = np.sort(row)
        # Equal values share the middle of their ranks.
        low = np.searchsorted(ordered, row, side="left")
        high = np.searchsorted(ordered, row, side="right")
        out[i] = profile[(low + high + 1) // 2 - 1]
    out[gaps] = np.nan
    if hasattr(data, "columns"):
        import pandas as pd
        return pd.DataFrame(out, columns=data.columns, index=data.index)
    return out
