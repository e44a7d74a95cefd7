/* fake_left.c - tasks of place fake that outlive their conductor
 *
 * They are in a file, as records, with how far each of them is; the next
 * conductor adopts those that it knows. */
#include "engine/fake.h"

/* A record of the task as it was sent, with how far it is before its text. */
static void print_left(struct buf *b, const struct fake *f,
                       const struct fake_task *t)
{
    struct buf payload;
    buf_init(&payload);
    buf_add_u64(&payload, t->running);
    buf_add_u64(&payload, t->script.p ? t->script.len : 0);
    buf_add_u64(&payload, t->points);
    buf_add_u64(&payload, t->checkpoint);
    buf_add_u64(&payload, (uint64_t)(uintptr_t)idmap_get(f->trained, t->id));
    buf_add_u64(&payload, t->start);
    buf_add_u64(&payload, t->anew ? 1 + (uint64_t)t->loss : 0);
    buf_add_bytes(&payload, t->text);
    struct record r = {.type = RECORD_TASK,
                       .attempt = t->as,
                       .task = t->id,
                       .sequence = t->sequence,
                       .payload = buf_str(&payload)};
    record_print(b, &r);
    buf_done(&payload);
}

void fake_left_write(struct fake *f)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < f->tasks.len; i++)
        print_left(&b, f, f->tasks.p[i]);
    fake_words_print(f->words, &b);
    require(file_write(f->left_path, buf_str(&b), false, NULL) == 0);
    buf_done(&b);
}

static void take_left(struct fake *f, const struct record *r)
{
    struct bytes in = bytes_of(r->payload);
    bool running = bytes_u64(&in);
    uint64_t to_do = bytes_u64(&in), points = bytes_u64(&in);
    uint64_t checkpoint = bytes_u64(&in), trained = bytes_u64(&in);
    uint64_t starts = bytes_u64(&in), anew = bytes_u64(&in);
    struct record sent = *r;
    sent.payload = bytes_str(&in);
    require(!in.bad);
    struct fake_task *t = fake_task_new(&sent);
    t->sequence = r->sequence;
    t->script.p = to_do ? t->words.p + t->words.len - to_do : NULL;
    t->script.len = to_do;
    t->start = (uint32_t)starts;
    t->anew = anew > 0;
    t->loss = anew ? (enum loss)(anew - 1) : LOSS_GONE;
    t->running = running;
    t->points = points;
    t->checkpoint = checkpoint;
    if (trained)
        idmap_set(f->trained, t->id, (void *)(uintptr_t)trained);
    vec_push(&f->left, t);
}

void fake_left_read(struct fake *f)
{
    struct str text, rest;
    struct record r;
    size_t used;
    if (file_map(f->left_path, &text, NULL))
        return;
    for (rest = text; record_parse(rest, &r, &used, NULL) > 0;
         rest = str_n(rest.p + used, rest.len - used))
        if (r.type == RECORD_TASK)
            take_left(f, &r);
        else
            fake_words_late(f->words, 0, &r);
    file_unmap(text);
}

bool fake_adopt(void *place, const struct engine_out *out)
{
    struct fake *f = place;
    for (size_t i = 0; i < f->left.len; i++) {
        struct fake_task *t = f->left.p[i];
        if (t->id != out->task || t->as != out->as || t->start != out->start)
            continue;
        t->attempt = out->attempt;
        f->left.p[i] = vec_last(&f->left);
        f->left.len--;
        if (t->running)
            t->vanished = !room_take(&f->here.room, &t->task.needs, &t->grant);
        vec_push(&f->tasks, t);
        loop_timer_in(f->step, 0);
        return true;
    }
    loop_timer_in(f->step, 0);
    return fake_words_has(f->words, out->task, out->attempt);
}
