# Classes of job length on a real Slurm: measured work goes into the shortest,
# what saves checkpoints is cut into pieces of it, and what does not gets a
# longer one.
# timeout: 600
. "$(dirname "$0")/lib.sh"

mkdir -p config/throng
cat >config/throng/profiles.yaml <<'YAML'
site:
  engine: slurm
  lead: 20
  look: 2
  classes:
    long: {time: 1h, partition: main, limit: {jobs: 9, gpus: 4}}
    short: {time: 1m, partition: low, limit: 2}
YAML
chmod 600 config/throng/profiles.yaml
export XDG_CONFIG_HOME=$PWD/config

# Counts to its number, a second each; what ends in 1 saves where it stands.
cat >count.sh <<'SH'
n=0
saved=$THRONG_CHECKPOINT/n
[ -e "$saved" ] && read -r n <"$saved"
echo "$1 from $n" >>"$2"
while [ "$n" -lt "$1" ]; do
    [ -e "$THRONG_STOP" ] && exit 85
    n=$((n + 1))
    sleep 1
    case $1 in *1) echo "$n" >"$saved" ;; esac
done
echo "::throng loss=$n"
SH
cat >count.yaml <<YAML
command: [sh, $PWD/count.sh, "{x}", $PWD/count.runs]
method: grid
profile: site
resources: {cpus: 1}
metric: {name: loss, goal: minimize}
parameters: {x: {values: [3, 71, 70, 4, 2, 5]}}
YAML

class_of() { # JOBS
    head -n 1 ".throng/count/jobs/$1/state" | cut -f 3
}

run "$THRONG" run count.yaml --count 1
check_status "the first trial runs" 0
check_equal "one of which nobody knows the length is not cut" long \
    "$(class_of 1)"
check_contains "its script asks for that partition" \
    "$(cat .throng/count/jobs/1/job.sh)" "#SBATCH --partition=main"
check_contains "and for its time" \
    "$(cat .throng/count/jobs/1/job.sh)" "#SBATCH --time=1:00:00"

run "$THRONG" run count.yaml
check_status "the others run" 0
check_equal "measured work is short" short "$(class_of 2)"
check_contains "in that partition" \
    "$(cat .throng/count/jobs/2/job.sh)" "#SBATCH --partition=low"
check_contains "no more jobs than its limit are submitted" \
    "$(cat .throng/count/jobs/2/job.sh)" "#SBATCH --array=0-1"
check_equal "every trial is done" 6 "$(sqlite3 .throng/count/study.db \
    'select count(*) from trials where state = 3')"
check_equal "every value is that of one that was not cut" "2 3 4 5 70 71" \
    "$(sqlite3 -separator ' ' .throng/count/study.db \
        'select cast(value as integer) from trials order by value' | tr '\n' ' ' |
        sed 's/ $//')"
pieces=$(grep -c '^71 from' count.runs)
check "the one that saves was cut (into $pieces pieces)" test "$pieces" -ge 2
check_lacks "and went on where it stood" \
    "$(grep '^71 from' count.runs | tail -n +2)" "from 0"
last=$(sqlite3 .throng/count/study.db "
    select t.id from trials t where t.point like '%70%'")
job=$("$THRONG" explain count "$last" --json | python3 -c '
import json, sys
print(json.load(sys.stdin)["trials"][0]["job"]["class"])')
check_equal "the one that cannot was run in the longer class" long "$job"
# More than once where it shared its job and had begun late.
check "after the short one's end had cut it off" \
    test "$(grep -c '^70 from 0' count.runs)" -ge 2

# ---- a limit is one person's --------------------------------------------------

# By hand, in the same class: its partition, and no longer than it.
sbatch -Q -o /dev/null --partition=low --time=1 --array=0-1 --wrap 'sleep 300'
sed 's/3, 71, 70, 4, 2, 5/3/; s/cpus: 1/time: 30s/' count.yaml >other.yaml
sed -i 's/lead: 20/lead: 2/; s/time: 1m/time: 2m/' config/throng/profiles.yaml
"$THRONG" run other.yaml >other.out 2>&1 &
conductor=$!
check "what a person has there besides counts" wait_for 30 grep -q \
    "2 jobs of yours besides this study's are in the queue, as many as class short allows" \
    other.out
check "so nothing is submitted" test ! -e .throng/other/jobs/1/job
scancel --name=wrap
wait "$conductor"
check_equal "until they are gone" 0 $?

# ---- a class that no partition knows -------------------------------------------

sed -i 's/time: 2m, partition: low/time: 5m, partition: nowhere/' \
    config/throng/profiles.yaml
sed 's/3, 71, 70, 4, 2, 5/3/; s/cpus: 1/time: 1s/' count.yaml >bad.yaml
run "$THRONG" run bad.yaml
check "a class of an unknown partition is refused" test "$status" -ne 0
check_contains "in Slurm's words" "$err" "invalid partition"
