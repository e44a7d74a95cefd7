#!/usr/bin/env bash
# The table of an inference: its columns, each row once, and never in the place
# of what it was made from.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(3); print "a,b,y"
    for (i = 0; i < 80; i++) { x = rand(); z = rand()
        print x "," z "," x + z * z } }' >rows.csv
cat >model.yaml <<'MODEL'
layers: [{dense: "${units}", activation: relu}, {dropout: 0.2}, {dense: 1}]
loss: mse
epochs: 1
data: {file: rows.csv, label: y, scale: std, validation: 0.3}
MODEL
cat >nets.yaml <<'STUDY'
model: model.yaml
method: grid
keep: all
metric: {name: val_loss, goal: minimize}
parameters: {units: {values: [4, 8]}}
STUDY
"$THRONG" run -q nets.yaml
"$THRONG" ensemble nets best:2 -o two.ensemble >/dev/null 2>&1
cp "$(find .throng/nets -name weights.safetensors | sort | head -n 1)" net.safetensors
for k in 0 1; do
    awk -v k=$k 'BEGIN { srand(k + 7); print "a,b"
        for (i = 0; i < 9; i++) print rand() "," rand() }' >new$k.csv
done

# ---- files with labels, and files without -------------------------------------
head -n 4 new0.csv >la.csv
awk -F, 'NR == 1 { print $0 ",y" } NR > 1 { print $0 ",0.5" }' la.csv >lb.csv
for order in "la.csv lb.csv" "lb.csv la.csv"; do
    name=lab_${order%%.*}
    # shellcheck disable=SC2086
    run "$THRONG" predict two.ensemble --data $order --study "$name" --shard 2 -o "$name.csv"
    check_status "files with labels and files without are one table: $order" 0
    check_equal "the label has its column" "file,row,label,predicted" \
        "$(head -n 1 "$name.csv" | cut -d, -f1-4)"
done
check_equal "which is empty where there is none" "la.csv, la.csv, la.csv, lb.csv,0.5 lb.csv,0.5 lb.csv,0.5" \
    "$(sed 1d lab_la.csv | cut -d, -f1,3 | paste -sd ' ')"
check_equal "whatever comes first" "$(sort lab_la.csv)" "$(sort lab_lb.csv)"
check_equal "rows have as many cells" 1 "$(awk -F, '{ print NF }' lab_la.csv | uniq | wc -l)"
check_equal "predictions do not hang on it" "$(grep '^la' lab_la.csv | cut -d, -f2,4-)" \
    "$(grep '^lb' lab_la.csv | cut -d, -f2,4-)"
run "$THRONG" predict two.ensemble --data la.csv lb.csv --study arr -o arr.npy
check_status "so are they as an array" 0
run "$THRONG" predict two.ensemble --data la.csv lb.csv --study kept --keep all -o kept
check_status "and where all rows are kept" 0

# ---- a file that is named twice -----------------------------------------------
ln -s new0.csv link.csv
cp new1.csv same.csv
names() { sed 1d "$1" | cut -d, -f1 | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd ' '; }
printf 'predict: {models: two.ensemble, data: ["new*.csv", "new0.csv", "./new1.csv"], output: over.csv}\n' >over.yaml
run "$THRONG" check over.yaml
check_contains "a check says what is named twice" "$err" \
    "predict.data names a file more than once, whose rows are asked for once: new0.csv, ./new1.csv"
check_contains "and counts rows once" "$out" "18 rows"
run "$THRONG" run over.yaml
check_contains "a run says it, too" "$err" "more than once"
check_equal "rows are there once" "9 new0.csv 9 new1.csv" "$(names over.csv)"
run "$THRONG" run over.yaml
check_contains "it goes on with what it was" "$err" "nothing was left to do"
run "$THRONG" predict two.ensemble --data new0.csv ./new0.csv link.csv --study one -o one.csv
check_status "all may be one file" 0
check_equal "then it is one" 10 "$(wc -l <one.csv)"
run "$THRONG" predict two.ensemble --data new1.csv same.csv --study two -o two.csv
check_equal "equal files are two" "9 new1.csv 9 same.csv" "$(names two.csv)"

