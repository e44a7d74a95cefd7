#!/usr/bin/env bash
# errors, retry, rerun, tag, note, ls and diff: what people do after a look at
# their results, while the study runs and while it does not.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }

# width 3 fails (until the file `mended` is there), width 4 says it is invalid.
cat >train.sh <<'END'
throng report step=1 loss="$THRONG_P_lr"
[ ! -e mended ] || exit 0
case $THRONG_P_width in
3)
    echo "Traceback (most recent call last):" >&2
    echo "  File \"/home/x$THRONG_TRIAL/net.py\", line 3" >&2
    echo "RuntimeError: CUDA out of memory. Tried to allocate $THRONG_TRIAL.5 GiB at 0x7f$THRONG_TRIAL" >&2
    exit 1
    ;;
4) exit 78 ;;
esac
END
cat >study.yaml <<'END'
name: mine
command: [sh, train.sh]
method: grid
grid: {order: written}
metric: {name: loss, goal: minimize}
keep: all
parameters:
  lr: {values: [0.01, 0.02, 0.04]}
  opt: {value: sgd}
  width: {values: [1, 2, 3, 4]}
END
run "$THRONG" run study.yaml
check_status "the study has failures" 3

# ---- errors ----------------------------------------------------------------
run "$THRONG" errors
check_status "errors lists them" 0
tab=$(printf '\t')
check_equal "with a header" "count${tab}state${tab}trials${tab}message" \
    "$(head -n 1 <<<"$out")"
check_matches "messages that differ in numbers and paths are one group" "$out" \
    "^3${tab}failed${tab}3,7,11${tab}RuntimeError: CUDA out of memory"
check_matches "each state by itself" "$out" "^3${tab}invalid${tab}4,8,12"
check_equal "and nothing else" 3 "$(wc -l <<<"$out")"
check_contains "a hint helps" "$err" "gpus: 1"
run "$THRONG" errors mine --json
check_equal "errors --json has its schema" throng.errors/1 "$(json 'd["schema"]')"
check_equal "and groups" "6 [3, 7, 11] 3 invalid" "$(json \
    '"%d %s %d %s" % (d["failures"], d["groups"][0]["trials"],
        d["groups"][0]["example"], d["groups"][1]["state"])')"
run "$THRONG" errors -n 1 --json
check_equal "as many as asked for" 1 "$(json 'len(d["groups"])')"
mkdir words && cd words || exit 1
cat >words.yaml <<'END'
name: words
command: [sh, -c, 'echo "KeyError: $0 at $1 in /data/$0/one.txt" >&2; exit 1', '{word}', '{n}']
points: [{word: alpha, n: 1}, {word: beta, n: 2}, {word: gamma, n: 3}]
END
run "$THRONG" run -q --keep-going words.yaml
run "$THRONG" errors words --json
check_equal "messages that differ in a parameter's value are one group" "1 3" \
    "$(json '"%d %d" % (len(d["groups"]), d["groups"][0]["count"])')"
check_contains "with the first one's message" "$out" "KeyError: alpha at 1 in"
if command -v script >/dev/null; then
    check_contains "on a terminal a message is not cut" "$(TERM=xterm COLUMNS=40 \
        script -qec "$THRONG errors words" /dev/null </dev/null)" "/data/alpha/one.txt"
fi
cd .. || exit 1
run "$THRONG" errors nine
check_status "of a study that is there" 4
check_contains "a misspelt one is suggested" "$err" "did you mean \`mine\`?"

# ---- tag and note ----------------------------------------------------------
run "$THRONG" tag 1-3 paper
check_status "tag puts a tag on" 0
check_contains "and counts" "$err" "3 trials"
run "$THRONG" show tag:paper --json
check_equal "which then names them" "1 2 3" \
    "$(json '" ".join(str(t["trial"]["id"]) for t in d["trials"])')"
run "$THRONG" tag mine 2 paper --remove
run "$THRONG" show tag:paper --json
check_equal "and can be taken off" "1 3" \
    "$(json '" ".join(str(t["trial"]["id"]) for t in d["trials"])')"
