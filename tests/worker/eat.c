/* eat.c - a program that takes memory and holds it
 *
 *     eat MEBIBYTES FILE - writes its pid into FILE, takes them, waits */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    size_t bytes = argc > 2 ? strtoul(argv[1], NULL, 10) << 20 : 0;
    FILE *file = argc > 2 ? fopen(argv[2], "w") : NULL;
    if (!file)
        return 1;
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
    char *p = malloc(bytes);
    if (!p)
        return 1;
    memset(p, 1, bytes);
    while (p[bytes / 2] == 1)
        sleep(1);
    return 0;
}
