#!/usr/bin/env bash
# protocol: candle, from a study file to results, with stand-ins for models.
# thorough: starts Python for every trial
. "$(dirname "$0")/lib.sh"

json() { python3 -S "$ROOT/tests/cli/json_look.py" "$1" "$TMP/.out"; }
value() { # STUDY TRIAL: the value that counts
    "$THRONG" show "$1" "$2" --json >"$TMP/.out"
    json 'repr(d["trials"][0]["trial"]["value"])'
}
state() { # STUDY TRIAL
    "$THRONG" show "$1" "$2" --json >"$TMP/.out"
    json 'd["trials"][0]["trial"]["state"]'
}
log() { "$THRONG" logs "$1" "$2"; }

# ---- a benchmark script ----------------------------------------------------

cat >bench.sh <<'END'
printf '<%s>' "$@"; echo
END
cat >bench.py <<'END'
import os, sys
print("args", "|".join(sys.argv[1:]))
print("ids", os.environ["CANDLE_EXPERIMENT_ID"], os.environ["CANDLE_RUN_ID"])
for line in os.environ.get("SAYS", "").split(";"):
    print(line)
END
cat >script.yaml <<'END'
program: bench.py
protocol: candle
metric: {name: val_loss}
parameters_file: upf.txt
env: {SAYS: "IMPROVE_RESULT val_loss: 0.9;noise;IMPROVE_RESULT val_loss: 1.5e-05"}
END
cat >upf.txt <<'END'
{"id": "first", "epochs": 2, "dense": "200 20", "lr": -1e-5, "conv": [1, 2], "v": true, "solr_root": "x"}
{"epochs": 3, "activation": "it's", "spec": [[1, 2], [3]], "dropout": null}
END
run env -u CANDLE_DATA_DIR "$THRONG" check script.yaml
check_contains "check says how it is started" "$out" \
    "protocol candle: a script with --key value"
check_contains "and that no folder for data is set" "$out" \
    "CANDLE_DATA_DIR is not set here, and CANDLE's own library wants it"
run env CANDLE_DATA_DIR=/tmp "$THRONG" check script.yaml
check_lacks "where one is, there is nothing to say" "$out" "CANDLE_DATA_DIR"
run "$THRONG" run script.yaml
check_status "a benchmark script runs" 0
check_contains "parameters are options, lists are words" "$(log script 1)" \
    "args --conv|1|2|--dense|200|20|--epochs|2|--lr=-1e-05|--run_id|first|--v|True|--experiment_id|script"
check_contains "text stays text, lists of lists are one word" "$(log script 2)" \
    "args --activation|it's|--epochs|3|--run_id|2|--spec|1,2:3|--experiment_id|script"
check_contains "the ids are in the environment too" "$(log script 1)" "ids script first"
check_equal "the last result line counts, exactly" 1.5e-05 "$(value script 1)"
folder=$(dirname "$(find .throng/script -path '*/1/output/parameters.txt')")
run "$THRONG" params "$folder/parameters.txt" --json
check_contains "the parameters are left as a file" "$out" '"epochs":2'
folder=$(dirname "$(find .throng/script -path '*/2/output/parameters.txt')")
run "$THRONG" params "$folder/parameters.txt" --json
check_contains "with every quote" "$out" "\"activation\":\"it's\""

"$THRONG" show script 1 --command >by-hand
check_contains "a line runs the trial by hand" "$(sh by-hand 2>&1)" \
    "--run_id|first|--v|True|--experiment_id|script"

said() { # NAME LINES...: the value of a study whose script prints these
    cat >"$1.yaml" <<END
program: bench.py
protocol: candle
metric: {name: val_loss}
method: grid
parameters: {x: {value: 1}}
env: {SAYS: "$2"}
END
    "$THRONG" run "$1.yaml" >/dev/null 2>&1
    value "$1" 1
}
said nan 'IMPROVE_RESULT nan' >.out
"$THRONG" show nan 1 --json >.out
"$THRONG" export nan --csv >.csv
check_contains "in a table too" "$(cut -d, -f1-6 .csv | tail -1)" ",nan,nan"
check_contains "nan is a value that was reported" "$(cat .out)" \
    '"metrics":{"val_loss":{"last":"NaN"'
