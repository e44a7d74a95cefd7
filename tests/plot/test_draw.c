/* test_draw.c - any plot on any canvas: nothing breaks, and what is written is
 * what readers take */
#include "any_plot.h"

#include <stdlib.h>

static void draw(const struct plot *p, const char *file,
                 const struct plot_look *look, struct buf *b)
{
    struct err err = {0};
    const struct plot_backend *backend = plot_backend_of(file, &err);
    if (!backend || plot_draw(p, backend, look, b, &err))
        fail_msg("%s: %s", file, err.text);
}

/* Tags nest, attributes are quoted, no byte that XML refuses. */
static void check_xml(const char *text)
{
    int depth = 0;
    assert_true(str_utf8(str_of(text)));
    assert_null(strstr(text, "\xe2\x80\xae")); /* would turn its line */
    for (const char *at = text; *at; at++) {
        unsigned char c = (unsigned char)*at;
        assert_true(c >= 0x20 || c == '\n');
        if (*at == '&')
            assert_true(!strncmp(at, "&lt;", 4) || !strncmp(at, "&gt;", 4) ||
                        !strncmp(at, "&amp;", 5) || !strncmp(at, "&quot;", 6));
        if (*at != '<')
            continue;
        const char *end = strchr(at, '>');
        assert_non_null(end);
        assert_null(memchr(at + 1, '<', (size_t)(end - at - 1)));
        depth += at[1] == '/' ? -1 : end[-1] == '/' ? 0 : 1;
        assert_true(depth >= 0);
        at = end;
    }
    assert_int_equal(depth, 0);
}

/* No text stands above or below the figure. */
static void check_inside(const char *text, double height)
{
    const char *at = text;
    while ((at = strstr(at, "<text "))) {
        const char *y = strstr(at, " y=\"");
        assert_non_null(y);
        double v = strtod(y + 4, NULL);
        if (v < 0 || v > height)
            fail_msg("text at %g of %g: %.80s", v, height, at);
        at = y;
    }
}

/* No line is wider than the terminal, no byte that it would obey but for
 * colours. */
static void check_terminal(const char *text, const struct plot_look *look)
{
    struct str rest = str_of(text), line;
    size_t lines = 0;
    assert_null(strstr(text, "\xe2\x80\xae"));
    while (rest.len && str_split(&rest, '\n', &line)) {
        size_t letters = 0;
        lines++;
        while (line.len) {
            size_t len = str_utf8_next(line);
            assert_true(len > 0);
            assert_true(look->unicode || len == 1);
            if (line.p[0] == '\033') {
                assert_true(look->colour && line.p[1] == '[');
                len = (size_t)((const char *)memchr(line.p, 'm', line.len) -
                               line.p) +
                      1;
            } else {
                assert_true((unsigned char)line.p[0] >= 0x20);
                letters++;
            }
            line.p += len;
            line.len -= len;
        }
        assert_true((double)letters <= look->width);
    }
    assert_int_equal(lines, (size_t)look->height);
}

static const double sizes[][2] = {{240, 150}, {720, 450}, {2000, 1200}};
static const double screens[][2] = {{20, 8}, {80, 24}, {200, 50}};

static void draw_everywhere(const struct plot *p)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < 3; i++)
        for (int dark = 0; dark < 2; dark++) {
            struct plot_look look = {
                .width = sizes[i][0], .height = sizes[i][1], .dark = dark};
            buf_reset(&b);
            draw(p, "a.svg", &look, &b);
            check_xml(b.p);
            check_inside(b.p, look.height);
        }
    for (size_t i = 0; i < 3; i++)
        for (int form = 0; form < 4; form++) {
            struct plot_look look = {.width = screens[i][0],
                                     .height = screens[i][1],
                                     .colour = form & 1,
                                     .unicode = form & 2};
            buf_reset(&b);
            draw(p, "terminal", &look, &b);
            check_terminal(b.p, &look);
        }
    buf_done(&b);
}

static void try_numbers(double (*fn)(size_t), size_t n, const char *label)
{
    static const char *const choices[] = {"a", NASTY, "c"};
    for (int scale = PLOT_LINEAR; scale <= PLOT_SECONDS; scale++) {
        struct arena *a = arena_new();
        struct plot p;
        plot_init(&p, a);
        struct plot_panel *panel = any_panel(&p, n, fn, label);
        panel->x.scale = panel->y.scale = (enum plot_scale)scale;
        panel->x.choices = panel->y.choices = choices;
        panel->x.choice_count = panel->y.choice_count = 3;
        draw_everywhere(&p);
        plot_done(&p);
        arena_free(a);
    }
}

