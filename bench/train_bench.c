/* train_bench.c - the trainer alone, for bench/train
 *
 *   train_bench MODEL.json ROWS [DEVICE [MEMBERS]]  made-up rows; commands
 *   train_bench MODEL.json data [DEVICE [MEMBERS]]  the model's own data
 *   train_bench peak                       multiply-adds of this CPU, GFLOP/s
 *   train_bench gemm                       a bare loop of products; commands
 *
 * The first says the model's parameters and the bytes of rows and weights,
 * then obeys lines from stdin: `epochs N` trains one model on, `models N`
 * trains N models from first weights for all their epochs, `seeds FROM STEP
 * N FILE` those of N seeds, whose last losses go into the file, `cohort N`
 * trains all but one of MEMBERS (2) on together, for N epochs. The last obeys
 * `products N`. Each answer is one line: seconds of CPU, seconds of wall, the
 * last loss. */
#include <cblas.h>
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/rng.h"
#include "data/data.h"
#include "nn/model.h"

struct bench {
    struct arena *arena;
    struct nn_model *model;
    struct data_table table;
    struct data_view view;
    struct data_set *set; /* NULL: made-up rows */
    struct nn_trainer *trainer;
    size_t members;        /* that fit */
    struct nn_turn *turns; /* of all but the first; NULL: not begun */
};

