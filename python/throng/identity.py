"""Who this process is: which study, trial and attempt, and its limits."""

import os


def inside():
    """True when throng runs this script."""
    return "THRONG_TRIAL" in os.environ


def study_name(default=None):
    """The name of the study; `default` by hand."""
    return os.environ.get("THRONG_STUDY") or default


def trial():
    """The number of this trial; 0 by hand."""
    return int(os.environ.get("THRONG_TRIAL") or 0)


def attempt():
    """Which attempt at the trial this is, from 1."""
    return int(os.environ.get("THRONG_ATTEMPT") or 1)


def seed(default=0):
    """The seed of this trial, the same in each of its attempts."""
    return int(os.environ.get("THRONG_SEED") or default)


def budget(default=None):
    """Steps allowed for now, or `default` when there is no limit."""
    text = os.environ.get("THRONG_BUDGET")
    return int(text) if text else default


def deadline():
    """Unix time at which this attempt will be ended, or None."""
    text = os.environ.get("THRONG_DEADLINE")
    return float(text) if text else None


def subset(default=1.0):
    """The fraction of the data to use."""
    return float(os.environ.get("THRONG_SUBSET") or default)
