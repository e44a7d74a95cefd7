/* calibration.c - the file of what `calibrate` has found, for `predict`
 *
 *   {"format": "throng.calibration/1", "models": "SHA256", "samples": 0,
 *    "alpha": 0.1, "rows": 80, "outputs": [{"head": 0, "output": 0,
 *    "metrics": {"interval": 0.3, …}}]}
 *
 * It is of the models that it was found for, asked in the same way. */
#include "base/hash.h"
#include "base/json.h"
#include "study/study.h"

#define FORMAT "throng.calibration/1"

static int hash_models(const struct models *m, char hex[65], struct err *err)
{
    struct str bytes;
    if (file_map(m->is_ensemble ? m->path : m->list[0].file, &bytes, err))
        return -1;
    sha256_hex(bytes, hex);
    file_unmap(bytes);
    return 0;
}

int calibration_write(const struct calibration *c, const struct models *m,
                      const char *path, struct arena *a, struct err *err)
{
    struct value *v = value_object(a);
    char hex[65];
    struct buf b;
    if (hash_models(m, hex, err))
        return -1;
    value_set(a, v, STR("format"), value_string(a, STR(FORMAT)));
    value_set(a, v, STR("models"), value_string(a, str_of(hex)));
    value_set(a, v, STR("samples"), value_int(a, c->samples));
    value_set(a, v, STR("alpha"), value_double(a, c->alpha));
    value_set(a, v, STR("rows"), value_int(a, (int64_t)c->rows));
    value_set(a, v, STR("outputs"), value_copy(a, c->outputs));
    buf_init(&b);
    json_print(&b, v);
    buf_addc(&b, '\n');
    int rc = file_write(path, buf_str(&b), true, err);
    buf_done(&b);
    return rc;
}

static int is_of(const struct value *v, const struct models *m, int64_t samples,
                 const char *path, struct err *err)
{
    char hex[65];
    const struct value *asked = value_get(v, STR("samples"));
    if (!str_is(value_text(value_get(v, STR("format"))), FORMAT))
        return err_set(err, ERR_INPUT,
                       "%s is no calibration that this throng reads (" FORMAT
                       "); `throng calibrate -o` writes one",
                       path);
    if (hash_models(m, hex, err))
        return -1;
    if (!str_is(value_text(value_get(v, STR("models"))), hex))
        return err_set(err, ERR_INPUT,
                       "%s was found for other models than %s: calibrate them",
                       path, m->path);
    if (!asked || asked->kind != VALUE_INT || asked->i != samples)
        return err_set(err, ERR_INPUT,
                       "%s was found with another number of samples: predict "
                       "with the same --samples, or calibrate again",
                       path);
    return 0;
}

const struct value *calibration_read(const char *path, const struct models *m,
                                     int64_t samples, struct arena *a,
                                     struct err *err)
{
    struct str bytes;
    const struct value *v = NULL;
    if (file_map(path, &bytes, err))
        return NULL;
    struct str text = arena_str(a, bytes);
    file_unmap(bytes);
    v = json_parse(a, text, path, true, NULL); /* NULL: no calibration either */
    if (is_of(v, m, samples, path, err))
        return NULL;
    v = value_get(v, STR("outputs"));
    if (v && v->kind == VALUE_LIST)
        return v;
    err_set(err, ERR_INPUT, "%s: its outputs are missing", path);
    return NULL;
}
