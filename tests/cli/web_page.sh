# The page of `throng web`, in a real browser.
# thorough: needs chromium and npm's packages
# timeout: 600
. "$(dirname "$0")/lib.sh"

modules=$ROOT/web/node_modules
command -v chromium >/dev/null || skip_all "there is no chromium"
[ -e "$modules/playwright-core" ] && [ -e "$modules/axe-core" ] ||
    skip_all "npm's packages are not there (tools/page --tests)"
[ -e "$ROOT/web/dist/app.js" ] || skip_all "the page is not built (make page)"
fill=$THRONG_BUILD/bench/fill_store
[ -x "$fill" ] || skip_all "bench/fill_store is not built"

mkdir -p .throng
"$fill" .throng/many 20000
cat >live.yaml <<'YAML'
name: live
command: ["sh", "-c", "while [ ! -e go ]; do sleep 0.1; done; sleep 0.3; echo ::throng loss={x}"]
metric: {name: loss, goal: minimize}
parameters: {x: {distribution: int_uniform, min: 1, max: 40}}
method: grid
parallel: 2
YAML
"$THRONG" run live.yaml >/dev/null 2>&1 &
study=$!
wait_for 60 test -s .throng/live/study.db

serve() { # NAME OPTIONS...
    local name=$1
    shift
    "$THRONG" web --port 0 "$@" >"$TMP/$name" 2>/dev/null &
    wait_for 30 test -s "$TMP/$name"
}
serve look
look=$!
serve change --control
change=$!
pictures=$THRONG_BUILD/pictures
mkdir -p "$pictures"

# Imports are looked for beside the script: it is run from where they are.
cp "$ROOT/tests/browser/page.mjs" "$modules/.throng-page.mjs"
node "$modules/.throng-page.mjs" "$(cat "$TMP/look")" "$(cat "$TMP/change")" "$TMP" \
    "$pictures" >"$TMP/page" 2>"$TMP/page.err"
while IFS= read -r line; do
    case $line in
    "ok "*) ok "${line#*- }" ;;
    "not ok "*) not_ok "${line#*- }" ;;
    "#"*) echo "$line" ;;
    esac
done <"$TMP/page"
if ! grep -q '^1\.\.' "$TMP/page"; then
    not_ok "the script in the browser runs to its end" "$(grep -v "^ *at " "$TMP/page.err" | tail -20)"
fi
touch go
kill $look $change
wait $study
