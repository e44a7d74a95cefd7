"""Which samples train, validate and test: cross-validation, and the ways of
uncertainty studies. Needs numpy."""

import warnings
from collections import Counter

import numpy as np


def generate_cross_validation_partition(group_label, n_folds=5, n_repeats=1,
                                        portions=None, random_seed=None):
    """For each fold of each repeat a list of sets of sample numbers, [test,
    training] unless `portions` (numbers of folds) says otherwise. Samples of
    one group stay together; large groups are dealt out first, each to the
    fold that is smallest so far. Without a seed the first repeat keeps that
    order; all others are permuted."""
    counts = Counter(group_label)
    if len(counts) < n_folds:
        raise ValueError("%d groups cannot fill %d folds; use fewer folds"
                         % (len(counts), n_folds))
    portions = [1, n_folds - 1] if portions is None else list(portions)
    if sum(portions) != n_folds:
        raise ValueError("portions %s add up to %d, not to n_folds = %d"
                         % (portions, sum(portions), n_folds))
    groups = sorted(counts, key=lambda g: counts[g], reverse=True)
    random = np.random if random_seed is None \
        else np.random.RandomState(random_seed)
    partition = []
    for repeat in range(n_repeats):
        order = groups
        if repeat > 0 or random_seed is not None:
            order = [groups[i] for i in random.permutation(len(groups))]
        folds = _deal(order, counts, group_label, n_folds)
        partition += [_sets(folds, first, portions)
                      for first in range(n_folds)]
    return partition


def _deal(order, counts, labels, n_folds):
    fold_of, sizes = {}, [0] * n_folds
    for group in order:
        fold = sizes.index(min(sizes))
        fold_of[group] = fold
        sizes[fold] += counts[group]
    folds = [[] for _ in range(n_folds)]
    for i, label in enumerate(labels):
        folds[fold_of[label]].append(i)
    return folds


def _sets(folds, first, portions):
    sets, at = [], first
    for portion in portions:
        members = [i for k in range(at, at + portion)
                   for i in folds[k % len(folds)]]
        sets.append(sorted(members))
        at += portion
    return sets


# ---- uncertainty studies ---------------------------------------------------

_WAYS = (("fr", "FRACTION"), ("vec", "BLOCK LIST"), ("bks", "BLOCK NUMBER"))


def generate_index_distribution(numTrain, numTest, numValidation, params):
    """Numbers of training, validation and test samples (None for a part that
    is not asked for), by the first complete triplet uq_train_*, uq_valid_*,
    uq_test_* of fractions (fr), lists of blocks (vec), counts of blocks
    (bks). Without a test part the test samples stay as they are and are not
    counted."""
    ways = {"fr": generate_index_distribution_from_fraction,
            "vec": generate_index_distribution_from_block_list,
            "bks": generate_index_distribution_from_blocks}
    for way, words in _WAYS:
        if all("uq_%s_%s" % (part, way) in params
               for part in ("train", "valid", "test")):
            print("Computing UQ cross-validation - Distributing by " + words)
            return ways[way](numTrain, numTest, numValidation, params)
    raise KeyError("none of the triplets uq_train_*, uq_valid_*, uq_test_* is "
                   "complete, where * is fr (fractions), vec (lists of "
                   "blocks) or bks (counts of blocks)")


def _triplet(params, way):
    return [params["uq_%s_%s" % (part, way)]
            for part in ("train", "valid", "test")]


def _cut(count, sizes, wanted):
    """One shuffle of all numbers, cut into three; the third is the rest."""
    folds = np.arange(count)
    np.random.shuffle(folds)
    a, b = sizes[0], sizes[0] + sizes[1]
    return (folds[:a], folds[a:b] if wanted[1] else None,
            folds[b:] if wanted[2] else None)


def generate_index_distribution_from_fraction(numTrain, numTest,
                                              numValidation, params):
    """By fractions, each from 0 to 1, which add up to 1."""
    fractions = [float(np.asarray(f).reshape(-1)[0])
                 for f in _triplet(params, "fr")]
    for part, fraction in zip(("train", "valid", "test"), fractions):
        if not 0 <= fraction <= 1:
            raise ValueError("uq_%s_fr is a fraction from 0 to 1, not %r"
                             % (part, fraction))
    if abs(sum(fractions) - 1) > 1e-7:
        raise ValueError("uq_train_fr, uq_valid_fr and uq_test_fr add up to "
                         "%r, not to 1" % sum(fractions))
    count = numTrain + numValidation + (numTest if fractions[2] > 0 else 0)
    sizes = [int(np.round(count * f)) for f in fractions[:2]]
    return _cut(count, sizes, [f > 0 for f in fractions])


def _block(count, blocks):
    """The size of a block, rounded, and what is left over or missing."""
    if blocks <= 0:
        raise ValueError("the data are to be cut into %d blocks; name at "
                         "least one" % blocks)
    size = (count + blocks // 2) // blocks
    if size * blocks != count:
        warnings.warn("%d samples cannot be cut into %d equal blocks; the "
                      "last one differs" % (count, blocks), RuntimeWarning,
                      stacklevel=4)
    return size, count - size * blocks


def generate_index_distribution_from_blocks(numTrain, numTest, numValidation,
                                            params):
    """By counts of blocks, out of one shuffle."""
    counts = [int(c) for c in _triplet(params, "bks")]
    count = numTrain + numValidation + (numTest if counts[2] > 0 else 0)
    size, _ = _block(count, sum(counts))
    return _cut(count, [size * c for c in counts[:2]], [c > 0 for c in counts])


def generate_index_distribution_from_block_list(numTrain, numTest,
                                                numValidation, params):
    """By lists of numbers of blocks, without a shuffle."""
    lists = [list(v) for v in _triplet(params, "vec")]
    blocks = sum(len(v) for v in lists)
    count = numTrain + numValidation + (numTest if lists[2] else 0)
    size, rest = _block(count, blocks)
    if sorted(b for v in lists for b in v) != list(range(blocks)):
        warnings.warn("the blocks %s are not each of 0 to %d once"
                      % (lists, blocks - 1), RuntimeWarning, stacklevel=3)
    return tuple(fill_array(v, size * len(v) + max(rest, 0), count, blocks,
                            size) if v or not i else None
                 for i, v in enumerate(lists))


def compute_limits(numdata, numblocks, blocksize, blockn):
    """First sample of a block and the one behind its last; the last block
    ends with the data."""
    start = blockn * blocksize
    return start, numdata if blockn == numblocks - 1 else start + blocksize


def fill_array(blocklist, maxsize, numdata, numblocks, blocksize):
    """The numbers of the samples of some blocks, in the order of the list."""
    parts = [np.arange(*compute_limits(numdata, numblocks, blocksize, block),
                       dtype=int) for block in blocklist]
    return np.concatenate(parts)[:maxsize] if parts else np.zeros(0, dtype=int)
