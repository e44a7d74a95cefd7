#!/usr/bin/env bash
# The Python package, installed by pip into a virtual environment.
# thorough: pip takes ten seconds of CPU
. "$(dirname "$0")/lib.sh"

python3 -m venv "$TMP/venv" 2>/dev/null || skip_all "python3 has no venv with pip"
unset PYTHONPATH
check_not "before, there is none" "$TMP/venv/bin/python" -c 'import throng'
run "$TMP/venv/bin/python" -m pip install --no-index --disable-pip-version-check "$ROOT/python"
check_status "pip installs it without a network" 0
cd / || exit 1
check "then it can be imported by hand" "$TMP/venv/bin/python" -c \
    'import throng; throng.report(loss=1); throng.Study'
check_equal "from the environment's own folder" "$TMP/venv" \
    "$("$TMP/venv/bin/python" -c 'import throng; print(throng.__file__.split("/lib/")[0])')"
cd "$TMP" || exit 1
END=$(git -C "$ROOT" status --porcelain python 2>/dev/null | grep -c build)
check_equal "nothing is left in the sources" 0 "$END"
