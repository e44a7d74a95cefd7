/* foreign.c - formats that are not read, known by how they begin, and what to
 * do about each */
#include "data/matrix.h"

struct foreign {
    const char *name;
    size_t at; /* where in the file … */
    const char *mark;
    size_t len; /* … these bytes are */
    const char *way;
};

#define MARK(text) text, sizeof(text) - 1
#define PANDAS(reader)                                                         \
    "convert it with python3 -c \"import pandas; pandas." reader               \
    "('%s').to_csv('%s.csv', index=False)\""
#define UNPACK(how) "unpack it with " how
#define RECODE "convert it with iconv -f UTF-16 -t UTF-8 '%s' > '%s.csv'"
#define PICTURE                                                                \
    "pictures go into one array: python3 -c \"import numpy; from PIL import "  \
    "Image; numpy.save('%s.npy', numpy.array(Image.open('%s')))\""

/* In %s of a way goes the path. */
static const struct foreign formats[] = {
    {"an HDF5 file", 0, MARK("\x89HDF\r\n\x1a\n"),
     "convert it with python3 -c \"import h5py, numpy; f = h5py.File('%s'); "
     "[numpy.save(k + "
     "'.npy', f[k]) for k in f]\"; a table of pandas with pandas.read_hdf and "
     "to_csv"},
    {"a Parquet file", 0, MARK("PAR1"), PANDAS("read_parquet")},
    {"an Arrow (Feather) file", 0, MARK("ARROW1"), PANDAS("read_feather")},
    {"an Excel workbook of old (xls)", 0, MARK("\xD0\xCF\x11\xE0\xA1\xB1"),
     PANDAS("read_excel")},
    {"a pickle", 0, MARK("\x80\x03"), PANDAS("read_pickle")},
    {"a pickle", 0, MARK("\x80\x04\x95"), PANDAS("read_pickle")},
    {"a pickle", 0, MARK("\x80\x05\x95"), PANDAS("read_pickle")},
    {"a MATLAB file", 0, MARK("MATLAB 5.0"),
     "convert it with python3 -c \"import numpy, scipy.io; [numpy.save(k + "
     "'.npy', v) for k, v "
     "in scipy.io.loadmat('%s').items() if k[0] != '_']\""},
    {"an R data file", 0, MARK("RDX"),
     "convert it with Rscript -e \"x <- get(load('%s')[1]); write.csv(x, "
     "'%s.csv', "
     "row.names=FALSE)\""},
    {"an SQLite database", 0, MARK("SQLite format 3"),
     "convert it with sqlite3 -csv -header '%s' 'SELECT * FROM TABLE' > "
     "'%s.csv'"},
    {"a PNG picture", 0, MARK("\x89PNG"), PICTURE},
    {"a JPEG picture", 0, MARK("\xFF\xD8\xFF"), PICTURE},
    {"a PDF document", 0, MARK("%PDF-"), "take the table from where it came"},
    {"a tar archive", 257, MARK("ustar"), UNPACK("tar -xf '%s'")},
    {"packed by xz", 0,
     MARK("\xFD"
          "7zXZ"),
     UNPACK("xz -dk '%s'")},
    {"packed by bzip2", 0, MARK("BZh"), UNPACK("bzip2 -dk '%s'")},
    {"packed by zstd", 0, MARK("\x28\xB5\x2F\xFD"), UNPACK("zstd -dk '%s'")},
    {"a 7z archive", 0, MARK("7z\xBC\xAF\x27\x1C"), UNPACK("7z x '%s'")},
    {"a text of two bytes a character (UTF-16)", 0, MARK("\xFF\xFE"), RECODE},
    {"a text of two bytes a character (UTF-16)", 0, MARK("\xFE\xFF"), RECODE},
    {"JSON", 0, MARK("{\""),
     "convert it with python3 -c \"import pandas; pandas.read_json('%s', "
     "lines=True).to_csv('%s.csv', index=False)\""},
    {"JSON", 0, MARK("[{"), PANDAS("read_json")},
};

/* The way with the path in it; one with a quote is left to the reader. */
static void add_way(struct buf *b, const char *way, const char *path)
{
    if (strchr(path, '\''))
        path = "FILE";
    for (const char *at; (at = strstr(way, "%s")); way = at + 2) {
        buf_add(b, way, (size_t)(at - way));
        buf_adds(b, path);
    }
    buf_adds(b, way);
}

static int refuse(const char *path, const char *name, const char *way,
                  struct err *err)
{
    struct buf b;
    buf_init(&b);
    add_way(&b, way, path);
    err_set(err, ERR_INPUT, "%s is %s, which is not read; %s", path, name, b.p);
    buf_done(&b);
    return -1;
}

int data_refuse_foreign(struct str bytes, const char *path, struct err *err)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        const struct foreign *f = &formats[i];
        if (bytes.len >= f->at + f->len &&
            memcmp(bytes.p + f->at, f->mark, f->len) == 0)
            return refuse(path, f->name, f->way, err);
    }
    return 0;
}

int data_refuse_workbook(struct str bytes, const char *path, struct err *err)
{
    static const char sheets[] = "xl/workbook.xml";
    if (!memmem(bytes.p, bytes.len, sheets, sizeof sheets - 1))
        return 0;
    return refuse(path, "an Excel workbook (xlsx)", PANDAS("read_excel"), err);
}
