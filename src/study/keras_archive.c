/* keras_archive.c - a model that Keras 3 has saved as one file (.keras)
 *
 * A zip archive of config.json, the model as `to_json` says it, and
 * model.weights.h5. Both are unpacked, and taken as if they had been named. */
#include "study/keras_archive.h"

#include "data/data.h"

bool keras_archive_is(const char *path)
{
    struct str bytes;
    bool is = str_ends(str_of(path), STR(".keras")) && file_exists(path) &&
              file_map(path, &bytes, NULL) == 0;
    if (!is)
        return false;
    is = data_is_zip(bytes);
    file_unmap(bytes);
    return is;
}

static int unpack(struct str bytes, const char *path, const char *name,
                  const char *to, struct arena *a, struct err *err)
{
    struct str member;
    if (!str_eq(data_zip_find(bytes, str_of(name)), str_of(name)))
        return err_set(err, ERR_INPUT,
                       "%s has no %s: it is none that Keras 3 has saved", path,
                       name);
    return data_read_zip(bytes, path, str_of(name), a, &member, err) ||
                   file_write(to, member, false, err)
               ? -1
               : 0;
}

int keras_archive_take(const char *path, const char *folder, const char **model,
                       const char **weights, struct arena *a, struct err *err)
{
    struct str bytes;
    *model = path_join(a, folder, "config.json");
    *weights = path_join(a, folder, "model.weights.h5");
    if (file_map(path, &bytes, err))
        return -1;
    int rc = unpack(bytes, path, "config.json", *model, a, err);
    if (!rc)
        rc = unpack(bytes, path, "model.weights.h5", *weights, a, err);
    file_unmap(bytes);
    return rc;
}
