/* bowl.c - the lowest place of a quadratic through results near the best
 *
 * The results that are nearest to the best one, or to the best one that has
 * other good choices, are fitted by a quadratic of the numbers, with a height
 * and a slope of its own for each choice. Small coefficients are likelier than
 * large ones (it is a Gaussian process with the kernel of such functions), so
 * that few results are enough. The suggestion is the lowest place in a box
 * around the middle of these results, with its choices. There is none where
 * the quadratic does not foretell results that it has not seen better than
 * their mean does: among many valleys, or under noise that is stronger than
 * what differs near the best. How strong it is, the results say themselves.
 *
 * How many results are fitted, and how large the box is, is drawn for each
 * suggestion: those that are out together try steps of several lengths. The
 * box goes with the spread of the results that were fitted, so that steps
 * become small by themselves where results gather.
 *
 * What is fitted does not depend on the order of telling: rows are kept in the
 * order of their merit, failures in that of their trials. */
#include "search/bowl.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "base/exact.h"
#include "base/linear.h"

enum {
    LEAST_RESULTS = 5,
    MOST_FITTED = 64,
    MOST_NUMBERS = 64, /* in more, so few results say too little */
    SWEEPS = 12,       /* over all coordinates, to the lowest place */
    ALL = BOWL_BEST + BOWL_FAILED,
};

/* What these numbers were chosen on, and which of them held on other problems:
 * bench/README.md. */

/* The method's own suggestions are the other half: they know other valleys and
 * other choices. */
static const double share = 0.5;
/* With more results than this a method's own model has learnt the shape, which
 * points from elsewhere only disturb (cmaes never came to the bottom of a
 * turned ellipsoid): the share falls as one over them. */
static const double plenty = 120;
static const double good_share = 2; /* times the root of all: are good */
static const double fewest = 1.5; /* results fitted, for each number, and … */
static const double fewest_more = 3;
/* The box, in units of the spread. */
static const double least_reach = 0.25, most_reach = 2;
static const double converged = 1e-5; /* a spread that is not worth a trial */
static const double stranger = 0.5;   /* the distance of different choices */
/* High values only need to be known as high: they are cut at so many times
 * what the median is above the lowest. */
static const double highest = 10;

/* Variances of the coefficients, where values and distances are about 1. */
static const double height = 1, slope = 1, bend = 0.5, twist = 0.25;
static const double choice_height = 0.5, choice_slope = 0.25;
/* That of values around the quadratic: a hundredth of how they differ, a tenth
 * or all of it, whichever the values make likeliest. */
static const double noises[] = {0.01, 0.1, 1};

/* What one suggestion fits. */
struct fit {
    size_t n, d;
    size_t middle; /* row */
    size_t rows[MOST_FITTED];
    double y[MOST_FITTED], weights[MOST_FITTED];
    double *z;          /* n times d: the rows' numbers, from the middle, … */
    double *spread;     /* … in units of this */
    double *covariance; /* n times n */
    double *slope, *bend; /* of the quadratic: d, and d times d */
    double *low, *high, *at;
};

void bowl_init(struct bowl *b, const struct search_setup *setup,
               const struct history *h)
{
    *b = (struct bowl){.history = h,
                       .seed = setup->seed,
                       .only_beside_others = setup->version < 4,
                       .learns_noise = setup->version >= 5,
                       .least_foretold = setup->version < 5 ? -INFINITY : 0};
    axes_init(&b->axes, setup->space);
    for (size_t i = 0; i < b->axes.count; i++)
        b->numbers += !b->axes.axis[i].choices;
}

void bowl_done(struct bowl *b)
{
    axes_done(&b->axes);
}

/* ---- what was told ---------------------------------------------------- */

static bool newer(const struct history *h, size_t a, size_t b)
{
    return h->trials[a] > h->trials[b];
}

typedef bool before_fn(const struct history *h, size_t a, size_t b);

/* Puts a row in its place among the first `most`; returns how many there
 * are. */
static size_t keep(const struct history *h, before_fn *before, size_t row,
                   size_t *rows, size_t count, size_t most)
{
    size_t at = count;
    if (at == most && !before(h, row, rows[at - 1]))
        return count;
    at -= at == most;
    count = at + 1;
    for (; at > 0 && before(h, row, rows[at - 1]); at--)
        rows[at] = rows[at - 1];
    rows[at] = row;
    return count;
}

