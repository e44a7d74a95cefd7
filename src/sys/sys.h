/* sys.h - the operating system, as the rest of throng sees it
 *
 * The public header of src/sys: event loop, child processes, files, clocks,
 * and what this machine has. */
#ifndef THRONG_SYS_SYS_H
#define THRONG_SYS_SYS_H

#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "terms/room.h"

/* ---- clocks ---------------------------------------------------------- */

int64_t clock_mono_ns(void);      /* never jumps; for durations and timers */
double clock_wall(void);          /* unix time; for people and records only */
void clock_pause_ms(unsigned ms); /* whole, whatever signals come */
/* "2026-11-15 12:04:05" local, or UTC "2026-11-15T12:04:05Z" with utc. */
void clock_print(struct buf *b, double wall, bool utc);

/* ---- event loop ------------------------------------------------------ */

struct loop;
struct loop_source; /* a thing that the loop watches */

typedef void loop_fn(void *context);
typedef void loop_fd_fn(void *context, int fd, unsigned what);
typedef void loop_signal_fn(void *context, int signum);

#define LOOP_READ 1u
#define LOOP_WRITE 2u

struct loop *loop_new(struct err *err);
void loop_free(struct loop *l); /* frees its sources too */
/* Runs until loop_stop, which lets the round end first. Nothing left to wait
 * for is an error. */
int loop_run(struct loop *l, struct err *err);
void loop_stop(struct loop *l);
/* NULL when the descriptor cannot be watched, as that of a regular file. */
struct loop_source *loop_fd(struct loop *l, int fd, unsigned what,
                            loop_fd_fn *fn, void *context);
void loop_fd_want(struct loop_source *s, unsigned what); /* 0: none */
/* A one-shot timer, not armed yet. */
struct loop_source *loop_timer(struct loop *l, loop_fn *fn, void *context);
void loop_timer_in(struct loop_source *s, double seconds); /* arms again */
void loop_timer_off(struct loop_source *s);
struct loop_source *loop_signal(struct loop *l, int signum, loop_signal_fn *fn,
                                void *context);
/* The same of SIGINT, SIGTERM and, where a dropped line is not ignored (nohup),
 * SIGHUP. */
int loop_signals_to_end(struct loop *l, loop_signal_fn *fn, void *context);
/* Called once after every round of events, before the loop sleeps (and once
 * when loop_run begins): the place to commit and to flush what the round
 * collected. */
struct loop_source *loop_after(struct loop *l, loop_fn *fn, void *context);
void loop_remove(struct loop_source *s); /* NULL is fine */

/* Whether a Ctrl-C, or its like, waits to be heard by a loop. */
bool interrupt_waits(void);

/* ---- processes ------------------------------------------------------- */

/* Which process, past the reuse of pids: start is field 22 of
 * /proc/<pid>/stat. */
struct process_id {
    pid_t pid;
    uint64_t start;
};

/* A file in which the leaders of sessions write themselves down. */
struct leader_line {
    uint64_t pid, start;    /* 0: nobody */
    uint64_t task, attempt; /* which it is the process of; 0: of none */
};
struct leader_lines {
    bool known; /* there was a file of this boot and pid namespace */
    VEC(struct leader_line) list;
};
struct leaders {
    int fd; /* -1: there is none, and nothing is written */
    char *path;
    uint32_t count;
    VEC(uint32_t) free_places;
};
int leaders_open(struct leaders *l, const char *path, struct err *err);
void leaders_close(struct leaders *l, bool remove_it);
uint32_t leaders_take(struct leaders *l);
/* Nothing is left of the session that was written there. */
void leaders_give_back(struct leaders *l, uint32_t place);
/* System calls only: for a child between vfork and exec. */
void leader_write(int fd, uint32_t place, struct leader_line line);
/* Adds what the file names, if it is of this boot and pid namespace. */
int leaders_read(const char *path, struct leader_lines *found, struct err *err);

