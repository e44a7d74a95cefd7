/* choose_device.c - the device of a verb that works here and now */
#include "cli/choose_device.h"

#include "base/num.h"
#include "study/study.h"
#include "terms/device_cost.h"

void choose_device(struct call *c, struct task *task, const char *scratch,
                   bool quiet)
{
    struct device_choice choice;
    struct buf b;
    if ((task->device.len && !str_is(task->device, "auto")) ||
        !one_device(task, scratch, c->arena, &choice))
        return;
    task->device = str_of(choice.device->name);
    buf_init(&b);
    num_print_seconds(&b, choice.gpu_s);
    buf_adds(&b, " on the GPU, ");
    num_print_seconds(&b, choice.cpu_s);
    if (!quiet)
        say("throng %s: device %s: it should take %s on a cpu\n", c->verb->name,
            choice.device->name, b.p);
    buf_done(&b);
}