check_equal "an infinity does not rank either" None "$(said inf 'IMPROVE_RESULT inf')"
"$THRONG" show inf 1 --json >.out
check_contains "but it was reported too" "$(cat .out)" '"val_loss":{"last":"Infinity"'
check_equal "CANDLE_RESULT is a result line" 0.25 "$(said candle 'CANDLE_RESULT 0.25')"
check_equal "one of another name counts when there is no other" 0.9 \
    "$(said other 'IMPROVE_RESULT r2 0.9')"
check_equal "but not beside the metric's own" 0.5 \
    "$(said both 'IMPROVE_RESULT val_loss 0.5;IMPROVE_RESULT r2 0.9')"
"$THRONG" show both 1 --json >.out
check_contains "it is kept under its name" "$(cat .out)" '"r2"'
said exception 'IMPROVE_RESULT EXCEPTION' >.out
check_equal "EXCEPTION is a failure" failed "$(state exception 1)"
said skip 'IMPROVE_RESULT SKIP' >.out
check_equal "SKIP is done, without a value" "done None" \
    "$(state skip 1) $(value skip 1)"

# ---- the metrics file beats lines, lines beat files ------------------------

cat >sources.py <<'END'
import json, os, sys
kind = sys.argv[sys.argv.index("--kind") + 1]
out = os.path.join(os.environ["CANDLE_OUTPUT_DIR"], "m", "Output", "E", "R")
os.makedirs(out)
with open(os.path.join(out, "run.R.json"), "w") as f:
    json.dump([{"run_id": "R", "start_time": "x"},
               {"training_loss": 1, "validation_loss": {"set": 3}},
               {"training_loss": 0.5, "validation_loss": {"set": 2}}], f)
if kind in ("result", "line", "metrics"):
    open(os.path.join(out, "result.txt"), "w").write("0.3\n")
if kind in ("line", "metrics"):
    print("IMPROVE_RESULT 0.2")
if kind == "metrics":
    open(os.environ["THRONG_METRICS"], "a").write('{"val_loss": 0.1}\n')
END
cat >sources.yaml <<'END'
program: sources.py
protocol: candle
metric: {name: val_loss}
method: grid
parameters: {kind: {values: [log, result, line, metrics]}}
END
run "$THRONG" run sources.yaml
check_equal "the run log gives losses" 2.0 "$(value sources 1)"
check_equal "result.txt beats it" 0.3 "$(value sources 2)"
check_equal "a line beats both" 0.2 "$(value sources 3)"
check_equal "the metrics file beats all" 0.1 "$(value sources 4)"
"$THRONG" show sources 1 --json >.out
check_contains "the training's loss is a metric too" "$(cat .out)" '"loss"'

# A result that an earlier attempt left does not count.
cat >again.py <<'END'
import os, sys
if os.environ["THRONG_ATTEMPT"] == "1":
    open(os.environ["RESULT_FILE"], "w").write("0.7")
    sys.exit(3)
END
cat >again.yaml <<'END'
program: again.py
protocol: candle
metric: {name: val_loss}
method: grid
retries: 1
retry_delay: 0
parameters: {x: {value: 1}}
END
run "$THRONG" run again.yaml
check_equal "a result of an earlier attempt does not count" "done None" \
    "$(state again 1) $(value again 1)"

# ---- --config_file ---------------------------------------------------------

cat >config.yaml <<'END'
program: bench.py
protocol: candle
candle: {style: config_file}
method: grid
parameters: {epochs: {values: [7]}}
END
run "$THRONG" run config.yaml
check_matches "style config_file hands over a file" "$(log config 1)" \
    'args --config_file\|.*/output/parameters.txt\|--experiment_id\|config\|--run_id\|RUN001'

# ---- a container's action script -------------------------------------------

cat >train.sh <<'END'
echo "action <$1> <$2> ${*:3}"
echo "IMPROVE_RESULT 0.125"
END
cat >action.yaml <<'END'
program: train.sh
protocol: candle
metric: {name: val_loss}
parameters_file: images.txt
env: {CANDLE_DATA_DIR: /data}
END
printf '{"id": "RUN001", "epochs": 4, "timeout": 60}\n' >images.txt
run "$THRONG" run action.yaml
check_contains "an action script gets GPU, folder and options" "$(log action 1)" \
    "action <> </data> --epochs 4 --run_id RUN001 --experiment_id action"
check_equal "and its result counts" 0.125 "$(value action 1)"
run "$THRONG" check action.yaml
check_contains "the list is named" "$out" "points   images.txt: a list of 1"
sed -i '/^env:/d' action.yaml
run env -u CANDLE_DATA_DIR "$THRONG" check action.yaml
check_contains "without its folder that is said before the start" "$out" \
    "CANDLE_DATA_DIR is not set here"