static void any_numbers_can_be_drawn(void **state)
{
    (void)state;
    try_numbers(plain_numbers, 30, "plain");
    try_numbers(no_numbers, 30, "none");
    try_numbers(equal_numbers, 30, "equal");
    try_numbers(wild_numbers, 30, "wild");
    try_numbers(plain_numbers, 1, "one");
    try_numbers(plain_numbers, 0, "nothing");
}

static void any_name_can_be_written(void **state)
{
    (void)state;
    try_numbers(plain_numbers, 12, NASTY);
    try_numbers(plain_numbers, 12, "");
}

static void many_panels_find_room_or_none(void **state)
{
    struct arena *a = arena_new();
    struct plot p;
    (void)state;
    plot_init(&p, a);
    for (size_t i = 0; i < 60; i++)
        any_panel(&p, 5, plain_numbers, "x");
    draw_everywhere(&p);
    plot_done(&p);
    arena_free(a);
}

static void panels_without_room_are_counted(void **state)
{
    struct arena *a = arena_new();
    struct plot p;
    struct buf b;
    (void)state;
    plot_init(&p, a);
    for (size_t i = 0; i < 6; i++)
        any_panel(&p, 5, plain_numbers, "x");
    buf_init(&b);
    draw(&p, "a.svg", &(struct plot_look){.width = 300, .height = 250}, &b);
    assert_non_null(strstr(b.p, "of 6 panels: the others need a larger size"));
    assert_non_null(strstr(b.p, "<path"));
    buf_reset(&b);
    draw(&p, "a.svg", &(struct plot_look){.width = 900, .height = 600}, &b);
    assert_null(strstr(b.p, "of 6 panels"));
    buf_done(&b);
    plot_done(&p);
    arena_free(a);
}

/* Of a matrix whose cells are as many as that. */
static void draw_matrix(struct plot *p, size_t side, struct buf *b)
{
    struct plot_panel *panel = plot_panel_add(p, NULL);
    size_t n = side * side;
    double *x = plot_room(p, n), *y = plot_room(p, n);
    const char **texts = arena_array(p->arena, n, sizeof(*texts));
    const char **names = arena_array(p->arena, side, sizeof(*names));
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)(i % side);
        y[i] = (double)(i / side);
        names[i % side] = "c";
        texts[i] = "12345";
    }
    panel->x = panel->y = (struct plot_axis){
        .scale = PLOT_CHOICE, .choices = names, .choice_count = side};
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_TEXTS,
                                             .count = n,
                                             .x = x,
                                             .y = y,
                                             .texts = texts,
                                             .room = 1});
    draw(p, "a.svg", &(struct plot_look){.width = 300, .height = 200}, b);
}

static void numbers_that_would_overlap_are_left_out(void **state)
{
    for (size_t side = 3; side <= 12; side += 9) {
        struct arena *a = arena_new();
        struct plot p;
        struct buf b;
        (void)state;
        plot_init(&p, a);
        buf_init(&b);
        draw_matrix(&p, side, &b);
        assert_int_equal(side == 3, strstr(b.p, "12345") != NULL);
        buf_done(&b);
        plot_done(&p);
        arena_free(a);
    }
}

/* A column of cells, every second one empty; in the others stands a Q. */
static void add_holed_column(struct plot *p, size_t count)
{
    struct plot_panel *panel = plot_panel_add(p, NULL);
    double *x = plot_room(p, count), *y = plot_room(p, count),
           *shades = plot_room(p, count);
    const char **texts = arena_array(p->arena, count, sizeof(*texts));
    const char **names = arena_array(p->arena, count, sizeof(*names));
    for (size_t i = 0; i < count; i++) {
        x[i] = 0;
        y[i] = (double)i;
        shades[i] = i % 2 ? (double)i : NAN;
        texts[i] = i % 2 ? "Q" : NULL;
        names[i] = "c";
    }
    panel->x = panel->y = (struct plot_axis){
        .scale = PLOT_CHOICE, .choices = names, .choice_count = count};
    panel->x.choice_count = 1;
    struct plot_mark m = {.kind = PLOT_CELLS,
                          .count = count,
                          .across = 1,
                          .x = x,
                          .y = y,
                          .shades = shades,
                          .texts = texts,
                          .room = 1};
    plot_mark_add(panel, &m);
    m.kind = PLOT_TEXTS;
    plot_mark_add(panel, &m);
}