# ---- what is read is not written over -------------------------------------------
refuses() { # WHAT FILE COMMAND…
    local what=$1 file=$2
    shift 2
    cp "$file" before
    run "$@"
    check_not "$what: it is refused" test "$status" -eq 0
    check_contains "$what: by name" "$err$out" "would be written over"
    check "$what: and nothing is lost" cmp before "$file"
}
for file in two.ensemble self.yaml rows.csv; do
    printf 'predict: {models: two.ensemble, data: new1.csv, output: %s}\n' $file >self.yaml
    [ $file = rows.csv ] && sed -i 's/two.ensemble/net.safetensors/' self.yaml
    refuses "a study, $file" $file "$THRONG" run self.yaml
    refuses "a check, $file" $file "$THRONG" check self.yaml
done
printf 'predict: {models: two.ensemble, data: "new*.csv", output: new0.csv}\n' >among.yaml
refuses "a study whose glob finds its output" new0.csv "$THRONG" run among.yaml
sed -i 's/output: new0/output: new_told/' among.yaml
"$THRONG" run -q among.yaml
run "$THRONG" run among.yaml --new among2
check_status "the table of another study is no row of a person's" 0
rm new_told.csv
mkfifo pipe
run "$THRONG" predict net.safetensors --data new0.csv -o pipe
check_contains "a pipe does not become a file" "$err" "cannot write pipe: it is no ordinary file"
check "it is one still" test -p pipe
cp two.ensemble mine.ensemble
ln -s mine.ensemble alias.ensemble
refuses calibrate mine.ensemble "$THRONG" calibrate mine.ensemble --data rows.csv -o mine.ensemble
refuses "calibrate, by a link" mine.ensemble \
    "$THRONG" calibrate alias.ensemble --data rows.csv -o mine.ensemble
refuses "calibrate, its rows" rows.csv "$THRONG" calibrate mine.ensemble --data rows.csv -o ./rows.csv
refuses "calibrate, what it was trained on" rows.csv "$THRONG" calibrate mine.ensemble -o rows.csv
refuses novelty net.safetensors "$THRONG" novelty net.safetensors -o net.safetensors
refuses export net.safetensors "$THRONG" model export net.safetensors --torch -o net.safetensors
refuses "ensemble, what members were trained on" rows.csv "$THRONG" ensemble nets all -o rows.csv
refuses "ensemble, rows to choose by" rows.csv \
    "$THRONG" ensemble nets all --greedy 2 --data rows.csv -o rows.csv
run "$THRONG" calibrate mine.ensemble -o mine.calibration
check_status "another name is fine" 0

# ---- a place that cannot be written ------------------------------------------------
: >plain
cannot() { # WHY OUTPUT [KEEP]
    printf 'predict: {models: two.ensemble, data: new1.csv, output: %s%s}\n' "$2" "${3:-}" >cannot.yaml
    run "$THRONG" check cannot.yaml
    check_contains "a check says that $2 cannot be written" "$err" "$1"
    run "$THRONG" run cannot.yaml
    check_contains "a run says it before it begins: $2" "$err" "$1"
    check_not "and begins nothing: $2" test -e .throng/cannot
}
cannot "predict.output: there is no folder $PWD/no/such for x.csv" no/such/x.csv
cannot "predict.output" /proc/x.csv
cannot "predict.output: $PWD/plain is no folder" plain/x.csv
cannot "predict.output: $PWD/plain is a file, where a folder for the tables of rules belongs" \
    plain ', keep: "top:mean:3"'
cannot "predict.output: $PWD/.throng is a folder, where a table belongs" .throng
printf 'predict: {models: two.ensemble, data: new1.csv, output: deep/er, keep: "top:mean:3"}\n' >deep.yaml
run "$THRONG" run -q deep.yaml
check_status "folders of rules are made" 0

# ---- a table that something else took the place of ---------------------------------
for k in 0 1; do
    printf 'predict: {models: two.ensemble, data: new%s.csv, output: shared.csv}\n' $k >share$k.yaml
done
"$THRONG" run -q share0.yaml
cp shared.csv first.csv
run "$THRONG" run share1.yaml
check_contains "the table of another study is told" "$err" \
    "predict.output: shared.csv is the table of the study share0, too"
check_not "and replaced" cmp -s shared.csv first.csv
run "$THRONG" run -q share0.yaml
check "who runs again makes its own" cmp shared.csv first.csv
for garbage in "nothing of it" "$(cat first.csv | tr 0-9 9)"; do
    echo "$garbage" >shared.csv
    run "$THRONG" run share0.yaml
    check "also in the place of garbage" cmp shared.csv first.csv
    check_contains "with as many rows as it has" "$err" "9 rows in"