static _Noreturn void die(const char *text)
{
    fprintf(stderr, "train_bench: %s\n", text);
    exit(2);
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- a model and made-up rows ------------------------------------------- */

static struct str read_file(struct arena *a, const char *path)
{
    struct buf text;
    char part[65536];
    size_t got;
    FILE *f = fopen(path, "r");
    if (!f)
        die("the model file cannot be opened");
    buf_init(&text);
    while ((got = fread(part, 1, sizeof(part), f)) > 0)
        buf_add(&text, part, got);
    fclose(f);
    struct str s = arena_str(a, buf_str(&text));
    buf_done(&text);
    return s;
}

static struct nn_model *read_model(struct arena *a, const char *path)
{
    struct err err = {0};
    struct problems faults = {.arena = a};
    struct value *v = json_parse(a, read_file(a, path), path, false, &err);
    if (!v)
        die(err.text);
    struct nn_model *m = nn_model_read(v, NULL, &faults);
    if (!m) {
        fprintf(stderr, "%s: %.*s: %.*s\n", path, STRF(faults.list.p[0].path),
                STRF(faults.list.p[0].text));
        exit(2);
    }
    return m;
}

static struct data_field make_field(struct arena *a, const struct nn_shape *s,
                                    int64_t classes, size_t rows, struct rng *r)
{
    struct data_field f = {.rank = s->rank, .classes = classes};
    f.columns = classes ? 1 : nn_shape_count(s);
    size_t count = rows * (size_t)f.columns;
    for (int i = 0; i < s->rank; i++)
        f.dim[i] = s->dim[i];
    if (classes) {
        int32_t *p = arena_array(a, count, sizeof(*p));
        for (size_t i = 0; i < count; i++)
            p[i] = (int32_t)rng_below(r, (uint64_t)classes);
        f.categories = p;
        return f;
    }
    float *p = arena_array(a, count, sizeof(*p));
    for (size_t i = 0; i < count; i++)
        p[i] = (float)rng_normal(r);
    f.numbers = p;
    return f;
}

static void make_rows(struct bench *b, size_t rows)
{
    const struct nn_graph *g = &b->model->graph;
    struct data_field *inputs =
        arena_array(b->arena, g->inputs.len + 1, sizeof(*inputs));
    struct data_field *labels =
        arena_array(b->arena, g->heads.len + 1, sizeof(*labels));
    uint32_t *all = arena_array(b->arena, rows, sizeof(*all));
    struct rng r;
    rng_init(&r, 1, 1, "rows");
    for (size_t i = 0; i < g->inputs.len; i++)
        inputs[i] = make_field(
            b->arena, &g->tensors.p[g->inputs.p[i].tensor].shape, 0, rows, &r);
    for (size_t i = 0; i < g->heads.len; i++) {
        const struct nn_head *h = &g->heads.p[i];
        const struct nn_shape *s = &g->tensors.p[h->logits].shape;
        bool sparse = h->loss == NN_LOSS_SPARSE_CROSS_ENTROPY;
        labels[i] =
            make_field(b->arena, s, sparse ? nn_shape_count(s) : 0, rows, &r);
    }
    for (size_t i = 0; i < rows; i++)
        all[i] = (uint32_t)i;
    b->table = (struct data_table){.rows = rows,
                                   .inputs = inputs,
                                   .labels = labels,
                                   .input_count = g->inputs.len,
                                   .label_count = g->heads.len};
    b->view.table = &b->table;
    b->view.train = (struct data_part){all, rows};
}

static void read_rows(struct bench *b, const char *path)
{
    struct err err = {0};
    struct data_choice choice = {0};
    const struct value *spec = nn_model_data(b->model);
    const char *slash = strrchr(path, '/');
    struct str folder = slash ? str_n(path, (size_t)(slash - path)) : STR(".");
    if (!spec)
        die("the model names no data");
    b->set = data_open(spec, arena_cstr(b->arena, folder), NULL, &err);
    if (!b->set ||
        data_view_make(&b->view, b->set, spec, &choice, b->arena, &err))
        die(err.text);
    b->table = *b->view.table;
}

static size_t row_bytes(const struct bench *b)
{
    int64_t columns = 0;
    for (size_t i = 0; i < b->table.input_count; i++)
        columns += b->table.inputs[i].columns;
    for (size_t i = 0; i < b->table.label_count; i++)
        columns += b->table.labels[i].columns;
    return b->table.rows * (size_t)columns * sizeof(float);
}

/* ---- commands ----------------------------------------------------------- */

struct answer {
    double cpu, wall;
};

static struct answer begin_answer(void)
{
    return (struct answer){now(CLOCK_PROCESS_CPUTIME_ID), now(CLOCK_MONOTONIC)};
}

static void end_answer(const struct answer *from, double loss)
{
    printf("%.9f %.9f %.9g\n", now(CLOCK_PROCESS_CPUTIME_ID) - from->cpu,
           now(CLOCK_MONOTONIC) - from->wall, loss);
    fflush(stdout);
}

static double train(struct bench *b, int member, int64_t epochs)
{
    struct err err = {0};
    struct nn_report report = {0};
    for (int64_t i = 0; i < epochs; i++)
        if (nn_trainer_epoch(b->trainer, member, &report, &err))
            die(err.text);
    return report.loss;
}

static int join(struct bench *b, uint64_t seed)
{
    struct err err = {0};
    struct nn_member one = {b->model, &b->view, seed};
    int member = nn_trainer_join(b->trainer, &one, &err);
    if (member < 0)
        die(err.text);
    return member;
}

static double train_model(struct bench *b, uint64_t seed)
{
    int member = join(b, seed);
    double loss = train(b, member, b->model->epochs);
    nn_trainer_leave(b->trainer, member);
    return loss;
}

static double train_models(struct bench *b, int64_t count)
{
    double loss = 0;
    for (int64_t i = 0; i < count; i++)
        loss = train_model(b, (uint64_t)i + 2);
    return loss;
}

static double train_seeds(struct bench *b, const char *words)
{
    unsigned long long from, step, count;
    double loss = 0;
    char path[1024];
    if (sscanf(words, "%llu %llu %llu %1023[^\n]", &from, &step, &count,
               path) != 4)
        die("the command is: seeds FROM STEP N FILE");
    FILE *to = fopen(path, "w");
    if (!to)
        die("the file of losses cannot be written");
    for (unsigned long long i = 0; i < count; i++)
        fprintf(to, "%.17g\n", loss = train_model(b, from + i * step));
    if (fclose(to))
        die("the file of losses cannot be written");
    return loss;
}

/* As many as fit beside the first, the same in every call. */
static double train_cohort(struct bench *b, int64_t epochs)
{
    size_t count = b->members - 1;
    for (size_t i = 0; !b->turns && i < count; i++) {
        int member = join(b, i + 2);
        nn_trainer_epochs(b->trainer, member, INT64_MAX);
    }
    if (!b->turns)
        b->turns = arena_array(b->arena, count, sizeof(*b->turns));
    for (int64_t e = 0; e < epochs; e++) {
        for (size_t i = 0; i < count; i++)
            b->turns[i].member = (int)i + 1;
        nn_trainer_turns(b->trainer, b->turns, count);
    }
    return b->turns[count - 1].report.loss;
}

static void obey(struct bench *b)
{
    char line[1200];
    int first = join(b, 1);
    nn_trainer_epochs(b->trainer, first, INT64_MAX); /* as many as are asked */
    while (fgets(line, sizeof(line), stdin)) {
        struct answer from = begin_answer();
        double loss = 0;
        if (strncmp(line, "epochs ", 7) == 0)
            loss = train(b, first, strtoll(line + 7, NULL, 10));
        else if (strncmp(line, "models ", 7) == 0)
            loss = train_models(b, strtoll(line + 7, NULL, 10));
        else if (strncmp(line, "seeds ", 6) == 0)
            loss = train_seeds(b, line + 6);
        else if (strncmp(line, "cohort ", 7) == 0)
            loss = train_cohort(b, strtoll(line + 7, NULL, 10));
        else
            die("commands are: epochs N, models N, seeds FROM STEP N FILE, "
                "cohort N");
        end_answer(&from, loss);
    }
}

static int serve(const char *path, const char *rows, const char *device,
                 size_t members)
{
    struct err err = {0};
    struct bench b = {.arena = arena_new(), .members = members};
    b.model = read_model(b.arena, path);
    if (strcmp(rows, "data") == 0)
        read_rows(&b, path);
    else
        make_rows(&b, strtoull(rows, NULL, 10));
    b.trainer = nn_trainer_open(device, b.model, members, &err);
    if (!b.trainer)
        die(err.text);
    printf("%lld %zu\n", (long long)nn_model_parameters(b.model),
           row_bytes(&b));
    fflush(stdout);
    obey(&b);
    nn_trainer_free(b.trainer);
    nn_model_free(b.model);
    data_close(b.set);
    arena_free(b.arena);
    return 0;
}

/* ---- what the CPU can do ------------------------------------------------ */

enum { PEAK_ROUNDS = 20000000, CHAINS = 12 };

__attribute__((target("avx2,fma"))) static float chains_avx2(void)
{
    __m256 x[CHAINS], a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(0.001f);
    for (int i = 0; i < CHAINS; i++)
        x[i] = _mm256_set1_ps((float)i);
    for (int k = 0; k < PEAK_ROUNDS; k++)
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            x[i] = _mm256_fmadd_ps(x[i], a, b);
    for (int i = 1; i < CHAINS; i++)
        x[0] = _mm256_add_ps(x[0], x[i]);
    return _mm256_cvtss_f32(x[0]);
}

__attribute__((target("avx512f"))) static float chains_avx512(void)
{
    __m512 x[CHAINS], a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(0.001f);
    for (int i = 0; i < CHAINS; i++)
        x[i] = _mm512_set1_ps((float)i);
    for (int k = 0; k < PEAK_ROUNDS; k++)
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            x[i] = _mm512_fmadd_ps(x[i], a, b);
    for (int i = 1; i < CHAINS; i++)
        x[0] = _mm512_add_ps(x[0], x[i]);
    return _mm512_cvtss_f32(x[0]);
}

static int show_peak(void)
{
    bool wide = __builtin_cpu_supports("avx512f");
    if (!wide && !__builtin_cpu_supports("fma"))
        die("this CPU has no fused multiply-add");
    double from = now(CLOCK_PROCESS_CPUTIME_ID);
    volatile float sum = wide ? chains_avx512() : chains_avx2();
    double took = now(CLOCK_PROCESS_CPUTIME_ID) - from;
    (void)sum;
    printf("%.6g\n",
           2.0 * (wide ? 16 : 8) * CHAINS * (double)PEAK_ROUNDS / took * 1e-9);
    return 0;
}

static float *make_matrix(size_t count)
{
    float *p = malloc(count * sizeof(*p));
    if (!p)
        die("no memory");
    for (size_t i = 0; i < count; i++)
        p[i] = (float)(i % 7) * 0.1f;
    return p;
}

/* The first layer of the MLP row, forward, over and over. */
static int serve_products(void)
{
    enum { M = 128, K = 784, N = 512 };
    char line[128];
    float *a = make_matrix(M * K), *b = make_matrix(K * N);
    float *c = make_matrix(M * N);
    printf("%d\n", M * K * N);
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        struct answer from = begin_answer();
        if (strncmp(line, "products ", 9) != 0)
            die("the command is: products N");
        for (long long i = strtoll(line + 9, NULL, 10); i > 0; i--)
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, N, K, 1,
                        a, K, b, N, 0, c, N);
        end_answer(&from, (double)c[0]);
    }
    free(a);
    free(b);
    free(c);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "peak") == 0)
        return show_peak();
    if (argc == 2 && strcmp(argv[1], "gemm") == 0)
        return serve_products();
    if (argc < 3 || argc > 5)
        die("usage: train_bench MODEL.json ROWS|data [DEVICE [MEMBERS]] | peak "
            "| gemm");
    size_t members = argc == 5 ? strtoull(argv[4], NULL, 10) : 2;
    if (members < 2)
        die("there are at least 2 members");
    return serve(argv[1], argv[2], argc > 3 ? argv[3] : "cpu", members);
}
