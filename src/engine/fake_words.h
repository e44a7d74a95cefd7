/* fake_words.h - what fake tasks say, on its way to the engine
 *
 * As on a cluster, words may come late, or through a file that shows them in
 * pieces. Time is that of the place. Private to this folder. */
#ifndef THRONG_ENGINE_FAKE_WORDS_H
#define THRONG_ENGINE_FAKE_WORDS_H

#include "base/buf.h"
#include "terms/record.h"

struct fake_words;
typedef void fake_words_fn(void *context, const struct record *r);

/* folder: where files may lie; lives longer. */
struct fake_words *fake_words_new(const char *folder, fake_words_fn *heard,
                                  void *context);
void fake_words_free(struct fake_words *w);

/* It is heard then. */
void fake_words_late(struct fake_words *w, double due_s,
                     const struct record *r);
/* It goes into a file of its task, behind what is there, of which a piece can
 * be seen from now_s on and another one whenever so much has passed. */
void fake_words_torn(struct fake_words *w, double now_s, double every_s,
                     const struct record *r);
/* The first half of it does, and nothing else ever. */
void fake_words_cut(struct fake_words *w, double now_s, const struct record *r);

/* When something happens next; INFINITY: nothing is on its way. */
double fake_words_due(const struct fake_words *w);
/* Lets it happen. */
void fake_words_step(struct fake_words *w);
/* True when words of the attempt are on their way. */
bool fake_words_has(const struct fake_words *w, uint64_t task,
                    uint32_t attempt);
/* All that is on its way, as records. */
void fake_words_print(const struct fake_words *w, struct buf *b);

#endif