void bowl_tell(struct bowl *b, size_t row)
{
    const struct history *h = b->history;
    b->told++;
    if (h->marks[row] == MARK_VALUE)
        b->best_count =
            keep(h, history_better, row, b->best, b->best_count, BOWL_BEST);
    else if (h->marks[row] == MARK_BAD)
        b->failed_count =
            keep(h, newer, row, b->failed, b->failed_count, BOWL_FAILED);
}

/* ---- the results around a good one ------------------------------------ */

static bool same_choices(const struct bowl *b, size_t r, size_t s)
{
    for (size_t i = 0; i < b->axes.count; i++) {
        const double *column = b->history->columns[b->axes.axis[i].param];
        double x = column[r], y = column[s];
        if (b->axes.axis[i].choices && x != y && !(isnan(x) && isnan(y)))
            return false;
    }
    return true;
}

/* The best row with the choices of a good one, whichever is drawn: else
 * choices whose numbers are well set hide better ones whose are not yet. */
static size_t choose_middle(const struct bowl *b, struct rng *rng)
{
    size_t at = 0;
    if (b->numbers == b->axes.count)
        return b->best[0];
    double good = fmin(1 + good_share * sqrt((double)b->best_count),
                       (double)b->best_count);
    size_t like = b->best[rng_below(rng, (uint64_t)good)];
    while (!same_choices(b, b->best[at], like))
        at++;
    return b->best[at];
}

struct near {
    double square; /* of the distance */
    int64_t trial;
    size_t row;
};

static int by_distance(const void *a, const void *b)
{
    const struct near *x = a, *y = b;
    if (x->square != y->square)
        return x->square < y->square ? -1 : 1;
    return x->trial < y->trial ? -1 : x->trial > y->trial;
}

/* The square of the distance of two rows. */
static double apart(const struct bowl *b, size_t r, size_t s)
{
    double sum = 0;
    for (size_t i = 0; i < b->axes.count; i++) {
        const double *column = b->history->columns[b->axes.axis[i].param];
        double x = column[r], y = column[s];
        double way = x - y;
        if (isnan(x) && isnan(y))
            way = 0;
        else if (isnan(way) || (b->axes.axis[i].choices && way != 0))
            way = stranger;
        sum += way * way;
    }
    return sum;
}

/* The rows nearest to the middle, so many as are drawn. */
static void gather(const struct bowl *b, struct fit *f, struct rng *rng)
{
    struct near near[ALL];
    size_t all = b->best_count + b->failed_count;
    for (size_t i = 0; i < all; i++) {
        size_t row =
            i < b->best_count ? b->best[i] : b->failed[i - b->best_count];
        near[i] = (struct near){apart(b, row, f->middle),
                                b->history->trials[row], row};
    }
    qsort(near, all, sizeof(*near), by_distance);
    double most = fmin((double)all, MOST_FITTED);
    double least = fmin(most, fewest * (double)f->d + fewest_more);
    double ratio = exact_exp(rng_uniform(rng) * exact_log(most / least));
    f->n = (size_t)fmin(least * ratio, most);
    for (size_t i = 0; i < f->n; i++)
        f->rows[i] = near[i].row;
}

/* What the quadratic is to have at a row: infinity, where it is only known
 * that it is bad. While no result keeps the constraints, it is how far they
 * are broken. */
static double value_of(const struct bowl *b, size_t row)
{
    const struct history *h = b->history;
    if (h->marks[row] != MARK_VALUE)
        return INFINITY;
    if (h->broken[b->best[0]] > 0)
        return h->broken[row];
    return h->broken[row] > 0 ? INFINITY : h->losses[row];
}

/* Cuts high values and makes the rest about 1. */
static void set_values(const struct bowl *b, struct fit *f)
{
    double sorted[MOST_FITTED], n = (double)f->n, mean = 0, square = 0;
    size_t finite = 0;
    for (size_t i = 0; i < f->n; i++) {
        f->y[i] = value_of(b, f->rows[i]);
        if (isfinite(f->y[i]))
            sorted[finite++] = f->y[i];
    }
    qsort(sorted, finite, sizeof(*sorted), ascending);
    double low = finite ? sorted[0] : 0;
    double middle = finite ? sorted[(finite - 1) / 2] : 0;
    double high = middle > low ? highest * (middle - low) : 1;
    for (size_t i = 0; i < f->n; i++) {
        f->y[i] = fmin(f->y[i] - low, high);
        mean += f->y[i] / n;
    }
    for (size_t i = 0; i < f->n; i++)
        square += (f->y[i] - mean) * (f->y[i] - mean) / n;
    double unit = square > 0 ? sqrt(square) : 1;
    for (size_t i = 0; i < f->n; i++)
        f->y[i] = (f->y[i] - mean) / unit;
}

