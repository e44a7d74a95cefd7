/* infer_bench.c - predictions alone, for bench/infer
 *
 *   infer_bench MODEL.json ROWS [plain]     made-up rows; commands
 *
 * Says the model's parameters, then obeys lines from stdin: `ask SAMPLES TIMES`
 * predicts for all rows so many times, each time with so many samples that
 * differ by dropout; with `plain` the model draws nothing. Each answer is one
 * line: seconds of CPU, seconds of wall, the sum of what was predicted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/rng.h"
#include "data/data.h"
#include "nn/nn.h"

#define PIECE 2048 /* rows, as the worker asks for them */

struct bench {
    struct arena *arena;
    struct nn_model *model;
    struct data_table table;
    struct data_view view;
    struct nn_trainer *trainer;
};

static _Noreturn void die(const char *text)
{
    fprintf(stderr, "infer_bench: %s\n", text);
    exit(2);
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct nn_model *read_model(struct arena *a, const char *path)
{
    struct err err = {0};
    struct problems faults = {.arena = a};
    char text[65536];
    FILE *f = fopen(path, "r");
    size_t got = f ? fread(text, 1, sizeof(text), f) : 0;
    struct value *v = json_parse(a, str_n(text, got), path, false, &err);
    if (f)
        fclose(f);
    if (!v)
        die(err.text);
    struct nn_model *m = nn_model_read(v, NULL, &faults);
    if (!m)
        die("the model has faults");
    return m;
}

static void make_rows(struct bench *b, size_t rows)
{
    struct data_table fields = nn_model_fields(b->model, b->arena);
    struct data_field *input = arena_alloc(b->arena, sizeof(*input));
    *input = fields.inputs[0];
    size_t count = rows * (size_t)input->columns;
    float *numbers = arena_array(b->arena, count, sizeof(*numbers));
    uint32_t *all = arena_array(b->arena, rows, sizeof(*all));
    struct rng r;
    rng_init(&r, 1, 1, "rows");
    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)rng_normal(&r);
    for (size_t i = 0; i < rows; i++)
        all[i] = (uint32_t)i;
    input->numbers = numbers;
    b->table = fields;
    b->table.inputs = input;
    b->table.rows = rows;
    b->view.table = &b->table;
    b->view.test = (struct data_part){all, rows};
}

static double ask(struct bench *b, size_t samples, float *outputs)
{
    const struct data_part *part = &b->view.test;
    int member = 0;
    double sum = 0;
    struct err err = {0};
    for (size_t from = 0; from < part->count; from += PIECE) {
        size_t left = part->count - from;
        struct nn_question q = {.members = &member,
                                .parts = &part,
                                .count = 1,
                                .from = from,
                                .rows = left < PIECE ? left : PIECE,
                                .samples = samples,
                                .outputs = outputs,
                                .room = PIECE};
        if (nn_trainer_ask(b->trainer, &q, &err))
            die(err.text);
        for (size_t s = 0; s < samples; s++)
            for (size_t i = 0; i < q.rows; i++)
                sum += (double)outputs[s * PIECE + i];
    }
    return sum;
}

static void obey(struct bench *b)
{
    char line[200];
    unsigned long samples, times;
    while (fgets(line, sizeof(line), stdin)) {
        if (sscanf(line, "ask %lu %lu", &samples, &times) != 2)
            die("an unknown command");
        float *outputs = calloc(samples * PIECE + 1, sizeof(*outputs));
        double sum = 0, cpu = now(CLOCK_PROCESS_CPUTIME_ID);
        double wall = now(CLOCK_MONOTONIC);
        for (unsigned long i = 0; i < times; i++)
            sum += ask(b, samples, outputs);
        printf("%.9f %.9f %.9g\n", now(CLOCK_PROCESS_CPUTIME_ID) - cpu,
               now(CLOCK_MONOTONIC) - wall, sum);
        fflush(stdout);
        free(outputs);
    }
}

int main(int argc, char **argv)
{
    struct bench b = {.arena = arena_new()};
    struct err err = {0};
    if (argc < 3)
        die("a model and a number of rows are needed");
    b.model = read_model(b.arena, argv[1]);
    if (argc == 3)
        nn_model_draw_always(b.model);
    make_rows(&b, strtoul(argv[2], NULL, 10));
    b.trainer = nn_trainer_open("cpu", b.model, 1, &err);
    struct nn_member one = {b.model, &b.view, 1};
    if (!b.trainer || nn_trainer_join(b.trainer, &one, &err))
        die(err.text);
    printf("%lld\n", (long long)nn_model_parameters(b.model));
    fflush(stdout);
    obey(&b);
    nn_trainer_free(b.trainer);
    nn_model_free(b.model);
    arena_free(b.arena);
    return 0;
}
