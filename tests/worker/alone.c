/* alone.c - a static program that reports one value and leaves a checkpoint,
 * with nothing around it */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    return fd < 0 || write(fd, text, strlen(text)) < 0;
}

int main(void)
{
    const char *metrics = getenv("THRONG_METRICS");
    const char *checkpoint = getenv("THRONG_CHECKPOINT");
    if (!metrics || !checkpoint || chdir(checkpoint) != 0)
        return 2;
    return put(metrics, "{\"x\": 3}\n") || put("c", "1\n") ||
           write(1, "alone\n", 6) < 0;
}
