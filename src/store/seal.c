/* seal.c - a checksum on each page of a store
 *
 * SQLite believes what a page says as long as it can be parsed: a flipped bit
 * inside of a number is another number. So a store is made with 8 bytes kept
 * free at the end of each page (byte 20 of the file says so), and SQLite opens
 * it through the VFS of this file, which hashes each page, with its number,
 * into them when it is written, and compares when it is read. It looks at the
 * file of the database alone: what is in the log has SQLite's own checksums.
 *
 * What must stay true:
 * - A page in SQLite's memory, and so in the log and the journal, has zeros
 *   for its seal. It gets the seal on its way into the file. So when another
 *   program folds the log into the file (who reads a store after a crash does
 *   so unknowingly), the page has no seal, not a wrong one.
 * - A page without a seal is believed, unless all of it is zeros: that is what
 *   a disk gives back for a block that it lost.
 * - A file made by an older throng has no room for seals: nothing is looked at
 *   or changed. One whose byte 20 was damaged is known by its first page.
 * - The file is never mapped: our methods end before xFetch. */
#include "store/seal.h"

#include "base/hash.h"

#define NAME "throng"
#define CHECKPOINT_LOCK                                                        \
    1 /* who folds the log in holds it; fileformat2.html                       \
       */
#define SEAL_BYTES 8
#define HEAD_BYTES 100   /* of the file, as SQLite reads it before the rest */
#define ROOM_AT 20       /* in it: bytes kept free on each page */
#define PAGE_BYTES_AT 16 /* in it: the length of a page, 1 for 65536 */

/* Our own questions to a file; SQLite's are below 100. */
enum { ASK_FILE = 0x7468726e };

struct sealed {
    sqlite3_file file;
    sqlite3_io_methods methods;
    bool on;            /* pages have seals */
    bool missing;       /* a page was read that has none */
    bool shared;        /* memory is shared with others: there is a log */
    bool allow_empty;   /* pages that were never written may be read */
    int page_bytes;     /* 0: not known yet */
    int64_t broken;     /* the last page whose seal was another; 0: none */
    unsigned char *buf; /* one page */
    sqlite3_file *real; /* behind this struct */
};

static struct sealed *sealed_of(sqlite3_file *f)
{
    return (struct sealed *)(void *)f;
}

/* ---- one page --------------------------------------------------------- */

static void put_seal(const unsigned char *page, int bytes, int64_t number,
                     unsigned char seal[SEAL_BYTES])
{
    struct str text = str_n((const char *)page, (size_t)bytes - SEAL_BYTES);
    uint64_t hash = hash64(text, (uint64_t)number);
    hash = hash ? hash : 1;
    for (int i = 0; i < SEAL_BYTES; i++)
        seal[i] = (unsigned char)(hash >> (8 * i));
}

static bool is_zero(const unsigned char *p, int bytes)
{
    return p[0] == 0 && memcmp(p, p + 1, (size_t)bytes - 1) == 0;
}

static bool is_whole(struct sealed *s, const unsigned char *page,
                     int64_t number)
{
    unsigned char seal[SEAL_BYTES];
    const unsigned char *has = page + s->page_bytes - SEAL_BYTES;
    if (is_zero(has, SEAL_BYTES)) {
        s->missing = true;
        return s->allow_empty || !is_zero(page, s->page_bytes);
    }
    put_seal(page, s->page_bytes, number, seal);
    return memcmp(has, seal, SEAL_BYTES) == 0;
}

/* A first page that would be whole if only it said that it has a seal. */
static bool hides_seal(struct sealed *s, const unsigned char *page)
{
    unsigned char seal[SEAL_BYTES];
    memcpy(s->buf, page, (size_t)s->page_bytes);
    s->buf[ROOM_AT] = SEAL_BYTES;
    put_seal(s->buf, s->page_bytes, 1, seal);
    return memcmp(page + s->page_bytes - SEAL_BYTES, seal, SEAL_BYTES) == 0;
}

