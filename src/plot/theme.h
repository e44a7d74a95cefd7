/* theme.h - colours that survive colour blindness and grey print
 *
 * Categories are those of Okabe and Ito, magnitudes cividis. Nothing is said by
 * colour alone: categories differ in dashes and shapes too. */
#ifndef THRONG_PLOT_THEME_H
#define THRONG_PLOT_THEME_H

#include <stdbool.h>
#include <stdint.h>

struct rgb {
    uint8_t r, g, b;
};

#define THEME_CATEGORIES 8
#define THEME_LEVELS 32 /* of a ramp; 0 is none, then 1 to 32 */

struct theme {
    struct rgb paper, ink, faint, grid;
    struct rgb categories[THEME_CATEGORIES];
};
extern const struct theme theme_light, theme_dark;

/* 0 to 1, from dark to bright; on dark paper the darkest are left out. */
struct rgb theme_ramp(double part, bool dark);
/* Levels of densities: many stand out from the paper. */
struct rgb theme_level(unsigned level, bool density, bool dark);
/* True where text on it should be dark. */
bool theme_is_bright(struct rgb c);

#endif
