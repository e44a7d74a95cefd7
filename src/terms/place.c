/* place.c - where tasks run */
#include "terms/place.h"

#define PLACE_NOW(name, of, site, about) {#name, of, site, about, false},
#define PLACE_LATER(name, of, site, about) {#name, of, site, about, true},
static const struct place_name rows[] = {PLACES(PLACE_NOW)
                                             PLACES_LATER(PLACE_LATER)};

#define PLACE_TEXT(name, ...) #name,
const char *const place_names[] = {PLACES(PLACE_TEXT) PLACES_LATER(PLACE_TEXT)
                                       NULL};

const struct place_name *place_name_find(struct str name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (str_is(name, rows[i].name))
            return &rows[i];
    return NULL;
}

bool place_is_here(struct str name)
{
    const struct place_name *row =
        place_name_find(name.len ? name : str_of(PLACE_HERE));
    return row && row->of == THIS_MACHINE;
}
