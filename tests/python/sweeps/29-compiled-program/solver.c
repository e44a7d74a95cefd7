/* solver.c - -n N -o FILE --scheme=NAME */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 6 || strcmp(argv[1], "-n") || strcmp(argv[3], "-o"))
        return 2;
    FILE *out = fopen(argv[4], "w");
    if (!out)
        return 1;
    fprintf(out, "%s\n", argv[5]);
    printf("step 1\nfinal residual %.2e\n", 1.0 / strtod(argv[2], NULL));
    return fclose(out) ? 1 : 0;
}
