#!/usr/bin/env bash
# Verbs, options, help: what is accepted, and what is said about the rest.
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }

verbs="run check status rank show logs export stop kill doctor report help
version"

run "$THRONG"
check_status "no verb at all is a usage error" 2
check_equal "which prints nothing as data" "" "$out"
for verb in $verbs; do
    check_matches "the list of verbs has $verb" "$err" "^  $verb +[A-Z]"
done

run "$THRONG" help
check_status "help lists the verbs" 0
check_equal "on standard output" "" "$err"
run "$THRONG" --help
check_status "--help is the same" 0
check_contains "as help" "$out" "usage: throng VERB"

all=$(sed -nE 's/^  ([a-z-]+) +[A-Z].*/\1/p' <<<"$("$THRONG" help)")
for verb in $all; do
    run "$THRONG" help "$verb"
    check_status "there is help for $verb" 0
    check_matches "with a usage line ($verb)" "$out" "^usage: throng $verb"
    check_equal "that fits 80 columns ($verb)" "" "$(grep -E '.{81}' <<<"$out")"
    before=$out
    run "$THRONG" "$verb" --help
    check_equal "$verb --help says the same" "0 $before" "$status $out"
done
run "$THRONG" help run rank
check_contains "help takes several verbs" "$out" "usage: throng rank"
run "$THRONG" rank -h
check_status "-h is help too" 0

run "$THRONG" version
check_equal "version prints the version" 0 "$status"
check_matches "as a word and a number" "$out" '^throng [0-9]+\.[0-9]+\.[0-9]+$'
run "$THRONG" --version
check_matches "--version too" "$out" '^throng [0-9]'
run "$THRONG" version --json
check_equal "version --json has its schema" throng.version/1 \
    "$(json 'd["schema"]')"

run "$THRONG" stauts
check_status "a misspelt verb is a usage error" 2
check_contains "and the right one is suggested" "$err" "did you mean \`status\`?"
run "$THRONG" xyzzyplugh
check_contains "a verb like no other is named" "$err" "xyzzyplugh"
run "$THRONG" help metric
check_contains "help for a key of a study file" "$out" "metric.goal: minimize or maximize"
check_lacks "and for no other" "$out" "parameters:"
run "$THRONG" help tpe keep
check_contains "for a method" "$out" "candidates"
check_contains "and for several" "$out" "keep: "
run "$THRONG" help asha
check_contains "for a rule" "$out" "early_terminate.eta: a whole number"
check_lacks "and for no other" "$out" "early_terminate.patience"
run "$THRONG" help patience
check_equal "for a key by its last word, once" 1 "$(grep -c '^ *early_terminate.patience' <<< "$out")"
run "$THRONG" help stauts
check_status "help for a misspelt verb is a usage error" 2
check_contains "with the suggestion" "$err" "did you mean \`status\`?"

run "$THRONG" rank study.yaml --revrese
check_status "a misspelt option is a usage error" 2
check_contains "and is named, wherever it stands" "$err" "\`--revrese\`"
check_contains "with the right one" "$err" "did you mean --reverse?"
run "$THRONG" rank -z
check_status "so is an unknown letter" 2
check_contains "which is named" "$err" "\`-z\`"
run "$THRONG" rank --by
check_status "an option without its value is a usage error" 2
check_contains "that says so" "$err" "--by lacks its value"
run "$THRONG" rank -n
check_contains "also for a letter" "$err" "-n lacks its value"
run "$THRONG" rank --json=yes
check_contains "a flag with a value is refused" "$err" "--json takes no value"
run "$THRONG" rank -n many
check_status "a number must be one" 2
check_contains "and the text is shown" "$err" "many"
run "$THRONG" rank -n -3
check_status "and not negative" 2

run "$THRONG" version surplus
check_status "version takes no argument" 2
check_contains "and names it" "$err" "\`surplus\`"
for verb in run check; do
    run "$THRONG" $verb
    check_status "$verb needs a study file" 2
    run "$THRONG" $verb a.yaml b.yaml
    check_status "$verb takes one" 2
    run "$THRONG" $verb absent.yaml
    check_status "$verb of a file that is not there" 4
    check_contains "names it" "$err" "absent.yaml"
done
run "$THRONG" export --csv --jsonl
check_status "export writes one format" 2
check_contains "and says which there are" "$err" "--csv, --jsonl and --files"

