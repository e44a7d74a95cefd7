#!/usr/bin/env bash
# Tasks inside of a container.
#
# Debian 12 has neither apptainer nor singularity (that of Debian unstable needs
# a newer libc), so a stand-in on PATH takes their place here: it checks its command line word by word, shows the command
# the variables that apptainer would show it (what is set by APPTAINERENV_, an
# image's own PATH, nothing of the caller's), and runs it. What it cannot show
# is that folders which are not bound are hidden; it notes which ones are.
. "$(dirname "$0")/lib.sh"
mkdir in bin && cd in || exit 1

ln -s "$ROOT/tests/cli/stand_in/apptainer" "$TMP/bin/apptainer"
export STAND_IN=$TMP/stand_in
mkdir "$STAND_IN"
echo image >env.sif
with() { PATH=$TMP/bin:$PATH "$@"; }

study() { # NAME KEY-LINES…
    printf '%s\n' "name: $1" "method: grid" "parameters: {lr: {values: [0.5]}}" \
        "${@:2}" >"$1.yaml"
}
trial() { # NAME
    echo ".throng/$1/trials/0/1"
}

# ---- it runs ----------------------------------------------------------------------
cat >train.py <<'END'
import os, subprocess, throng
assert os.environ["APPTAINER_CONTAINER"] == "yes"
assert "SECRET_OF_THE_CALLER" not in os.environ
print("more", os.environ["MORE"], "in", os.getcwd())
with open(os.path.join(os.environ["THRONG_CHECKPOINT"], "state"), "w") as f:
    f.write("1")
throng.report(loss=float(os.environ["THRONG_P_lr"]))
subprocess.run(["throng", "report", "from_path=1"], check=True)
END
study plain 'program: train.py' 'metric: {name: loss}' 'container: env.sif' \
    'env: {MORE: more}' "bind: [$TMP/bin:/data:ro]"
SECRET_OF_THE_CALLER=x with run "$THRONG" run plain.yaml
check_status "a study in a container runs" 0
check_equal "its metric is heard" 0.5 \
    "$(sqlite3 .throng/plain/study.db 'select value from trials')"
run "$THRONG" show plain 1
check_contains "so is what \`throng report\` says inside" "$out" from_path
check "its checkpoint is kept" test -s "$(trial plain)/checkpoint/state"
run "$THRONG" logs plain 1
check_contains "variables of the study are set inside, in its folder" "$out" \
    "more more in $TMP/in"
check_equal "the image is the file beside the study file" "$TMP/in/env.sif" \
    "$(cat "$STAND_IN/images")"
check_contains "the study's folder is bound" \
    "$(cat "$STAND_IN/binds")" "$TMP/in"
check_contains "what \`bind\` says, too" "$(cat "$STAND_IN/binds")" \
    "$TMP/bin:/data:ro"
check_contains "and the program behind \`throng\`" "$(cat "$STAND_IN/binds")" \
    "$(readlink -f "$WORKER")"
check "without GPUs there is no --nv" test ! -e "$STAND_IN/nv"

rm -f "$STAND_IN"/*
study url 'command: [sh, -c, "echo $0 $#", a, "{lr}", "b c"]' \
    'container: docker://debian:12'
with run "$THRONG" run url.yaml
check_status "an image of a registry is left to the program" 0
check_equal "as it is written" docker://debian:12 "$(cat "$STAND_IN/images")"
run "$THRONG" logs url 1
check_equal "arguments arrive as they are" "a 2" "$out"

study setup 'command: [sh, -c, "echo $A"]' 'container: env.sif' \
    'setup: export A=$APPTAINER_CONTAINER'
with run "$THRONG" run setup.yaml
run "$THRONG" logs setup 1
check_equal "setup lines run inside" yes "$out"

study apart 'command: [sh, -c, "pwd"]' 'container: env.sif' 'workdir: trial'
with run "$THRONG" run apart.yaml
run "$THRONG" logs apart 1
check_equal "a task in a folder of its own is there" \
    "$TMP/in/$(trial apart)" "$out"

study gpu 'command: [sh, -c, "echo $CUDA_VISIBLE_DEVICES"]' \
    'container: env.sif' 'resources: {gpus: 1}'
export THRONG_GPUS=a100:8.0:40G
with run "$THRONG" run gpu.yaml
check "with a GPU there is --nv" test -e "$STAND_IN/nv"
run "$THRONG" show gpu 1 --command
check_contains "also in the line that runs it by hand" "$out" "exec --nv --bind"
run "$THRONG" show plain 1 --command
check_contains "as where trials share those that are here" "$out" "exec --nv"
export THRONG_GPUS=
run "$THRONG" show plain 1 --command
check_contains "which no machine without one does" "$out" "exec --bind"
unset THRONG_GPUS

# ---- stopping --------------------------------------------------------------------
study stop 'command: [sh, -c, ": >there; until [ -e $THRONG_STOP ]; do sleep 0.1; done; echo ::throng loss=3"]' \
    'container: env.sif' 'metric: {name: loss}'
PATH=$TMP/bin:$PATH "$THRONG" run stop.yaml >stop.out 2>&1 &
conductor=$!
check "one that waits runs" wait_for 30 test -e there
run "$THRONG" stop stop 1
wait "$conductor"
check_equal "it hears that it shall stop, and reports" 3.0 \
    "$(sqlite3 .throng/stop/study.db 'select value from trials')"

study kill 'command: [sleep, "88088"]' 'container: env.sif' \
    'resources: {time: 1s}' 'grace: 0.1s'
with run "$THRONG" run kill.yaml
check "one that is too late is ended with its container" wait_for 20 \
    sh -c '! pgrep -f "sleep 8808[8]" >/dev/null'

# ---- what is not there ------------------------------------------------------------
study plain2 'program: train.py' 'container: env.sif'
run env PATH="$(dirname "$THRONG"):/usr/bin:/bin" "$THRONG" check plain2.yaml
if [ -x /usr/bin/apptainer ] || [ -x /usr/bin/singularity ]; then
    skip "without the program check says so" "it is installed"
else
    check "without the program check fails" test "$status" -ne 0
    check_contains "and says so, with the place" "$err$out" \
        'plain2.yaml:5:12: error: container: neither apptainer nor singularity'
fi
study image 'program: train.py' 'container: other.sif'
with run "$THRONG" check image.yaml
check "an image that is not there is an error" test "$status" -ne 0
check_contains "by its name" "$err$out" "there is no image $TMP/in/other.sif"
with run "$THRONG" run image.yaml
check "run refuses it, too" test "$status" -ne 0
check "before it has begun" test ! -e .throng/image
study word 'command: [/opt/in/the/image, x]' 'container: env.sif'
with run "$THRONG" check word.yaml
check_status "programs of the image are not looked for here" 0
study lone 'program: train.py' 'bind: /data'
run "$THRONG" check lone.yaml
check_contains "bind without a container is a mistake" "$err$out" \
    'folders are shown to a container'
study odd 'program: train.py' 'container: env.sif' 'bind: [":x"]'
with run "$THRONG" check odd.yaml
check_contains "a bind without a source is one" "$err$out" 'names no folder'
mkdir "$TMP/a:b" && cp env.sif train.py plain2.yaml "$TMP/a:b"
with run "$THRONG" check "$TMP/a:b/plain2.yaml"
check_contains "a folder that cannot be bound is an error" "$err$out" \
    'cannot be shown inside'