struct spawn {
    const char *const *argv;
    const char *const *env; /* NULL: inherit */
    const char *cwd;        /* NULL: inherit */
    int in, out, err;       /* descriptors for 0, 1, 2; -1: /dev/null */
    int keep_fd;            /* one more descriptor kept open; -1: none */
    const mode_t *mask;     /* umask of the program; NULL: inherit */
    bool session;           /* own session and process group */
    bool die_with_parent;   /* SIGKILL when the spawning thread ends */
    /* Where it writes itself down before it runs; NULL: nowhere. */
    const struct leaders *leaders;
    uint32_t leader_place;
    uint64_t leader_task, leader_attempt; /* as in its line */
};
/* Starts a program found through env's PATH (or this process's), with
 * signals reset to defaults and nothing blocked. The failure of chdir or
 * exec is reported here, with its reason; *err says which of the two. Fast:
 * vfork, never fork. */
int process_spawn(const struct spawn *s, struct process_id *id,
                  struct err *err);
/* Orphaned descendants become children of this process. */
int process_subreaper(struct err *err);
bool process_alive(struct process_id id); /* a zombie is not alive */
/* As in /proc: R S D Z T …; 0: there is no such process. */
char process_state(struct process_id id);
struct process_id process_self(void);
/* This boot of this machine; a constant text. */
const char *process_boot_id(void);

/* Where a pid means the same process: the pid namespace of this process, as
 * a number that no other one of this boot has. 0: unknown. */
uint64_t process_space(void);
/* May have so many files open, or as many as there may be. Children inherit the
 * limit, so it is raised only where it would not do. */
void process_allow_files(uint64_t need);
/* How many processes and threads this boot has started, and after how many
 * starts a number is given out again at the earliest. 0: unknown. */
uint64_t process_forks(void);
uint64_t process_numbers(void);
/* How many processes and threads this user may have at once (ulimit -u); 0: as
 * many as it likes. */
uint64_t process_limit(void);
/* Now, on the clock of process_id.start. */
uint64_t process_ticks(void);

/* One line of a snapshot of all processes that we may see. */
struct process_info {
    pid_t pid, parent, group, session;
    uint64_t start;
    uint64_t rss_bytes;
    double cpu_s; /* of it and of the children that it waited for */
    char state;   /* as in /proc: R S D Z T … */
};
struct process_table {
    VEC(struct process_info) rows;
};
/* Replaces the rows of t, which starts as {0}. */
int process_table_read(struct process_table *t, struct err *err);
void process_table_done(struct process_table *t);
/* What its threads do: 'R' when one computes, else 'D' when one waits for a
 * disk, else 'S'; the first of very many are looked at. */
char process_activity(pid_t pid);
/* The proportional set size, or 0 when it cannot be read. */
uint64_t process_pss_bytes(pid_t pid);
/* Appends the value that the environment of pid has for a name; false when it
 * has none, or cannot be read. */
bool process_env(pid_t pid, const char *name, struct buf *value);

/* ---- files ----------------------------------------------------------- */

/* Appends the whole file to b; more than max bytes is an error (0: none). */
int file_read(const char *path, size_t max, struct buf *b, struct err *err);
/* Replaces path in one step (temporary file, fsync if durable, rename). */
int file_write(const char *path, struct str text, bool durable,
               struct err *err);
/* The same of a text that comes in pieces: it is at path when it has ended,
 * and not before. _end frees f whether it succeeds or not; _drop leaves what
 * was at path. */
struct file_out;
struct file_out *file_begin(const char *path, struct err *err);
int file_add(struct file_out *f, struct str text, struct err *err);
int file_end(struct file_out *f, bool durable, struct err *err);
void file_drop(struct file_out *f);
/* Maps a regular file read-only; an empty file gives {"" , 0}. */
int file_map(const char *path, struct str *text, struct err *err);
void file_unmap(struct str text);
bool file_exists(const char *path);
/* True of an errno that the disk, or the way to it, is to blame for, and not
 * who asked or what was asked for: it may pass, or be mended. */
