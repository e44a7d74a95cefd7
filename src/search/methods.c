/* methods.c - what each method is, in words for people
 *
 * A test compares the table with the strategies: every method is in it, and
 * its options are those that the strategy takes. */
#include "search/search.h"

#define OPTIONS(...) ((const struct search_option[]){__VA_ARGS__, {0}})
#define NO_OPTIONS ((const struct search_option[]){{0}})

static const struct search_method methods[] = {
    {"auto",
     "the default: picks one of the others by space, budget, parallelism and "
     "objectives, and says which and why",
     NO_OPTIONS},
    {"grid", "every combination, once; early ones cover the space",
     OPTIONS({"order", "covering or written (covering)"})},
    {"random", "points drawn from the distributions", NO_OPTIONS},
    {"points", "the points that the study lists", NO_OPTIONS},
    {"sobol", "scrambled Sobol' points: even for any number of trials",
     NO_OPTIONS},
    {"lhs", "a Latin hypercube of run_cap points",
     OPTIONS({"size", "of a design, instead of run_cap"})},
    {"tpe",
     "Parzen estimators: any space, conditions and categories too, many "
     "trials, many at once",
     OPTIONS({"startup", "results before the model is used (10)"},
             {"candidates", "points drawn for each that is asked for (32)"},
             {"gamma", "of n results gamma sqrt(n) are the best (1)"},
             {"good", "at most so many of them (25)"},
             {"quadratic", "half of the points from one (true)"})},
    {"gp",
     "a Gaussian process: the fewest trials, up to some hundred; every kind "
     "of parameter",
     OPTIONS({"initial", "results before it models them (parameters + 1)"})},
    {"bayes", "W&B's name for gp",
     OPTIONS({"initial", "results before it models them (parameters + 1)"})},
    {"forest",
     "a random forest with its variance: mixed spaces, and many points at "
     "once",
     OPTIONS({"startup", "results before the model is used (10)"},
             {"trees", "of the forest (64)"},
             {"random", "part of the points that are random (0.2)"},
             {"acquire", "ei: expected improvement, cb: confidence bound (ei)"},
             {"kappa", "deviations from the mean to cb's bound (2)"})},
    {"cmaes",
     "CMA-ES, which learns the shape of a valley: numbers, some hundred "
     "trials and more",
     OPTIONS({"sigma", "width at the start, a part of the range (1/6)"},
             {"population", "trials of a generation (4 + 3 ln d)"},
             {"covariance", "full, separable or auto (auto)"},
             {"quadratic", "half of the points from one (true)"})},
    {"ga", "a genetic algorithm with CANDLE's operators",
     OPTIONS({"strategy", "steady, simple or mu_plus_lambda (steady)"},
             {"population", "of a generation (16)"},
             {"offspring", "of mu_plus_lambda, a part of it (0.5)"},
             {"crossover", "its probability (0.2)"},
             {"mutation", "its probability (0.8)"},
             {"gene_crossover", "of each parameter then (0.5)"},
             {"gene_mutation", "of each parameter then (0.5)"},
             {"tournament", "of how many the best is taken (4)"},
             {"sigma", "{parameter: width} of a change (a tenth)"})},
    {"nsga2", "several metrics: the points that no other beats in all of them",
     OPTIONS({"population", "of a generation (24)"},
             {"crossover", "its probability (0.9)"},
             {"mutation", "of each parameter (one in d)"})},
    {"pbt",
     "population based training: bad members go on from the checkpoint of "
     "good ones",
     OPTIONS({"population", "members (20)"},
             {"steps", "of each trial (1; 0: no budget)"},
             {"exploit", "truncation or tournament (truncation)"},
             {"fraction", "that is bad, and that is good (0.2)"},
             {"perturb", "part by which a number changes (0.2)"},
             {"resample", "probability of drawing anew (0.25)"})},
    {"hyperspace",
     "2^D overlapping sub-spaces, each searched by a method of its own",
     OPTIONS({"method", "that searches each of them (tpe)"},
             {"options", "of that method"},
             {"phi", "overlap, or {parameter: overlap} (0.25)"},
             {"dimensions", "parameters to halve (all that can be)"},
             {"shared", "each hears of all results inside of it (true)"},
             {"scale", "own, or linear as HyperSpace halves (own)"})},
    {"external", "a program of your own decides, in any language",
     OPTIONS({"command", "the program and its arguments, or a shell line"},
             {"timeout", "it must answer within (10m)"},
             {"reports", "it hears of running trials (false)"})},
};

const struct search_method *search_method_at(size_t i)
{
    return i < sizeof(methods) / sizeof(*methods) ? &methods[i] : NULL;
}
