/* hdf5_file.c - arrays of an HDF5 file, by libhdf5
 *
 * The library is loaded when such a file is read, so that throng is the same
 * program where it is missing. Its types are declared here by hand, those that
 * are the same since 1.10. Filters that it would load from elsewhere are turned
 * off: a file of weights runs nothing. */

#include "base/library.h"
#include "nn/foreign/tensors.h"

enum { KIND_GROUP = 2, KIND_DATASET = 5, INDEX_BY_NAME = 0, RISING = 0 };
enum { CLASS_INTEGER = 0, CLASS_FLOAT = 1 };
#define DEPTH_MAX 32
#define ARRAYS_MAX 100000
#define NAME_MAX_BYTES 1024

typedef int64_t hid;

struct group_info {
    int storage;
    unsigned long long links;
    int64_t order;
    int mounted;
};

/* Its functions by their own names. */
struct hdf5 {
    int (*H5open)(void);
    int (*H5Eset_auto2)(hid stack, void *function, void *context);
    int (*H5PLset_loading_state)(unsigned state);
    hid (*H5Fopen)(const char *path, unsigned flags, hid access);
    int (*H5Fclose)(hid file);
    hid (*H5Oopen)(hid where, const char *name, hid access);
    int (*H5Oclose)(hid object);
    int (*H5Iget_type)(hid object);
    int (*H5Gget_info)(hid group, struct group_info *info);
    long (*H5Lget_name_by_idx)(hid where, const char *group, int index,
                               int order, unsigned long long n, char *name,
                               size_t size, hid access);
    hid (*H5Dget_space)(hid set);
    hid (*H5Dget_type)(hid set);
    int (*H5Dread)(hid set, hid type, hid memory, hid space, hid transfer,
                   void *to);
    int (*H5Tget_class)(hid type);
    int (*H5Tclose)(hid type);
    int (*H5Sget_simple_extent_ndims)(hid space);
    int (*H5Sget_simple_extent_dims)(hid space, unsigned long long *dim,
                                     unsigned long long *most);
    int (*H5Sclose)(hid space);
};

static const char *const libraries[] = {"libhdf5_serial.so.103",
                                        "libhdf5_serial.so.310",
                                        "libhdf5.so.103",
                                        "libhdf5.so.200",
                                        "libhdf5.so.310",
                                        "libhdf5_serial.so",
                                        "libhdf5.so"};

struct reading {
    struct hdf5 lib;
    hid real; /* the library's number of the type double */
    struct tensors *to;
    struct err *err;
};

#define FIND(name)                                                             \
    {                                                                          \
#name, offsetof(struct hdf5, name)                                     \
    }
static const struct {
    const char *name;
    size_t at;
} functions[] = {FIND(H5open),
                 FIND(H5Eset_auto2),
                 FIND(H5Fopen),
                 FIND(H5Fclose),
                 FIND(H5Oopen),
                 FIND(H5Oclose),
                 FIND(H5Iget_type),
                 FIND(H5Gget_info),
                 FIND(H5Dget_space),
                 FIND(H5Lget_name_by_idx),
                 FIND(H5Dget_type),
                 FIND(H5Dread),
                 FIND(H5Tget_class),
                 FIND(H5Tclose),
                 FIND(H5Sclose),
                 FIND(H5Sget_simple_extent_ndims),
                 FIND(H5Sget_simple_extent_dims),
                 FIND(H5PLset_loading_state)};

static bool find_all(void *library, struct reading *r)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
        void *found = dlsym(library, functions[i].name);
        if (!found)
            return false;
        memcpy((char *)&r->lib + functions[i].at, &found, sizeof(found));
    }
    /* The types' numbers are made when the library starts. */
    const hid *real =
        r->lib.H5open() < 0 ? NULL : dlsym(library, "H5T_NATIVE_DOUBLE_g");
    r->real = real ? *real : -1;
    return real;
}

static int load(struct reading *r)
{
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof(libraries) / sizeof(*libraries);
         i++)
        library = library_open(libraries[i]);
    if (!library || !find_all(library, r))
        return err_set(r->err, ERR_MISSING,
                       "%s is an HDF5 file; reading it needs libhdf5, which is "
                       "not here (Debian: libhdf5-103-1), or which a static "
                       "throng cannot load",
                       r->to->path);
    r->lib.H5Eset_auto2(0, NULL, NULL); /* it prints nothing */
    r->lib.H5PLset_loading_state(0);
    return 0;
}

