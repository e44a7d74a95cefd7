/* test_formats.c - IDX, npy, npz and tables of text, plain and gzipped */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/json.h"
#include "data/matrix.h"
#include "files.h"
#include "sys/sys.h"

/* ---- making files ------------------------------------------------------ */

static void add_npy(struct buf *b, const char *descr, const char *order,
                    const char *shape, const void *numbers, size_t bytes)
{
    char dict[256];
    int len = snprintf(dict, sizeof dict,
                       "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }",
                       descr, order, shape);
    unsigned head = ((unsigned)len + 1 + 10 + 63) / 64 * 64 - 10;
    buf_add(b, "\x93NUMPY\1\0", 8);
    buf_addc(b, (char)(head & 255));
    buf_addc(b, (char)(head >> 8));
    buf_add(b, dict, (size_t)len);
    for (unsigned i = (unsigned)len; i + 1 < head; i++)
        buf_addc(b, ' ');
    buf_addc(b, '\n');
    buf_add(b, numbers, bytes);
}

static void read_npy(const char *descr, const void *numbers, size_t bytes,
                     const float *wanted)
{
    struct buf b;
    struct matrix m;
    struct err err = {0};
    struct arena *a = arena_new();
    buf_init(&b);
    add_npy(&b, descr, "False", "(3, 2)", numbers, bytes);
    if (data_read_npy(buf_str(&b), "x.npy", a, &m, &err))
        fail_msg("%s: %s", descr, err.text);
    assert_int_equal(m.rows, 3);
    assert_int_equal(m.columns, 2);
    assert_memory_equal(m.numbers, wanted, 6 * sizeof(float));
    buf_done(&b);
    arena_free(a);
}

static void npy_reads_every_number_type(void **state)
{
    static const float small[] = {0, 1, 2, 3, 4, 100};
    static const float with_minus[] = {0, -1, 2, -3, 4, -100};
    static const uint8_t u1[] = {0, 1, 2, 3, 4, 100};
    static const int8_t i1[] = {0, -1, 2, -3, 4, -100};
    static const uint16_t u2[] = {0, 1, 2, 3, 4, 100};
    static const int16_t i2[] = {0, -1, 2, -3, 4, -100};
    static const uint32_t u4[] = {0, 1, 2, 3, 4, 100};
    static const int32_t i4[] = {0, -1, 2, -3, 4, -100};
    static const uint64_t u8[] = {0, 1, 2, 3, 4, 100};
    static const int64_t i8[] = {0, -1, 2, -3, 4, -100};
    static const double f8[] = {0, -1, 2, -3, 4, -100};
    static const uint8_t big[] = {0,    0,    0xFF, 0xFF, 0,    2,
                                  0xFF, 0xFD, 0,    4,    0xFF, 0x9C};
    /* 0, -1, 2, -3, 4, -100 in half precision */
    static const uint16_t f2[] = {0, 0xBC00, 0x4000, 0xC200, 0x4400, 0xD640};
    (void)state;
    read_npy("|u1", u1, sizeof u1, small);
    read_npy("|i1", i1, sizeof i1, with_minus);
    read_npy("<u2", u2, sizeof u2, small);
    read_npy("<i2", i2, sizeof i2, with_minus);
    read_npy(">i2", big, sizeof big, with_minus);
    read_npy("<u4", u4, sizeof u4, small);
    read_npy("<i4", i4, sizeof i4, with_minus);
    read_npy("<u8", u8, sizeof u8, small);
    read_npy("<i8", i8, sizeof i8, with_minus);
    read_npy("<f2", f2, sizeof f2, with_minus);
    read_npy("<f4", with_minus, sizeof with_minus, with_minus);
    read_npy("<f8", f8, sizeof f8, with_minus);
}