static int set_page_bytes(struct sealed *s, int bytes)
{
    if (bytes == s->page_bytes)
        return SQLITE_OK;
    unsigned char *buf = sqlite3_realloc(s->buf, bytes);
    if (!buf)
        return SQLITE_NOMEM;
    s->buf = buf;
    s->page_bytes = bytes;
    return SQLITE_OK;
}

/* Learns from the beginning of the file what its pages are like. */
static int learn(struct sealed *s, const unsigned char *head)
{
    int bytes = head[PAGE_BYTES_AT] << 8 | head[PAGE_BYTES_AT + 1];
    bytes = bytes == 1 ? 65536 : bytes;
    bool known = memcmp(head, "SQLite format 3", 16) == 0 && bytes >= 512 &&
                 (bytes & (bytes - 1)) == 0;
    s->on = known && head[ROOM_AT] == SEAL_BYTES;
    return known ? set_page_bytes(s, bytes) : SQLITE_OK;
}

/* ---- reading and writing ---------------------------------------------- */

static int real_read(struct sealed *s, void *p, int bytes, sqlite3_int64 at)
{
    return s->real->pMethods->xRead(s->real, p, bytes, at);
}

/* A page that is not whole is read a second time: on a network a page may
 * come while it changes. */
static int read_page(struct sealed *s, unsigned char *page, sqlite3_int64 at)
{
    int64_t number = at / s->page_bytes + 1;
    for (int i = 0; i < 2; i++) {
        int rc = real_read(s, page, s->page_bytes, at);
        if (rc != SQLITE_OK)
            return rc;
        if (is_whole(s, page, number)) {
            memset(page + s->page_bytes - SEAL_BYTES, 0, SEAL_BYTES);
            return SQLITE_OK;
        }
    }
    s->broken = number;
    return SQLITE_IOERR_DATA;
}

/* The beginning is read before it is known what the file is; the whole of its
 * first page is read, too, before anything of it is believed. */
static int read_start(struct sealed *s, unsigned char *p, int bytes)
{
    int rc = real_read(s, p, bytes, 0);
    if (rc == SQLITE_OK)
        rc = learn(s, p);
    if (rc != SQLITE_OK || bytes != s->page_bytes)
        return rc;
    if (s->on)
        return read_page(s, p, 0);
    if (!hides_seal(s, p))
        return SQLITE_OK;
    s->broken = 1;
    return SQLITE_IOERR_DATA;
}

static int seal_read(sqlite3_file *f, void *p, int bytes, sqlite3_int64 at)
{
    struct sealed *s = sealed_of(f);
    if (at == 0 && bytes >= HEAD_BYTES)
        return read_start(s, p, bytes);
    if (!s->on || at + bytes <= HEAD_BYTES)
        return real_read(s, p, bytes, at);
    int inside = (int)(at % s->page_bytes);
    if (inside == 0 && bytes == s->page_bytes)
        return read_page(s, p, at);
    if (bytes > s->page_bytes - inside)
        return SQLITE_IOERR_READ;
    int rc = read_page(s, s->buf, at - inside);
    if (rc == SQLITE_OK || rc == SQLITE_IOERR_SHORT_READ)
        memcpy(p, s->buf + inside, (size_t)bytes);
    return rc;
}

static int seal_write(sqlite3_file *f, const void *p, int bytes,
                      sqlite3_int64 at)
{
    struct sealed *s = sealed_of(f);
    if (at == 0 && bytes >= HEAD_BYTES) {
        int rc = learn(s, p);
        if (rc != SQLITE_OK)
            return rc;
    }
    if (s->on && bytes == s->page_bytes && at % bytes == 0) {
        memcpy(s->buf, p, (size_t)bytes);
        put_seal(s->buf, bytes, at / bytes + 1, s->buf + bytes - SEAL_BYTES);
        p = s->buf;
    }
    return s->real->pMethods->xWrite(s->real, p, bytes, at);
}

/* ---- the rest of a file's methods ------------------------------------- */

static int seal_close(sqlite3_file *f)
{
    struct sealed *s = sealed_of(f);
    sqlite3_free(s->buf);
    return s->real->pMethods->xClose(s->real);
}

static int seal_truncate(sqlite3_file *f, sqlite3_int64 bytes)
{
    sqlite3_file *real = sealed_of(f)->real;
    return real->pMethods->xTruncate(real, bytes);
}

