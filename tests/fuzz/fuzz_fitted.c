/* fuzz_fitted.c - any text as what was fitted on training rows: it is refused,
 * or rows are read by it */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "data/data.h"
#include "sys/sys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char table[] = "a,colour,note,kind\n"
                            "1,red,the cat,no\n"
                            "2.5,white,a dog,yes\n"
                            "NA,red,,no\n";
static const char other[] = "colour,b,c\nred,1,x\nblue,NA,y\n";

/* A folder with rows, made once; nobody sees the end of a fuzz run. */
static const char *rows_folder(void)
{
    static char folder[] = "/tmp/throng-fuzz-XXXXXX";
    static bool made;
    char path[64];
    if (made)
        return folder;
    made = mkdtemp(folder) != NULL;
    require(made);
    snprintf(path, sizeof path, "%s/t.csv", folder);
    require(file_write(path, str_of(table), false, NULL) == 0);
    snprintf(path, sizeof path, "%s/o.csv", folder);
    require(file_write(path, str_of(other), false, NULL) == 0);
    return folder;
}

static void check_view(const struct data_view *v)
{
    const struct data_table *t = v->table;
    require(v->test.count == t->rows);
    for (size_t i = 0; i < t->input_count; i++) {
        const struct data_field *f = &t->inputs[i];
        size_t count = t->rows * (size_t)f->columns;
        bool numbers = data_has_numbers(f);
        for (size_t k = 0; !numbers && k < count; k++)
            require(f->categories[k] >= 0 && f->categories[k] < f->classes);
        for (size_t k = 0; numbers && k < count; k++) {
            float x =
                data_number(f, k / (size_t)f->columns, k % (size_t)f->columns);
            require(x - x == 0);
        }
        for (size_t k = 0; v->shift[i] && k < (size_t)f->columns; k++)
            require(v->shift[i][k] - v->shift[i][k] == 0);
    }
    for (size_t i = 0; i < t->label_count; i++) {
        const struct data_field *f = &t->labels[i];
        require(!f->classes || !f->numbers || f->categories);
        for (size_t k = 0; f->categories && k < t->rows; k++)
            require(f->categories[k] < f->classes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const specs[] = {
        "{\"file\":\"t.csv\",\"missing\":\"mean\"}",
        "{\"inputs\":\"t.csv\",\"labels\":\"t.csv\",\"missing\":0}",
        "{\"inputs\":\"t.csv\",\"text\":true}",
        ("{\"file\":\"t.csv\",\"missing\":\"mean\",\"join\":{\"colour\":"
         "\"o.csv\"}}")};
    struct arena *a = arena_new();
    for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
        struct err err = {0};
        struct data_view v;
        struct value *spec = json_parse(a, str_of(specs[i]), "s", false, NULL);
        struct data_set *s =
            data_open_fitted(spec, rows_folder(),
                             str_n((const char *)data, size), "f", &v, &err);
        require(s || err.text[0]);
        if (s)
            check_view(&v);
        data_close(s);
    }
    arena_free(a);
    return 0;
}