/* Where a number of the middle is; one that is not active does not matter. */
static double middle_at(const struct bowl *b, const struct fit *f, size_t axis)
{
    double at = b->history->columns[b->axes.axis[axis].param][f->middle];
    return isnan(at) ? 0.5 : at;
}

/* Returns the widest spread. */
static double set_places(const struct bowl *b, struct fit *f)
{
    size_t number = 0;
    double widest = 0;
    for (size_t a = 0; a < b->axes.count; a++) {
        const double *column = b->history->columns[b->axes.axis[a].param];
        double *z = f->z + number, at = middle_at(b, f, a), sum = 0;
        if (b->axes.axis[a].choices)
            continue;
        for (size_t i = 0; i < f->n; i++) {
            double way = column[f->rows[i]] - at;
            z[i * f->d] = isnan(way) ? 0 : way;
            sum += z[i * f->d] * z[i * f->d];
        }
        double spread = sqrt(sum / (double)f->n);
        widest = fmax(widest, spread);
        f->spread[number] = spread > 0 ? spread : 1;
        for (size_t i = 0; i < f->n; i++)
            z[i * f->d] /= f->spread[number];
        number++;
    }
    return widest;
}

/* ---- the quadratic ---------------------------------------------------- */

/* How many choices two rows have in common. */
static double common(const struct bowl *b, size_t r, size_t s)
{
    double count = 0;
    for (size_t i = 0; i < b->axes.count; i++) {
        const double *column = b->history->columns[b->axes.axis[i].param];
        if (b->axes.axis[i].choices)
            count += column[r] == column[s];
    }
    return count;
}

static double covariance_of(const struct bowl *b, const struct fit *f, size_t i,
                            size_t j)
{
    const double *x = f->z + i * f->d, *y = f->z + j * f->d;
    double sum = 0, squares = 0;
    for (size_t k = 0; k < f->d; k++) {
        double product = x[k] * y[k];
        sum += product;
        squares += product * product;
    }
    double value = height + slope * sum + bend * squares +
                   twist * (sum * sum - squares) / 2;
    if (b->numbers < b->axes.count)
        value += common(b, f->rows[i], f->rows[j]) *
                 (choice_height + choice_slope * sum);
    return value;
}

/* How much of the differences between the rows the quadratic foretells when it
 * has not seen a row: 1 is all, 0 what their mean does as well. Solves with one
 * row left out follow from the inverse of the covariance. */
static double foretold(const struct fit *f)
{
    size_t n = f->n;
    double sum = 0;
    double *inverse = xcalloc(n * n, sizeof(*inverse));
    cholesky_inverse(f->covariance, n, n, inverse);
    for (size_t i = 0; i < n; i++) {
        double off = f->weights[i] / inverse[i * n + i];
        sum += off * off / (double)n;
    }
    free(inverse);
    return 1 - sum;
}

/* What each row adds to the quadratic, where values have this noise. Returns
 * the logarithm of how likely the values are then, up to a constant. */
static double solve_with(const struct bowl *b, struct fit *f, double noise)
{
    size_t n = f->n;
    double likely = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++)
            f->covariance[i * n + j] = covariance_of(b, f, i, j);
        f->covariance[i * n + i] += noise;
        f->weights[i] = f->y[i];
    }
    if (cholesky_extend(f->covariance, n, 0, n))
        return -INFINITY;
    solve_lower_one(f->covariance, n, n, f->weights);
    for (size_t i = 0; i < n; i++)
        likely -= f->weights[i] * f->weights[i] / 2 +
                  exact_log(f->covariance[i * n + i]);
    solve_upper_one(f->covariance, n, n, f->weights);
    return likely;
}

/* With the likeliest noise. */
static bool solve(const struct bowl *b, struct fit *f)
{
    size_t count = b->learns_noise ? sizeof(noises) / sizeof(*noises) : 1;
    size_t best = 0;
    double most = -INFINITY, last = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        last = solve_with(b, f, noises[i]);
        if (last > most) {
            most = last;
            best = i;
        }
    }
    if (best + 1 < count)
        last = solve_with(b, f, noises[best]);
    return isfinite(last);
}

