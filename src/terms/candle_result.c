/* candle_result.c - what a CANDLE model says of its result
 *
 * Models print numbers in many dresses: `val_loss: 0.5`, `val_loss=1e-05`,
 * `tensor(0.5)`, `{'r2': 0.9}`. The text is cut at blanks and punctuation;
 * the first piece that is a number counts, unless a colon or an equals sign
 * follows: then it belongs to a label (`top 5: 0.9` is 0.9). */
#include "terms/candle_result.h"

#include "base/chars.h"
#include "base/num.h"

static const char separators[] = " \t\r\n\f,;:=()[]{}'\"%";

static bool separates(char c)
{
    return strchr(separators, c) != NULL; /* NUL too */
}

/* The next piece of *rest, or an empty one at the end. */
static struct str next_piece(struct str *rest)
{
    size_t begin = 0, end;
    while (begin < rest->len && separates(rest->p[begin]))
        begin++;
    end = begin;
    while (end < rest->len && !separates(rest->p[end]))
        end++;
    struct str piece = str_n(rest->p + begin, end - begin);
    *rest = str_n(rest->p + end, rest->len - end);
    return piece;
}

static enum candle_says marker_of(struct str piece)
{
    if (str_is(piece, "EXCEPTION") || str_is(piece, "RUN_EXCEPTION"))
        return CANDLE_EXCEPTION;
    if (str_is(piece, "SKIP") || str_is(piece, "EPOCHS_COMPLETED_ALREADY"))
        return CANDLE_SKIP;
    return CANDLE_NOTHING;
}

static struct str without_separators(struct str s)
{
    while (s.len > 0 && separates(s.p[0]))
        s = str_n(s.p + 1, s.len - 1);
    while (s.len > 0 && separates(s.p[s.len - 1]))
        s.len--;
    return s;
}

/* True when what ended before `rest` is a label, or part of one. */
static bool is_label(struct str rest)
{
    size_t i = 0;
    while (i < rest.len && strchr(" \t'\"", rest.p[i]))
        i++;
    return i < rest.len && (rest.p[i] == ':' || rest.p[i] == '=');
}

struct candle_result candle_result_text(struct str text)
{
    struct candle_result r = {.says = CANDLE_NOTHING, .label = STR("")};
    struct str rest = text, piece = next_piece(&rest);
    r.says = marker_of(piece);
    if (r.says != CANDLE_NOTHING)
        return r;
    for (; piece.len > 0; piece = next_piece(&rest)) {
        double value;
        if (is_label(rest) || !num_double(piece, &value))
            continue;
        r.says = CANDLE_NUMBER;
        r.value = value;
        r.label = without_separators(str_n(text.p, (size_t)(piece.p - text.p)));
        break;
    }
    return r;
}

/* Where a word stands for itself, or NULL. */
static const char *find_word(struct str line, const char *word)
{
    size_t len = strlen(word);
    const char *p = line.p, *end = line.p + line.len, *found;
    while (p < end && (found = memmem(p, (size_t)(end - p), word, len))) {
        p = found + len;
        if ((found == line.p || !is_word(found[-1])) &&
            (p == end || !is_word(*p)))
            return p;
    }
    return NULL;
}

struct candle_result candle_result_line(struct str line)
{
    const char *behind = find_word(line, "IMPROVE_RESULT");
    if (!behind)
        behind = find_word(line, "CANDLE_RESULT");
    if (!behind)
        return (struct candle_result){.label = STR("")};
    return candle_result_text(
        str_n(behind, (size_t)(line.p + line.len - behind)));
}
