#!/usr/bin/env bash
# tools/setup, with fakes in place of dpkg, apt and sudo
. "$(dirname "$0")/../cli/lib.sh"

mkdir fakes
# INSTALLED and ARCHIVE hold package names between blanks.
cat >fakes/dpkg-query <<'EOF'
#!/bin/sh
for name; do :; done
case " $INSTALLED " in *" $name "*) printf installed ;; *) exit 1 ;; esac
EOF
cat >fakes/apt-cache <<'EOF'
#!/bin/sh
case " $ARCHIVE " in *" $2 "*) ;; *) exit 100 ;; esac
EOF
cat >fakes/apt-get <<'EOF'
#!/bin/sh
echo "$DEBIAN_FRONTEND apt-get $*" >>"$TMP/calls"
EOF
cat >fakes/sudo <<'EOF'
#!/bin/sh
echo "sudo" >>"$TMP/calls"
exec "$@"
EOF
cat >fakes/id <<'EOF'
#!/bin/sh
echo "$FAKE_USER"
EOF
chmod +x fakes/*

cat >packages.txt <<'EOF'
# a comment
[build]
gcc     # with a reason
old|new
[test]
cmocka
EOF

# Runs tools/setup in the fake world.
setup() {
    rm -f calls
    touch calls
    run env PATH="$TMP/fakes:$PATH" THRONG_PACKAGES="$TMP/packages.txt" \
        FAKE_USER="${FAKE_USER:-0}" INSTALLED="$INSTALLED" ARCHIVE="$ARCHIVE" \
        "$ROOT/tools/setup" "$@"
}

INSTALLED="gcc new" ARCHIVE="gcc old new cmocka"
setup build
check_status "what is all there needs nothing" 0
check_equal "and apt-get is not called" "" "$(cat calls)"

INSTALLED="gcc" ARCHIVE="gcc new cmocka"
setup build test
check_status "what is missing is installed" 0
check_equal "once, only that, and of alternatives what the archive has" \
    "noninteractive apt-get update -q
noninteractive apt-get install -q -y --no-install-recommends new cmocka" \
    "$(cat calls)"

FAKE_USER=1000
setup test
check_equal "a user who is not root goes through sudo" "sudo
noninteractive apt-get update -q
sudo
noninteractive apt-get install -q -y --no-install-recommends cmocka" \
    "$(cat calls)"

# Without sudo: only the tools that the script itself uses are on PATH.
mkdir bare
for tool in bash env awk grep tr dirname cat sh; do
    ln -s "$(command -v $tool)" bare/$tool
done
cp fakes/dpkg-query fakes/apt-get fakes/apt-cache fakes/id bare/
rm -f calls
run env -i PATH="$TMP/bare" THRONG_PACKAGES="$TMP/packages.txt" \
    FAKE_USER=1000 INSTALLED="" ARCHIVE="" TMP="$TMP" \
    "$ROOT/tools/setup" build test
check_status "neither root nor sudo is an error" 1
check_contains "that says what to ask for" "$err" \
    "apt-get install --no-install-recommends gcc old cmocka"
check_not "and nothing was tried" test -e calls
FAKE_USER=0

INSTALLED="gcc" ARCHIVE=""
setup --list build test
check_equal "--list names what is missing" "old|new
cmocka" "$out"
check_equal "and changes nothing" "" "$(cat calls)"

setup bulid
check_status "an unknown section is an error" 1
check_contains "that names the known ones" "$err" "[build] [test]"

run "$ROOT/tools/setup" --list build test bench
check_status "the project's own list can be read" 0
