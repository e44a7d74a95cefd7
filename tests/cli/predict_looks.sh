#!/usr/bin/env bash
# What the verb predict tells beside predictions (calibration, novelty), or in
# place of them (a layer), is told of shards as well, whatever the cutting.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(3); print "a,b,y"
    for (i = 0; i < 240; i++) { x = rand(); y = rand(); print x "," y "," x * y } }' >rows.csv
awk 'BEGIN { srand(7); print "a,b"
    for (i = 0; i < 130; i++) print rand() "," rand()
    print "40,-70" }' >new.csv
cat >model.yaml <<'MODEL'
layers: [{dense: "${units}", activation: tanh, name: seen}, {dropout: 0.2}, {dense: 1}]
loss: mse
epochs: 2
data: {file: rows.csv, label: y, scale: std, validation: 0.4}
MODEL
cat >study.yaml <<'STUDY'
name: nets
model: model.yaml
method: grid
keep: all
metric: {name: val_loss, goal: minimize}
parameters: {units: {values: [3, 5]}}
STUDY
"$THRONG" run -q study.yaml
"$THRONG" ensemble nets best:2 -o two.ensemble >/dev/null 2>&1
"$THRONG" ensemble nets best:1 -o one.ensemble >/dev/null 2>&1
weights=$(echo .throng/nets/trials/0/1/output/weights.safetensors)
"$THRONG" calibrate two.ensemble --samples 3 -o two.calibration >/dev/null 2>&1
"$THRONG" novelty two.ensemble -o two.novelty >/dev/null 2>&1
"$THRONG" novelty "$weights" -o one.novelty >/dev/null 2>&1

# ---- the same as the verb without shards -------------------------------------------
# same NAME MODELS WORDS…: shards of two sizes and none say the same.
same() {
    local name=$1 models=$2
    shift 2
    "$THRONG" predict "$models" --data new.csv --csv -q "$@" >"$name.plain"
    for rows in 13 1000; do
        run "$THRONG" predict "$models" --data new.csv --study "$name-$rows" --shard $rows \
            -o "$name-$rows.csv" "$@"
        check_status "$name in shards of $rows" 0
        check "$name in shards of $rows is what the verb says" \
            cmp "$name.plain" "$name-$rows.csv"
    done
}
same calibrated two.ensemble --samples 3 --calibration two.calibration
check_matches "intervals are there" "$(head -1 calibrated.plain)" 'low,high$'
same scored two.ensemble --samples 3 --novelty two.novelty
check_matches "distances are there" "$(head -1 scored.plain)" 'distance,unlike$'
same alone "$weights" --novelty one.novelty
check_matches "of one model, too" "$(head -1 alone.plain)" '^row,predicted,distance,unlike$'
check_equal "a row that is far off is unlike" 1 "$(tail -1 alone.plain | sed 's/.*,//')"
same both two.ensemble --samples 3 --calibration two.calibration --novelty two.novelty
check_matches "all of it goes together" "$(head -1 both.plain)" 'low,high,distance,unlike$'
same layer "$weights" --layer seen
check_matches "the numbers of a layer" "$(head -1 layer.plain)" '^row,'

# ---- rows that cannot be read --------------------------------------------------------
# gaps NAME MODELS WORDS…: bad rows have nothing of it, the others what they had.
sed '21s/.*/0.3,oops/;31s/.*/0.3/' new.csv >gaps.csv
gaps() {
    local name=$1 models=$2 before=$3
    shift 3
    run "$THRONG" predict "$models" --data gaps.csv --study "$name" --shard 7 -o "$name.csv" "$@"
    check_status "$name: bad rows are told" 3
    check "$name: the verb says the same" \
        cmp "$name.csv" <("$THRONG" predict "$models" --data gaps.csv --csv -q "$@" 2>/dev/null)
    check_matches "$name: nothing is told of them" "$(grep '^20,' "$name.csv")" '^20,*$'
    check "$name: others are as they were" \
        cmp <(grep -vE '^(20|30),' "$before") <(grep -vE '^(20|30),' "$name.csv")
}
gaps gaps-both two.ensemble both.plain --samples 3 --calibration two.calibration --novelty two.novelty
gaps gaps-alone "$weights" alone.plain --novelty one.novelty
gaps gaps-layer "$weights" layer.plain --layer seen
# pca OF: directions and groups of the rows of a file.
pca() { "$THRONG" predict "$weights" --layer seen --pca 2 --k-means 2 --csv -q --data "$1"; }
run pca gaps.csv
check_status "directions and groups are found without them" 3
check_equal "which have none" "20,,,, 30,,,," "$(grep -E '^(20|30),' <<<"$out" | paste -sd ' ')"
sed '31d;21d' new.csv >sound.csv
check_equal "of the others they are what they are alone" "$(pca sound.csv 2>/dev/null | cut -d, -f2-)" \
    "$(grep -vE '^(20|30),' <<<"$out" | cut -d, -f2-)"