static void check_on_shade(const char *text, int height)
{
    size_t found = 0;
    for (const char *at = text; (at = strchr(at, 'Q')); at++, found++) {
        const char *begin = at;
        while (*begin != '\033')
            begin--;
        const char *back = strstr(begin, ";48;5;");
        if (!back || back > at)
            fail_msg("at %d rows: a number beside its shade", height);
    }
    assert_int_equal(found, 15);
}

/* In cells of any height, a row and a half as well. */
static void numbers_stand_on_their_shade(void **state)
{
    (void)state;
    for (int height = 32; height < 70; height++) {
        struct plot_look look = {
            .width = 60, .height = height, .unicode = true, .colour = true};
        struct arena *a = arena_new();
        struct plot p;
        struct buf b;
        plot_init(&p, a);
        buf_init(&b);
        add_holed_column(&p, 30);
        draw(&p, "terminal", &look, &b);
        check_on_shade(b.p, height);
        buf_done(&b);
        plot_done(&p);
        arena_free(a);
    }
}

/* Names that differ at their ends differ where they are cut, too. */
static void long_names_keep_their_ends(void **state)
{
    static const char *const names[] = {"a_rather_long_name_of_a_layer_1",
                                        "a_rather_long_name_of_a_layer_2"};
    static const double at[] = {0, 1};
    static const char *const files[] = {"a.svg", "terminal"};
    struct arena *a = arena_new();
    struct plot p;
    (void)state;
    plot_init(&p, a);
    struct plot_panel *panel = plot_panel_add(&p, NULL);
    panel->y = (struct plot_axis){
        .scale = PLOT_CHOICE, .choices = names, .choice_count = 2};
    plot_mark_add(
        panel,
        &(struct plot_mark){.kind = PLOT_POINTS, .count = 2, .x = at, .y = at});
    for (size_t i = 0; i < 2; i++) {
        struct plot_look look = {
            .width = i ? 60 : 300, .height = i ? 12 : 200, .unicode = true};
        struct buf b;
        buf_init(&b);
        draw(&p, files[i], &look, &b);
        assert_null(strstr(b.p, names[0]));
        assert_non_null(strstr(b.p, "a_ra"));
        assert_non_null(strstr(b.p, "r_1"));
        assert_non_null(strstr(b.p, "r_2"));
        buf_done(&b);
    }
    plot_done(&p);
    arena_free(a);
}

static void without_colours_points_differ_in_form(void **state)
{
    static const double x[] = {1, 2, 3}, y[] = {1, 3, 2};
    static const uint8_t kinds[] = {0, 1, 2};
    struct arena *a = arena_new();
    struct plot p;
    struct buf b;
    (void)state;
    plot_init(&p, a);
    plot_mark_add(plot_panel_add(&p, NULL),
                  &(struct plot_mark){.kind = PLOT_POINTS,
                                      .count = 3,
                                      .x = x,
                                      .y = y,
                                      .categories = kinds});
    buf_init(&b);
    draw(&p, "terminal", &(struct plot_look){.unicode = true}, &b);
    assert_non_null(strchr(b.p, 'x'));
    assert_non_null(strchr(b.p, '+'));
    buf_reset(&b);
    draw(&p, "terminal", &(struct plot_look){.unicode = true, .colour = true},
         &b);
    assert_null(strchr(b.p, '+'));
    buf_done(&b);
    plot_done(&p);
    arena_free(a);
}

static void what_colours_mean_is_said_where_there_are_any(void **state)
{
    static const char *const files[] = {"a.svg", "terminal", "terminal"};
    struct arena *a = arena_new();
    struct plot p;
    (void)state;
    plot_init(&p, a);
    any_panel(&p, 5, plain_numbers, "x");
    plot_note_of_colours(&p, "dark: early");
    for (size_t i = 0; i < 3; i++) {
        struct buf b;
        buf_init(&b);
        draw(&p, files[i],
             &(struct plot_look){.unicode = true, .colour = i == 1}, &b);
        assert_int_equal(i < 2, strstr(b.p, "dark:") || strstr(b.p, "d\033"));
        buf_done(&b);
    }
    plot_done(&p);
    arena_free(a);
}

