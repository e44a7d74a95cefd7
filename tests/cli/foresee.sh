#!/usr/bin/env bash
# What `throng run` refuses, `throng check` says before, with the same exit code.
. "$(dirname "$0")/lib.sh"

study() { # EXTRA...
    printf '%s\n' 'name: s' 'command: [sh, -c, "throng report loss={x}"]' \
        'metric: {name: loss}' 'method: grid' "$@" \
        'parameters: {x: {values: [1, 2]}}' >s.yaml
}
refused() { # WHAT WORDS
    run "$THRONG" check s.yaml
    local code=$status said=$err
    check_contains "check says of $1 what run will" "$said" \
        "throng check: \`throng run\` refuses this: "
    run "$THRONG" run s.yaml
    check_equal "with the exit code of run ($1)" "$status" "$code"
    check_contains "and its words ($1)" "$said" "${err##*throng run: }"
    check_contains "which name it ($1)" "$err" "$2"
}
study
run "$THRONG" check s.yaml
check_status "a study that runs passes" 0
check_not "and nothing was made" test -e .throng

study 'resources: {cpus: 900000}'
refused "needs that are never met" "900000 cpus"
study 'resources: {cpus: "${x}"}'
run "$THRONG" check s.yaml
check_status "needs that differ between trials are seen when they come" 0

study
rm -r .throng
mkdir -p .throng/s/trials
refused "files without a store" "holds files of a study whose store is gone"
rm -r .throng

"$THRONG" run s.yaml --quiet
chmod o+w .throng/s
refused "a folder that everyone can write" "everyone may write"
chmod o-w .throng/s
cp .throng/s/study.db sound.db
echo garbage >.throng/s/study.db
refused "a store that is none" "study.db"
cp sound.db .throng/s/study.db
run "$THRONG" check s.yaml
check_status "when all is mended it passes again" 0
