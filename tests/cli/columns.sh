#!/usr/bin/env bash
# `rank --columns`, the order of parameters, and titles too long for a terminal.
. "$(dirname "$0")/lib.sh"

cat >study.yaml <<'E2'
name: wide
command:
  - sh
  - -c
  - echo "::throng step=1 val_loss={zeta} val_acc=0.5"; echo "::throng step=2 val_loss={zeta} val_acc=0.{zeta}"
method: grid
grid: {order: written}
metric: {name: val_loss}
parameters:
  zeta: {values: [3, 1, 2]}
  param_2: {value: 7}
  param_10: {value: 8}
  model.encoder.attention.dropout: {value: 0.1}
  model.encoder.attention.width: {value: 32}
  alpha: {parameters: {y: {value: 1}, x: {value: 2}}}
E2
"$THRONG" run -q study.yaml
"$THRONG" tag 2 paper >/dev/null 2>&1
"$THRONG" tag 2 old >/dev/null 2>&1

run "$THRONG" rank
names=zeta,param_2,param_10,model.encoder.attention.dropout,model.encoder.attention.width,alpha.y,alpha.x
check_equal "parameters come in the order of the file" \
    "rank,trial,val_loss,$names,state,seconds" "$(head -n 1 <<<"$out" | tr '\t' ,)"
run "$THRONG" export --csv
check_contains "in CSV, too" "$(head -n 1 <<<"$out")" "id,state,value,$names,"
listed() { # the names of a list of parameters below the line $1, with commas
    sed -n "/^$1/,/^[a-z]/p" <<<"$out" | awk '/^  / { print $1 }' | paste -sd ,
}
run "$THRONG" show 1
check_equal "show lists them in that order" "$names" "$(listed params)"
run "$THRONG" status
check_equal "status does so of the best trial" "$names" "$(listed best)"
run "$THRONG" diff --all 1 2
check_equal "and diff of what it compares" "$names" \
    "$(tail -n +2 <<<"$out" | cut -f 1 | head -n 7 | paste -sd ,)"

run "$THRONG" rank --columns 'val_acc, zeta,tag,val_acc.max,state,host'
check_equal "any metric, parameter, tag or host can be a column" \
    "rank,trial,val_loss,val_acc,zeta,tag,val_acc.max,state,host
1,2,1.0,0.1,1,old, paper,0.5,done,$(hostname)" "$(head -n 2 <<<"$out" | tr '\t' ,)"
run "$THRONG" rank --columns val_acc,tag,note --json
check "JSON has them beside the rest" python3 - "$out" <<'E2'
import json, sys
first = json.loads(sys.argv[1])["trials"][0]
assert first["columns"] == {"val_acc": 0.1, "tag": ["old", "paper"],
                            "note": None}, first
assert first["params"]["zeta"] == 1, first
E2
run "$THRONG" rank --by zeta --columns val_loss,seconds
check_equal "they go with --by" "rank	trial	zeta	val_loss	seconds" \
    "$(head -n 1 <<<"$out")"
run "$THRONG" rank -n 0 --columns val_acc
check_equal "and with all rows" "0.1 0.2 0.3" \
    "$(tail -n +2 <<<"$out" | cut -f 4 | paste -sd ' ')"
run "$THRONG" rank --columns val_ac
check_status "a name that no trial has is refused" 1
check_contains "with the nearest one" "$err" 'did you mean `val_acc`?'
run "$THRONG" rank --columns ,
check_status "no name at all is a mistake" 2
run "$THRONG" rank --over zeta --columns val_acc
check_status "groups have columns of their own" 2
check_contains "completion knows the names" \
    "$("$THRONG" __complete -- rank --columns val_acc,ze)" "val_acc,zeta"

on_terminal() { # COLUMNS COMMAND...
    local columns=$1
    shift
    COLUMNS=$columns script -qc "$*" /dev/null </dev/null | tr -d '\r'
}
out=$(on_terminal 90 "$THRONG" rank)
check_contains "titles that are too long are cut in front" "$out" "…dropout"
check_matches "so that they can be told apart" "$out" "…[a-z.]*width"

cat >ends.yaml <<'END'
name: ends
command: [sh, -c, "throng report loss=1"]
metric: {name: loss}
method: random
run_cap: 2
parameters:
  encoder.attention.dropout: {min: 0.1, max: 0.9}
  decoder.attention.dropout: {min: 0.1, max: 0.9}
  model.encoder.a.attention.dropout: {min: 0.1, max: 0.9}
  model.encoder.b.attention.dropout: {min: 0.1, max: 0.9}
END
"$THRONG" run -q ends.yaml
titles=$(on_terminal 60 "$THRONG" rank ends | head -n 1 | tr -s ' ' '\n' | sed '/^$/d')
check_equal "names that end alike are cut so that they differ" "" "$(sort <<<"$titles" | uniq -d)"
check_equal "all of them" 7 "$(wc -l <<<"$titles")"
check_contains "one by its beginning" "$titles" "d…"

sed 's/^metric: .*/metrics: [{name: val_loss}, {name: val_acc, goal: maximize}]/; s/wide/two/' \
    study.yaml >two.yaml
"$THRONG" run -q two.yaml
run "$THRONG" rank two --columns zeta,state
check_equal "studies of several metrics take columns as well" \
    "rank	trial	pareto	val_loss	val_acc	zeta	state" "$(head -n 1 <<<"$out")"
run "$THRONG" rank two --columns zeta --json
check_contains "for programs, too" "$out" '"columns":{"zeta":1}'
