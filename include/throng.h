/* throng.h - for training programs in C
 *
 *     struct throng *t = throng_open();
 *     double lr = throng_param_double(t, "lr", 0.1);
 *     for (long long step = 0; step < 100 && !throng_should_stop(t); step++)
 *         throng_report(t, step, "loss", train_one_step(lr));
 *     throng_close(t);
 *
 * Link with `pkg-config --cflags --libs throng`. Everything works outside of
 * throng too: parameters then have the values given in the call, and reports go
 * to standard output. A program may also do without this library: it is a thin
 * layer over the environment variables THRONG_PARAMS, THRONG_METRICS and so on.
 */
#ifndef THRONG_H
#define THRONG_H

#ifdef __cplusplus
extern "C" {
#endif

/* Exit codes with a meaning. */
#define THRONG_EXIT_CHECKPOINTED 85 /* run me again and I go on */
#define THRONG_EXIT_INVALID 78      /* never try these parameters again */

struct throng;

/* Reads the parameters. NULL only when THRONG_PARAMS names a file that cannot
 * be read; *why (when why is not NULL) then says the reason and is yours to
 * free. */
struct throng *throng_open(void);
struct throng *throng_open_why(char **why);
void throng_close(struct throng *t); /* NULL is fine */

/* A parameter, or `otherwise` when there is none of that name or it is of
 * another type. Names of nested ones are joined by '.': "opt.lr". Strings
 * live as long as t. */
int throng_param_has(const struct throng *t, const char *name);
double throng_param_double(const struct throng *t, const char *name,
                           double otherwise);
long long throng_param_int(const struct throng *t, const char *name,
                           long long otherwise);
int throng_param_bool(const struct throng *t, const char *name, int otherwise);
const char *throng_param_string(const struct throng *t, const char *name,
                                const char *otherwise);
/* Any parameter as JSON text, or NULL. Yours to free. */
char *throng_param_json(const struct throng *t, const char *name);

/* Reports one value, or several values of one step. THRONG_NO_STEP: throng
 * counts. 0, or -1 when the line could not be written. */
#define THRONG_NO_STEP (-9223372036854775807LL - 1)
int throng_report(struct throng *t, long long step, const char *name,
                  double value);
int throng_report_many(struct throng *t, long long step,
                       const char *const *names, const double *values,
                       unsigned long count);
/* 1 when the program should save what it wants to keep, and finish. */
int throng_should_stop(const struct throng *t);

/* Folders, made when they are first asked for: ./checkpoint and ./output
 * outside of throng. The first survives attempts and machines, what lies in
 * the second is kept as a result. The path is absolute and lives as long as
 * t; NULL, with errno, when the folder cannot be made. */
const char *throng_checkpoint_dir(const struct throng *t);
const char *throng_output_dir(const struct throng *t);

/* Who am I? Outside of throng study "", trial 0, attempt 1, seed 0. */
const char *throng_study(const struct throng *t);
unsigned long long throng_trial(const struct throng *t);
unsigned long throng_attempt(const struct throng *t);
unsigned long long throng_seed(const struct throng *t);
/* Steps allowed for now; 0: no limit. */
long long throng_budget(const struct throng *t);
/* Fraction of the data to use; 1: all. */
double throng_subset(const struct throng *t);
/* Unix time at which the attempt will be ended; 0: none. */
double throng_deadline(const struct throng *t);

#ifdef __cplusplus
}
#endif
#endif
