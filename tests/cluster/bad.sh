#!/usr/bin/env bash
# What goes wrong around a study on a real Slurm: it is said in Slurm's own
# words, and the study goes on when it is mended.
# timeout: 900
# A partition with other accounts than ours, which Slurm says at once.
export SLURM_TEST_CONF='EnforcePartLimits=ALL
PartitionName=closed Nodes=t[0-3] AllowAccounts=friends State=UP
'
. "$(dirname "$0")/lib.sh"

study() { # NAME TRIALS SECONDS [MORE]
    cat >"$1.yaml" <<YAML
command: ["sh", "-c", "sleep $3; echo ::throng loss=\$1", "x", "{x}"]
method: grid
metric: {name: loss, goal: minimize}
parameters:
  x: {distribution: int_uniform, min: 1, max: $2}
${4:-}
YAML
}

ask() { # NAME SQL
    sqlite3 -readonly ".throng/$1/study.db" "$2" 2>/dev/null
}

tries() { # NAME: outcomes of the attempts that began, each with its number
    ask "$1" 'select outcome, count(*) from attempts
        where outcome != 12 group by outcome order by outcome'
}

done_of() { # NAME
    ask "$1" 'select count(*) from trials where state = 3'
}

# Runs to its end, and every trial was needed once.
goes_on() { # NAME TRIALS
    run "$THRONG" run "$1.yaml" --engine slurm
    check_status "$1: after the fix the study goes on" 0
    check_equal "$1: and every trial is done, once" "1|$2" "$(tries "$1")"
}

# It refuses, in words that have this in them.
refuses() { # NAME WORDS
    run "$THRONG" run "$1.yaml" --engine slurm
    check "$1: it is an error" test "$status" -ne 0
    check_contains "$1: which says why" "$err" "$2"
    check_lacks "$1: and does not look like a failed trial" "$err" \
        "throng errors"
}

says() { # FILE WORDS
    grep -q -- "$2" "$1"
}

# ---- what sbatch refuses -----------------------------------------------------

study partition 3 0 'slurm: {partition: nowhere}'
refuses partition nowhere
check_contains "partition: and where they are listed" "$err" sinfo
sed -i '/^slurm:/d' partition.yaml
goes_on partition 3

study account 3 0 'slurm: {partition: closed, account: strangers}'
refuses account "Invalid account"
sed -i '/^slurm:/d' account.yaml
goes_on account 3

study reserved 3 0 'slurm: {reservation: never}'
refuses reserved "reservation"
sed -i '/^slurm:/d' reserved.yaml
goes_on reserved 3

study large 3 0 'resources: {cpus: 64}'
refuses large "64"
sed -i '/^resources:/d' large.yaml
goes_on large 3

study memory 3 0 'slurm: {sbatch: ["--mem=900G"]}'
refuses memory "Requested node configuration is not available"
sed -i '/^slurm:/d' memory.yaml
goes_on memory 3
run "$THRONG" explain memory 1
check_contains "memory: what was refused is no try" "$out" "tried 1 time "

# ---- no commands -----------------------------------------------------------------

study commands 3 0
mkdir few
for program in sh sleep env; do ln -s "$(command -v "$program")" few/; done
run env PATH="$TMP/work/few" "$THRONG" run commands.yaml --engine slurm
check "commands: none of Slurm's is an error" test "$status" -ne 0
check_contains "commands: the one that is missing is named" "$err" scontrol
goes_on commands 3

# ---- the controller is away for a while ------------------------------------------------

study away 8 6
"$THRONG" run away.yaml --engine slurm >away.out 2>&1 &
conductor=$!
check "away: jobs run" wait_for 30 some_run 4
"$SLURM" controller "$slurm_folder" stop
check "away: it is told, in Slurm's words" wait_for 60 says away.out \
    "Unable to contact slurm controller"
