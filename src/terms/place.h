/* place.h - where tasks run
 *
 * The names that study files and command lines use for it, and which settings
 * of a site count there. The engine has what runs tasks, a file each
 * (engine/place.h). */
#ifndef THRONG_TERMS_PLACE_H
#define THRONG_TERMS_PLACE_H

#include <stdbool.h>

#include "base/str.h"

/* Whose settings of a site count: `slurm: {…}`, a profile's. Every scheduler
 * has a row here: the key of study files that its settings stand under, and
 * what it is called. plan/site.c says which settings those are. */
/* clang-format off */
#define SITES(row) \
    row(slurm, "Slurm") \
    row(htcondor, "HTCondor")
/* clang-format on */
#define SITE_ROW(name, ...) SITE_##name,
enum site_of { SITE_NONE, SITES(SITE_ROW) SITE_COUNT };

/* Whose programs and memory its tasks have. */
enum place_of {
    THIS_MACHINE, /* the conductor's: what is missing here is missing there */
    OTHER_MACHINES,
};

/* Every place has a row here: its name, whose machines it has, its settings,
 * and what it is. The first is where a study runs that names none. */
/* clang-format off */
#define PLACES(row) \
    row(local, THIS_MACHINE, SITE_NONE, "this machine") \
    row(slurm, OTHER_MACHINES, SITE_slurm, "jobs of a Slurm cluster") \
    row(htcondor, OTHER_MACHINES, SITE_htcondor, "jobs of an HTCondor pool")
/* Those that are for tests: nobody can name them. */
#define PLACES_APART(row) \
    row(fake, OTHER_MACHINES, SITE_NONE, "no machine at all") \
    row(fake_cluster, OTHER_MACHINES, SITE_NONE, \
        "the same, and it outlives its conductor")
/* Those that study files can name before they are there. */
#define PLACES_LATER(row) \
    row(mpi, OTHER_MACHINES, SITE_NONE, "the ranks of one MPI program")
/* clang-format on */

struct place_name {
    const char *name;
    enum place_of of;
    enum site_of site;
    const char *about; /* one line for people */
    bool later;        /* it is not there yet */
};

#define PLACE_ROW(name, ...) PLACE_ROW_##name,
enum { PLACES(PLACE_ROW) PLACES_APART(PLACE_ROW) PLACE_COUNT };

/* "local, …", those that are there, as text that other texts may be put
 * beside. */
#define PLACE_COMMA(name, ...) ", " #name
#define PLACE_NAMES (&("" PLACES(PLACE_COMMA))[2])

/* All that a study file can name, NULL-terminated. */
extern const char *const place_names[];
/* Where a study runs that names none. */
#define PLACE_HERE (place_names[0])
/* True where its tasks run on this machine; an empty name is PLACE_HERE's. */
bool place_is_here(struct str name);
/* NULL: no study file can name it. */
const struct place_name *place_name_find(struct str name);

#endif