run "$THRONG" tag 1 'a b'
check_status "a tag with a blank is refused" 2
check_contains "with the reason" "$err" "a blank"
run "$THRONG" tag 1
check_status "tag needs a tag" 2
run "$THRONG" tag 99 x
check_status "and a trial that is there" 4
run "$THRONG" note 5 'spike at step 3'
check_status "note writes a note" 0
run "$THRONG" show 5
check_matches "show prints it" "$out" '^note +spike at step 3$'
run "$THRONG" note 5 ''
run "$THRONG" show 5
check_lacks "an empty one removes it" "$out" "spike"

# ---- ls --------------------------------------------------------------------
run "$THRONG" ls
check_matches "ls shows counts and the best" "$out" \
    "^mine${tab}finished${tab}12/12${tab}6${tab}loss=0.01 \(trial 1\)${tab}20"
run "$THRONG" ls --json
check_equal "ls --json has its schema" throng.ls/1 "$(json 'd["schema"]')"
check_equal "and the same" "mine 12 6 1" "$(json '"%s %d %d %d" % (
    d["studies"][0]["study"], d["studies"][0]["finished"],
    d["studies"][0]["failed"], d["studies"][0]["best"]["id"])')"
mkdir empty
run "$THRONG" ls empty
check_status "a folder without studies is no fault" 0
check_contains "but is said" "$err" "throng init"
run "$THRONG" ls nowhere
check_status "a folder that is not there is one" 4
mkdir -p broken/.throng/bad
echo rubbish >broken/.throng/bad/study.db
run "$THRONG" ls broken
check_contains "a damaged store is listed" "$out" "unreadable"
check_contains "and named with the reason" "$err" "bad: "
check_contains "-r is named where nothing is found" "$("$THRONG" ls empty 2>&1)" "throng ls -r"
mkdir -p deep/one/two deep/.git/.throng
cp -r .throng deep/one/two/
cp -r .throng/mine deep/.git/.throng/
ln -s .. deep/one/round
run "$THRONG" ls -r deep
check_equal "ls -r finds studies in the folders below, and no link or .git" \
    "mine${tab}deep/one/two" "$(tail -n +2 <<<"$out" | cut -f 1,7)"
run "$THRONG" ls -r
check_equal "and says where each lies" "mine .
bad broken
mine deep/one/two
words words" "$(tail -n +2 <<<"$out" | cut -f 1,7 | tr "$tab" ' ')"
run "$THRONG" ls -r --json
check_equal "in JSON, too" ". broken deep/one/two words" \
    "$(json '" ".join(s["folder"] for s in d["studies"])')"
run "$THRONG" ls -r empty
check_contains "that there is none below is said" "$err" "nor in the folders below"
nested=empty/1/2/3/4/5/6/7/8
mkdir -p $nested/9
cp -r .throng $nested/9/
check_equal "nine deep is too deep" "" "$("$THRONG" ls -r empty 2>/dev/null)"
mv $nested/9/.throng $nested/
run "$THRONG" ls -r empty
check_contains "eight is not" "$out" "$nested"

# ---- diff ------------------------------------------------------------------
run "$THRONG" diff 1 3
check_matches "diff shows the parameters that differ" "$out" "^width${tab}1${tab}3$"
check_matches "and how they ended" "$out" "^state${tab}done${tab}failed$"
check_lacks "not those that do not" "$out" "opt"
run "$THRONG" diff --all 1 5
check_matches "--all shows them too" "$out" "^opt${tab}sgd${tab}sgd$"
check_matches "and the metrics" "$out" "^loss.last${tab}0.01${tab}0.02$"
run "$THRONG" diff mine 1 2 5 --json
check_equal "several can be compared" "throng.diff/1 [1, 2, 5] [1, 2, 1]" "$(json \
    '"%s %s %s" % (d["schema"], d["trials"], d["params"]["width"])')"
run "$THRONG" diff 1 1
check_contains "a trial does not differ from itself" "$err" "do not differ"
run "$THRONG" diff 1
check_status "two are needed" 2
run "$THRONG" diff mine 1-2,5 --json
check_equal "a selector may name several" "[1, 2, 5]" "$(json 'd["trials"]')"
run "$THRONG" diff best:2
check_status "as the two best" 0
run "$THRONG" diff 1 99
check_status "and there" 4