static void npy_in_fortran_order_is_turned(void **state)
{
    /* x[i][j][k] = 100 i + 10 j + k, first axis fastest */
    float file[24], wanted[24];
    struct buf b;
    struct matrix m;
    struct arena *a = arena_new();
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++) {
                float x = (float)(100 * i + 10 * j + k);
                wanted[(i * 3 + j) * 4 + k] = x;
                file[i + 2 * (j + 3 * k)] = x;
            }
    buf_init(&b);
    add_npy(&b, "<f4", "True", "(2, 3, 4)", file, sizeof file);
    assert_int_equal(data_read_npy(buf_str(&b), "x.npy", a, &m, NULL), 0);
    assert_int_equal(m.rank, 2);
    assert_int_equal(m.dim[0], 3);
    assert_int_equal(m.dim[1], 4);
    assert_memory_equal(m.numbers, wanted, sizeof wanted);
    buf_done(&b);
    arena_free(a);
}

static void a_cut_off_npy_names_file_and_row(void **state)
{
    static const float x[] = {1, 2, 3, 4};
    struct files f;
    struct buf b;
    (void)state;
    files_open(&f);
    files_text(&f, "y.txt", "0\n1\n0\n");
    buf_init(&b);
    add_npy(&b, "<f4", "False", "(3, 2)", x, sizeof x - 3);
    files_write(&f, "x.npy", buf_str(&b));
    files_gzip(&f, "x.npy.gz", buf_str(&b));
    files_refuses(&f, "{\"inputs\": \"x.npy\", \"labels\": \"y.txt\"}",
                  "x.npy: cut off in row 2");
    files_refuses(&f, "{\"inputs\": \"x.npy.gz\", \"labels\": \"y.txt\"}",
                  "x.npy.gz: cut off in row 2");
    files_write(&f, "x.npy", str_n(b.p, 20));
    files_refuses(&f, "{\"inputs\": \"x.npy\", \"labels\": \"y.txt\"}",
                  "x.npy: cut off in its header");
    buf_reset(&b);
    add_npy(&b, "<c8", "False", "(3, 2)", x, sizeof x);
    files_write(&f, "x.npy", buf_str(&b));
    files_refuses(&f, "{\"inputs\": \"x.npy\", \"labels\": \"y.txt\"}",
                  "'<c8'");
    buf_done(&b);
    files_close(&f);
}

static void a_cut_off_gzip_names_file_and_row(void **state)
{
    struct files f;
    struct buf b, packed;
    (void)state;
    files_open(&f);
    buf_init(&b);
    buf_init(&packed);
    for (int i = 0; i < 20000; i++)
        buf_addf(&b, "%d,%d,%d\n", i * 7919 % 1000, i * 104729 % 1000, i % 2);
    files_gzip(&f, "t.csv.gz", buf_str(&b));
    FILE *file = fopen(files_path(&f, "t.csv.gz"), "rb");
    char part[4096];
    size_t got = fread(part, 1, sizeof part, file);
    fclose(file);
    files_write(&f, "t.csv.gz", str_n(part, got));
    files_refuses(&f, "{\"file\": \"t.csv.gz\"}", "t.csv.gz:");
    assert_non_null(strstr(f.err.text, "cut off in this row"));
    unsigned line = 0;
    assert_int_equal(sscanf(strstr(f.err.text, "gz:") + 3, "%u", &line), 1);
    assert_true(line > 100 && line < 20000);
    buf_done(&b);
    buf_done(&packed);
    files_close(&f);
}

/* Python's zipfile writes the archives, so that reader and writer are not of
 * one hand. */
