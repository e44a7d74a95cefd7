#!/usr/bin/env bash
# A row that was forgotten does not compile: of every list that an extension is
# put into one row is taken away, in a copy, and the file behind it compiled. And
# what has a row stands in its page of reference.
. "$(dirname "$0")/../cli/lib.sh"

# One file of the sources, with what lies in $TMP/src before them.
compile() { # FILE
    local file=$ROOT/src/$1
    [ -f "src/$1" ] && file=src/$1
    cc -std=gnu17 -O0 -c -o compiled.o -Wall -Wextra -Werror -D_GNU_SOURCE \
        -D_FILE_OFFSET_BITS=64 -DTHRONG_VERSION='"0"' -iquote src \
        -iquote "$ROOT/src" -I"$ROOT/include" "$file"
}

# The row stands in WHERE; without it FILE does not compile, which names WORD.
needs_row() { # WHAT WHERE ROW FILE WORD
    run compile "$4"
    check_status "the $1 of $4 compiles" 0
    mkdir -p "src/$(dirname "$2")"
    grep -vF -- "$3" "$ROOT/src/$2" >"src/$2"
    check_equal "and has one row in $2" 1 \
        "$(($(wc -l <"$ROOT/src/$2") - $(wc -l <"src/$2")))"
    run compile "$4"
    check_status "without which it does not" 1
    check_contains "as the compiler says" "$err" "$5"
    rm -r src
}

needs_row strategy search/strategy.h 'row(sobol)' search/sobol.c STRATEGY_ROW_sobol
needs_row device terms/device.h 'row(portable,' nn/portable.c DEVICE_portable
needs_row kind terms/kind.h 'row(train,' worker/train.c KIND_ROW_train
needs_row place terms/place.h 'row(local,' engine/local.c PLACE_ROW_local
needs_row scheduler terms/place.h 'row(htcondor, "HTC' plan/site.c SITE_htcondor
needs_row verb cli/cli.h 'row(doctor)' cli/doctor.c VERB_ROW_doctor
needs_row operation nn/graph.h 'X(DECONV)' nn/layer_window.c NN_OP_DECONV
needs_row kernel nn/plain.inc '#define SAMPLE_KERNEL' nn/reference.c SAMPLE_KERNEL
needs_row layer nn/layer_plain.c '{"flatten", NULL' nn/layer_plain.c build_flatten
needs_row figure figure/figure.h 'row(rungs)' figure/rungs.c FIGURE_ROW_rungs
needs_row 'form of figures' plot/canvas.h 'row(terminal)' plot/terminal.c BACKEND_ROW_terminal
needs_row 'kind of stage' terms/stage.h 'row(command,' plan/stage_command.c STAGE_ROW_command

# ---- every row has its page ------------------------------------------------------

# The names in a list, one a line.
names_in() { # WHERE LIST
    sed -n "/^#define $2(row)/,/[^\\\\]\$/p" "$ROOT/src/$1" |
        grep -v RUNS_UNASKED | sed -n 's/^ *row(\([a-z0-9_]*\).*/\1/p'
}

# Of each name in the list the page has a line that looks like FORM, with the
# name for NAME.
has_page() { # WHAT WHERE LIST PAGE FORM
    local name names
    names=$(names_in "$2" "$3")
    check "there are rows in $3" test -n "$names"
    for name in $names; do
        check "the $1 $name stands in $4" \
            grep -qE -- "${5//NAME/$name}" "$ROOT/docs/reference/$4"
    done
}

has_page place terms/place.h PLACES study-file.md '^\| `engine`.*`NAME`'
has_page scheduler terms/place.h SITES study-file.md '^\| .*`NAME`.* settings of'
has_page device terms/device.h DEVICES study-file.md '^\| `device`.*`NAME`'
has_page kind terms/kind.h KINDS study-file.md '^\| `task`.*`NAME`'
has_page 'kind of stage' terms/stage.h STAGES campaign-file.md '^\| `NAME: '
has_page figure figure/figure.h FIGURES figures.md '^## NAME$'
has_page 'form of figures' plot/canvas.h PLOT_BACKENDS figures.md '`\.NAME`|the NAME'

# What can be asked over HTTP has a section, of one trial a line.
while read -r method path; do
    form='^### `'$method' /api/v1/'$(sed 's/:study/[A-Z]*/' <<<"$path")'`$'
    case $path in
    */:trial) form='^\| \(nothing\) \|' ;;
    */:trial/*) form='^\| `/'${path##*/}'[`?]' ;;
    esac
    check "$method $path stands in web-api.md" \
        grep -qE -- "$form" "$ROOT/docs/reference/web-api.md"
done < <(sed -n 's/^ *{"\([A-Z]*\)", "\([^"]*\)".*/\1 \2/p' \
    "$ROOT/src/web/routes.c")
