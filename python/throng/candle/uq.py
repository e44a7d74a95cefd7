"""Statistics of predictions with uncertainty. Needs numpy; the frames are
those that CANDLE's inference writes (*_pred.tsv, *.predicted_*.tsv)."""

import numpy as np


def _report(truth, mean):
    """Prints how good the predictions are; the errors."""
    error = truth - mean
    squared = error ** 2
    spread = ((truth - truth.mean()) ** 2).sum()
    print("Test MSE: %.6g" % squared.mean())
    print("Test std of squared error: %.6g" % squared.std())
    print("Test MAE: %.6g" % np.abs(error).mean())
    if spread > 0:
        print("Test R2: %.4f" % (1 - squared.sum() / spread))
        if mean.std() > 0:
            print("Test Pearson correlation: %.4f"
                  % np.corrcoef(truth, mean)[0, 1])
    return error


def _columns(df, least, what):
    if df.shape[1] < least:
        raise ValueError("the frame has %d columns; %s needs at least %d"
                         % (df.shape[1], what, least))
    return df.values, df.columns


def compute_statistics_homoscedastic_summary(df_data, col_true=0, col_pred=6,
                                             col_std_pred=7):
    """truth, mean, error, sigma, std, name of a frame that has the mean and
    the standard deviation of all passes."""
    _columns(df_data, max(col_true, col_pred, col_std_pred) + 1,
             "a summary of passes")
    truth = df_data.iloc[:, col_true].values.astype(float)
    mean = df_data.iloc[:, col_pred].values.astype(float)
    std = df_data.iloc[:, col_std_pred].values.astype(float)
    return (truth, mean, _report(truth, mean), std, std,
            df_data.columns[col_true])


def compute_statistics_homoscedastic(df_data, col_true=4, col_pred_start=6):
    """The same of a frame with one column for each pass."""
    _columns(df_data, max(col_true, col_pred_start) + 1, "a frame of passes")
    truth = df_data.iloc[:, col_true].values.astype(float)
    passes = df_data.iloc[:, col_pred_start:].values.astype(float)
    mean, std = passes.mean(axis=1), passes.std(axis=1)
    return (truth, mean, _report(truth, mean), std, std,
            df_data.columns[col_true])


def compute_statistics_heteroscedastic(df_data, col_true=4, col_pred_start=6,
                                       col_std_pred_start=7):
    """The same of a frame in which mean and log-variance alternate; sigma is
    what the model learned, std that of the passes."""
    _columns(df_data, max(col_true, col_pred_start, col_std_pred_start) + 1,
             "a frame of means and log-variances")
    truth = df_data.iloc[:, col_true].values.astype(float)
    passes = df_data.iloc[:, col_pred_start::2].values.astype(float)
    logs = df_data.iloc[:, col_std_pred_start::2].values.astype(float)
    mean = passes.mean(axis=1)
    sigma = np.sqrt(np.exp(logs.mean(axis=1)))
    return (truth, mean, _report(truth, mean), sigma, passes.std(axis=1),
            df_data.columns[col_true])


def compute_statistics_quantile(df_data, sigma_divisor=2.56, col_true=4,
                                col_pred_start=6):
    """The same of a frame in which median, low and high quantile alternate,
    and the mean low and high quantiles; sigma is their distance divided by
    sigma_divisor."""
    _columns(df_data, max(col_true, col_pred_start + 2) + 1,
             "a frame of quantiles")
    truth = df_data.iloc[:, col_true].values.astype(float)
    passes, lows, highs = (
        df_data.iloc[:, col_pred_start + i::3].values.astype(float)
        for i in range(3))
    mean, low, high = (part.mean(axis=1) for part in (passes, lows, highs))
    sigma = (high - low) / sigma_divisor
    return (truth, mean, _report(truth, mean), sigma, passes.std(axis=1),
            df_data.columns[col_true], low, high)


def split_data_for_empirical_calibration(Ytrue, Ypred, sigma, cal_split=0.8):
    """A shuffle and where it is cut: index_perm_total, pSigma_cal,
    pSigma_test, pPred_cal, pPred_test, true_cal, true_test."""
    split = float(np.asarray(cal_split).reshape(-1)[0])
    if not 0 <= split <= 1:
        raise ValueError("cal_split is a fraction from 0 to 1, not %r"
                         % (cal_split,))
    order = np.random.permutation(len(Ytrue))
    cut = int(len(Ytrue) * split)
    parts = [np.asarray(values)[order]
             for values in (sigma, Ypred, Ytrue)]
    return (order,) + tuple(half for values in parts
                            for half in (values[:cut], values[cut:]))