static void write_npz(struct files *f)
{
    static const double x[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    static const int64_t y[] = {0, 1, 1, 0};
    char command[640];
    struct buf b;
    buf_init(&b);
    add_npy(&b, "<f8", "False", "(4, 3)", x, sizeof x);
    files_write(f, "x.npy", buf_str(&b));
    buf_reset(&b);
    add_npy(&b, "<i8", "False", "(4,)", y, sizeof y);
    files_write(f, "y.npy", buf_str(&b));
    buf_done(&b);
    snprintf(command, sizeof command,
             "cd %s && python3 -c 'import zipfile as z\n"
             "for n, m, a in ((\"a\", 0, \"xy\"), (\"b\", 8, \"xy\"), "
             "(\"c\", 8, \"x\")):\n"
             "  with z.ZipFile(n + \".npz\", \"w\", m) as f:\n"
             "    for k in a:\n"
             "      with f.open(k + \".npy\", \"w\", force_zip64=True) as g:\n"
             "        g.write(open(k + \".npy\", \"rb\").read())\n'",
             f->folder);
    FILE *python = popen(command, "r");
    assert_non_null(python);
    assert_int_equal(pclose(python), 0);
}

static void npz_arrays_are_read_by_name(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    write_npz(&f);
    for (const char *name = "ab"; *name; name++) {
        char spec[128];
        snprintf(spec, sizeof spec,
                 "{\"inputs\": \"%c.npz:x\", \"labels\": \"%c.npz:y\"}", *name,
                 *name);
        struct data_set *s = files_set(&f, spec);
        const struct data_table *t = data_set_table(s);
        assert_int_equal(t->rows, 4);
        assert_int_equal(t->inputs->columns, 3);
        assert_true(t->inputs->numbers[11] == 11);
        assert_int_equal(t->labels->classes, 2);
        assert_int_equal(t->labels->categories[2], 1);
        data_close(s);
    }
    files_refuses(&f, "{\"inputs\": \"a.npz:z\", \"labels\": \"a.npz:y\"}",
                  "has no array z; it has x, y");
    files_refuses(&f, "{\"inputs\": \"a.npz\", \"labels\": \"a.npz:y\"}",
                  "say which array");
    data_close(
        files_set(&f, "{\"inputs\": \"c.npz\", \"labels\": \"a.npz:y\"}"));
    struct buf whole;
    buf_init(&whole);
    assert_int_equal(file_read(files_path(&f, "b.npz"), 0, &whole, NULL), 0);
    files_gzip(&f, "b.npz.gz", buf_str(&whole));
    data_close(files_set(
        &f, "{\"inputs\": \"b.npz.gz:x\", \"labels\": \"b.npz.gz:y\"}"));
    whole.p[60] ^= 1; /* in the packed bytes of x */
    files_write(&f, "b.npz", buf_str(&whole));
    files_refuses(&f, "{\"inputs\": \"b.npz:x\", \"labels\": \"a.npz:y\"}",
                  "b.npz: ");
    files_write(&f, "b.npz", str_n(whole.p, whole.len - 30));
    files_refuses(&f, "{\"inputs\": \"b.npz:x\", \"labels\": \"a.npz:y\"}",
                  "b.npz: the npz file is cut off");
    buf_done(&whole);
    files_close(&f);
}

static void idx_is_read_and_its_end_is_checked(void **state)
{
    static const char x[] = "\0\0\x08\3\0\0\0\2\0\0\0\1\0\0\0\3abcdef";
    static const char y[] = "\0\0\x08\1\0\0\0\2\1\0";
    struct files f;
    (void)state;
    files_open(&f);
    files_write(&f, "x", str_n(x, sizeof x - 1));
    files_gzip(&f, "x.gz", str_n(x, sizeof x - 1));
    files_write(&f, "y", str_n(y, sizeof y - 1));
    struct data_set *s =
        files_set(&f, "{\"inputs\": \"x.gz\", \"labels\": \"y\"}");
    const struct data_table *t = data_set_table(s);
    assert_int_equal(t->rows, 2);
    assert_int_equal(t->inputs->rank, 2);
    assert_true(t->inputs->numbers[5] == 'f');
    data_close(s);
    files_write(&f, "x", str_n(x, sizeof x - 3));
    files_refuses(&f, "{\"inputs\": \"x\", \"labels\": \"y\"}",
                  "x: cut off in row 2");
    files_write(&f, "y", str_n("\0\0\x08\1\0\0\0\1\1", 9));
    files_refuses(&f, "{\"inputs\": \"x.gz\", \"labels\": \"y\"}",
                  "has 2 rows");
    files_close(&f);
}

static void read_table(const char *text, const struct table_style *style,
                       size_t rows, size_t columns, double sum)
{
    struct matrix m;
    struct err err = {0};
    struct arena *a = arena_new();
    double total = 0;
    if (data_read_csv(str_of(text), "t.csv", style, a, &m, &err))
        fail_msg("%s", err.text);
    assert_int_equal(m.rows, rows);
    assert_int_equal(m.columns, columns);
    for (size_t i = 0; i < rows * columns; i++)
        total += isnan(m.numbers[i]) ? 0 : (double)m.numbers[i];
    assert_true(fabs(total - sum) < 1e-3);
    arena_free(a);
}

static void
numbers_that_are_not_finite_are_refused_in_every_format(void **state)
{
    static const double wide[] = {0, 1, 2, 1e39};
    static const float narrow[] = {0, 1, -INFINITY, 3};
    static const char idx[] = "\0\0\x0D\2\0\0\0\1\0\0\0\2"
                              "\0\0\0\0\x7f\x80\0\0";
    struct files f;
    struct buf b;
    (void)state;
    files_open(&f);
    buf_init(&b);
    files_text(&f, "y", "0\n1\n");
    add_npy(&b, "<f8", "False", "(2, 2)", wide, sizeof wide);
    files_write(&f, "wide.npy", buf_str(&b));
    buf_reset(&b);
    add_npy(&b, "<f4", "False", "(2, 2)", narrow, sizeof narrow);
    files_write(&f, "narrow.npy", buf_str(&b));
    files_write(&f, "x.idx", str_n(idx, sizeof idx - 1));
    files_text(&f, "one", "0\n");
    files_refuses(&f, "{\"inputs\": \"wide.npy\", \"labels\": \"y\"}",
                  "wide.npy: row 2: column 2: inf is infinite or beyond");
    files_refuses(&f, "{\"inputs\": \"narrow.npy\", \"labels\": \"y\"}",
                  "narrow.npy: row 2: column 1: -inf is infinite or beyond");
    files_refuses(&f, "{\"file\": \"narrow.npy\"}",
                  "narrow.npy: row 2: column 1: -inf is infinite or beyond");
    files_refuses(&f, "{\"inputs\": \"x.idx\", \"labels\": \"one\"}",
                  "x.idx: row 1: column 2: inf is infinite or beyond");
    files_refuses(&f, "{\"inputs\": \"y\", \"labels\": \"narrow.npy\"}",
                  "narrow.npy: row 2: column 1: the label -inf is infinite");
    struct data_set *s = files_set(
        &f, "{\"inputs\": \"wide.npy\", \"labels\": \"y\", \"missing\": 0}");
    assert_true(data_set_table(s)->inputs->numbers[3] == 0);
    assert_non_null(strstr(data_set_notice(s, 0), "1 number is infinite"));
    data_close(s);
    buf_done(&b);
    files_close(&f);
}

static void formats_that_are_not_read_are_named_with_a_way_out(void **state)
{
    char tar[512] = "data.csv";
    memcpy(tar + 257, "ustar", 5);
    const struct {
        const char *name;
        struct str bytes;
        const char *is, *way;
    } cases[] = {
        {"a.h5", STR("\x89HDF\r\n\x1a\n\2\10"), "is an HDF5 file", "h5py"},
        {"a.parquet", STR("PAR1\25\4"), "is a Parquet file", "read_parquet('"},
        {"a.json", STR("{\"a\": 1}\n"), "is JSON", "lines=True"},
        {"a.tar", str_n(tar, sizeof tar), "is a tar archive", "tar -xf '"},
        {"a.mat", STR("MATLAB 5.0 MAT-file"), "a MATLAB file", "loadmat"},
        {"a.xls", STR("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), "Excel",
         "read_excel('"},
        {"a.pkl", STR("\x80\4\x95\1"), "is a pickle", "read_pickle('"},
        {"a.png", STR("\x89PNG\r\n"), "is a PNG picture", "PIL"},
        {"a.xz",
         STR("\xFD"
             "7zXZ"),
         "is packed by xz", "xz -dk '"},
        {"a.csv",
         STR("\xFF\xFE"
             "a\0,\0b\0\n\0"),
         "(UTF-16)", "-t UTF-8 '"},
        {"b.csv", STR("\xFE\xFF\0a\0,\0b\0\n"), "(UTF-16)", "-t UTF-8 '"},
        {"a.xlsx",
         STR("PK\3\4..............[Content_Types].xml xl/workbook.xml"),
         "is an Excel workbook (xlsx)", "read_excel('"},
    };
    struct files f;
    (void)state;
    files_open(&f);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "{\"file\": \"%s\"}", cases[i].name);
        files_write(&f, cases[i].name, cases[i].bytes);
        files_refuses(&f, spec, cases[i].is);
        if (!strstr(f.err.text, cases[i].way))
            fail_msg("%s has no %s", f.err.text, cases[i].way);
        files_gzip(&f, cases[i].name, cases[i].bytes);
        files_refuses(&f, spec, cases[i].is);
    }
    /* Lines of text may begin like anything. */
    files_text(&f, "x.txt", "{\"a\"} is set\nPAR1 was lost\n");
    files_text(&f, "y.txt", "0\n1\n");
    data_close(files_set(&f, "{\"inputs\": \"x.txt\", \"labels\": "
                             "\"y.txt\", \"text\": true}"));
    files_close(&f);
}