/* Also in a figure so small that most panels are not there; and nothing is
 * said of those. */
static void notes_are_whole_and_of_what_is_drawn(void **state)
{
    static const char *const said[] = {"1 of 4 panels", "dark: early trials",
                                       "foremost"};
    static const double at[] = {0, 1};
    struct arena *a = arena_new();
    struct plot p;
    struct buf b;
    (void)state;
    plot_init(&p, a);
    p.title = "fig: loss by parameter";
    p.subtitle = "loss (minimize), 400 trials";
    for (size_t i = 0; i < 4; i++)
        plot_mark_add(plot_panel_add(&p, NULL),
                      &(struct plot_mark){
                          .kind = PLOT_POINTS, .count = 2, .x = at, .y = at});
    p.panels.p[0]->note = "foremost: a note of some length";
    p.panels.p[3]->note = "hindmost";
    plot_note_of_colours(&p, "dark: early trials, bright: late ones");
    buf_init(&b);
    draw(&p, "a.svg", &(struct plot_look){.width = 300, .height = 200}, &b);
    for (size_t i = 0; i < 3; i++)
        if (!strstr(b.p, said[i]))
            fail_msg("not said: %s", said[i]);
    assert_null(strstr(b.p, "\xe2\x80\xa6"));
    assert_null(strstr(b.p, "hindmost"));
    buf_reset(&b);
    p.panels.p[3]->note = p.panels.p[0]->note;
    draw(&p, "a.svg", &(struct plot_look){.width = 900, .height = 700}, &b);
    const char *once = strstr(b.p, "foremost");
    assert_non_null(once);
    assert_null(strstr(once + 1, "foremost"));
    buf_done(&b);
    plot_done(&p);
    arena_free(a);
}

/* Of lines by shades, which a terminal without colours does not show. */
static void a_ramp_stands_where_its_shades_are_seen(void **state)
{
    static const double x[] = {0, 1, 2}, y[] = {0, 1, 0};
    static const double shades[] = {3, 7, 5};
    (void)state;
    for (int form = 0; form < 4; form++) {
        bool cells = form & 1, colour = form & 2;
        struct arena *a = arena_new();
        struct plot p;
        struct buf b;
        plot_init(&p, a);
        struct plot_panel *panel = plot_panel_add(&p, NULL);
        panel->ramp_label = "q";
        plot_mark_add(
            panel, &(struct plot_mark){.kind = cells ? PLOT_CELLS : PLOT_POINTS,
                                       .count = 3,
                                       .across = 3,
                                       .x = x,
                                       .y = y,
                                       .shades = shades});
        buf_init(&b);
        draw(&p, "terminal", &(struct plot_look){.colour = colour}, &b);
        assert_int_equal(cells || colour, strchr(b.p, 'q') != NULL);
        buf_done(&b);
        plot_done(&p);
        arena_free(a);
    }
}

/* Five lines that never meet. */
static void add_lines(struct plot *p)
{
    static const char *const names[] = {"first", "second", "third", "fourth",
                                        "fifth"};
    struct plot_panel *panel = plot_panel_add(p, NULL);
    for (unsigned k = 0; k < 5; k++) {
        double *x = plot_room(p, 20), *y = plot_room(p, 20);
        for (size_t i = 0; i < 20; i++) {
            x[i] = (double)i;
            y[i] = 3.0 * k + (double)(i % 2);
        }
        plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_LINES,
                                                 .count = 20,
                                                 .x = x,
                                                 .y = y,
                                                 .colour = PLOT_CATEGORY,
                                                 .category = k,
                                                 .dashes = k,
                                                 .lettered = true,
                                                 .name = names[k]});
    }
}

static size_t count_of(const char *text, char letter)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == letter;
    return n;
}

