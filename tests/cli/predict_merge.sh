#!/usr/bin/env bash
# The table of an inference is of all shards that are done, also where an
# earlier run ended between the last shard and the table.
. "$(dirname "$0")/lib.sh"

seq 1 40 >names.txt
cat >own.yaml <<'STUDY'
retries: 0
predict: {data: names.txt, shard: 10, output: tables/own.txt}
command: test -e mended || test "$THRONG_P_shard" != 3; cat "$THRONG_SHARD" >"$THRONG_PREDICTIONS"; test -e mended || test "$THRONG_P_shard" != 3
STUDY
mkdir tables
umask 022
run "$THRONG" run own.yaml
check_status "a shard that fails is told" 3
check_equal "the others are in the table" 30 "$(wc -l <tables/own.txt | tr -d ' ')"
check "what is missing is listed" test -e tables/own.txt.missing.csv
check_equal "others may read a table as they may read other files" 644 \
    "$(stat -c %a tables/own.txt)"
check_equal "and the list beside it" 644 \
    "$(stat -c %a tables/own.txt.missing.csv)"

# Where a table would lie is a file for a while: shards end, and no table is
# made, as of a run that was killed just then.
touch mended
"$THRONG" retry own bad >/dev/null 2>&1
mv tables aside
touch tables
run "$THRONG" run own.yaml
check_not "a table that cannot be written is an error" test "$status" -eq 0
rm tables
mv aside tables
check_equal "which leaves the one before" 30 "$(wc -l <tables/own.txt | tr -d ' ')"
run "$THRONG" run own.yaml
check_status "the next run makes it" 0
check "of all shards" cmp names.txt tables/own.txt
check_not "and nothing is missing" test -e tables/own.txt.missing.csv
touch -d 2001-01-01 tables/own.txt
run "$THRONG" run own.yaml
check_equal "one that is there is not made again" 2001 \
    "$(date -r tables/own.txt +%Y)"

# ---- a merge that is killed ------------------------------------------------------
# By the signal of a file that grows too long, which its table is alone.
awk 'BEGIN { for (i = 0; i < 4000; i++) printf "%01000d\n", i }' >long.txt
cat >long.yaml <<'STUDY'
predict: {data: long.txt, shard: 1000, output: long/all.txt}
command: cat "$THRONG_SHARD" >"$THRONG_PREDICTIONS"
STUDY
mkdir long
touch long/.throng-1-12345678.tmp long/.throng-mine.tmp
run bash -c "ulimit -c 0; ulimit -f 2000; exec '$THRONG' run -q long.yaml"
check_not "a merge can be killed" test "$status" -eq 0 -o -e long/all.txt
check_equal "which leaves a file" 3 "$(find long -name '.throng-*' | wc -l)"
run "$THRONG" run -q long.yaml
check "the next one makes the table" cmp long.txt long/all.txt
check_equal "and removes what the dead one has left, and nothing else" \
    ". .. .throng-1-12345678.tmp .throng-mine.tmp all.txt" "$(ls -a long | paste -sd ' ')"

# ---- another name ---------------------------------------------------------------
echo "of somebody else" >tables/other.txt
sed -i 's/own.txt/other.txt/' own.yaml
run "$THRONG" run own.yaml
check_status "a table can have another name" 0
check "also one that a file had" cmp names.txt tables/other.txt

# ---- rules ----------------------------------------------------------------------
awk 'BEGIN { srand(3); print "a,b,y"
    for (i = 0; i < 60; i++) { x = rand(); print x "," rand() "," 2 * x } }' >rows.csv
cat >model.yaml <<'MODEL'
layers: [{dense: 4, activation: relu}, {dense: 1}]
loss: mse
epochs: 1
data: {file: rows.csv, label: y, validation: 0.2}
MODEL
"$THRONG" train model.yaml -o net.safetensors >/dev/null 2>&1
cat >best.yaml <<'STUDY'
predict: {models: net.safetensors, data: rows.csv, output: best, keep: "top:mean:3"}
STUDY
run "$THRONG" run -q best.yaml
check_status "rows are kept by rules" 0
check_equal "others may read these, too" "755 644" \
    "$(stat -c %a best best/top.csv | paste -sd ' ')"

# ---- killed while it merges -------------------------------------------------------
# The kernel ends it by a signal in the middle of a file: one may have 600 kB,
# which no file of the study has. Of numbers the text that is put aside has more,
# of rows without a prediction the array itself.
killed_merge() { # NAME CELL STATUS
    awk -v cell="$2" 'BEGIN { print "a,b"
        for (i = 0; i < 60000; i++) print cell ",0.5" }' >"$1.csv"
    cat >"$1.yaml" <<STUDY
predict: {models: net.safetensors, data: $1.csv, shard: 6000, output: $1/told.npy}
STUDY
    # Shards are done, and no table is made: where it would lie is a file.
    touch "$1"
    run "$THRONG" run "$1.yaml"
    check_status "$1: there is no array for now" 1
    rm "$1"
    mkdir "$1"
    echo "of a run before" >"$1/told.npy"
    (
        ulimit -c 0
        ulimit -f 600
        exec "$THRONG" run "$1.yaml"
    ) >killed.txt 2>&1
    check_equal "$1: it was ended while it wrote" 153 "$?"
    check_equal "$1: what was there is there" "of a run before" "$(cat "$1/told.npy")"
    run "$THRONG" run "$1.yaml"
    check_status "$1: the next run makes it" "$3"
    sed "s|told|whole|" "$1.yaml" >"$1_whole.yaml"
    "$THRONG" run -q "$1_whole.yaml" 2>/dev/null
    check "$1: to the byte as one that nobody ended" cmp "$1/told.npy" "$1/whole.npy"
    check "$1: which has all rows" test "$(stat -c %s "$1/told.npy")" -gt 960000
    check_equal "$1: nor is half of one under any name of a table" "told.npy whole.npy" \
        "$(ls "$1" | grep -v '[.]bad[.]csv$' | paste -sd ' ')"
}
killed_merge numbers 0.25 0
killed_merge nothing x 3

# ---- what a shard has left is gone -------------------------------------------------
seq 1 40 >words.txt
cat >words.yaml <<'STUDY'
predict: {data: words.txt, shard: 10, output: words_out.txt}
command: cat "$THRONG_SHARD" >"$THRONG_PREDICTIONS"
STUDY
lose() { # NAME TABLE STUDY: its table, and what its second shard left
    rm -r "$2" ".throng/$1/trials/0/2/output"
    run "$THRONG" run "$3"
    check_status "$1: a shard that was done and whose file is gone is told" 3
    check_matches "$1: with the words that help" "$err" "throng retry $1 bad"
    check_matches "$1: and why" "$("$THRONG" errors "$1")" "is gone from the study"
    check "$1: they do" "$THRONG" retry "$1" bad
    run "$THRONG" run "$3"
    check_status "$1: it is asked for again" 0
}
"$THRONG" run -q words.yaml
lose words words_out.txt words.yaml
check "and the table is whole" cmp words.txt words_out.txt
cat >few.yaml <<'STUDY'
predict: {models: net.safetensors, data: rows.csv, shard: 20, output: few, keep: {top: {by: mean, n: 3}}}
STUDY
"$THRONG" run -q few.yaml
lose few few few.yaml
check "and so are those of rules" cmp best/top.csv few/top.csv
