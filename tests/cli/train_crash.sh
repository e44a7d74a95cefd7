#!/usr/bin/env bash
# Trainers, workers and conductors that die, trials that are stopped, limits.
# thorough: kills trainers again and again
. "$(dirname "$0")/lib.sh"

cp "$ROOT"/examples/digits/{mlp.yaml,digits.csv.gz} .
sed -i 's/^epochs:.*/epochs: ${epochs}/' mlp.yaml
look() { # STUDY EXPRESSION over the list of trials d
    "$THRONG" export "$1" --jsonl >"$TMP/.table"
    python3 -S "$ROOT/tests/cli/json_look.py" "$2" "$TMP/.table"
}
table() { # STUDY: all that was learned, without times and attempts
    look "$1" '"\n".join("%s %s %r %s" % (t["id"], t["state"], t["value"], sorted((k, repr(v)) for k, v in t["metrics"].items())) for t in d)'
}
study() { # NAME RUN_CAP EPOCHS MORE
    cat >"$1.yaml" <<STUDY
model: mlp.yaml
method: random
run_cap: $2
metric: {name: val_loss, goal: minimize}
seed: 3
parameters:
  lr: {distribution: log_uniform_values, min: 0.001, max: 0.01}
  units: {values: [16, 24]}
  dropout: {value: 0.1}
  epochs: $3
${4:-}
STUDY
}
start() { # STUDY: in the background; its process in $conductor
    "$THRONG" run "$1.yaml" >"$1.log" 2>&1 &
    conductor=$!
}
trainers() { # STUDY: the processes that train its trials
    sqlite3 -readonly ".throng/$1/study.db" 'select distinct pid from attempts
        where outcome = 0 and pid > 0 order by pid' 2>/dev/null
}
other_trainer() { # STUDY: into $found; not the one before
    local now
    now=$(trainers "$1" | head -n 1)
    [ -n "$now" ] && [ "$now" != "${found:-}" ] && found=$now
}
has_state() { # STUDY STATE COUNT
    [ "$(look "$1" "sum(t['state'] == '$2' for t in d)")" -ge "$3" ]
}

# So many that a study takes some seconds, however slow this build is. What
# counts is CPU time: the machine may be busy now and not later, or otherwise.
TIMEFORMAT='%U %S'
took=$({ time "$THRONG" train mlp.yaml lr=0.01 units=16 dropout=0.1 epochs=200 \
    >/dev/null 2>&1; } 2>&1 | awk '{ print int(($1 + $2) * 1000) + 1 }')
epochs=$((200 * 500 / took))
[ "$epochs" -le 1200 ] || epochs=1200
[ "$epochs" -ge 50 ] || epochs=50

# ---- a trainer is killed -------------------------------------------------------
study calm 12 "{value: $epochs}"
run "$THRONG" run calm.yaml
check_status "a study runs undisturbed" 0
study hurt 12 "{value: $epochs}"
start hurt
# Losses in company are nobody's failure, however often they come.
kills=0
for round in 1 2 3; do
    wait_for 5 other_trainer hurt || break
    kill -9 $(trainers hurt) 2>/dev/null && kills=$((kills + 1))
done
wait "$conductor"
check_equal "a study whose trainers are killed comes to its end" 0 $?
check "trainers were killed" test "$kills" -ge 1
check_equal "nothing is lost, and every number is the same" \
    "$(table calm)" "$(table hurt)"
check "lost attempts were tried again" \
    test "$(look hurt 'max(t["attempts"] for t in d)')" -ge 2

# ---- the conductor is killed -----------------------------------------------------
study again 12 "{value: $epochs}"
for round in 1 2; do
    start again
    wait_for 20 has_state again running $((3 - round))
    kill -9 "$conductor"
    wait "$conductor" 2>/dev/null
done
run "$THRONG" run again.yaml
check_status "a study whose conductor was killed goes on" 0
check_equal "its table is the same bit for bit" "$(table calm)" "$(table again)"

# ---- one of a cohort is ended ------------------------------------------------------
study acts 6 '{value: 100000}' 'parallel: 6'
start acts
check "trials run at once" wait_for 30 has_state acts running 6
all_report() {
    [ "$(look acts 'all("val_loss" in t["metrics"] for t in d)')" = True ]
}
check "what they report is seen while they run" wait_for 30 all_report
seen() { "$THRONG" show acts 1 | awk '$1 == "loss" { print $5 }'; }
points=$(seen)
grown() { [ "$(seen)" != "$points" ]; }
check "and grows" wait_for 30 grown
run "$THRONG" stop acts 2
check_status "one trial is asked to stop" 0
check "it stops" wait_for 30 has_state acts stopped 1
run "$THRONG" kill acts 3
check "another is killed" wait_for 30 has_state acts killed 1
check_equal "the others of the cohort go on" "4" \
    "$(look acts 'sum(t["state"] == "running" for t in d)')"
check "the one that stopped has its weights" \
    test -s .throng/acts/trials/0/2/output/weights.safetensors
run "$THRONG" kill acts all
wait "$conductor"
check_equal "the rest can be killed too" "['killed', 'stopped']" \
    "$(look acts 'sorted(set(t["state"] for t in d))')"

# ---- limits --------------------------------------------------------------------------
# Enough for many hundred epochs, and so for two.
study late 3 '{values: [2, 100000]}' "method: grid
resources: {time: $((2 + 4 * took / 1000))s}"
sed -i '/^method: random/d; /^run_cap/d; s/  lr:.*/  lr: {value: 0.01}/
    s/  units:.*/  units: {value: 16}/' late.yaml
run "$THRONG" run late.yaml
check_equal "a trial that takes too long times out, the other is done" \
    "[(2, 'done'), (100000, 'timed_out')]" \
    "$(look late 'sorted((t["params"]["epochs"], t["state"]) for t in d)')"
study large 2 '{value: 2}' 'resources: {memory: 2MiB}'
sed -i 's/  units:.*/  units: {values: [16, 100000]}/; s/^method.*/method: grid/
    /^run_cap/d; s/  lr:.*/  lr: {value: 0.01}/' large.yaml
run "$THRONG" run large.yaml
check_equal "a model that is larger than its grant fails" \
    "[(16, 'done'), (100000, 'failed')]" \
    "$(look large 'sorted((t["params"]["units"], t["state"]) for t in d)')"
run "$THRONG" errors large
check_matches "before its first step, and both sizes are told" "$out" \
    'needs .*MiB.*2 MiB'
check_equal "it reported nothing" "{}" \
    "$(look large '[t["metrics"] for t in d if t["state"] == "failed"][0]')"

# ---- no /proc --------------------------------------------------------------------------
if unshare -m umount -l /proc 2>/dev/null; then
    run env PATH=/usr/bin:/bin unshare -m sh -c 'umount -l /proc && exec "$@"' sh \
        "$THRONG" train mlp.yaml lr=0.01 units=16 dropout=0.1 epochs=2
    check_contains "where /proc is not mounted, that is said" "$err" \
        "need /proc to be mounted"
else
    skip "where /proc is not mounted, that is said" "it cannot be unmounted here"
fi
