# A conductor that is a job of the scheduler itself: one after the other, never
# two, and none is left.
# timeout: 600
. "$(dirname "$0")/lib.sh"

mkdir -p config/throng
cat >config/throng/profiles.yaml <<'YAML'
site: {engine: slurm, look: 1, lead: 20, conductor: {time: 1m, partition: low}}
long: {engine: slurm, look: 1, conductor: job}
held: {engine: slurm, look: 1, conductor: {sbatch: ["--hold"]}}
YAML
chmod 600 config/throng/profiles.yaml
export XDG_CONFIG_HOME=$PWD/config

study() { # NAME PROFILE TRIALS SECONDS
    cat >"$1.yaml" <<YAML
command: ["sh", "-c", "sleep $4; echo \$1 >>$PWD/$1.runs; echo ::throng loss=\$1", "x", "{x}"]
method: grid
profile: $2
parallel: 4
metric: {name: loss, goal: minimize}
parameters:
  x: {distribution: int_uniform, min: 1, max: $3}
YAML
    : >"$1.runs"
}

says() { # NAME TEXT
    "$THRONG" status "$1" | grep -q "$2"
}

is_over() { # NAME TRIALS
    [ "$(wc -l <"$1.runs")" -ge "$2" ] && none_left
}

# ---- one after the other ----------------------------------------------------------

study chain site 60 3
run "$THRONG" run chain.yaml --detach
check_status "chain: it is submitted" 0
check_contains "chain: which job conducts it is said" "$err" "is conducted by job"
check "chain: status says so while it runs" wait_for 60 says chain \
    "as job [0-9]* of the scheduler; job [0-9]* follows it"
run "$THRONG" run chain.yaml --detach
check "chain: a second conductor is refused" test "$status" -ne 0
check "chain: it comes to its end, and no job is left" wait_for 300 is_over \
    chain 60
check_equal "chain: every trial ended once" "$(seq 60)" "$(sort -n chain.runs)"
check_equal "chain: every trial is done" 60 "$(sqlite3 \
    .throng/chain/study.db 'select count(*) from trials where state = 3')"
check_contains "chain: one conductor gave way to the next" \
    "$(cat .throng/chain/conductor.log)" "the one behind it goes on"
check "chain: nothing says that one waits" test ! -e \
    .throng/chain/conductor/job
check "chain: nor does status" says chain "now      not running$"

# ---- it dies ---------------------------------------------------------------------

study dies long 12 4
run "$THRONG" run dies.yaml --detach
check "dies: it runs" wait_for 60 says dies "follows it"
pid=$("$THRONG" status dies | awk '/running as process/ { print $5 }')
check "dies: process $pid is killed" kill -9 "$pid"
check "dies: the next one takes over, to the end" wait_for 200 is_over dies 12
check_equal "dies: every trial ended once" "$(seq 12)" "$(sort -n dies.runs)"

# ---- it is ended ---------------------------------------------------------------------

study ended long 8 600
run "$THRONG" run ended.yaml --detach
check "ended: it runs" wait_for 60 says ended "  running  *4"
run "$THRONG" kill ended
check_status "ended: kill" 0
check "ended: neither a job nor a conductor is left" wait_for 60 none_left
check "ended: which status says" says ended "now      not running$"

# ---- it waits -------------------------------------------------------------------------

study waits held 3 0
run "$THRONG" run waits.yaml --detach
check_status "waits: it is submitted" 0
check "waits: status says why nothing happens" wait_for 30 says waits \
    "its conductor is Slurm job [0-9]*: PENDING (JobHeldUser)"
run "$THRONG" run waits.yaml --detach
check "waits: a second one is refused" test "$status" -ne 0
check_contains "waits: which names the first" "$err" "has a conductor already"
run "$THRONG" kill waits
check_status "waits: kill" 0
check_contains "waits: it says what was cancelled" "$err" \
    "the job that was to conduct the study waits is cancelled"
check "waits: it is gone" wait_for 20 none_left
check "waits: which status says" says waits "now      not running$"

# ---- it is stopped before it begins -----------------------------------------------------

study early held 3 0
run "$THRONG" run early.yaml --detach
check_status "early: it is submitted" 0
run "$THRONG" rm early -y
check_status "early: it is not removed while its conductor waits" 5
run "$THRONG" stop early
check_status "early: stop" 0
check_contains "early: it says what was cancelled" "$err" \
    "the job that was to conduct the study early is cancelled"
check "early: it is gone" wait_for 20 none_left
run "$THRONG" rm early -y
check_status "early: then it can be removed" 0