printf 'a,b\nx,1\n0.1,0.2\n0.3,0.1\n0.5,0.4\ny,2\n' >ends.csv
check_equal "also the first and the last row" "1 2 3 4 5" \
    "$(pca ends.csv 2>/dev/null | sed 1d | cut -d, -f1 | paste -sd ' ')"
cat >gaps-kept.yaml <<'STUDY'
predict: {models: two.ensemble, data: gaps.csv, novelty: two.novelty, shard: 9, output: gaps-kept,
          keep: {top: {by: unlike, n: 1000}, all: true}}
STUDY
run "$THRONG" run gaps-kept.yaml
check_status "rules by novelty go on without them" 3
check_lacks "and leave them out" "$(cut -d, -f1 gaps-kept/top.csv | grep -E '^(20|30)$')" 0
check_matches "all rows have nothing of them" "$(grep '^20,' gaps-kept/listed.csv)" '^20,*$'

# ---- what is kept goes by it -------------------------------------------------------
cat >kept.yaml <<'STUDY'
predict:
  models: two.ensemble
  data: new.csv
  samples: 3
  shard: 20
  calibration: two.calibration
  novelty: two.novelty
  output: kept
  keep: {top: {by: distance, n: 2}, bottom: {by: low, n: 3}, where: "unlike > 0"}
STUDY
run "$THRONG" run kept.yaml
check_status "rules may go by distance and low" 0
check_equal "the row that is farthest" 131 "$(sed -n 2p kept/top.csv | cut -d, -f1)"
column() { awk -F, -v n="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == n) c = i }
    NR > 1 { print $c + 0 "," $1 }' "$1"; }
check_equal "the lowest ends of intervals" \
    "$(column both.plain low | sort -g | head -3 | cut -d, -f2)" \
    "$(tail -n +2 kept/bottom.csv | cut -d, -f1)"
check_equal "rows that are unlike are listed" \
    "$(column both.plain unlike | grep -c '^1,')" "$(tail -n +2 kept/listed.csv | wc -l | tr -d ' ')"
cat >units.yaml <<STUDY
predict: {models: $weights, data: new.csv, layer: seen, shard: 50, output: units,
          keep: {top: {by: $(head -1 layer.plain | cut -d, -f2), n: 1}}}
STUDY
run "$THRONG" run units.yaml
check_status "rules may go by a unit" 0
check_equal "whose largest is kept" "$(sort -t, -k2,2 -g layer.plain | tail -1 | cut -d, -f1)" \
    "$(tail -1 units/top.csv | cut -d, -f1)"

# ---- files are those that it was begun with ------------------------------------------
ask() { "$THRONG" predict two.ensemble --data new.csv --samples 3 --novelty two.novelty \
    --calibration two.calibration --shard 5 --study cut -o cut.csv "$@"; }
ask -q &
pid=$!
wait_for 20 test -e .throng/cut/inference.json
kill -9 $pid
wait $pid 2>/dev/null
mkdir away
mv two.novelty two.calibration away
run ask
check "killed, it goes on with what it was begun with" cmp both.plain cut.csv
cp -r away/. .
for kind in novelty calibration; do
    cat >$kind.yaml <<STUDY
predict: {models: two.ensemble, data: new.csv, samples: 3, shard: 40, output: $kind.csv,
          novelty: two.novelty, calibration: two.calibration}
STUDY
    "$THRONG" run -q $kind.yaml --count 2 2>/dev/null
    case $kind in
        novelty) "$THRONG" novelty two.ensemble --alpha 0.5 -o two.novelty ;;
        *) "$THRONG" calibrate two.ensemble --samples 3 --alpha 0.4 -o two.calibration ;;
    esac >/dev/null 2>&1
    run "$THRONG" run $kind.yaml
    check_status "another $kind of the same name does not go on with it" 1
    check_contains "which is said" "$err" \
        "two.$kind has changed since this inference began"
    cp away/* .
    run "$THRONG" run $kind.yaml
    check "with the one of before it does" cmp both.plain $kind.csv
done
copy=$(echo .throng/novelty/models/*.novelty)
chmod u+w "$copy"
echo >>"$copy"
run "$THRONG" run novelty.yaml
check_contains "a copy that is not what it was is an error" "$err" "$copy, a copy of a novelty file"

# ---- files that an earlier stage writes -----------------------------------------------
cat >campaign.yaml <<STUDY
stages:
  calibrate: {command: "$THRONG calibrate two.ensemble --samples 3 --alpha 0.1 -o own.calibration", outputs: own.calibration}
  novelty: {command: "$THRONG novelty two.ensemble -o own.novelty", outputs: own.novelty}
  ask: {predict: {models: two.ensemble, data: new.csv, samples: 3, shard: 50, output: own.csv,
                  calibration: own.calibration, novelty: own.novelty}}
STUDY
run "$THRONG" check campaign.yaml
check_matches "a campaign knows which stage comes before" "$out" \
    'ask +predict, after calibrate, novelty$'
run "$THRONG" run campaign.yaml
check "its files are those of the stages" cmp both.plain own.csv
sed -i 's/0\.1 /0.4 /' campaign.yaml
run "$THRONG" run campaign.yaml
check_contains "when one is another, rows are asked anew" "$err" \
    "ask begins: own.calibration has changed"
check "with what it says" cmp own.csv <("$THRONG" predict two.ensemble --data new.csv --samples 3 \
    --calibration own.calibration --novelty own.novelty --csv -q)

# ---- how far off a row is --------------------------------------------------------------
cat >auto.yaml <<'MODEL'
layers: [{dense: 1}, {dense: outputs}]
loss: mse
epochs: 3
data: {file: auto.csv, label: inputs, scale: std, validation: 0.2}
MODEL
awk 'BEGIN { srand(4); print "a,b,c"
    for (i = 0; i < 60; i++) print rand() "," rand() "," rand() }' >auto.csv
"$THRONG" train auto.yaml >/dev/null 2>&1
sed '5s/,.*/,oops,1/' auto.csv >odd.csv
cat >far.yaml <<'STUDY'
predict:
  models: auto.safetensors
  data: odd.csv
  shard: 25
  output: far
  keep: {top: {by: error, n: 7}, where: "error > 0"}
