#!/usr/bin/env bash
# What paused trials of built-in training leave lies in packs, and is as good
# there as in files.
. "$(dirname "$0")/lib.sh"

cp "$ROOT"/examples/digits/{mlp.yaml,digits.csv.gz} .
look() { # STUDY EXPRESSION over the list of trials d
    "$THRONG" export "$1" --jsonl >"$TMP/.table"
    python3 -S "$ROOT/tests/cli/json_look.py" "$2" "$TMP/.table"
}
# One at a time, so that who is promoted is the same in every study.
study() { # NAME [MORE]
    cat >"$1.yaml" <<STUDY
model: mlp.yaml
run_cap: 18
seed: 4
parallel: 1
method: random
metric: {name: val_loss, goal: minimize}
parameters:
  lr: {distribution: log_uniform_values, min: 0.0001, max: 0.1}
  units: {value: 16}
  dropout: {value: 0.1}
early_terminate: {type: asha, max_iter: 9}
${2-}
STUDY
}
table() { look "$1" 'sorted((t["id"], t["state"], t["budget"], t["value"]) for t in d)'; }
sums() { (cd ".throng/$1/trials/0" && sha256sum */output/*.safetensors */checkpoint/*.safetensors); }
# Points that were reported twice, by attempts that began anew.
twice() { "$THRONG" export "$1" --history --attempts | awk -F, '{ print $1, $3, $5 }' | sort | uniq -d | wc -l; }
state() { look "$1" "[t['state'] for t in d if t['id'] == $2][0]"; }

study whole
run "$THRONG" run whole.yaml
check_status "a study with rungs comes to its end" 0
check_equal "no epoch was trained twice" 0 "$(twice whole)"
check_not "no pack is left of a small one" test -e .throng/whole/trials/0.pack
check_equal "the best ten have their weights as files" 10 \
    "$(ls .throng/whole/trials/0/*/output/weights.safetensors | wc -l)"

# ---- half way ---------------------------------------------------------------
study parts
run "$THRONG" run parts.yaml --count 9
check_status "some trials are made" 0
paused=$(look parts '[t["id"] for t in d if t["state"] == "paused"][0]')
check "some are paused" test -n "$paused"
check "what they left is in a pack" test -s .throng/parts/trials/0.pack
check_not "and no folder is" test -e .throng/parts/trials/0
check_contains "show says what there is" "$("$THRONG" show parts "$paused")" \
    "weights.safetensors"
run "$THRONG" evaluate ".throng/parts/trials/0/$paused/output/weights.safetensors"
check_status "it can be evaluated" 0
run "$THRONG" export parts "$paused" --files out
check "its files can be had" test -s "out/$paused/checkpoint/checkpoint.safetensors"
cp -r .throng/parts kept

run "$THRONG" run parts.yaml
check_status "the study goes on" 0
check_equal "with the same results" "$(table whole)" "$(table parts)"
check_equal "and files, to the bit" "$(sums whole)" "$(sums parts)"
check_equal "and no epoch was trained twice" 0 "$(twice parts)"

# ---- damage -----------------------------------------------------------------
rm -r .throng/parts && cp -r kept .throng/parts
python3 - .throng/parts/trials/0.pack <<'PY'
import sys
bytes_ = bytearray(open(sys.argv[1], "rb").read())
for at in range(300, len(bytes_), 1000):
    bytes_[at] ^= 1
open(sys.argv[1], "wb").write(bytes_)
PY
run "$THRONG" run parts.yaml
check_status "a study whose pack was damaged goes on" 0
check_equal "trials begin anew, and come to the same" "$(table whole)" "$(table parts)"
check "epochs were trained twice" test "$(twice parts)" -gt 0
rm -r .throng/parts && cp -r kept .throng/parts
rm .throng/parts/trials/0.pack
run "$THRONG" run parts.yaml
check_equal "so they do without one" "0 $(table whole)" "$status $(table parts)"

# ---- removed, stopped ---------------------------------------------------------
rm -r .throng/parts && cp -r kept .throng/parts
others=$(look parts '[t["id"] for t in d if t["state"] == "paused"][1]')
run "$THRONG" rm parts "$paused" -y
check_status "a paused trial can be removed" 0
run "$THRONG" export parts "$others" --files more
check "another still has its files" test -s "more/$others/output/weights.safetensors"
run "$THRONG" stop parts "$others"
check_equal "it can be stopped" "0 stopped" "$status $(state parts "$others")"
run "$THRONG" run parts.yaml
check_status "the rest goes on" 0
check_equal "from where it stood" 0 "$(twice parts)"

# ---- keep -------------------------------------------------------------------
study all 'keep: all'
run "$THRONG" run all.yaml
check_equal "with keep: all all weights are files" 18 \
    "$(ls .throng/all/trials/0/*/output/weights.safetensors | wc -l)"
check_not "and no pack is left" test -e .throng/all/trials/0.pack
study none 'keep: none'
run "$THRONG" run none.yaml
check_equal "with keep: none nothing is" "0 0" \
    "$(find .throng/none/trials -type f | wc -l) $status"

# ---- large models -------------------------------------------------------------
sed 's/units: {value: 16}/units: {value: 256}/; s/run_cap: 18/run_cap: 6/' whole.yaml >large.yaml
run "$THRONG" run large.yaml --count 4
check "those of larger models have files" \
    test "$(ls .throng/large/trials/0/*/checkpoint/checkpoint.safetensors | wc -l)" -ge 1
check_not "and no pack" test -e .throng/large/trials/0.pack
run "$THRONG" run large.yaml
check_status "they go on, too" 0

# ---- killed -------------------------------------------------------------------
study killed
for round in 1 2 3 4; do
    "$THRONG" run killed.yaml --quiet &
    conductor=$!
    wait_for 30 grep -qsa safetensors .throng/killed/trials/0.pack ||
        break
    [ "$round" = 2 ] && pkill -9 -P "$conductor"
    kill -9 "$conductor"
    wait "$conductor" 2>/dev/null
done
run "$THRONG" run killed.yaml
check_status "a study that was killed goes on" 0
check_equal "its table is the same" "$(table whole)" "$(table killed)"
check_equal "so are its files" "$(sums whole)" "$(sums killed)"
