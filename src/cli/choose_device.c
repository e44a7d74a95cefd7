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
    task->auto_device = 1;
    buf_init(&b);
    if (choice.why != DEVICE_BY_TIME) {
        device_choice_words(&b, &choice);
    } else {
        buf_addf(&b, "%s: it should take ", choice.device->name);
        num_print_seconds(&b, choice.gpu_s);
        buf_adds(&b, " on the GPU, ");
        num_print_seconds(&b, choice.cpu_s);
        buf_adds(&b, " on a cpu");
    }
    if (!quiet)
        say("throng %s: device %s\n", c->verb->name, b.p);
    buf_done(&b);
}