bool disk_fails(int number);
/* Of a regular file; 0 for all else, also for links. */
uint64_t file_bytes(const char *path);
bool file_is_dir(const char *path);
/* As mkdir -p. */
int dir_make(const char *path, struct err *err);
/* The same of a folder below `root`, which is not made itself, nor is what is
 * above it: where it is gone, that is an error. root NULL, or not above the
 * path: as dir_make. */
int dir_make_below(const char *root, const char *path, struct err *err);
/* Makes a folder (not those above it) that only this user can enter, or takes
 * the one that is there. One that is a link, belongs to somebody else, or that
 * others may write, is refused. */
int dir_own(const char *path, struct err *err);
/* Puts the names in a folder on the disk, where the file system can. */
int dir_sync(const char *folder, struct err *err);
/* As rm -rf, never following links; a path that is not there is fine. */
int dir_remove(const char *path, struct err *err);
/* Makes a folder throng-<what>-… in TMPDIR, or /tmp, for files of a moment.
 * It is removed, too, where the program exits before scratch_remove, or is
 * ended by SIGINT, SIGTERM or SIGHUP that nobody handles; where it is killed,
 * by the next program of this user that makes one. The path lives until
 * scratch_remove. */
const char *scratch_make(const char *what, struct err *err);
void scratch_remove(const char *path);
/* Removes those that killed programs of this user have left: how many. */
size_t scratch_sweep(void);
/* The folder around `to` must be there. */
int dir_copy(const char *from, const char *to, struct err *err);
/* Lays what is below the folder's own folders, and all links, into files of
 * the folder itself; the second puts all of it back, where that was done, and
 * nothing outside of the folder, whatever the files say. Links that lead out of
 * it are left out. Either can be repeated when it was interrupted. */
int dir_flatten(const char *folder, struct err *err);
int dir_unflatten(const char *folder, struct err *err);
/* Brings all that is below path, and its names, to the disk. What cannot be
 * opened is left out. */
void dir_sync_all(const char *path);
/* Bytes of all regular files below path. */
uint64_t dir_bytes(const char *path);
/* A digest of names and contents below path (of sizes and times in place of
 * contents, beyond 64 MiB): changes whenever a program writes something new
 * there. 0 for an empty or absent folder. */
uint64_t dir_digest(const char *path);
/* Names in a folder without . and .., sorted, in the arena; NULL-terminated.
 * An absent folder is an error of kind ERR_MISSING. */
const char **dir_list(const char *path, struct arena *a, struct err *err);
/* Regular files below `root` (and links to such) whose path relative to it
 * matches the glob; sorted, in the arena; NULL-terminated. */
const char **dir_glob(const char *root, const char *pattern, struct arena *a,
                      struct err *err);

/* A file or folder that is held, so that one can tell later whether it is
 * still at its path. */
struct anchor {
    const char *path; /* outlives it */
    int fd;           /* -1: it could not be opened, and counts as there */
};
void anchor_open(struct anchor *h, const char *path);
void anchor_close(struct anchor *h);
/* False only when it is certain that something else, or nothing, is at its
 * path: a disk that does not answer is no removal. */
bool anchor_stands(const struct anchor *h);
bool anchor_is_removed(const struct anchor *h);
/* Where it is now, in the arena; NULL: nobody can tell. */
const char *anchor_now(const struct anchor *h, struct arena *a);

/* True when only this user and root can put another folder in the place of
 * this one, or of one around it. */
bool dir_is_guarded(const char *path);
/* A folder for what this user's programs on this machine share while they
 * run: the one that THRONG_RUNTIME_DIR names, else /tmp/throng-run-UID. In the
 * arena; NULL when there is none that is ours alone. */
const char *runtime_folder(struct arena *a, struct err *err);
/* Where what can be made again is kept: in the person's cache, but on this
 * machine where home is on a network. In the arena; NULL: nowhere. */
const char *cache_dir(struct arena *a);
/* Makes a file and locks it: a descriptor, or -1 with errno EWOULDBLOCK while
 * somebody else has it. The lock ends with the process. */