STUDY
run "$THRONG" run far.yaml
check_status "rows of an autoencoder are kept by their error" 3
"$THRONG" predict auto.safetensors --data odd.csv --csv -q 2>/dev/null |
    awk -F, 'NR > 1 && $5 { print $1 "," $5 }' | sort -t, -k2,2 -gr >far.all
check_equal "by which they have the order of the verb's" "$(head -n 7 far.all | cut -d, -f1)" \
    "$(tail -n +2 far/top.csv | cut -d, -f1)"
check_equal "and the numbers" "$(head -n 7 far.all | cut -d, -f2)" \
    "$(awk -F, 'NR > 1 { printf "%.9g\n", $5 }' far/top.csv)"
check_equal "a row that cannot be read has none" 60 "$(wc -l <far/listed.csv | tr -d ' ')"

# ---- what cannot be ------------------------------------------------------------------
# refused WHAT TEXT KEYS: a mistake of the file, with its line.
refused() {
    printf 'predict:\n  data: new.csv\n  models: two.ensemble\n  %s\n' "$3" >bad.yaml
    run "$THRONG" check bad.yaml
    check_status "$1" 1
    check_contains "$1: said why" "$err$out" "$2"
    check_contains "$1: and where" "$err$out" "bad.yaml:4:"
}
refused "other samples than it was found with" "another number of samples" "calibration: two.calibration"
refused "a file that is not there" "nowhere.novelty" "novelty: nowhere.novelty"
refused "novelty of other models" "fitted for no ensemble" "novelty: one.novelty"
refused "a calibration that is none" "no calibration that this throng reads" "calibration: two.novelty"
refused "a layer of an ensemble" "a layer is of one model" "layer: seen"
refused "a layer with novelty" "leave one of them out" "layer: seen
  novelty: two.novelty"
refused "a number as a file" "predict.calibration must be text" "calibration: 3"
run "$THRONG" predict two.ensemble --layer seen
check_status "nor does the verb take a layer of several" 1
check_contains "and says how" "$err" "name the weights of one of them, as "
run "$THRONG" predict one.ensemble --layer seen --data new.csv --csv
check_status "an ensemble of one has one" 0
run "$THRONG" predict nets --data new.csv --study of --samples 3 --calibration two.calibration
check_contains "trials have no file that it could be of" "$err" "by \`throng ensemble\`"
run "$THRONG" predict two.ensemble --data new.csv --study of --samples 3 --combine median \
    --calibration two.calibration
check_contains "nor is it of another way to combine" "$err" "combined by mean"
cat >program.yaml <<'STUDY'
command: cp ${shard} ${out}
predict: {data: new.csv, novelty: two.novelty}
STUDY
run "$THRONG" check program.yaml
check_contains "a program has none of it" "$err$out" "predict.novelty goes with models"