static int damaged(struct reading *r, const char *name)
{
    return err_set(r->err, ERR_INPUT, "%s: %s cannot be read: it is damaged",
                   r->to->path, name);
}

static int read_numbers(struct reading *r, hid set, hid space, const char *name)
{
    unsigned long long has[32] = {0};
    int64_t dim[TENSOR_RANK_MAX];
    int rank = r->lib.H5Sget_simple_extent_ndims(space);
    if (rank < 0 || rank > TENSOR_RANK_MAX ||
        r->lib.H5Sget_simple_extent_dims(space, has, NULL) < 0)
        return damaged(r, name);
    for (int i = 0; i < rank; i++)
        dim[i] = has[i] > INT32_MAX ? -1 : (int64_t)has[i];
    struct tensor *t = tensors_add(r->to, str_of(name), rank, dim, r->err);
    if (!t)
        return -1;
    return r->lib.H5Dread(set, r->real, 0, 0, 0, t->numbers) < 0
               ? damaged(r, name)
               : 0;
}

/* Texts and tables are left out: they are no weights. */
static int read_set(struct reading *r, hid set, const char *name)
{
    hid type = r->lib.H5Dget_type(set), space = r->lib.H5Dget_space(set);
    int kind = type < 0 ? -1 : r->lib.H5Tget_class(type), rc = 0;
    if (type < 0 || space < 0)
        rc = damaged(r, name);
    else if (kind == CLASS_INTEGER || kind == CLASS_FLOAT)
        rc = read_numbers(r, set, space, name);
    if (type >= 0)
        r->lib.H5Tclose(type);
    if (space >= 0)
        r->lib.H5Sclose(space);
    return rc;
}

static int read_group(struct reading *r, hid group, const char *path,
                      int depth);

static int read_object(struct reading *r, hid group, const char *name,
                       const char *path, int depth)
{
    hid object = r->lib.H5Oopen(group, name, 0);
    if (object < 0)
        return damaged(r, path);
    int kind = r->lib.H5Iget_type(object);
    int rc = kind == KIND_GROUP     ? read_group(r, object, path, depth + 1)
             : kind == KIND_DATASET ? read_set(r, object, path)
                                    : 0;
    r->lib.H5Oclose(object);
    return rc;
}

static int read_group(struct reading *r, hid group, const char *path, int depth)
{
    struct group_info info = {0};
    char name[NAME_MAX_BYTES];
    int rc = 0;
    if (r->lib.H5Gget_info(group, &info) < 0)
        return damaged(r, *path ? path : "its root");
    if (depth > DEPTH_MAX || r->to->list.len > ARRAYS_MAX)
        return err_set(r->err, ERR_INPUT,
                       "%s: has more groups or arrays than weights have",
                       r->to->path);
    for (unsigned long long i = 0; !rc && i < info.links; i++) {
        long len = r->lib.H5Lget_name_by_idx(group, ".", INDEX_BY_NAME, RISING,
                                             i, name, sizeof(name), 0);
        if (len <= 0 || len >= (long)sizeof(name))
            return damaged(r, *path ? path : "its root");
        char *whole =
            arena_printf(r->to->arena, "%s%s%s", path, *path ? "/" : "", name);
        rc = read_object(r, group, name, whole, depth);
    }
    return rc;
}

bool hdf5_is(struct str bytes)
{
    return bytes.len >= 8 && memcmp(bytes.p, "\x89HDF\r\n\x1a\n", 8) == 0;
}

int hdf5_read(struct tensors *t, struct err *err)
{
    struct reading r = {.to = t, .err = err};
    if (load(&r))
        return -1;
    hid file = r.lib.H5Fopen(t->path, 0, 0);
    hid root = file < 0 ? -1 : r.lib.H5Oopen(file, "/", 0);
    int rc = root < 0 ? err_set(err, ERR_INPUT,
                                "%s: libhdf5 cannot open it: it is damaged, "
                                "cut off or being written",
                                t->path)
                      : read_group(&r, root, "", 0);
    if (root >= 0)
        r.lib.H5Oclose(root);
    if (file >= 0)
        r.lib.H5Fclose(file);
    return rc;
}