static void tables_of_text_come_in_many_ways(void **state)
{
    static const struct table_style look = {.header = -1};
    static const struct table_style none = {.header = 0};
    static const struct table_style second = {.header = -1, .skip = 1};
    (void)state;
    read_table("1,2\n3,4\n", &look, 2, 2, 10);
    read_table("\r\n\n1\t2\n3\t4\n", &look, 2, 2, 10);
    read_table("1,2\n3,4", &look, 2, 2, 10);
    read_table("a,b\n1,2\n3,4\n", &look, 2, 2, 10);
    read_table("a;b\r\n1;2\r\n\r\n3;4\r\n", &look, 2, 2, 10);
    read_table("1\t2\n3\t4\n", &look, 2, 2, 10);
    read_table(" 1  2\n3 4 \n", &look, 2, 2, 10);
    read_table("\"1\",\"2\"\n-3,+4e0\n", &look, 2, 2, 4);
    read_table("0.1,.5,5.\n1e2,-1.5E-1,123456789.123456789\n", &look, 2, 3,
               0.1 + 0.5 + 5 + 100 - 0.15 + 123456792);
    read_table("1,\n,4\n", &look, 2, 2, 5);
    read_table("x,1\ny,2\n", &none, 2, 2, 3);
    read_table("150,4,x,y,z\n1,2\n3,4\n", &second, 2, 2, 10);
    read_table("\"a\nb\",1\n\"c\"\"d\",2\n", &none, 2, 2, 3);
    read_table("\xEF\xBB\xBF"
               "1,2\n",
               &look, 1, 2, 3);
    read_table("\"1\"\t2\n\"3\t\"\"4\n", &look, 2, 2, 3);
}

