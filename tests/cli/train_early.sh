#!/usr/bin/env bash
# Early stopping, promotion and population based training, built in.
# thorough: studies of 30 models each, more than ten seconds of CPU
. "$(dirname "$0")/lib.sh"

cp "$ROOT"/examples/digits/{mlp.yaml,digits.csv.gz} .
look() { # STUDY EXPRESSION over the list of trials d
    "$THRONG" export "$1" --jsonl >"$TMP/.table"
    python3 -S "$ROOT/tests/cli/json_look.py" "$2" "$TMP/.table"
}
study() { # NAME MORE
    cat >"$1.yaml" <<STUDY
model: mlp.yaml
run_cap: 30
seed: 4
metric: {name: val_loss, goal: minimize}
parameters:
  lr: {distribution: log_uniform_values, min: 0.0001, max: 0.1}
  units: {values: [16, 32]}
  dropout: {value: 0.1}
$2
STUDY
}

# ---- asha -------------------------------------------------------------------
study asha 'method: random
early_terminate: {type: asha, max_iter: 20, min_iter: 2}'
run "$THRONG" run asha.yaml
check_status "a study with rungs trains" 0
check_equal "few go all the way, most stop at the first rung" "True" \
    "$(look asha '0 < sum(t["budget"] == 20 for t in d) < 10 < sum(t["budget"] == 2 for t in d)')"
check_equal "those that go on have an attempt for each rung" "True" \
    "$(look asha 'all(t["attempts"] == {2: 1, 6: 2, 18: 3, 20: 4}[t["budget"]] for t in d)')"
# The one that was trained in four parts is as if it had been in one.
id=$(look asha '[t["id"] for t in d if t["budget"] == 20][0]')
run bash -c "$("$THRONG" show asha "$id" --command)"
check_status "its line runs" 0
check_equal "it went on bit for bit" \
    "$(look asha "[['%.6g' % t['metrics'][k]['last'] for k in ('loss', 'val_loss', 'val_accuracy')] for t in d if t['id'] == $id][0]")" \
    "$(tail -n 1 .out | awk -F'\t' '{ printf "['\''%s'\'', '\''%s'\'', '\''%s'\'']\n", $2, $3, $4 }')"
check "its weights are the same" cmp mlp.safetensors \
    ".throng/asha/trials/0/$id/output/weights.safetensors"
id=$(look asha '[t["id"] for t in d if t["budget"] == 6][0]')
run bash -c "$("$THRONG" show asha "$id" --command)"
check_equal "one that was stopped earlier has that many epochs" 7 "$(wc -l <.out)"

# ---- hyperband's stop rule ----------------------------------------------------
study band 'method: random
parallel: 4
early_terminate: {type: hyperband, min_iter: 3}'
run "$THRONG" run band.yaml
check_status "a study with bands trains" 0
check_equal "every trial ends as done or stopped" "True" \
    "$(look band 'all(t["state"] in ("done", "stopped") for t in d) and any(t["state"] == "done" for t in d)')"

# ---- the median rule ----------------------------------------------------------
# Rates from useless to good: the useless ones end early, one by one. Who is
# compared with whom depends on who is first, so a good one may end early, too.
study median 'method: random
early_terminate: {type: median, warmup_steps: 3}'
run "$THRONG" run median.yaml
check_status "a study with the median rule trains" 0
check_equal "some are stopped, the rest of their cohorts are done" "True" \
    "$(look median 'set(t["state"] for t in d) == {"done", "stopped"}')"
check_equal "most that stopped are worse than most that did not" "True" \
    "$(look median '(lambda m: m("stopped") > m("done"))(lambda s: sorted(t["value"] for t in d if t["state"] == s)[sum(t["state"] == s for t in d) // 2])')"

# ---- pbt ------------------------------------------------------------------------
study pbt 'method: pbt
keep: all
pbt: {population: 6, steps: 8}'
sed -i 's/units: .*/units: {value: 16}/; s/^run_cap.*/run_cap: 36/' pbt.yaml
run "$THRONG" run pbt.yaml
check_status "a population trains" 0
check_equal "all are done" "36" "$(look pbt 'sum(t["state"] == "done" for t in d)')"
check_equal "each goes on where its parent ended" "True" \
    "$(look pbt 'all(t["budget"] == {x["id"]: x["budget"] for x in d}[t["parent"]] + 8 for t in d if t.get("parent"))')"
