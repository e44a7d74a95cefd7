#!/usr/bin/env bash
# make install: what it puts where, and that it works from there
# thorough: builds throng-worker-cuda, for which nvcc takes minutes
. "$(dirname "$0")/../cli/lib.sh"

python=$TMP/root/opt/throng/lib/python3/dist-packages
run make -C "$ROOT" --no-print-directory install DESTDIR="$TMP/root" \
    PREFIX=/opt/throng
said=$err
share=$TMP/root/opt/throng/share/throng
check_status "it installs below DESTDIR and PREFIX" 0
# The second worker is there where nvcc was found.
cuda=
if [[ -x $ROOT/build/throng-worker-cuda ]]; then
    cuda=$'\nbin/throng-worker-cuda'
fi
check_equal "programs, header, library" "bin/throng
bin/throng-worker$cuda
include/throng.h
lib/libthrong.a" "$(cd root/opt/throng && find bin include lib/*.a -type f | sort)"

run root/opt/throng/bin/throng version
check_status "the installed program starts" 0
check_contains "and knows its version" "$out" \
    "$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$ROOT/meson.build")"

check "the Python package can be imported" \
    env PYTHONPATH="$python" PYTHONDONTWRITEBYTECODE=1 python3 -c 'import throng'
check "so can the stand-in for wandb" \
    env PYTHONPATH="$share/stand_in" PYTHONDONTWRITEBYTECODE=1 \
    python3 -c 'import wandb; assert "/share/throng/" in wandb.__file__'
check "and that for CANDLE" \
    env PYTHONPATH="$share/stand_in_candle" PYTHONDONTWRITEBYTECODE=1 \
    python3 -c 'import candle_keras; candle_keras.Benchmark'
check_contains "where Python does not look, PYTHONPATH is said" "$said" \
    "export PYTHONPATH=/opt/throng/lib/python3/dist-packages"
check "with its table of keywords" test -s "$python/throng/keywords.json"

echo '#include <throng.h>' >alone.c
check "the header compiles alone, as C99" cc -std=c99 -Wall -Wextra -Werror \
    -pedantic -I root/opt/throng/include -c alone.c -o alone.o

nm -g --defined-only root/opt/throng/lib/libthrong.a 2>/dev/null |
    awk 'NF == 3 { print $3 }' >names
check "the library has names" test -s names
check_not "and shows none but its own" grep -v '^throng_' names

run make -C "$ROOT" -s --no-print-directory install -n PREFIX=/usr/local
check_contains "below /usr/local Python's own folder is used" "$out" \
    "$("$ROOT/tools/pythondir" /usr/local 2>/dev/null)"

# The programs and the package, as one person installs them for herself.
mkdir "$TMP/person"
run env -u VIRTUAL_ENV HOME="$TMP/person" PYTHONUSERBASE="$TMP/person/.local" \
    make -C "$ROOT" -s --no-print-directory install \
    PREFIX="$TMP/person/.local"
check_status "it installs below a person's own folder" 0
check "where python3 finds the package without being told" \
    env -u PYTHONPATH PYTHONUSERBASE="$TMP/person/.local" \
    PYTHONDONTWRITEBYTECODE=1 python3 -c 'import throng; print(throng.__file__)'

cat >asks.py <<'END'
import throng, wandb
print("asked", wandb.__name__)
END
cat >asks.yaml <<'END'
program: asks.py
method: grid
wandb: stand-in
parameters: {x: {values: [1]}}
END
installed=$TMP/person/.local/bin/throng
run "$installed" run asks.yaml
run "$installed" show asks 1 --command
check_equal "a trial's line finds what was installed" "asked wandb" \
    "$(cd / && env -u PYTHONPATH PYTHONNOUSERSITE=1 sh -c "$out" 2>&1)"

# The example in C, built as its page says, with what was installed.
export PKG_CONFIG_PATH=$TMP/person/.local/lib/pkgconfig
check_equal "pkg-config knows the version" \
    "$("$installed" --version | awk '{print $2}')" \
    "$(pkg-config --modversion throng)"
cp "$ROOT"/examples/c/* .
# shellcheck disable=SC2046
run env -u CPATH -u LIBRARY_PATH cc -Wall -Wextra -Werror -o train train.c \
    $(pkg-config --cflags --libs throng)
check_status "a program in C is built with pkg-config" 0
run "$installed" run study.yaml
check_status "and is a study's command" 0
check_contains "that reports" "$("$installed" rank c -n 1)" "0.5"
PKG_CONFIG_SYSROOT_DIR=$TMP/root PKG_CONFIG_PATH=$TMP/root/opt/throng/lib/pkgconfig \
    run pkg-config --cflags throng
check_contains "the folders are those of the finished system" "$out" \
    "$TMP/root/opt/throng/include"