static int seal_sync(sqlite3_file *f, int flags)
{
    sqlite3_file *real = sealed_of(f)->real;
    return real->pMethods->xSync(real, flags);
}

static int seal_size(sqlite3_file *f, sqlite3_int64 *bytes)
{
    sqlite3_file *real = sealed_of(f)->real;
    return real->pMethods->xFileSize(real, bytes);
}

static int seal_lock(sqlite3_file *f, int how)
{
    sqlite3_file *real = sealed_of(f)->real;
    return real->pMethods->xLock(real, how);
}

static int seal_unlock(sqlite3_file *f, int how)
{
    sqlite3_file *real = sealed_of(f)->real;
    return real->pMethods->xUnlock(real, how);
}

static int seal_is_locked(sqlite3_file *f, int *locked)
{
    sqlite3_file *real = sealed_of(f)->real;
    return real->pMethods->xCheckReservedLock(real, locked);
}

static int seal_control(sqlite3_file *f, int what, void *arg)
{
    sqlite3_file *real = sealed_of(f)->real;
    if (what == ASK_FILE) {
        *(struct sealed **)arg = sealed_of(f);
        return SQLITE_OK;
    }
    return real->pMethods->xFileControl(real, what, arg);
}

static int seal_sector(sqlite3_file *f)
{
    sqlite3_file *real = sealed_of(f)->real;
    return real->pMethods->xSectorSize(real);
}

static int seal_device(sqlite3_file *f)
{
    sqlite3_file *real = sealed_of(f)->real;
    return real->pMethods->xDeviceCharacteristics(real);
}

static int seal_shm_map(sqlite3_file *f, int region, int bytes, int extend,
                        void volatile **p)
{
    struct sealed *s = sealed_of(f);
    int rc = s->real->pMethods->xShmMap(s->real, region, bytes, extend, p);
    s->shared |= rc == SQLITE_OK;
    return rc;
}

static int seal_shm_lock(sqlite3_file *f, int from, int count, int flags)
{
    sqlite3_file *real = sealed_of(f)->real;
    return real->pMethods->xShmLock(real, from, count, flags);
}

static void seal_shm_barrier(sqlite3_file *f)
{
    sqlite3_file *real = sealed_of(f)->real;
    real->pMethods->xShmBarrier(real);
}

static int seal_shm_unmap(sqlite3_file *f, int remove)
{
    struct sealed *s = sealed_of(f);
    s->shared = false;
    return s->real->pMethods->xShmUnmap(s->real, remove);
}

static const sqlite3_io_methods all_methods = {
    .iVersion = 2,
    .xClose = seal_close,
    .xRead = seal_read,
    .xWrite = seal_write,
    .xTruncate = seal_truncate,
    .xSync = seal_sync,
    .xFileSize = seal_size,
    .xLock = seal_lock,
    .xUnlock = seal_unlock,
    .xCheckReservedLock = seal_is_locked,
    .xFileControl = seal_control,
    .xSectorSize = seal_sector,
    .xDeviceCharacteristics = seal_device,
    .xShmMap = seal_shm_map,
    .xShmLock = seal_shm_lock,
    .xShmBarrier = seal_shm_barrier,
    .xShmUnmap = seal_shm_unmap,
};

/* ---- the VFS ---------------------------------------------------------- */

/* But for the opening of files it is the real one, which may look at what is
 * in `vfs`. */
struct seal_vfs {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
};

/* Files other than the database itself are the real VFS's own. */
static int seal_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f,
                     int flags, int *got)
{
    sqlite3_vfs *real = ((struct seal_vfs *)(void *)vfs)->real;
    if (!(flags & SQLITE_OPEN_MAIN_DB))
        return real->xOpen(real, name, f, flags, got);
    struct sealed *s = sealed_of(f);
    *s = (struct sealed){.real = (sqlite3_file *)(void *)(s + 1)};
    int rc = real->xOpen(real, name, s->real, flags, got);
    if (rc != SQLITE_OK || !s->real->pMethods)
        return rc;
    s->methods = all_methods;
    const sqlite3_io_methods *m = s->real->pMethods;
    /* SQLite looks whether memory can be shared before it asks for it. */
    if (m->iVersion < 2)
        s->methods.iVersion = m->iVersion;
    else if (!m->xShmMap)
        s->methods.xShmMap = NULL;
    s->file.pMethods = &s->methods;
    return SQLITE_OK;
}

