/* fuzz_shell.c - any text as a script in which values are to stand */
#include "base/err.h"
#include "plan/shell.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Every step goes on, and none leaves the text. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct shell_scan s;

    shell_scan_init(&s, str_n((const char *)data, size));
    for (size_t idle = 0; s.at < size;) {
        size_t before = s.at;

        shell_scan_place(&s);
        shell_scan_in_program(&s);
        if (data[s.at] == '{' && size - s.at > 2)
            shell_scan_skip(&s, 3);
        else
            shell_scan_step(&s);
        idle = s.at > before ? 0 : idle + 1;
        require(s.at <= size && s.depth < SHELL_DEPTH_MAX);
        require(idle <= SHELL_DEPTH_MAX);
    }
    return 0;
}