static void a_row_of_words_with_a_column_that_is_named_is_a_header(void **state)
{
    static const struct {
        const char *spec;
        size_t rows;
    } cases[] = {{"{\"text\": \"said\", \"label\": 1}", 2},
                 {"{\"text\": {\"column\": \"said\"}}", 2},
                 {"{\"label\": [\"mood\"]}", 2},
                 {"{\"label\": {\"both\": [\"said\"]}}", 2},
                 {"{\"text\": 2, \"label\": 1}", 3},
                 {"{\"label\": \"yes\", \"missing\": \"said\"}", 3}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct arena *a = arena_new();
        struct err err = {0};
        struct table_style style = {
            .header = -1,
            .spec = json_parse(a, str_of(cases[i].spec), "", false, &err)};
        assert_non_null(style.spec);
        read_table("mood,said\nglad,yes please\nsad,no\n", &style,
                   cases[i].rows, 2, 0);
        arena_free(a);
    }
}

static void a_table_of_words_has_a_header_that_is_unlike_its_rows(void **state)
{
    static const char rows[] = "smooth,white,edible\nrough,red,poisonous\n"
                               "smooth,red,edible\nrough,white,edible\n"
                               "smooth,?,poisonous\n";
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", arena_printf(f.arena, "cap,gills,kind\n%s", rows));
    struct data_set *s = files_set(&f, "{\"file\": \"t.csv\", "
                                       "\"missing\": 0}");
    assert_int_equal(data_set_table(s)->rows, 5);
    assert_int_equal(data_set_table(s)->labels->classes, 2);
    assert_true(str_is(data_set_table(s)->labels->name, "kind"));
    assert_string_equal(data_set_notice(s, 0),
                        "data: t.csv has words only; its first row (cap, …) is "
                        "taken as the names of the columns: say header: false "
                        "if it is a row");
    data_close(s);
    files_text(&f, "t.csv", rows);
    s = files_set(&f, "{\"file\": \"t.csv\", \"missing\": 0}");
    assert_int_equal(data_set_table(s)->rows, 5);
    assert_non_null(strstr(data_set_notice(s, 0), "say header: true"));
    data_close(s);
    /* A missing value is no number: what is above is still a row. */
    files_text(&f, "t.csv", "a,x\n?,y\na,x\nb,y\nb,x\na,y\na,y\n");
    s = files_set(&f, "{\"file\": \"t.csv\", \"missing\": 0}");
    assert_int_equal(data_set_table(s)->rows, 7);
    data_close(s);
    /* Later files have the header of the first, or none. */
    files_text(&f, "t.csv", arena_printf(f.arena, "cap,gills,kind\n%s", rows));
    files_text(&f, "v.csv", "cap,gills,kind\nrough,red,edible\n");
    files_text(&f, "w.csv", "rough,red,edible\n");
    s = files_set(&f, "{\"train\": \"t.csv\", \"validation\": \"v.csv\", "
                      "\"test\": \"w.csv\", \"missing\": 0}");
    assert_int_equal(data_set_table(s)->rows, 7);
    data_close(s);
    files_close(&f);
}