# ---- retry and rerun, nobody running it ------------------------------------
run "$THRONG" retry
check_status "retry needs trials" 2
run "$THRONG" retry 1
check_status "a trial that did not fail is not tried again" 1
check_contains "rerun is what may be meant" "$err" "throng rerun"
run "$THRONG" retry 3,1
check_status "others are" 0
check_contains "and it is said which" "$err" "1 trial of mine waits again; 1 of those"
run "$THRONG" status --json
check_equal "it waits" "1 2" \
    "$(json '"%d %d" % (d["states"]["waiting"], d["states"]["failed"])')"
run "$THRONG" rerun 2 --times 2
check_status "rerun makes new trials" 0
check_contains "and the command that runs them is said" "$err" \
    "\`throng run study.yaml\` goes on"
touch mended
run "$THRONG" run study.yaml
check_contains "the next run does them" "$err" "14/14 done"
run "$THRONG" export --jsonl
check_equal "the same point again" "{'lr': 0.01, 'opt': 'sgd', 'width': 2}" \
    "$(json 'd[13]["params"]')"
check_equal "the failed one is done, in a second attempt" "done 2" \
    "$(json 'd[2]["state"] + " " + str(d[2]["attempts"])')"
run "$THRONG" rank --over seed -n 0 --json
all_of_them=$out
run "$THRONG" rank --over seed -n 9223372036854775807 --json
check_equal "the largest number of rows there is, is all" "0 $all_of_them" "$status $out"
run "$THRONG" rank --over seed -n 0 --json
check_equal "reruns are repeats of their point" "[3, 1, 1, 1, 1, 1, 1]" \
    "$(json 'sorted((g["count"] for g in d["groups"]), reverse=True)')"

# ---- while it runs ---------------------------------------------------------
cat >slow.yaml <<'END'
name: slow
command: [sh, -c, 'test -e go{x} || exit 1; until test -e end; do sleep 0.05; done; throng report loss={x}']
method: grid
parallel: 2
metric: {name: loss}
parameters: {x: {values: [1, 2]}}
END
touch go2
"$THRONG" run slow.yaml >slow.out 2>&1 &
pid=$!
states() {
    "$THRONG" status slow --json | python3 -c '
import json, sys
s = json.load(sys.stdin)["states"]
print(s["failed"], s["running"])'
}
in_states() { [ "$(states)" = "$1" ]; }
wait_for 20 in_states "1 1"
check_equal "one has failed, one runs" '1 1' "$(states)"
touch go1
run "$THRONG" retry slow 1
check_status "a running study takes a retry" 0
check_lacks "and answers" "$err" "not answered"
wait_for 20 in_states "0 2"
check_equal "it runs again" '0 2' "$(states)"
run "$THRONG" tag slow 1 again
check_status "a running study takes a tag" 0
run "$THRONG" rerun slow 2
check_status "and a rerun" 0
touch end
wait $pid
check_equal "which it does before it ends" 0 $?
check_contains "with all trials" "$(cat slow.out)" "3/3 done"
run "$THRONG" show slow tag:again --json
check_equal "the tag is there" 1 "$(json 'd["trials"][0]["trial"]["id"]')"

# ---- a study that broke off ------------------------------------------------
mkdir off && cd off || exit 1
cat >off.yaml <<'END'
command: [sh, -c, 'throng report loss={x}; while [ ! -e go ]; do sleep 0.1; done']
method: grid
parallel: 2
resources: {cpus: 0.5}
metric: {name: loss}
parameters: {x: {values: [1, 2, 3]}}
END
"$THRONG" run -q off.yaml --new of 2>/dev/null &
conductor=$!
check "two run" wait_for 20 eval '"$THRONG" status of 2>/dev/null | grep -q "running *2"'
kill -9 $conductor
wait $conductor 2>/dev/null
run "$THRONG" status of
check_contains "a conductor that died is told" "$out" "ended without a word"
check_contains "with what goes on" "$out" "\`throng run off.yaml --new of\` goes on"
check_matches "its trials do not run any more" "$out" '^  broken off 2 '
check_lacks "nor are they said to" "$out" "  running"
run "$THRONG" watch of
check_contains "watch says so too" "$out" "2 broken off"
run "$THRONG" explain of 1
check_contains "explain too" "$out" "\`throng run off.yaml --new of\` goes on"
run "$THRONG" logs of -f 1
check_contains "and logs that are followed" "$err" "\`throng run off.yaml --new of\` goes on"
touch go
run "$THRONG" run -q off.yaml --new of
check_status "it goes on" 0