/* By a letter in a terminal, by dashes on paper. */
static void lines_are_told_apart_without_colours(void **state)
{
    static const char *const dashes[] = {"\"5 3\"", "\"1.5 2\"",
                                         "\"8 2.5 1.5 2.5\"", "\"11 4\""};
    struct arena *a = arena_new();
    struct plot p;
    struct buf b;
    (void)state;
    plot_init(&p, a);
    add_lines(&p);
    buf_init(&b);
    for (int unicode = 0; unicode < 2; unicode++) {
        buf_reset(&b);
        draw(&p, "terminal", &(struct plot_look){.unicode = unicode}, &b);
        assert_non_null(strstr(b.p, "a first"));
        assert_non_null(strstr(b.p, "b second"));
        assert_non_null(strstr(b.p, "e fifth"));
        for (char letter = 'a'; letter <= 'e'; letter++)
            assert_true(count_of(strchr(b.p, '\n'), letter) >= 3);
    }
    buf_reset(&b);
    draw(&p, "terminal", &(struct plot_look){.unicode = true, .colour = true},
         &b);
    assert_null(strchr(b.p, 'b'));
    buf_reset(&b);
    draw(&p, "a.svg", &(struct plot_look){0}, &b);
    for (size_t i = 0; i < 4; i++)
        assert_non_null(strstr(b.p, dashes[i]));
    buf_done(&b);
    plot_done(&p);
    arena_free(a);
}

static void add_bars(struct plot *p, size_t count)
{
    struct plot_panel *panel = plot_panel_add(p, NULL);
    double *from = plot_room(p, count), *to = plot_room(p, count);
    double *low = plot_room(p, count), *high = plot_room(p, count);
    const char **names = arena_array(p->arena, count, sizeof(*names));
    for (size_t i = 0; i < count; i++) {
        from[i] = 0;
        to[i] = 1;
        low[i] = (double)i - 0.4;
        high[i] = (double)i + 0.4;
        names[i] = arena_printf(p->arena, "bar-%03zu", i);
    }
    panel->x = (struct plot_axis){.label = "x"};
    panel->y = (struct plot_axis){.scale = PLOT_CHOICE,
                                  .choices = names,
                                  .choice_count = count,
                                  .spare = "small ones",
                                  .down = true};
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_RECTS,
                                             .count = count,
                                             .x = from,
                                             .y = low,
                                             .x2 = to,
                                             .y2 = high});
}

static size_t count_words(const char *text, const char *word)
{
    size_t n = 0;
    while ((text = strstr(text, word))) {
        n++;
        text++;
    }
    return n;
}

static void each_bar_has_its_name_or_is_counted(void **state)
{
    static const double heights[] = {8, 10, 16, 24, 50, 120, 200, 450};
    (void)state;
    for (size_t i = 0; i < 8; i++) {
        bool cells = heights[i] <= 50;
        struct plot_look look = {.width = cells ? 60 : 300,
                                 .height = heights[i]};
        struct arena *a = arena_new();
        struct plot p;
        struct buf b;
        unsigned left = 0;
        plot_init(&p, a);
        add_bars(&p, 40);
        buf_init(&b);
        draw(&p, cells ? "terminal" : "a.svg", &look, &b);
        const char *said = strstr(b.p, "for want of room: ");
        if (said)
            left = (unsigned)strtoul(said + strlen("for want of room: "), NULL,
                                     10);
        assert_int_equal(heights[i] < 50 || !cells, said != NULL);
        assert_int_equal(count_words(b.p, "bar-"), 40 - left);
        if (!cells) /* without the paper and the frame */
            assert_int_equal(count_words(b.p, "Z\""), 40 - left);
        buf_done(&b);
        plot_done(&p);
        arena_free(a);
    }
}

static void a_crowd_is_a_density_and_says_so(void **state)
{
    struct arena *a = arena_new();
    struct plot p;
    struct buf b;
    size_t n = PLOT_MARKS_MAX + 1;
    (void)state;
    plot_init(&p, a);
    struct plot_panel *panel = plot_panel_add(&p, NULL);
    double *x = plot_room(&p, n), *y = plot_room(&p, n);
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)(i % 300);
        y[i] = (double)(i / 300);
    }
    struct plot_mark m = {.kind = PLOT_POINTS,
                          .count = n,
                          .x = x,
                          .y = y,
                          .crowd = "50,001 dots"};
    plot_mark_add(panel, &m);
    buf_init(&b);
    draw(&p, "a.svg", &(struct plot_look){0}, &b);
    check_xml(b.p);
    assert_non_null(strstr(b.p, "density of 50,001 dots"));
    assert_null(strstr(b.p, "<circle"));
    buf_reset(&b);
    panel->marks.p[0].count--;
    draw(&p, "a.svg", &(struct plot_look){0}, &b);
    assert_null(strstr(b.p, "density"));
    assert_non_null(strstr(b.p, "<circle"));
    buf_done(&b);
    plot_done(&p);
    arena_free(a);
}