int lock_take(const char *path, mode_t mode);
void lock_drop(int fd, const char *path); /* removes the file too */
/* As lock_take for a file that all users of the machine share and that stays;
 * closing the descriptor lets go. Several may have it shared. */
int lock_common(const char *path, bool shared);
/* Calls fn for all that lies below a folder, no link followed, until it says
 * -1; `name` is the path from there. */
struct stat;
typedef int dir_visit_fn(void *context, const char *name, const struct stat *st,
                         struct err *err);
int dir_visit(const char *path, dir_visit_fn *fn, void *context,
              struct err *err);
/* Lets a group read and write a folder and all that is in it, and what will
 * be made there; links are left alone. */
int dir_share(const char *path, gid_t group, struct err *err);
/* ---- what running studies have of the machine -------------------------- */

/* What one of them has. */
struct claim {
    const char *study;   /* its folder */
    const char *gpus;    /* "0, 1": those that its tasks run on; "": none */
    const char *gpu_ids; /* "GPU-…,MIG-…": the same by their ids */
    uint32_t cpus, of;   /* its part of the cpus, and how many there are */
    uint32_t parallel;   /* what the study said; 0: nothing */
    bool waits;          /* for a GPU that somebody else has */
};
struct claims; /* one that runs tasks, among the others of this user */
/* NULL when there is no folder to meet in. */
struct claims *claims_open(struct err *err);
void claims_close(struct claims *c);
/* How many run on the same cpus, this one among them, and how many of those
 * began before it. */
void claims_count(const struct claims *c, unsigned *count, unsigned *before);
/* Takes a GPU for this process alone, or with others that share it, also
 * against other users: a descriptor to be closed, or -1 with errno EWOULDBLOCK
 * while somebody else has it. */
int claims_gpu(const struct claims *c, struct str id, bool shared);
/* Lets others know. */
void claims_say(struct claims *c, const struct claim *own);
/* What all that run now have, in the arena, the oldest first. */
struct claim *claims_list(struct arena *a, size_t *count);

/* A user or group for people: "ann (uid 1000)". */
void user_print(struct buf *b, uid_t user);
void group_print(struct buf *b, gid_t group);
bool group_is_ours(gid_t group); /* this process is in it */
char *path_join(struct arena *a, const char *folder, const char *name);
char *path_absolute(struct arena *a, const char *path); /* no link resolved */
char *path_folder(struct arena *a, const char *path);   /* "." if none */
struct str path_name(const char *path);
struct str path_stem(const char *path); /* name without its last .ending */
/* True on NFS, Lustre, GPFS, BeeGFS, FUSE, AFS, CIFS … by statfs. */
bool path_is_network(const char *path);
/* Free space where path lies, or will lie; 0: unknown. */
uint64_t path_free_bytes(const char *path);
/* An error where the output is a file that is read, by whatever name; `what` is
 * what that is to a person. Either may be NULL. */
int output_spares(const char *output, const char *input, const char *what,
                  struct err *err);
/* The same of rows as --data takes them: FILE, or NAME=FILE,NAME=FILE. */
int output_spares_rows(const char *output, const char *rows, const char *what,
                       struct arena *a, struct err *err);
/* An error where another kind of file is there already, a person's perhaps: it
 * does not begin with `format`; `what` is what it is not. Empty files, and no
 * output (NULL), are as good as none. */
int output_replaces(const char *output, const char *format, const char *what,
                    struct err *err);
/* An error where no file could be written there, or no folder be made. */
int output_fits(const char *path, bool folder, struct arena *a,
                struct err *err);
/* The program as execvp would find it, or NULL. */
char *path_program(struct arena *a, const char *name, const char *path_env);
/* A program of throng's: beside this one, in ../libexec/throng, or on PATH; or
 * NULL. */
char *path_of_ours(struct arena *a, const char *name);
/* From where `in` stands to its end; -1 and errno when it cannot. */
int fd_copy(int in, int out);
int fd_write_all(int fd, const void *p, size_t len, struct err *err);
int fd_nonblocking(int fd, struct err *err);

