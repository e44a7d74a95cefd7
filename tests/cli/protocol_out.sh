#!/usr/bin/env bash
# What comes out of a training program: metrics, by every way there is.
. "$(dirname "$0")/lib.sh"

look() { python3 -S "$ROOT/tests/cli/json_look.py" "$@"; }

# Runs a program (standard input) as a study of one trial, with more lines for
# its study file; afterwards $trial is its line of `export --jsonl`.
one() { # NAME [LINE...]
    local name=$1
    shift
    cat >"$name.sh"
    printf '%s\n' "name: $name" "command: [sh, $PWD/$name.sh]" 'method: grid' \
        'keep: all' 'parameters: {a: {value: 1}}' "$@" >"$name.yaml"
    run "$THRONG" run "$name.yaml"
    trial=$("$THRONG" export "$name" --jsonl)
}
get() { look "$1" <<<"$trial"; }
metric() { get "d['metrics'].get('$1', {}).get('${2:-last}')"; }

# ---- ways in ---------------------------------------------------------------
one shell 'metric: {name: loss}' <<'END'
throng report loss=.5 step=1 || exit 1
throng report loss=0.25 acc=9e-1 "odd name=3" a/b.c-d=4 step=2 || exit 1
END
check_equal "throng report works in a shell" "done 0.25 0.25" \
    "$(get 'd["state"]') $(get 'd["value"]') $(metric loss)"
check_equal "with several at once" "0.9 4.0" "$(metric acc) $(metric a/b.c-d)"
check_equal "and names with blanks" 3.0 "$(metric 'odd name')"
check_equal "the best of them is kept too" 0.25 "$(metric loss best)"

one lines 'metric: {name: loss, goal: maximize}' <<'END'
echo 'epoch 1'
echo '::throng step=1 loss=3'
echo 'not ::throng step=9 loss=99'
echo '::throng step=2 loss=1 "odd name"=7' >&2
printf '::throng step=3 loss=2'
END
check_equal "::throng lines count at the start of a line, the last without its end too" \
    "2.0 3.0 7.0" "$(metric loss) $(metric loss best) $(metric 'odd name')"

one file <<'END'
printf '{"step":1,"loss":3}\n{"loss":2.5,"step":2,"nested":{"x":1},"text":"no"}\n' >>"$THRONG_METRICS"
printf '{"loss":1}\n' >>"$THRONG_METRICS"
printf '{"loss":0.5,"ste' >>"$THRONG_METRICS"
END
check_equal "lines of the metrics file are read" done "$(get 'd["state"]')"
check_equal "one without a step comes behind; half a line is no error" 1.0 "$(metric loss)"

one values <<'END'
printf '%s\n' '{"a":NaN,"b":Infinity,"c":-Infinity}' '{"e":1}' >>"$THRONG_METRICS"
throng report f=nan g=-inf
END
check_equal "NaN and infinities are values" \
    "NaN Infinity -Infinity NaN -Infinity" \
    "$(metric a) $(metric b) $(metric c) $(metric f) $(metric g)"
check_equal "and other programs can read them" 1.0 "$(metric e)"

one pattern 'metric: {name: loss, pattern: "loss: ([0-9.e+-]+)"}' <<'END'
echo 'epoch 1 - loss: 0.75 - acc: 1'
echo 'epoch 2 - loss: 5e-1'
END
check_equal "metric.pattern finds values in the output" "0.5 0.5" \
    "$(get 'd["value"]') $(metric loss)"
one pairs 'metric: {name: loss, pattern: "epoch ([0-9]+) loss ([0-9.]+)"}' <<'END'
echo 'epoch 7 loss 0.75'
echo 'epoch 3 loss 0.5'
END
check_equal "with two groups the first is the step" 0.75 "$(metric loss)"
one number 'metric: {name: score, file: score.txt, goal: maximize}' 'workdir: trial' <<'END'
echo ' 17.5 ' >score.txt
END
check_equal "metric.file holds one number" "17.5 17.5" \
    "$(get 'd["value"]') $(metric score)"

cat >train.py <<'END'
import sys
import throng

p = throng.params(lr=0.5, extra=3)
for step in range(3):
    throng.report(step=step, loss=p["lr"] * (3 - step))
