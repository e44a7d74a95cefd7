#!/usr/bin/env bash
# A file of rows that is edited while an inference over it runs: shards are
# bytes of it, and nothing is predicted of what lies there by then.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(3); print "a,b,y"
    for (i = 0; i < 100; i++) { x = rand(); print x "," rand() "," 2 * x } }' >rows.csv
cat >model.yaml <<'MODEL'
layers: [{dense: 4, activation: relu}, {dense: 1}]
loss: mse
epochs: 2
data: {file: rows.csv, label: y, scale: std, validation: 0.2}
MODEL
"$THRONG" train model.yaml -o net.safetensors >/dev/null 2>&1
check "there is a model" test -s net.safetensors
fresh() { # FILE: of 400 rows
    awk 'BEGIN { srand(5); print "a,b"
        for (i = 0; i < 400; i++) print rand() "," rand() }' >"$1"
}
# One row more, in its first line: all others lie elsewhere.
cat >edit.sh <<'EDIT'
{ sed -n 1p "$1"; echo 7,7; sed 1d "$1"; } >edited.txt
cat edited.txt >"$1"
EDIT
# The worker of a study starts when its shards are listed, and FILE is edited.
cat >late_worker.sh <<'LATE'
#!/bin/sh
until [ -e ".throng/$STUDY/shards" ]; do sleep 0.05; done
[ "$EDIT" ] && eval "$EDIT"
exec "$REAL" "$@"
LATE
chmod +x late_worker.sh
edited() { # STUDY EDIT
    run env REAL="$WORKER" STUDY="$1" EDIT="$2" \
        THRONG_WORKER="$PWD/late_worker.sh" "$THRONG" run "$1.yaml"
}
says_changed() { # STUDY FILE
    local why
    why=$("$THRONG" errors "$1" 2>&1)
    check_contains "$1: the file is named" "$why" "$PWD/$2 has changed since its rows were cut into shards"
    check_contains "$1: what to do is said" "$why" "in a study of another name"
}

# ---- models ---------------------------------------------------------------------
study() { # NAME FILE [KEEP]
    printf 'predict: {models: net.safetensors, data: %s, shard: 100, output: %s.csv%s}\n' \
        "$2" "$1" "${3-}" >"$1.yaml"
}
fresh new.csv
study calm new.csv
edited calm ""
check_status "rows that nobody edits are predicted" 0
check_equal "all of them" 401 "$(wc -l <calm.csv)"
as_before() { # FORMAT BYTES
    python3 - .throng/calm/shards "$@" <<'END'
import sys
path, version, kept = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3])
with open(path, "rb") as f:
    head, records = f.read().split(b"\n", 1)
now = head.index(b"throng.shards/") + len(b"throng.shards/")
size = {b"3": 72, b"2": 64}[head[now:now + 1]]
with open(path, "wb") as f:
    f.write(head[:now] + version + head[now + 1:] + b"\n")
    for at in range(0, len(records), size):
        f.write(records[at:at + kept])
END
}
mv calm.csv before.csv
for form in "2 64" "1 56"; do
    as_before $form
    check "a list of shards of before knows less" grep -q "throng.shards/${form% *}" .throng/calm/shards
    run "$THRONG" run calm.yaml
    check_status "and is read as well" 0
    check "its table is the same" cmp calm.csv before.csv
    rm calm.csv
done
study shifted new.csv
edited shifted "sh edit.sh new.csv"
check_status "those of a file that was edited are not" 3
check_contains "all of them are missing" "$err" "400 rows of 4 shards are missing there"
check "there is a table" test -e shifted.csv
check_not "and none of them is in it" test -s shifted.csv
says_changed shifted new.csv
fresh new.csv
study touched new.csv
edited touched "touch -d 2001-01-01 new.csv"
check_status "nor of one that is as long as it was" 3
says_changed touched new.csv
# Another file of its size and its time is known by its bytes. Once is enough,
# however often the worker starts.
cat >exchange.sh <<'EDIT'
mkdir "exchanged.$STUDY" || exit 0
touch -r "$1" was
sed "$2" "$1" >edited.txt
cat edited.txt >"$1"
touch -r was "$1"
EDIT
fresh new.csv
study digits new.csv
edited digits "sh exchange.sh new.csv '350,$ y/123/231/'"
check_status "nor of one that has its size and its time" 3
check_contains "rows that are as they were are predicted" "$err" "100 rows of 1 shard are missing there"
says_changed digits new.csv
fresh new.csv
study names new.csv
edited names "sh exchange.sh new.csv '1 y/ab/ba/'"
check_status "nor of one whose columns have other names" 3
check_contains "not one of its rows" "$err" "400 rows of 4 shards are missing there"
says_changed names new.csv
fresh new.csv
study kept new.csv ', keep: "top:mean:3"'
edited kept "sh edit.sh new.csv"
check_status "nor where rules keep some of them" 3
says_changed kept new.csv
fresh packed.csv
gzip -k packed.csv
study packed packed.csv.gz
edited packed "sh edit.sh packed.csv; gzip -kf packed.csv"
check_status "nor of one that is packed" 3
says_changed packed packed.csv.gz
fresh packed.csv
gzip -kf packed.csv
study repacked packed.csv.gz
edited repacked "touch -r packed.csv.gz was; printf x | dd of=packed.csv.gz bs=1 seek=9 conv=notrunc 2>/dev/null; touch -r was packed.csv.gz"
check_status "nor of one that is packed and has its size and its time" 3
says_changed repacked packed.csv.gz

# ---- a program ------------------------------------------------------------------
fresh own.csv
cat >own.yaml <<'STUDY'
parallel: 1
predict: {data: own.csv, shard: 100, output: owns.csv}
command: cat "$THRONG_SHARD" >"$THRONG_PREDICTIONS"; test "$THRONG_P_shard" != 2 || sh edit.sh own.csv
STUDY
sed -n 1,201p own.csv >wanted.csv
run "$THRONG" run own.yaml
check_status "a program is not given rows of an edited file" 3
check "what it said before is in the table, and nothing else" cmp wanted.csv owns.csv
check_equal "the others are listed" "3,own.csv,201,300 4,own.csv,301,400" \
    "$(sed 1d owns.csv.missing.csv | paste -sd ' ')"
says_changed own own.csv
cat >whole.yaml <<'STUDY'
predict: {data: packed.csv.gz, output: whole.csv}
command: zcat "$THRONG_SHARD" >"$THRONG_PREDICTIONS"; touch packed.csv.gz
STUDY
run "$THRONG" run whole.yaml
check_status "what it says of a file that changes meanwhile does not count" 3
says_changed whole packed.csv.gz
