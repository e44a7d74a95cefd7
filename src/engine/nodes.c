/* nodes.c - the machines of a cluster, as far as its scheduler tells */
#include "engine/nodes.h"

#include "base/num.h"
#include "terms/room.h"
#include <math.h>

/* Tasks that ask for next to nothing fit without end. */
#define SLOTS_MAX 1000000.0
#define SLACK 1e-6

/* GPUs that such a task could be given. One of unknown type may be any. */
static uint32_t gpus_of(const struct node *node, const struct needs *n)
{
    uint32_t count = 0;
    for (size_t i = 0; i < node->gpu_kinds; i++)
        if (!*n->gpu_name || !node->gpus[i].type.len ||
            room_gpu_named(node->gpus[i].type, n->gpu_name))
            count += node->gpus[i].count;
    return count;
}

/* How many fit beside each other on one of `count` GPUs, a fraction never
 * being cut. */
static double gpu_slots(uint32_t count, const struct needs *n)
{
    if (n->gpus <= 0)
        return SLOTS_MAX;
    return n->gpus < 1 ? (double)count * needs_per_gpu(n)
                       : floor(count / n->gpus + SLACK);
}

/* Of a task on several nodes: how many of its parts. */
static uint32_t slots_of(const struct node *node, const struct needs *task)
{
    struct needs part = needs_of_node(task), *n = &part;
    double slots = SLOTS_MAX;
    if (n->cpus > 0)
        slots = floor(node->cpus / n->cpus + SLACK);
    if (node->memory_bytes && n->memory_bytes)
        slots = fmin(
            slots, floor((double)node->memory_bytes / (double)n->memory_bytes));
    slots = fmin(slots, gpu_slots(gpus_of(node, n), n));
    return slots > SLOTS_MAX ? (uint32_t)SLOTS_MAX : (uint32_t)slots;
}

uint32_t nodes_slots(const struct nodes *nodes, const struct needs *n)
{
    double slots = 0;
    for (size_t i = 0; i < nodes->list.len; i++)
        if (nodes->list.p[i].usable)
            slots += slots_of(&nodes->list.p[i], n);
    slots /= needs_nodes(n);
    return slots > SLOTS_MAX ? (uint32_t)SLOTS_MAX : (uint32_t)slots;
}

uint32_t nodes_most(const struct nodes *nodes, const struct needs *n)
{
    uint32_t most = 0;
    struct spread s;
    if (needs_spread(n, &s))
        return 1;
    for (size_t i = 0; i < nodes->list.len; i++) {
        uint32_t slots = slots_of(&nodes->list.p[i], n);
        most = slots > most ? slots : most;
    }
    return most;
}

/* Which of two nodes is the larger one to a task of these needs. */
static bool larger(const struct node *a, const struct node *b,
                   const struct needs *n)
{
    if (n->gpus > 0 && gpus_of(a, n) != gpus_of(b, n))
        return gpus_of(a, n) > gpus_of(b, n);
    if (n->cpus > a->cpus || n->cpus > b->cpus)
        return a->cpus > b->cpus;
    return a->memory_bytes > b->memory_bytes;
}

static void print_node(struct buf *b, const struct node *node)
{
    buf_addf(b, "%s: %u cpu%s", node->name, node->cpus,
             node->cpus == 1 ? "" : "s");
    if (node->memory_bytes) {
        buf_adds(b, ", ");
        num_print_bytes(b, node->memory_bytes);
    }
    for (size_t i = 0; i < node->gpu_kinds; i++)
        buf_addf(b, ", %u gpu%s%s%.*s", node->gpus[i].count,
                 node->gpus[i].count == 1 ? "" : "s",
                 node->gpus[i].type.len ? " " : "", STRF(node->gpus[i].type));
}

int nodes_check(const struct nodes *nodes, const struct needs *n,
                struct err *err)
{
    const struct node *largest = NULL;
    struct needs part = needs_of_node(n);
    uint32_t fit = 0;
    for (size_t i = 0; i < nodes->list.len; i++) {
        const struct node *node = &nodes->list.p[i];
        fit += slots_of(node, n) > 0;
        if (!largest || larger(node, largest, &part))
            largest = node;
    }
    if (!largest || fit >= needs_nodes(n))
        return 0;
    struct buf asked, has;
    buf_init(&asked);
    buf_init(&has);
    needs_print(&asked, n);
    print_node(&has, largest);
    if (fit)
        err_set(err, ERR_INPUT,
                "needs %.300s, and only %u node%s of the cluster ha%s the part "
                "of one",
                asked.p, fit, fit == 1 ? "" : "s", fit == 1 ? "s" : "ve");
    else
        err_set(err, ERR_INPUT,
                "needs %.300s, and no node of the cluster has that; the "
                "largest is %.300s",
                asked.p, has.p);
    buf_done(&asked);
    buf_done(&has);
    return -1;
}

uint32_t nodes_gpus(const struct nodes *nodes)
{
    uint32_t count = 0;
    for (size_t i = 0; i < nodes->list.len; i++)
        for (size_t k = 0; k < nodes->list.p[i].gpu_kinds; k++)
            count += nodes->list.p[i].gpus[k].count;
    return count;
}

struct str nodes_gpu_type(const struct nodes *nodes, const struct needs *n)
{
    for (size_t i = 0; *n->gpu_name && i < nodes->list.len; i++) {
        const struct node *node = &nodes->list.p[i];
        for (size_t k = 0; k < node->gpu_kinds; k++)
            if (room_gpu_named(node->gpus[k].type, n->gpu_name))
                return node->gpus[k].type;
    }
    return (struct str){0};
}