static void text_of_a_svg_stays_text(void **state)
{
    struct arena *a = arena_new();
    struct plot p;
    struct buf b;
    (void)state;
    plot_init(&p, a);
    any_panel(&p, 5, plain_numbers, "loss of <it>");
    buf_init(&b);
    draw(&p, "a.svg", &(struct plot_look){0}, &b);
    assert_non_null(strstr(b.p, ">loss of &lt;it&gt;</text>"));
    assert_non_null(strstr(b.p, "font-family=\"Helvetica"));
    buf_done(&b);
    plot_done(&p);
    arena_free(a);
}

static void cairo_writes_pdf_and_png(void **state)
{
    struct arena *a = arena_new();
    struct plot p;
    struct buf b;
    struct err err = {0};
    const struct plot_look look = {.width = 300, .height = 200};
    (void)state;
    plot_init(&p, a);
    any_panel(&p, 20, plain_numbers, NASTY);
    buf_init(&b);
    int rc = plot_draw(&p, plot_backend_of("a.PDF", &err), &look, &b, &err);
    if (rc && err.kind == ERR_MISSING) {
        print_message("no cairo here: %s\n", err.text);
    } else {
        assert_int_equal(rc, 0);
        assert_memory_equal(b.p, "%PDF-", 5);
        buf_reset(&b);
        draw(&p, "a.png", &look, &b);
        assert_memory_equal(b.p, "\x89PNG\r\n", 6);
        assert_memory_equal(b.p + 16, "\0\0\2\x58\0\0\1\x90", 8);
    }
    buf_done(&b);
    plot_done(&p);
    arena_free(a);
}

static void other_endings_are_refused(void **state)
{
    static const char *const files[] = {"a.jpg", "svg", "a", "a.svg.gz"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct err err = {0};
        assert_null(plot_backend_of(files[i], &err));
        assert_non_null(strstr(err.text, ".svg, .pdf or .png"));
    }
}

static void the_table_is_csv(void **state)
{
    static const double numbers[] = {1, NAN, 0.1};
    static const char *const texts[] = {"a,b", NULL, "say \"hi\""};
    struct arena *a = arena_new();
    struct plot p;
    struct buf b;
    (void)state;
    plot_init(&p, a);
    p.rows = 3;
    plot_numbers(&p, "n", numbers);
    plot_texts(&p, "a,t", texts);
    buf_init(&b);
    plot_csv(&b, &p);
    assert_string_equal(b.p,
                        "n,\"a,t\"\n1,\"a,b\"\n,\n0.1,\"say \"\"hi\"\"\"\n");
    buf_done(&b);
    plot_done(&p);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_numbers_can_be_drawn),
        cmocka_unit_test(any_name_can_be_written),
        cmocka_unit_test(many_panels_find_room_or_none),
        cmocka_unit_test(panels_without_room_are_counted),
        cmocka_unit_test(numbers_that_would_overlap_are_left_out),
        cmocka_unit_test(numbers_stand_on_their_shade),
        cmocka_unit_test(long_names_keep_their_ends),
        cmocka_unit_test(without_colours_points_differ_in_form),
        cmocka_unit_test(what_colours_mean_is_said_where_there_are_any),
        cmocka_unit_test(notes_are_whole_and_of_what_is_drawn),
        cmocka_unit_test(a_ramp_stands_where_its_shades_are_seen),
        cmocka_unit_test(lines_are_told_apart_without_colours),
        cmocka_unit_test(each_bar_has_its_name_or_is_counted),
        cmocka_unit_test(a_crowd_is_a_density_and_says_so),
        cmocka_unit_test(text_of_a_svg_stays_text),
        cmocka_unit_test(cairo_writes_pdf_and_png),
        cmocka_unit_test(other_endings_are_refused),
        cmocka_unit_test(the_table_is_csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
