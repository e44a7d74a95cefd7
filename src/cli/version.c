/* version.c - which throng this is */
#include "cli/cli.h"

static int run(struct call *c)
{
    if (call_flag(c, "json"))
        put(STR("{\"schema\":\"throng.version/1\",\"version\":"
                "\"" THRONG_VERSION "\"}\n"));
    else
        put(STR("throng " THRONG_VERSION "\n"));
    return EXIT_OK;
}

VERB(version) = {
    .name = "version",
    .args = "",
    .summary = "Print the version",
    .text = "",
    .options =
        (const struct option_spec[]){
            {"json", 0, NULL, "for programs: schema throng.version/1"}, {0}},
    .run = run,
};
