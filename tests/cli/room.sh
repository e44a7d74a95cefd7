#!/usr/bin/env bash
# Several studies at once on one machine: a GPU belongs to one at a time, cpus
# are shared in equal parts, and status says who has what.
# thorough: several studies beside each other, for a while
. "$(dirname "$0")/lib.sh"

json() { # EXPRESSION, of the status d of study $2
    "$THRONG" status "$2" --json 2>/dev/null |
        python3 -c 'import json, sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"
}
says() { # VALUE EXPRESSION STUDY
    [ "$(json "$2" "$3")" = "$1" ]
}

# ---- GPUs ------------------------------------------------------------------

gpu_study() { # NAME GPUS
    cat >"$1.yaml" <<END
command: [sh, -c, 'ls ended-* >$1.before 2>/dev/null;
    echo \$CUDA_VISIBLE_DEVICES >$1.gpu;
    until test -e go-$1; do sleep 0.05; done; touch ended-$1']
method: grid
parameters: {x: {values: [1]}}
resources: {gpus: $2, cpus: 0.1}
END
}
export THRONG_GPUS=a100:8.0:40G,a100:8.0:40G
gpu_study a 1 && gpu_study b 1 && gpu_study c 1
"$THRONG" run -q a.yaml &
check "a study takes a GPU" wait_for 20 test -s a.gpu
"$THRONG" run -q b.yaml &
check "a second one takes one, too" wait_for 20 test -s b.gpu
check_equal "the other one" "0 1" "$(sort a.gpu b.gpu | xargs)"
check "status says which" wait_for 20 says "[$(cat b.gpu)]" 'd["has"]["gpus"]' b
run "$THRONG" status a
check_matches "for people, too" "$out" "^has .*, GPU $(cat a.gpu)$"
check_matches "and who has the other" "$out" \
    "^beside .*/.throng/b: .*, GPU $(cat b.gpu)$"
"$THRONG" run -q c.yaml &
check "a third one runs" wait_for 20 says True 'd["running"]' c
check "and waits" wait_for 20 says 1 'd["trials"]' c
touch go-b
check "until one is free" wait_for 20 test -s c.gpu
check_equal "which it takes" "$(cat b.gpu)" "$(cat c.gpu)"
check_equal "then, and not before" ended-b "$(cat c.before)"
touch go-a go-c
wait

# Where there is one for two studies they take turns.
export THRONG_GPUS=a100:8.0:40G
: >turns
for name in odd even; do
    cat >$name.yaml <<END
command: [sh, -c, 'echo $name >>turns; until test -e go-turns; do sleep 0.05; done;
    sleep 0.1']
method: grid
parameters: {x: {min: 1, max: 1000}}
resources: {gpus: 1, cpus: 0.1}
END
    "$THRONG" run -q $name.yaml &
    eval "$name=\$!"
    wait_for 20 test -e .throng/$name/study.db
done
check "one of two waits" wait_for 20 bash -c '
    { "$THRONG" status odd; "$THRONG" status even; } | grep -q "waits for a GPU"'
touch go-turns
both() { grep -q odd turns && grep -q even turns; }
check "the other one has its turn" wait_for 60 both
check "before the first one has ended" kill -0 $odd $even
kill $odd $even
wait
unset THRONG_GPUS
rm -f ended-* go-*

# ---- cpus ------------------------------------------------------------------

# Each task writes + when it begins and - when it ends. The first ones wait for
# a file, those behind them take a moment.
cpu_study() { # NAME TRIALS [LINE]
    cat >"$1.yaml" <<END
command: [sh, -c, 'echo + >>$1.log; until test -e go-$1; do sleep 0.05; done;
    sleep 0.1; echo - >>$1.log']
method: grid
parameters: {x: {min: 1, max: $2}}
${3:-}
END
    : >"$1.log"
}
lines() { [ "$(grep -c "^$2" "$1.log")" -ge "$3" ]; }
cpu_study one 60 && cpu_study two 60
"$THRONG" run -q one.yaml &
one=$!
check "a study alone has all cpus" wait_for 20 says True \
    'd["has"]["cpus"] == d["has"]["of"] and not d["beside"]' one
of=$(json 'd["has"]["of"]' one)
check "and uses them" wait_for 20 lines one + "$of"
"$THRONG" run -q two.yaml &
two=$!
part=$(((of + 1) / 2)) rest=$((of / 2))
[ "$rest" -gt 0 ] || rest=1
check "when another one begins it has half of them" \
    wait_for 20 says $part 'd["has"]["cpus"]' one
check "and the other the rest, at least one" \
    wait_for 20 says $rest 'd["has"]["cpus"]' two
check "which it uses" wait_for 20 lines two + $rest
run "$THRONG" status one
check_matches "status says so" "$out" "^has      $part of $of cpus$"
check_matches "and who has the others" "$out" \
    "^beside   .*/.throng/two: $rest of $of cpus$"

# From here on the first one has no more than its part at once.
touch go-one
check "it goes on" wait_for 60 lines one - $((of + 3 * part))
check_equal "within its part" 0 "$(awk -v of="$of" -v part=$part '
    /\+/ { now++ } /-/ { now--; ended++ }
    /\+/ && ended > of && now > part { over++ } END { print over + 0 }' one.log)"
check_equal "as the other one within its own" $rest "$(grep -c + two.log)"

# What nobody ends in order falls free as well.
kill -9 $two $(pgrep -P $two)
check "the part of a killed study falls back" \
    wait_for 30 says $of 'd["has"]["cpus"]' one
wait $one
check_equal "and the first one comes to its end" 60 "$(grep -c - one.log)"
touch go-two
wait

# ---- what a person says ----------------------------------------------------

cpu_study said 3 "parallel: 3"
cpu_study beside 1
"$THRONG" run -q beside.yaml &
check "another study runs" wait_for 20 lines beside + 1
"$THRONG" run -q said.yaml &
check "parallel stands as it was said" wait_for 20 lines said + 3
run "$THRONG" status said
check_matches "and is said" "$out" "^has      3 at once, as it says$"
touch go-said go-beside
wait
check_equal "nothing is left behind" "" "$(ls "$THRONG_RUNTIME_DIR" | grep study-)"
