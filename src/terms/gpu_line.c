/* gpu_line.c - what nvidia-smi prints of one GPU */
#include "terms/gpu_line.h"

#include <math.h>
#include "base/num.h"

#define FIELDS 5
#define UUID_MAX 96
#define UUID_START "GPU-"
#define INDEX_MAX 4096
#define WATTS_MAX 1e5
#define MIB_MAX (UINT64_C(1) << 32)

/* True when *x is the number, or NaN where the GPU does not tell. */
static bool read_field(struct str field, double most, double *x)
{
    double read;
    if (field.len >= 2 && field.p[0] == '[' && field.p[field.len - 1] == ']') {
        *x = NAN;
        return true;
    }
    if (!num_double(field, &read) || !(read >= 0 && read <= most))
        return false;
    *x = read;
    return true;
}

bool gpu_line_parse(struct str line, struct gpu_line *l)
{
    struct gpu_line read = {0};
    struct str field[FIELDS], rest = str_trim(line);
    double percent, mib;
    size_t count = 0;
    while (count < FIELDS && str_split(&rest, ',', &field[count])) {
        field[count] = str_trim(field[count]);
        count++;
    }
    if (count < FIELDS || rest.p || !num_uint(field[0], &read.index) ||
        read.index > INDEX_MAX || field[1].len > UUID_MAX ||
        field[1].len < sizeof UUID_START ||
        !str_starts(field[1], STR(UUID_START)) ||
        !read_field(field[2], 100, &percent) ||
        !read_field(field[3], (double)MIB_MAX, &mib) ||
        !read_field(field[4], WATTS_MAX, &read.watts))
        return false;
    read.uuid = field[1];
    read.busy = percent / 100;
    read.known = !isnan(mib);
    read.used_bytes = read.known ? (uint64_t)mib << 20 : 0;
    *l = read;
    return true;
}

bool gpu_line_is_of(const struct gpu_line *l, struct str id)
{
    uint64_t index;
    if (num_uint(id, &index))
        return index == l->index;
    return id.len > sizeof UUID_START - 1 && str_starts(l->uuid, id);
}