for verb in status rank show logs stop kill "export --csv"; do
    # shellcheck disable=SC2086
    run "$THRONG" $verb
    check_status "without any study there is none to ${verb%% *}" 4
    check_contains "and how to make one is said" "$err" "throng run"
    # shellcheck disable=SC2086
    run "$THRONG" $verb elsewhere
    check_status "a study that is not there (${verb%% *})" 4
    check_contains "is named" "$err" "\`elsewhere\`"
done

run "$THRONG" report
check_status "report needs a metric" 2
run "$THRONG" report loss
check_status "and its value" 2
run "$THRONG" report loss=0.5 step=3
check_status "outside of a task report prints the line" 0
check_equal "as a metrics file holds it" '{"step":3,"loss":0.5}' "$out"

run "$THRONG" doctor
check_status "doctor finds this machine fit" 0
check_matches "it has looked at the worker" "$out" '^ok +worker'
check_equal "all of its columns line up" 1 \
    "$(sed -n '2,$p' <<<"$out" | sed -E 's/^(.{4} )([a-z_0-9]+ +).*/\1\2/' |
        awk '{print length($0)}' | sort -u | wc -l)"
run "$THRONG" doctor --json
check_equal "doctor --json has its schema" throng.doctor/1 \
    "$(json 'd["schema"]')"
check_equal "and each finding its fields" True \
    "$(json 'all(set(f)=={"name","ok","text"} for f in d["findings"])')"
mkdir few && ln -s "$(command -v git || echo /bin/true)" few/git
run env "PATH=$TMP/few" "$THRONG" doctor
check_status "what only some studies need may be absent" 0
check_matches "which is said" "$out" '^-- +python3 +not here; needed for'
run env "PATH=$TMP/few" "$THRONG" doctor --json
check_equal "JSON has neither true nor false for it" "None True" "$(json \
    '" ".join(str(f["ok"]) for f in d["findings"] if f["name"] in ("python3", "git"))' |
    tr ' ' '\n' | sort | paste -sd' ')"
THRONG_WORKER=/nowhere/throng-worker run "$THRONG" doctor
check_status "doctor says when the worker is not there" 1
check_matches "and where it was looked for" "$out" '^BAD +worker.*/nowhere'
printf '%s\n' "command: ['true']" 'method: grid' \
    'parameters: {a: {values: [1, 2, 3]}}' >sound.yaml
run "$THRONG" run sound.yaml
run "$THRONG" doctor sound
check_matches "doctor looks at a study too" "$out" '^ok +study .*sound is sound'
run "$THRONG" doctor sound --replay
check_matches "--replay asks its method again" "$out" '^ok +replay .*all 3 trials again'
printf '%s\n' 'command: throng report loss={x}' 'method: tpe' 'run_cap: 24' 'parallel: 3' \
    'metric: {name: loss}' 'parameters: {x: {min: 0.0, max: 1.0}}' >learns.yaml
run "$THRONG" run learns.yaml
run "$THRONG" doctor learns --replay
check_matches "of one that learns, too" "$out" '^ok +replay .*all 24 trials again'
sqlite3 .throng/learns/study.db 'UPDATE heard SET value = -value WHERE value IS NOT NULL'
run "$THRONG" doctor learns
check_matches "doctor knows what another program changed" "$out" \
    '^BAD +study .*page [0-9]+ is not as throng wrote it'
sqlite3 .throng/learns/study.db VACUUM
run "$THRONG" doctor learns
check_matches "and says that it believes it when told to" "$out" \
    '^ok +study .*learns is sound; some of it has no checksum'
run "$THRONG" doctor learns --replay
check_matches "and finds where another point was suggested" "$out" '^BAD +replay .*trial [12][0-9] is the first'
run "$THRONG" doctor --replay
check_contains "--replay needs a study" "$err" "throng doctor STUDY --replay"
dd if=/dev/urandom of=.throng/sound/study.db bs=4096 seek=2 count=8 \
    conv=notrunc 2>/dev/null
run "$THRONG" doctor sound
check_status "and finds one that is damaged" 1
check_matches "which it names" "$out" '^BAD +study .*study.db'
run "$THRONG" doctor surplus
check_status "a study that is not there cannot be looked at" 4
mkdir closed && cd closed && chmod 555 .
if [ "$(id -u)" -eq 0 ]; then
    skip "doctor in a folder that cannot be written" "root can write anywhere"
else
    run "$THRONG" doctor
    check_matches "doctor in a folder that cannot be written" "$out" \
        '^BAD +writing'
fi
