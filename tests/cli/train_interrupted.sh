#!/usr/bin/env bash
# Built-in training that is interrupted again and again goes on where it stood,
# in the middle of an epoch too.
# thorough: must train for long enough to be interrupted six times
. "$(dirname "$0")/lib.sh"

zcat "$ROOT/examples/digits/digits.csv.gz" | awk '{ line[NR] = $0 }
    END { for (i = 0; i < rows; i++) print line[i % NR + 1] }' \
    rows="${TRAIN_ROWS:-30000}" - >digits.csv
study() { # NAME EPOCHS
    cat >"$1.model.yaml" <<MODEL
input: 64
layers: [{dense: 512, activation: relu}, {dropout: 0.1}, {dense: 10}]
loss: sparse_categorical_crossentropy
optimizer: {name: adam, lr: "\${lr}"}
batch_size: 4
epochs: $2
data: {file: digits.csv, scale: maxabs}
MODEL
    cat >"$1.yaml" <<STUDY
model: $1.model.yaml
method: grid
metric: {name: loss, goal: minimize}
seed: 3
parameters: {lr: {values: [0.001, 0.003]}}
keep: all
STUDY
}
curve() { # STUDY: every point, without its time
    "$THRONG" export "$1" --history | cut -d, -f1,2,4,5
}
weights() { # STUDY
    (cd ".throng/$1/trials/0" && sha256sum */output/weights.safetensors)
}
standing() { # STUDY: where the training of each checkpoint stands
    grep -aoh 'epoch[\\":0-9]*,[\\"]*step[\\":0-9]*,[\\"]*batches[\\":0-9]*' \
        ".throng/$1"/trials/0/*/checkpoint/checkpoint.safetensors
}
steps() { # STUDY: of all checkpoints together
    standing "$1" | tr -c '0-9\n' ' ' | awk '{ sum += $2 } END { print sum + 0 }'
}
cpu_ticks() { # STUDY
    sqlite3 -readonly ".throng/$1/study.db" "select max(1,
        cast(sum(cpu_seconds) * $(getconf CLK_TCK) as integer)) from attempts"
}
trainers() { # STUDY
    sqlite3 -readonly ".throng/$1/study.db" 'select pid from attempts
        where outcome = 0 and pid > 0' 2>/dev/null
}
both_run() { [ "$(trainers "$1" | wc -l)" = 2 ]; }
have_worked() { # STUDY TICKS: of CPU time, in this run
    local pid sum=0
    for pid in $(trainers "$1" | sort -u); do
        sum=$((sum + $(sed 's/.*) //' "/proc/$pid/stat" | cut -d' ' -f12)))
    done
    [ "$sum" -ge "$2" ]
}
drainings() { # STUDY
    sqlite3 -readonly ".throng/$1/study.db" \
        "select count(*) from events where what = 'draining'"
}
drains() { [ "$(drainings "$1")" -gt "$2" ]; }
interrupt_twice() { # STUDY PID: the second when the first has been heard
    local had
    had=$(drainings "$1")
    kill -INT "$2" && wait_for 60 drains "$1" "$had" && kill -INT "$2"
}
gone() { ! kill -0 "$1" 2>/dev/null; }

# As many epochs as take 15 seconds of CPU time, however quick the machine is:
# the script needs a while to see that the trainers have done their part.
study short 1
run "$THRONG" run short.yaml --quiet
check_status "a study of one epoch runs" 0
epochs=$((15 * $(getconf CLK_TCK) / $(cpu_ticks short)))
[ "$epochs" -ge 5 ] || epochs=5
study calm "$epochs"
run "$THRONG" run calm.yaml --quiet
check_status "a study runs undisturbed" 0

# Each time a small part of what all of it takes.
part=$(($(cpu_ticks calm) / 16))
study cut "$epochs"
before=0 further=0 amid=0
for round in 1 2 3 4 5 6; do
    "$THRONG" run cut.yaml --quiet >>cut.log 2>&1 &
    conductor=$!
    wait_for 60 both_run cut && wait_for 60 have_worked cut "$part"
    worker=$(ps -o pid= --ppid "$conductor" | head -n 1)
    case $round in
    1 | 4) kill -TERM "$conductor" ;;
    2 | 5) interrupt_twice cut "$conductor" ;;
    3) kill -TERM $worker ;; # as a scheduler may
    6) kill -9 "$conductor" ;; # its worker hears of it
    esac
    [ "$round" != 3 ] || kill -TERM "$conductor"
    wait "$conductor" 2>/dev/null
    wait_for 60 gone $worker
    now=$(steps cut)
    [ "$now" -gt "$before" ] && further=$((further + 1))
    before=$now
    standing cut | grep -qv 'batches[\\":]*0$' && amid=$((amid + 1))
done
check_equal "each time it puts down that it has come further" 6 "$further"
check "in the middle of epochs" test "$amid" -ge 5
run "$THRONG" run cut.yaml --quiet
check_status "it comes to its end" 0
check_equal "every weight is the same" "$(weights calm)" "$(weights cut)"
check_equal "and so is every report" "$(curve calm)" "$(curve cut)"