/* The quadratic at the middle's choices. */
static void set_quadratic(const struct bowl *b, struct fit *f)
{
    size_t d = f->d;
    for (size_t r = 0; r < f->n; r++) {
        const double *z = f->z + r * d;
        double shared = common(b, f->rows[r], f->middle);
        for (size_t i = 0; i < d; i++) {
            double part = f->weights[r] * z[i];
            f->slope[i] += part * (slope + shared * choice_slope);
            f->bend[i * d + i] += part * bend * z[i];
            for (size_t j = 0; j < i; j++)
                f->bend[i * d + j] += part * twist * z[j];
        }
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++)
            f->bend[j * d + i] = f->bend[i * d + j];
}

/* Where first t + second t^2 is lowest between two bounds; a coordinate that
 * nothing is known of stays. */
static double lowest(double first, double second, double low, double high)
{
    if (second > 0)
        return fmin(fmax(-first / (2 * second), low), high);
    if (first == 0 && second == 0)
        return 0;
    double left = low * (first + second * low);
    double right = high * (first + second * high);
    return left < right ? low : high;
}

/* To the lowest place in the box, one coordinate after the other. */
static void descend(struct fit *f)
{
    size_t d = f->d;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t i = 0; i < d; i++) {
            const double *row = f->bend + i * d;
            double others = dot(row, f->at, d) - row[i] * f->at[i];
            f->at[i] =
                lowest(f->slope[i] + others, row[i], f->low[i], f->high[i]);
        }
}

/* ---- asking ----------------------------------------------------------- */

static void set_box(const struct bowl *b, struct fit *f, struct rng *rng)
{
    double wider = exact_log(most_reach / least_reach);
    double reach = least_reach * exact_exp(rng_uniform(rng) * wider);
    size_t number = 0;
    for (size_t a = 0; a < b->axes.count; a++) {
        double at = middle_at(b, f, a);
        if (b->axes.axis[a].choices)
            continue;
        f->low[number] = fmax(-reach, -at / f->spread[number]);
        f->high[number] = fmin(reach, (1 - at) / f->spread[number]);
        number++;
    }
}

/* False when numbers were too large to calculate with. */
static bool write_point(const struct bowl *b, const struct fit *f, double *u)
{
    size_t number = 0;
    for (size_t i = 0; i < b->history->width; i++)
        u[i] = 0.5;
    for (size_t a = 0; a < b->axes.count; a++) {
        double at = middle_at(b, f, a);
        if (!b->axes.axis[a].choices) {
            at += f->spread[number] * f->at[number];
            number++;
        }
        if (!isfinite(at))
            return false;
        u[b->axes.axis[a].param] = fmin(fmax(at, 0), 1);
    }
    return true;
}

static void fit_init(struct fit *f, const struct bowl *b)
{
    size_t d = b->numbers, n = MOST_FITTED;
    *f = (struct fit){.d = d};
    f->spread = xcalloc(5 * d + d * d + n * d + n * n, sizeof(double));
    f->slope = f->spread + d;
    f->low = f->slope + d;
    f->high = f->low + d;
    f->at = f->high + d;
    f->bend = f->at + d;
    f->z = f->bend + d * d;
    f->covariance = f->z + n * d;
}

static double share_of(const struct bowl *b)
{
    double told = (double)b->told;
    bool falls = !b->only_beside_others && told > plenty;
    return falls ? share * plenty / told : share;
}

bool bowl_ask(const struct bowl *b, int64_t k, size_t out, double *u)
{
    struct rng rng;
    struct fit f;
    rng_init(&rng, b->seed, (uint64_t)k, "bowl");
    if ((b->only_beside_others && !out) || rng_uniform(&rng) >= share_of(b) ||
        b->best_count < LEAST_RESULTS || !b->numbers ||
        b->numbers > MOST_NUMBERS)
        return false;
    fit_init(&f, b);
    f.middle = choose_middle(b, &rng);
    gather(b, &f, &rng);
    bool found = set_places(b, &f) >= converged;
    if (found) {
        set_values(b, &f);
        found = solve(b, &f) &&
                (isinf(b->least_foretold) || foretold(&f) >= b->least_foretold);
    }
    if (found) {
        set_quadratic(b, &f);
        set_box(b, &f, &rng);
        descend(&f);
        found = write_point(b, &f, u);
    }
    free(f.spread);
    return found;
}