done
touch -d 2001-01-01 shared.csv
run "$THRONG" run share0.yaml
check_equal "one that was only touched stays" 2001 "$(date -r shared.csv +%Y)"
cp -r deep/er/top.csv top.csv
echo "something else" >deep/er/top.csv
run "$THRONG" run -q deep.yaml
check "tables of rules are made again as well" cmp top.csv deep/er/top.csv

# ---- a program that leaves rows out ------------------------------------------------
seq 1 30 >names.txt
cat >few.yaml <<'STUDY'
predict: {data: names.txt, shard: 15, output: few.txt}
command: head -n 5 "$THRONG_SHARD" >"$THRONG_PREDICTIONS"
STUDY
run "$THRONG" run -q few.yaml
check_status "fewer lines than rows are told by the exit code" 3
check_contains "and how many there are, quietly, too" "$err" "10 lines of 30 rows in $PWD/few.txt"
for quiet in -q ""; do
    # shellcheck disable=SC2086
    run "$THRONG" run $quiet few.yaml
    check_status "each time" 3
    check_contains "with the count" "$err" "the table has 10 lines of 30 rows"
done
sed 's/few/more/; s/head -n 5/sed p/' few.yaml >more.yaml
run "$THRONG" run more.yaml
check_status "more lines than rows may be meant" 0
check_contains "and are told" "$err" "60 lines of 30 rows"

# ---- a cause that is mended ----------------------------------------------------------
echo 'test "$THRONG_P_shard" != 2 && cat "$THRONG_SHARD" >"$THRONG_PREDICTIONS"' >score.sh
cat >score.yaml <<'STUDY'
retries: 0
predict: {data: names.txt, shard: 15, output: scores.txt}
command: sh score.sh
STUDY
run "$THRONG" run -q score.yaml
check_status "a shard fails by what its script does" 3
echo 'cat "$THRONG_SHARD" >"$THRONG_PREDICTIONS"' >score.sh
"$THRONG" retry score bad >/dev/null 2>&1
run "$THRONG" run -q score.yaml
check_status "when the script is mended the table is completed" 0
check "with all rows" cmp names.txt scores.txt

# ---- rows that have changed ------------------------------------------------------------
mkdir changing
cp new0.csv new1.csv changing/
printf 'predict: {models: two.ensemble, data: changing/*.csv, output: changed.csv}\n' >changed.yaml
"$THRONG" run -q changed.yaml
echo 0.5,0.5 >>changing/new1.csv
cp new0.csv changing/new2.csv
for verb in run check; do
    run "$THRONG" $verb changed.yaml
    check_contains "$verb names the files that have changed" "$err" \
        "the study \`changed\` is of other rows: changing/new1.csv has changed, changing/new2.csv is new since it began; \`throng run changed.yaml --new NAME\`"
    check_lacks "and $verb speaks of no hash" "$err" "data_hash"
done
run "$THRONG" run changed.yaml --new changed2
check_status "which begins another study" 0
check_contains "of all rows" "$err" "28 rows in $PWD/changed.csv"
sed -i 's/two.ensemble/net.safetensors/' changed.yaml
run "$THRONG" run changed.yaml
check_contains "other models are another question" "$err" "no longer asks the same question"

# ---- without a study -----------------------------------------------------------------
"$THRONG" predict two.ensemble --data new0.csv --csv >printed.csv 2>/dev/null
run "$THRONG" predict two.ensemble --data new0.csv -o plain.csv
check_status "a table can go into a file" 0
check "which has what is printed" cmp plain.csv printed.csv
check_equal "and nothing is printed" "" "$out"
run "$THRONG" predict net.safetensors --data new0.csv -o plain.npy
check_equal "or an array" "NUMPY" "$(head -c 6 plain.npy | tail -c 5)"
for file in net.safetensors new0.csv rows.csv; do
    refuses "predict, $file" $file "$THRONG" predict net.safetensors --data new0.csv -o $file
done
run "$THRONG" predict net.safetensors --data new0.csv -o no/such/x.csv
check_contains "a place that is not there is told" "$err" "there is no folder"
printf 'a,b\n0.1,x\n0.2,0.3\n' >odd.csv
run "$THRONG" predict net.safetensors --data odd.csv -o odd_told.csv
check_status "rows without a prediction are told as ever" 3
check_equal "and have their lines" 3 "$(wc -l <odd_told.csv)"
run "$THRONG" predict two.ensemble --data new0.csv --study arr2 --format npy -o arr2
check_status "a format that does not go with a name is a mistake of words" 2
check_contains "which says what would" "$err" "-o arr2.npy"
check_lacks "and speaks of no file that is not there" "$err" "arr2.yaml"