static void the_index_of_pandas_is_no_input(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", ",a,b,y\n0,1.5,2,0\n1,3,4,1\n2,5,6,1\n");
    struct data_set *s = files_set(&f, "{\"file\": \"t.csv\"}");
    assert_int_equal(data_set_table(s)->rows, 3);
    assert_int_equal(data_set_table(s)->inputs->columns, 2);
    assert_non_null(strstr(data_set_notice(s, 0), "pandas' index"));
    data_close(s);
    /* Its place is still the first, and a key may name it. */
    s = files_set(&f, "{\"file\": \"t.csv\", \"one_hot\": 1}");
    assert_int_equal(data_set_table(s)->inputs->columns, 5);
    assert_null(data_set_notice(s, 0));
    data_close(s);
    files_text(&f, "t.csv", "\"\",a,y\nr1,x,no\nr2,z,yes\nr3,x,no\n");
    s = files_set(&f, "{\"file\": \"t.csv\", \"label\": \"y\"}");
    assert_int_equal(data_set_table(s)->rows, 3);
    assert_int_equal(data_set_table(s)->inputs->columns, 2);
    data_close(s);
    files_close(&f);
}

static void lines_may_end_by_cr_alone(void **state)
{
    static const struct table_style look = {.header = -1};
    struct files f;
    (void)state;
    read_table("a,b\r1,2\r3,4\r", &look, 2, 2, 10);
    read_table("1;2\r3;4", &look, 2, 2, 10);
    files_open(&f);
    files_text(&f, "t.csv", "a,b\r1,2\r3,x\r");
    files_refuses(&f, "{\"file\": \"t.csv\", \"label\": 1}",
                  "t.csv:3: column b: \"x\" where");
    files_text(&f, "x.txt", "one two\rthree\r");
    files_text(&f, "y.txt", "0\r1\r");
    struct data_set *s = files_set(&f, "{\"inputs\": \"x.txt\", \"labels\": "
                                       "\"y.txt\", \"text\": true}");
    assert_int_equal(data_set_table(s)->rows, 2);
    assert_string_equal(data_set_notice(s, 0),
                        "data: lines of x.txt end by CR alone, as on old Macs");
    data_close(s);
    files_close(&f);
}

static void a_header_alone_is_no_row_of_words(void **state)
{
    static const struct table_style look = {.header = -1};
    static const struct table_style none = {.header = 0};
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "width,height,kind\n\n");
    files_refuses(&f, "{\"file\": \"t.csv\"}",
                  "t.csv: has a header but no rows below it (if");
    files_refuses(&f, "{\"file\": \"t.csv\", \"label\": \"kind\"}",
                  "t.csv: has a header but no rows below it");
    files_refuses(&f, "{\"file\": \"t.csv\", \"header\": true}",
                  "t.csv: has a header but no rows below it");
    files_close(&f);
    read_table("width,height\n", &none, 1, 2, 0);
    read_table("cat\n", &look, 1, 1, 0);
    struct arena *a = arena_new();
    struct table_style text = {
        .header = -1,
        .spec = json_parse(a, STR("{\"text\": 2}"), "", false, NULL)};
    read_table("ham,see you\n", &text, 1, 2, 0);
    arena_free(a);
}