echo 'env: {CANDLE_DATA_DIR: /data}' >>action.yaml
run env -u CANDLE_DATA_DIR "$THRONG" check action.yaml
check_lacks "and only then" "$out" "is not set here"

mkdir bin
cat >bin/singularity <<'END'
#!/bin/bash
echo "container $*"; echo "IMPROVE_RESULT 1"
END
chmod +x bin/singularity
printf '{"id": "RUN001", "epochs": 4, "candle_image": "/img/GraphDRP.sif"}\n' >images.txt
PATH=$TMP/bin:$PATH run "$THRONG" run action.yaml --new images
check_matches "an image is started as CANDLE does" "$(log images 1)" \
    "container exec --nv --bind /data:/candle_data_dir --bind $TMP/.throng/images/.*/output /img/GraphDRP.sif train.sh  /candle_data_dir --epochs 4 --run_id RUN001 --experiment_id images"

# What a model leaves in CANDLE's own folders is found there, by its ids.
cat >own.sh <<'END'
mkdir -p "$2/uno/Output/$CANDLE_EXPERIMENT_ID/$CANDLE_RUN_ID"
printf 0.375 >"$2/uno/Output/$CANDLE_EXPERIMENT_ID/$CANDLE_RUN_ID/result.txt"
printf 'no line feed, IMPROVE_RESULT r2 0.5' >&2
END
cat >own.yaml <<END
program: own.sh
protocol: candle
metric: {name: val_loss}
method: grid
parameters: {x: {values: [1, 2]}}
env: {CANDLE_DATA_DIR: $TMP/data}
END
run "$THRONG" run own.yaml
"$THRONG" show own 2 --json >.out
check_contains "a last line without its end is read" "$(cat .out)" \
    '"r2":{"last":0.5'
sed -i '/IMPROVE_RESULT/d' own.sh
run "$THRONG" run own.yaml --new owner
check_equal "result.txt of the run's own folder counts" 0.375 "$(value owner 2)"

# ---- a runner --------------------------------------------------------------

cat >model.sh <<'END'
echo "runner $#: $1 $2 $3 $4 $5 $6 $7"
mkdir -p "$TURBINE_OUTPUT/$4"
echo 0.0625 >"$TURBINE_OUTPUT/$4/result.txt"
[ "$6" != late ] || exit 124
END
cat >runner.yaml <<'END'
program: model.sh
protocol: candle
candle: {model_name: nt3}
metric: {name: val_loss}
method: grid
parameters: {epochs: {value: 4}}
END
run "$THRONG" run runner.yaml
check_contains "model.sh gets its seven arguments" "$(log runner 1)" \
    'runner 7: keras2 {"epochs":4} runner RUN001 BENCHMARKS nt3 train'
check_equal "and its result.txt is found" 0.0625 "$(value runner 1)"
sed 's/nt3/late/' runner.yaml >late.yaml
run "$THRONG" run late.yaml
check_equal "124 is out of time" timed_out "$(state late 1)"
sed '/^candle/d' runner.yaml >nameless.yaml
run "$THRONG" check nameless.yaml
check_contains "a runner needs the model's name" "$err" \
    "nameless.yaml:1:10: error: a runner such as model.sh must be told the model's name (as in candle: {model_name: nt3})"

# ---- SH_TIMEOUT ------------------------------------------------------------

cat >slow.yaml <<'END'
command: [sleep, "600"]
protocol: candle
method: grid
grace: 0.1
env: {SH_TIMEOUT: 0.2}
parameters: {x: {value: 1}}
END
run "$THRONG" run slow.yaml
check_equal "SH_TIMEOUT is the time of an attempt" timed_out "$(state slow 1)"

# ---- a shell line ----------------------------------------------------------

cat >line.yaml <<'END'
command: 'bash bench.sh ${args_candle} | tee copy'
protocol: candle
method: grid
parameters: {text: {value: "a b"}}
END
run "$THRONG" run line.yaml
check_contains "the macro works in a shell line" "$(log line 1)" \
    "<--text><a b><--experiment_id><line><--run_id><RUN001>"
sed 's/protocol: candle/candle: {style: script}/' line.yaml >unused.yaml
run "$THRONG" check unused.yaml
check_contains "candle without its protocol is warned of" "$err" \
    "candle is used only with protocol: candle"