/* ---- this machine ---------------------------------------------------- */

struct gpu {
    char uuid[64]; /* what CUDA_VISIBLE_DEVICES takes: a UUID or an index */
    char name[64]; /* "NVIDIA A100-SXM4-40GB" */
    int capability_major, capability_minor;
    uint64_t memory_bytes;
    unsigned number; /* as nvidia-smi counts; a slice's is that of its GPU */
};
struct machine {
    char host[256];
    unsigned cpus;         /* of the affinity mask, cut by cgroup quota */
    uint64_t memory_bytes; /* the least of physical and cgroup limits */
    uint64_t disk_bytes;   /* free where the study lives; 0: unknown, as
                              machine_read leaves it: see path_free_bytes */
    const struct gpu *gpus;
    size_t gpu_count;
    bool gpus_described; /* they are what a text says, not what NVML knows */
    bool gpus_silent;    /* the driver did not answer: nobody knows of any */
    const char *gpus_unasked; /* the library or program that would be asked, and
                                 is not here; NULL: it is */
};
#define MACHINE_GPU_WAIT_S 20.0 /* one that sleeps may take seconds to wake */
/* Looks at this machine. gpus_text describes GPUs instead of asking NVML:
 * "a100:8.0:40G,a100:8.0:40G" (name:capability:memory); NULL asks; "" none. A
 * process of its own asks, so that a driver which hangs holds nobody; of a
 * program that is linked without NVML it is throng-worker-cuda. */
int machine_read(struct machine *m, const char *gpus_text, struct arena *a,
                 struct err *err);
/* The same without one: for who is on the GPU already. */
int machine_read_here(struct machine *m, const char *gpus_text, struct arena *a,
                      struct err *err);
/* A line of each, as throng-worker-cuda --gpus says it to a machine_read that
 * cannot ask NVML. */
void gpus_print(struct buf *b, const struct gpu *gpus, size_t count);
/* All of it, free, as room for tasks; the texts live in the arena. */
void machine_room(const struct machine *m, uint32_t parallel, struct arena *a,
                  struct room *r);
/* This machine's name; "unknown" where it has none. */
void machine_name(char *name, size_t size);

#define GPU_PIDS_MAX 256
/* What is on one GPU. */
struct gpu_use {
    bool known; /* false: nobody can tell */
    uint64_t used_bytes;
    double busy;   /* part of the time lately, from 0 to 1; NAN: not known */
    double joules; /* since its driver was loaded; NAN: not known */
    uint32_t pids[GPU_PIDS_MAX]; /* as the driver counts them */
    size_t pid_count;
};
/* Looks at the GPUs of a machine, which lives longer. Of described ones `file`
 * (or NULL) says what is on them, in lines "GPU PID BYTES", how busy they are,
 * in lines "GPU busy PERCENT", and what they took, in lines "GPU joules J".
 * Yours to close. */
struct gpu_looker *gpu_looker_open(const struct machine *m, bool described,
                                   const char *file);
void gpu_look(struct gpu_looker *l, size_t gpu, struct gpu_use *u);
void gpu_looker_close(struct gpu_looker *l);
/* The same by a process of its own, so that a driver which hangs holds nobody:
 * for who has an event loop. What is found is that of this look or, where the
 * driver takes its time, of the one before; nobody knows where that is seconds
 * ago. Returns how many answers there were until now: as many as the last time
 * means that it is still that one. Yours to close. */
struct gpu_scout *gpu_scout_open(const struct machine *m, const char *file);
uint64_t gpu_scout_look(struct gpu_scout *s, size_t gpu, struct gpu_use *u);
/* Waits for an answer to a question of now, some seconds at most: the looks
 * behind it know at least that. */
void gpu_scout_await(struct gpu_scout *s);
void gpu_scout_close(struct gpu_scout *s);

/* Seconds that this machine's cpus have been busy since it was started; -1 when
 * nothing tells. */
double machine_busy_seconds(void);
/* Memory that a program can still get here; 0 when nothing tells. */
uint64_t machine_memory_free(void);

#endif