check "away: and what it means" says away.out "nothing is concluded"
"$SLURM" controller "$slurm_folder" start
wait "$conductor"
check_equal "away: the study ends well" 0 $?
check_equal "away: every trial is done, once" "1|8" "$(tries away)"

# squeue alone fails, for longer than a job takes.
study mute 20 1
mkdir -p wrong
cat >wrong/squeue <<WRONG
#!/bin/sh
if [ -e "$TMP/work/mute.flag" ]; then
    echo "slurm_load_jobs error: Socket timed out on send/recv operation" >&2
    exit 1
fi
exec $(command -v squeue) "\$@"
WRONG
chmod +x wrong/squeue
touch mute.flag
PATH=$TMP/work/wrong:$PATH "$THRONG" run mute.yaml --engine slurm \
    >mute.out 2>&1 &
conductor=$!
check "mute: that squeue fails is told, in its words" wait_for 60 says \
    mute.out "Socket timed out"
wait "$conductor"
check_equal "mute: a study that needs no word of it ends well" 0 $?
check_equal "mute: every trial is done, once" "1|20" "$(tries mute)"
check_equal "mute: it was told once" 1 "$(grep -c 'Socket timed out' mute.out)"
rm mute.flag

# ---- records ------------------------------------------------------------------------

# What is torn off is said again by nobody; what is altered is not believed.
study torn 4 8
"$THRONG" run torn.yaml --engine slurm >torn.out 2>&1 &
conductor=$!
begun() { # NAME COUNT
    [ "$(ask "$1" 'select count(*) from attempts
        where started > 0 and outcome = 0')" = "$2" ]
}
check "torn: all run" wait_for 30 begun torn 4
kill -9 "$conductor"
wait "$conductor" 2>/dev/null
check "torn: all have ended meanwhile" wait_for 60 none_left
said=.throng/torn/jobs/1/0.said.0
truncate -s -9 "$said"
altered=.throng/torn/jobs/1/1.said.0
printf 'X' | dd of="$altered" bs=1 seek=$(($(stat -c %s "$altered") - 20)) \
    conv=notrunc 2>/dev/null
run "$THRONG" run torn.yaml --engine slurm
check_status "torn: the next run ends well" 0
check_equal "torn: every trial is done" 4 "$(done_of torn)"
check_equal "torn: two of them needed one attempt" 2 \
    "$(ask torn 'select count(*) from
        (select trial from attempts group by trial having count(*) = 1)')"
check_contains "torn: the torn file is named" "$err" "0.said.0: its last"
check_contains "torn: so is the altered one" "$err" "1.said.0"

# ---- a full disk ------------------------------------------------------------------------

mkdir small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=4m none small 2>/dev/null; then
    # Its trials write nothing there.
    cat >small/full.yaml <<YAML
command: [sh, -c, 'sleep 2; echo \$THRONG_TRIAL >>$PWD/full.ends']
method: grid
parameters: {x: {min: 1, max: 24}}
YAML
    cd small || exit 1
    "$THRONG" run full.yaml --engine slurm >../full.out 2>&1 &
    conductor=$!
    check "full: jobs run" wait_for 30 some_run 4
    cat /dev/zero >fill 2>/dev/null
    check "full: it is told" wait_for 60 says ../full.out \
        'o space left\|is full'
    rm fill
    wait "$conductor"
    run "$THRONG" run full.yaml --engine slurm
    check_status "full: after the fix the study goes on" 0
    check_equal "full: and every trial is done" 24 "$(done_of full)"
    check_equal "full: and nothing failed" 0 "$(ask full 'select count(*) from
        attempts where outcome in (2, 11)')"
    check_equal "full: and every trial ended" "$(seq 24)" \
        "$(sort -nu ../full.ends)"
    check_lacks "full: no node is blamed" "$(cat ../full.out)" "left out"
    cd .. || exit 1
    umount -l small
else
    skip "full: a full disk" "a small file system cannot be mounted here"
fi
check "no job is left" wait_for 30 none_left