print(p["lr"], p["extra"], throng.trial(), throng.should_stop())
END
cat >python.yaml <<'END'
program: train.py
method: grid
metric: {name: loss, pick: best}
keep: all
parameters: {lr: {value: 0.125}}
END
run "$THRONG" run python.yaml
check_status "a Python program needs nothing installed" 0
trial=$("$THRONG" export python --jsonl)
check_equal "and reports" "0.125 0.125" "$(get 'd["value"]') $(metric loss)"
check_equal "and reads its parameters" "0.125 3 1 False" "$("$THRONG" logs python)"

cat >sweep.py <<'END'
import argparse
import wandb

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
run = wandb.init(config=vars(parser.parse_args()))
for step in range(3):
    wandb.log({"loss": wandb.config.lr / (step + 1)})
wandb.finish()
END
sed 's/train.py/sweep.py/; s/^method/wandb: stand-in\nproject: p\nentity: e\nmethod/' \
    python.yaml >wandb.yaml
run "$THRONG" run wandb.yaml
check_lacks "the key wandb is accepted" "$err" "error"
trial=$("$THRONG" export wandb --jsonl)
if "$THRONG" logs wandb 1 2>&1 | grep -q "No module named 'wandb'"; then
    skip "a script that imports wandb" "this worker carries no stand-in"
else
    check_equal "a script that imports wandb runs unchanged" "done 3" \
        "$(get 'd["state"]') $(get 'round(0.125 / d["value"])')"
fi

# ---- rules -----------------------------------------------------------------
one sources 'metric: {name: loss, pattern: "loss=([0-9.]+)", file: loss.txt}' \
    'workdir: trial' <<'END'
echo 4 >loss.txt
echo 'loss=3'
echo '::throng loss=2'
throng report loss=1
END
check_equal "the metrics file beats lines beats pattern beats file" 1.0 "$(metric loss)"
one without 'metric: {name: loss, pattern: "loss=([0-9.]+)", file: loss.txt}' \
    'workdir: trial' <<'END'
echo 4 >loss.txt
echo 'loss=3'
echo '::throng loss=2 other=9'
throng report other=1
END
check_equal "for each name by itself" "2.0 1.0" "$(metric loss) $(metric other)"

one again 'metric: {name: loss}' 'retries: 1' 'retry_delay: 0' <<'END'
if [ "$THRONG_ATTEMPT" = 1 ]; then
    throng report step=1 loss=10
    throng report step=5 loss=50
    exit 1
fi
throng report step=1 loss=1
throng report step=2 loss=2
END
check_equal "what the last attempt said is the value" "done 2.0 1.0" \
    "$(get 'd["state"]') $(metric loss) $(metric loss best)"
check_equal "of two attempts" 2 "$(get 'd["attempts"]')"

one failing 'metric: {name: loss}' 'retries: 1' 'retry_delay: 0' <<'END'
throng report step=1 loss=5
throng report step=2 loss="$THRONG_ATTEMPT"
exit 1
END
run "$THRONG" show failing 1
check_matches "of a trial that failed too" "$out" '^  loss +2 +2 +5 +2$'

one bad <<'END'
echo '::throng loss=abc'
echo '{"loss": ' >>"$THRONG_METRICS"
throng report loss=1
throng report loss=x 2>/dev/null
echo "status $?"
END
check_equal "a line that cannot be read does not end a trial" "done 1.0" \
    "$(get 'd["state"]') $(metric loss)"
check_contains "a wrong report has an exit status" "$("$THRONG" logs bad)" "status 2"

one many <<'END'
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "{\"step\":%d,\"x\":%d}\n", i, i }' >>"$THRONG_METRICS"
END
run "$THRONG" show many 1
check_matches "none of many is lost" "$out" '^  x +19999 +0 +19999 +20000$'

one goal 'metric: {name: loss, target: 0.5}' <<'END'
throng report loss=0.4
END
check_contains "a target that is reached is said" "$err" "target is reached"
one nothing 'metric: {name: loss}' <<'END'
echo "I forgot to report"
END
check_equal "a trial that never reports its metric" "None" "$(get 'd["value"]')"
check_matches "is found by the one who looks at it" "$("$THRONG" show nothing; echo "$err")" \
    'loss'
