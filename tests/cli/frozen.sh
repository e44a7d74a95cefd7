#!/usr/bin/env bash
# `code: git` and `code: copy`: tasks run from files as they were when the study
# began, whatever is edited meanwhile.
. "$(dirname "$0")/lib.sh"
command -v git >/dev/null || skip_all "git is not installed"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a \
    GIT_COMMITTER_EMAIL=a@b GIT_CONFIG_GLOBAL=/dev/null

values() { # NAME
    sqlite3 ".throng/$1/study.db" 'select value from trials order by id' | xargs
}

# A repository whose study lies in a folder of it, beside a module above.
repo=$TMP/repo
mkdir -p "$repo/exp/data" "$repo/lib" && cd "$repo" || exit 1
git init -q .
cat >lib/scale.py <<'END'
FACTOR = 10
END
cat >exp/train.py <<'END'
import os, sys, time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import scale
data = float(open("data/x").read())
x = int(os.environ["THRONG_P_x"])
if x == 1:
    home = os.environ["HERE"]
    open(home + "/began", "w").close()
    while not os.path.exists(home + "/edited"):
        time.sleep(0.05)
print(f"::throng loss={x * scale.FACTOR + data}")
END
cat >exp/study.yaml <<END
name: s
code: git
program: train.py
method: grid
parallel: 1
env: {HERE: $TMP}
metric: {name: loss}
grid: {order: written}
parameters: {x: {values: [1, 2, 3]}}
END
echo 0.5 >exp/data/x
printf 'exp/data/\nbig\n' >.gitignore
git add . && git commit -qm one
sed -i 's/10/20/' lib/scale.py # changed, not committed: that is what runs
commit=$(git rev-parse HEAD)

# ---- edits while it runs ----------------------------------------------------------
cd exp || exit 1
"$THRONG" run study.yaml >run.out 2>&1 &
conductor=$!
check "the first trial runs" wait_for 60 test -e "$TMP/began"
echo 'FACTOR = 99' >../lib/scale.py
echo 'raise SystemExit(1)' >train.py
: >"$TMP/edited"
wait "$conductor"
check_equal "it runs to its end" 0 $?
check_equal "no trial sees what was edited meanwhile" '20.5 40.5 60.5' \
    "$(values s)"
check_contains "what does not travel is said" "$(cat run.out)" \
    'linked, not copied: exp/data'
run "$THRONG" show s 1
check_contains "show names the commit" "$out" "commit   $commit and 1 changed file"
check_contains "and that the code is frozen" "$out" 'code     git: tasks run from'
run "$THRONG" status s --diff
check_contains "with what was changed" "$out" '+FACTOR = 20'

# ---- a later run has the same files -------------------------------------------------
sed -i 's/\[1, 2, 3\]/[1, 2, 3, 4]/' study.yaml
run "$THRONG" run study.yaml --new t
check "another study has the files of its own time" test "$status" -ne 0
git checkout -q -- train.py
cat >go.yaml <<END
name: g
code: git
command: [sh, v.sh]
method: random
run_cap: 2
metric: {name: loss}
parameters: {x: {min: 0, max: 9}}
END
echo 'echo ::throng loss=1' >v.sh
git add v.sh
run "$THRONG" run go.yaml
check_equal "files that are only added are git's" '1.0 1.0' "$(values g)"
echo 'echo ::throng loss=2' >v.sh
sed -i 's/run_cap: 2/run_cap: 4/' go.yaml
run "$THRONG" run go.yaml
check_equal "a study that goes on runs what it began with" '1.0 1.0 1.0 1.0' \
    "$(values g)"
run "$THRONG" show g 1 --command
check_equal "so does the command by hand" '::throng loss=1' \
    "$(cd / && sh -c "$out")"

# ---- mended where nothing went well -------------------------------------------------
cat >bad.yaml <<END
name: bad
code: copy
command: [sh, w.sh]
method: grid
metric: {name: loss}
parameters: {x: {values: [1, 2]}}
END
echo 'exit 1' >w.sh
run "$THRONG" run bad.yaml
check "all trials fail" test "$status" -ne 0
echo 'echo ::throng loss=3' >w.sh
run "$THRONG" run bad.yaml
run "$THRONG" retry bad failed
run "$THRONG" run bad.yaml
check_equal "what was mended since is tried" '3.0 3.0' "$(values bad)"

# ---- copy -----------------------------------------------------------------------------
mkdir "$TMP/plain" && cd "$TMP/plain" || exit 1
mkdir -p sub/deep __pycache__ && echo 7 >sub/deep/n && ln -s deep/n sub/short
: >__pycache__/x
truncate -s 65M large
printf '#!/bin/sh\necho "::throng loss=$(cat sub/short)"; test -e large\n' >run.sh
chmod +x run.sh
cat >study.yaml <<END
name: c
code: copy
command: [./run.sh]
method: grid
metric: {name: loss}
parameters: {x: {values: [1]}}
END
run "$THRONG" run study.yaml
check_status "copy: it runs, with modes and links as they are" 0
check_equal "copy: from the copy" 7.0 "$(values c)"
check_contains "copy: a large file is linked, and said" "$err" \
    'linked, not copied: large'
check "copy: Python's caches stay behind" \
    test ! -e .throng/c/code/__pycache__
check "copy: nor is the study in itself" test ! -e .throng/c/code/.throng
run "$THRONG" rm c
check "copy: what is linked outlives the study" test -s large

# ---- what is refused --------------------------------------------------------------------
sed -i 's/code: copy/code: git/; s/name: c/name: d/' study.yaml
run "$THRONG" check study.yaml
check "git without a repository is a mistake" test "$status" -ne 0
check_contains "with its place and the way out" "$err$out" \
    'study.yaml:2:7: error: code:'
sed -i 's/code: git/code: zip/' study.yaml
run "$THRONG" check study.yaml
check_contains "another word is one" "$err$out" "code cannot be 'zip'"