const char *seal_vfs(void)
{
    /* SQLite links it into its list. */
    static struct seal_vfs ours;
    if (ours.real)
        return NAME;
    ours.real = sqlite3_vfs_find(NULL);
    require(ours.real);
    ours.vfs = *ours.real;
    ours.vfs.szOsFile += (int)sizeof(struct sealed);
    ours.vfs.pNext = NULL;
    ours.vfs.zName = NAME;
    ours.vfs.xOpen = seal_open;
    require(sqlite3_vfs_register(&ours.vfs, 0) == SQLITE_OK);
    return NAME;
}

/* ---- asking ----------------------------------------------------------- */

static struct sealed *file_of(sqlite3 *db)
{
    struct sealed *s = NULL;
    sqlite3_file_control(db, "main", ASK_FILE, &s);
    return s;
}

/* Its first page may be written after others, so that what the file will say
 * of itself is known now. */
int seal_new(sqlite3 *db)
{
    struct sealed *s = file_of(db);
    sqlite3_stmt *st = NULL;
    int room = SEAL_BYTES, bytes = 0;
    int rc = sqlite3_prepare_v2(db, "PRAGMA page_size", -1, &st, NULL);
    if (rc == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
        bytes = sqlite3_column_int(st, 0);
    sqlite3_finalize(st);
    if (rc != SQLITE_OK || !s || !bytes)
        return SQLITE_ERROR;
    s->on = true;
    rc = set_page_bytes(s, bytes);
    if (rc == SQLITE_OK)
        rc =
            sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &room);
    return rc;
}

bool seal_is_on(sqlite3 *db)
{
    struct sealed *s = file_of(db);
    return s && s->on;
}

bool seal_is_missed(sqlite3 *db)
{
    struct sealed *s = file_of(db);
    return s && s->missing;
}

static int seal_one(struct sealed *s, sqlite3_int64 at)
{
    int rc = real_read(s, s->buf, s->page_bytes, at);
    unsigned char *seal = s->buf + s->page_bytes - SEAL_BYTES;
    if (rc != SQLITE_OK || !is_zero(seal, SEAL_BYTES) ||
        is_zero(s->buf, s->page_bytes))
        return rc;
    put_seal(s->buf, s->page_bytes, at / s->page_bytes + 1, seal);
    return s->real->pMethods->xWrite(s->real, seal, SEAL_BYTES,
                                     at + s->page_bytes - SEAL_BYTES);
}

/* While nobody folds the log in no page of the file changes. */
static int lock_file(struct sealed *s, int how)
{
    if (!s->shared)
        return SQLITE_OK;
    return s->real->pMethods->xShmLock(s->real, CHECKPOINT_LOCK, 1,
                                       how | SQLITE_SHM_EXCLUSIVE);
}

void seal_rest(sqlite3 *db)
{
    struct sealed *s = file_of(db);
    sqlite3_int64 bytes = 0;
    if (!s || !s->on || !s->missing ||
        lock_file(s, SQLITE_SHM_LOCK) != SQLITE_OK)
        return;
    int rc = s->real->pMethods->xFileSize(s->real, &bytes);
    for (sqlite3_int64 at = 0; rc == SQLITE_OK && at + s->page_bytes <= bytes;
         at += s->page_bytes)
        rc = seal_one(s, at);
    if (rc == SQLITE_OK)
        s->missing = false;
    lock_file(s, SQLITE_SHM_UNLOCK);
}

int64_t seal_broken(sqlite3 *db)
{
    struct sealed *s = file_of(db);
    return s ? s->broken : 0;
}

void seal_allow_empty(sqlite3 *db, bool allow)
{
    struct sealed *s = file_of(db);
    if (s)
        s->allow_empty = allow;
}
