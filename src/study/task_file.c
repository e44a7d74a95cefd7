/* task_file.c - a task as a file, for whoever makes it once and needs it often
 */
#include "study/task_file.h"

#include "sys/sys.h"

int task_file_write(const struct task *task, const char *path, struct err *err)
{
    struct buf b;
    if (task_text_check(task, err))
        return -1;
    buf_init(&b);
    task_print(&b, task);
    buf_addc(&b, '\n');
    int rc = file_write(path, buf_str(&b), true, err);
    buf_done(&b);
    return rc;
}

int task_file_read(struct task *task, const char *path, struct arena *a,
                   struct err *err)
{
    struct buf text;
    buf_init(&text);
    int rc = file_read(path, 0, &text, err);
    if (!rc)
        rc = task_parse(task, arena_str(a, buf_str(&text)), a, err);
    buf_done(&text);
    return rc;
}
