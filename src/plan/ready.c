/* ready.c - profiles of sites that many people use
 *
 * A person's own profile of the same name goes before. Names and numbers are
 * the sites' own, which may change them: `throng submit-file` shows what comes
 * of one. */
#include "plan/reading.h"

/* Jobs of the GPU Lab of CHTC: their lengths, and what one person may have of
 * each: two thirds of the GPUs, a third, four. A share is rounded down to whole
 * GPUs, and a third of three is one. */
static const char chtc[] =
    "engine: htcondor\n"
    "attributes: ['WantGPULab = true', 'IsResumable = true']\n"
    "classes:\n"
    "  short:  {time: 12h, limit: {gpu_share: 0.6667},\n"
    "           attributes: ['GPUJobLength = \"short\"']}\n"
    "  medium: {time: 24h, limit: {gpu_share: 0.3334},\n"
    "           attributes: ['GPUJobLength = \"medium\"']}\n"
    "  long:   {time: 7d, limit: {gpus: 4},\n"
    "           attributes: ['GPUJobLength = \"long\"']}\n";
/* Jobs go wherever there is room, and people add their project's name. */
static const char ospool[] = "engine: htcondor\n"
                             "offsite: true\n";

static const struct {
    const char *name, *text;
} ready[] = {{"chtc", chtc}, {"ospool", ospool}};

const char *ready_profile(struct str name)
{
    for (size_t i = 0; i < sizeof ready / sizeof *ready; i++)
        if (str_is(name, ready[i].name))
            return ready[i].text;
    return NULL;
}