check_equal "some copy another's weights: two have one parent" "True" \
    "$(look pbt 'len(set(t.get("parent") for t in d if t.get("parent"))) < sum(bool(t.get("parent")) for t in d)')"
check_equal "later ones are better than the first" "True" \
    "$(look pbt 'min(t["value"] for t in d if t.get("parent")) < min(t["value"] for t in d if not t.get("parent"))')"
# A child is its parent's checkpoint, optimizer and all, trained further.
id=$(look pbt '[t["id"] for t in d if t.get("parent")][-1]')
run "$THRONG" show pbt "$id"
check_matches "show names the parent" "$out" '^parent   trial [0-9]+, whose checkpoint it began with'
# The model says 20 epochs; a population trains for as long as its study says.
check_equal "lines are longer than the model's epochs" "True" \
    "$(look pbt 'max(t["budget"] for t in d) > 20')"
look pbt '"\n".join("%d %d" % (t["id"], t["budget"]) for t in d)' >budgets
check_equal "every checkpoint stands where its budget ends" "$(cat budgets)" \
    "$(python3 - <<'END_PYTHON'
import json, struct

for line in open("budgets"):
    id = line.split()[0]
    path = ".throng/pbt/trials/0/%s/checkpoint/checkpoint.safetensors" % id
    data = open(path, "rb").read()
    (size,) = struct.unpack("<Q", data[:8])
    head = json.loads(data[8:8 + size])
    assert any(name.startswith("optimizer.") for name in head)
    print(id, json.loads(head["__metadata__"]["training"])["epoch"])
END_PYTHON
)"

# ---- no epochs at all ---------------------------------------------------------
sed -i 's/^epochs: 20/epochs: 0/' mlp.yaml
run "$THRONG" train mlp.yaml
check_status "a model may be judged as it begins" 0
check_matches "what it says is of epoch 0" "$(sed -n 2p .out)" '^0	'

# ---- the same study for any number of workers -----------------------------------
# An epoch takes less than a word to the conductor and back.
python3 -c 'for i in range(60): print("%d,%d,%d" % (i * 7 % 11, i * 5 % 13, i * i % 3 == 0))' >tiny.csv
cat >tiny.yaml <<'END'
layers: [{dense: 4, activation: tanh}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: sgd, lr: "${lr}"}
epochs: 27
snapshots: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27]
data: {file: tiny.csv, validation: 0.3}
END
kinds=('{type: hyperband, min_iter: 2}' '{type: median, warmup_trials: 3}'
    '{type: asha, max_iter: 27, promote: false}' '{type: patience, patience: 4}')
stops='"\n".join("%d %s" % (t["id"], t["reason"].split(" at ")[1].split(":")[0]) for t in d if t["state"] == "stopped")'
table='"\n".join("%d %s %s %r %s %r" % (t["id"], t["state"], t["params"], t["value"], t["reason"], t["metrics"]) for t in d)'
weights() { (cd ".throng/$1/trials/0" && find . -name '*.safetensors' -print0 | sort -z | xargs -0 md5sum); }
for kind in "${kinds[@]}"; do
    name=$(cut -d ' ' -f 2 <<<"$kind" | tr -d ,)
    for n in 1 4 16; do
        cat >tiny$n.yaml <<END
model: tiny.yaml
run_cap: 36
seed: 4
method: tpe
order: lag
lag: 16
parallel: $n
keep: all
metric: {name: val_loss}
parameters: {lr: {distribution: log_uniform_values, min: 0.0001, max: 0.5}}
early_terminate: $kind
END
        run "$THRONG" run tiny$n.yaml --quiet
        check_status "$name: a study of $n at once trains" 0
        weights tiny$n >weights$n
        look tiny$n "$table" >table$n
    done
    check_equal "$name: some are stopped, and some come to their end" "True" \
        "$(look tiny1 '{t["state"] for t in d} == {"done", "stopped"} and len(d) == 36')"
    look tiny4 "$stops" >stops
    check_equal "$name: who is stopped has heard of it before its next epoch" "$(cat stops)" "$(
        while read -r id rest; do
            echo "$id $(ls .throng/tiny4/trials/0/$id/output | sed -n 's/^epoch_\([0-9]*\).*/\1/p' | sort -n | tail -n 1)"
        done <stops)"
    check "$name: the table is the same for 1 and 4 workers" cmp table1 table4
    check "$name: and for 16" cmp table1 table16
    check "$name: so are the weights, those of the decision" cmp weights1 weights4
    check "$name: and for 16" cmp weights1 weights16
    rm -r .throng/tiny*
done
