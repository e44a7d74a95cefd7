#!/usr/bin/env bash
# Which Python, and which shell, a task gets: venv, conda, setup lines,
# buffering.
. "$(dirname "$0")/lib.sh"

study() { # name command key-lines…
    printf '%s\n' "name: $1" "command: $2" "method: grid" \
        "parameters: {i: {values: [1]}}" "${@:3}" >"$1.yaml"
    run "$THRONG" run "$1.yaml"
}

# ---- venv -------------------------------------------------------------------
python3 -m venv --without-pip "$TMP/in/.venv" || skip_all "python3 has no venv"
cd "$TMP/in" || exit 1
cat >who.py <<'END'
import os, sys
print("prefix", sys.prefix, os.environ["VIRTUAL_ENV"], sys.argv[1:])
END
study venv '["${interpreter}", who.py]' 'venv: .venv'
check_status "a study with a virtual environment runs" 0
run "$THRONG" logs venv 1
check_equal "with its Python" "prefix $TMP/in/.venv $TMP/in/.venv []" "$out"
run "$THRONG" show venv 1 --command
line=$out
cd / || exit 1
check_equal "which the command by hand has, too" "prefix $TMP/in/.venv $TMP/in/.venv []" \
    "$(sh -c "$line")"
cd "$TMP/in" || exit 1
HOME=$TMP/in study home '["${interpreter}", who.py]' 'venv: ~/.venv'
run "$THRONG" logs home 1
check_contains "~/ is the person's home" "$out" "prefix $TMP/in/.venv"

# ---- conda ------------------------------------------------------------------
# It answers as `conda shell.posix activate` does: with lines for a shell.
mkdir bin
cat >bin/conda <<'END'
#!/bin/sh
[ "$1 $2" = "shell.posix activate" ] || exit 2
[ "$3" = "my env" ] || { echo "EnvironmentNameNotFound: $3" >&2; exit 1; }
echo "export CONDA_DEFAULT_ENV='$3'"
echo "false"
END
chmod +x bin/conda
export PATH=$PWD/bin:$PATH
unset CONDA_EXE
study conda '[sh, -c, "echo $CONDA_DEFAULT_ENV $MORE"]' 'conda: my env' 'setup: export MORE=more'
check_status "a study with a conda environment runs" 0
run "$THRONG" logs conda 1
check_equal "conda's lines came first, then those of setup" "my env more" "$out"
study lost '["true"]' 'conda: nothere'
check_status "one that is not there fails the trial" 3
run "$THRONG" errors lost
check_contains "and is named" "$out$err" "nothere"

# ---- setup ------------------------------------------------------------------
study bash '[sh, -c, "echo $A"]' 'setup: [source ./lines, "[[ -n $A ]]"]'
check_status "a setup line that fails fails the trial" 3
run "$THRONG" errors bash
check_contains "by its line" "$out" "setup: line 1: ./lines: No such file"
printf 'A=b\nexport A\nfalse\n:\n' >lines
run "$THRONG" retry bash failed
run "$THRONG" run bash.yaml
check_status "with what bash knows it goes" 0
study quiet '["true"]' 'setup: ["true", "test -d /nothere"]'
run "$THRONG" errors quiet
check_contains "a line that fails without a word is named, too" "$out" \
    'setup: line 2: `test -d /nothere` ended with exit code 1, so the command was not started'

# ---- buffering ----------------------------------------------------------------
cat >prints.py <<'END'
import os, time
print("loss=0.5")
while not os.path.exists("go"):
    time.sleep(0.05)
END
printf '%s\n' 'name: live' 'program: prints.py' 'method: grid' \
    'metric: {name: loss, pattern: "loss=([0-9.]+)"}' \
    'parameters: {i: {values: [1]}}' >live.yaml
"$THRONG" run -q live.yaml &
live=$!
printed() { "$THRONG" logs live 1 2>/dev/null | grep -q loss=0.5; }
check "what Python prints is in the log while it runs" wait_for 60 printed
measured() { "$THRONG" show live 1 --json 2>/dev/null | grep -q '"loss"'; }
check "and so is what a pattern finds in it" wait_for 60 measured
touch go
wait "$live"
finished=$?
check_equal "then it ends" 0 "$finished"