static void ragged_rows_and_stray_quotes_are_refused(void **state)
{
    struct files f;
    (void)state;
    files_open(&f);
    files_text(&f, "t.csv", "a,b,c\n1,2,0\n3,4,1\n\n5,6\n");
    files_refuses(&f, "{\"file\": \"t.csv\"}",
                  "t.csv:5: 2 columns, the rows before have 3");
    files_text(&f, "t.csv", "1,2,0\n3,4,1,7\n");
    files_refuses(&f, "{\"file\": \"t.csv\"}",
                  "t.csv:2: 4 columns, the row before has 3 (`skip: 1` leaves");
    files_text(&f, "t.csv", "a,b\n1,2\n3,4,\"1\n\",7,5");
    files_refuses(&f, "{\"file\": \"t.csv\"}",
                  "t.csv:3: 5 columns, the rows before have 2");
    files_text(&f, "t.csv", "569,2,good,bad\n1,2,\"x,6\n");
    files_refuses(&f, "{\"file\": \"t.csv\"}", "t.csv:2: ");
    files_text(&f, "t.csv", "1,2\n\"3,4\n5,6\n");
    files_refuses(&f, "{\"file\": \"t.csv\"}",
                  "t.csv:2: the quote opened here is never closed");
    files_text(&f, "t.csv", "1,2\n\"3\"x,4\n");
    files_refuses(&f, "{\"file\": \"t.csv\"}", "t.csv:2: expected");
    files_text(&f, "t.csv", "");
    files_refuses(&f, "{\"file\": \"t.csv\"}", "t.csv: has no rows");
    files_refuses(&f, "{\"file\": \"u.csv\"}", "u.csv");
    files_close(&f);
}

static void numbers_are_those_of_the_general_reader(void **state)
{
    static const struct table_style none = {.header = 0};
    struct arena *a = arena_new();
    struct buf b;
    (void)state;
    buf_init(&b);
    /* Every count of digits on both sides of the point. */
    for (int before = 0; before < 18; before++)
        for (int after = before ? 0 : 1; after < 18; after++) {
            char text[64];
            snprintf(text, sizeof text, "%.*s.%.*s", before,
                     "92233720368547758", after, "31415926535897932");
            buf_addf(&b, "%s\n", text);
            struct matrix m;
            double wanted = strtod(text, NULL);
            buf_reset(&b);
            buf_addf(&b, "%s\n-%s\n", text, text);
            assert_int_equal(
                data_read_csv(buf_str(&b), "t", &none, a, &m, NULL), 0);
            assert_true(m.numbers[0] == (float)wanted);
            assert_true(m.numbers[1] == -(float)wanted);
        }
    buf_done(&b);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_reads_every_number_type),
        cmocka_unit_test(npy_in_fortran_order_is_turned),
        cmocka_unit_test(a_cut_off_npy_names_file_and_row),
        cmocka_unit_test(a_cut_off_gzip_names_file_and_row),
        cmocka_unit_test(npz_arrays_are_read_by_name),
        cmocka_unit_test(idx_is_read_and_its_end_is_checked),
        cmocka_unit_test(
            numbers_that_are_not_finite_are_refused_in_every_format),
        cmocka_unit_test(formats_that_are_not_read_are_named_with_a_way_out),
        cmocka_unit_test(tables_of_text_come_in_many_ways),
        cmocka_unit_test(
            a_row_of_words_with_a_column_that_is_named_is_a_header),
        cmocka_unit_test(a_table_of_words_has_a_header_that_is_unlike_its_rows),
        cmocka_unit_test(the_index_of_pandas_is_no_input),
        cmocka_unit_test(lines_may_end_by_cr_alone),
        cmocka_unit_test(a_header_alone_is_no_row_of_words),
        cmocka_unit_test(ragged_rows_and_stray_quotes_are_refused),
        cmocka_unit_test(numbers_are_those_of_the_general_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
