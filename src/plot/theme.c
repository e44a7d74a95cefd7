/* theme.c - the colours */
#include "plot/theme.h"

#include <math.h>
#include <stddef.h>

const struct theme theme_light = {
    .paper = {255, 255, 255},
    .ink = {34, 34, 34},
    .faint = {140, 140, 140},
    .grid = {230, 230, 230},
    .categories = {{0, 114, 178},
                   {213, 94, 0},
                   {0, 158, 115},
                   {204, 121, 167},
                   {230, 159, 0},
                   {86, 180, 233},
                   {100, 100, 100},
                   {205, 190, 30}},
};

const struct theme theme_dark = {
    .paper = {22, 24, 29},
    .ink = {230, 230, 230},
    .faint = {135, 140, 150},
    .grid = {48, 52, 60},
    .categories = {{86, 180, 233},
                   {230, 120, 40},
                   {0, 178, 130},
                   {214, 139, 181},
                   {230, 159, 0},
                   {60, 140, 210},
                   {170, 170, 170},
                   {240, 228, 66}},
};

static const struct rgb cividis[] = {
    {0, 34, 78},     {0, 46, 108},    {30, 58, 111},   {53, 69, 108},
    {71, 81, 108},   {87, 93, 109},   {102, 105, 112}, {117, 117, 117},
    {132, 130, 121}, {148, 142, 119}, {165, 156, 116}, {183, 169, 110},
    {200, 184, 102}, {219, 199, 90},  {238, 214, 73},  {254, 232, 56}};
#define LAST (sizeof(cividis) / sizeof(cividis[0]) - 1)

static uint8_t between(uint8_t a, uint8_t b, double part)
{
    return (uint8_t)lround(a + (b - a) * part);
}

static struct rgb ramp_at(double part)
{
    double at = fmin(fmax(part, 0), 1) * (double)LAST;
    size_t low = at < (double)LAST ? (size_t)at : LAST - 1;
    struct rgb a = cividis[low], b = cividis[low + 1];
    double rest = at - (double)low;
    return (struct rgb){between(a.r, b.r, rest), between(a.g, b.g, rest),
                        between(a.b, b.b, rest)};
}

struct rgb theme_ramp(double part, bool dark)
{
    return ramp_at(dark ? 0.2 + 0.8 * part : part);
}

struct rgb theme_level(unsigned level, bool density, bool dark)
{
    double part = (double)(level - 1) / (THEME_LEVELS - 1);
    if (!density)
        return theme_ramp(part, dark);
    /* The end of the ramp that is like the paper is left out. */
    return ramp_at(dark ? 0.25 + 0.75 * part : 0.85 * (1 - part));
}

bool theme_is_bright(struct rgb c)
{
    return 0.299 * c.r + 0.587 * c.g + 0.114 * c.b > 128;
}
