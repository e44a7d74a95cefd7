# The page of `throng web`, in a real browser.
# thorough: needs chromium and npm's packages
#
# With --update the pictures of README and docs are made anew; look at them.
# timeout: 1800
. "$(dirname "$0")/lib.sh"

modules=$ROOT/web/node_modules
command -v chromium >/dev/null || skip_all "there is no chromium"
[ -e "$modules/playwright-core" ] && [ -e "$modules/axe-core" ] ||
    skip_all "npm's packages are not there (tools/page --tests)"
[ -e "$ROOT/web/dist/app.js" ] || skip_all "the page is not built (make page)"
fill=$THRONG_BUILD/bench/fill_store
[ -x "$fill" ] || skip_all "bench/fill_store is not built"

mkdir -p .throng
"$fill" .throng/many 20000 6 20
cat >logged.py <<'PY'
import wandb
wandb.init()
for step in range(3):
    # A bright cell that the mask finds better with every step.
    far = lambda x, y: ((x - 18) ** 2 + (y - 20) ** 2) ** 0.5
    cell = [[[max(40, int(230 - 9 * far(x, y)))] * 3 for x in range(64)]
            for y in range(64)]
    mask = [[1 if far(x, y) < 10 + 4 * step + 10 * wandb.config["lr"] else 0
             for x in range(64)] for y in range(64)]
    box = {"position": {"minX": 0.6, "maxX": 0.9, "minY": 0.6, "maxY": 0.9},
           "class_id": 2, "box_caption": "a box"}
    wandb.log({
        "loss": wandb.config["lr"] / (step + 1),
        "seg": wandb.Image(cell,
            masks={"guess": {"mask_data": mask, "class_labels": {1: "cell"}}},
            boxes={"truth": {"box_data": [box], "class_labels": {2: "b"}}}),
        "weights": wandb.Histogram([0, 1, 1, 4], num_bins=4),
        "guesses": wandb.Table(["id", "guess"], [[1, "cat"], [2, "owl"]]),
        "sure": wandb.plot.confusion_matrix(y_true=[0, 0, 1, 1],
            preds=[0, 1, 1, 1], class_names=["cat", "owl"]),
        "note": "words of step %d" % step})
PY
cat >logged.yaml <<'YAML'
name: logged
command: python3 logged.py
metric: {name: loss, goal: minimize}
parameters: {lr: {values: [0.1, 0.2, 0.3]}}
method: grid
wandb: stand-in
YAML
cat >odd.yaml <<'YAML'
name: odd
command: ["sh", "-c", "echo '::throng loss=nan'; [ {n} != 1 ] || { echo '<b>no</b>' >&2; exit 1; }"]
metric: {name: loss, goal: minimize}
parameters:
  text: {values: ["<img src=x onerror=alert(1)>", "a|b&c=d#e", "日本", '"q"']}
  n: {values: [1, 2]}
method: grid
YAML
# Two objectives and a bound: one of the best fails after all, one breaks the
# bound, and some are equal.
cat >two.sh <<'SH'
awk -v x="$1" -v n="$2" 'BEGIN { w = n == "tiny" ? 1 : n == "small" ? 2 : 4; k = int(x / 2)
    print "::throng gain=" k * w / 4 " cost=" 3 * w + 1 / (1 + k) " heat=" x * w }'
[ "$1$2" != 6tiny ]
SH
cat >two.yaml <<'YAML'
name: two
command: ["sh", "two.sh", "{x}", "{size}"]
metrics: [{name: gain, goal: maximize}, {name: cost, goal: minimize}]
constraints: [{name: heat, max: 22}]
parameters: {x: {values: [1, 2, 3, 4, 5, 6]}, size: {values: [tiny, small, large]}}
method: grid
YAML
sed 's/^name: .*/name: leaving/' logged.yaml >leaving.yaml
for one in logged odd two leaving; do
    "$THRONG" run $one.yaml >/dev/null 2>&1
done
cat >steps.yaml <<'YAML'
stages:
  prepare: {command: "echo 1 > data.txt", outputs: [data.txt]}
  search: {study: logged.yaml, needs: prepare}
  other: {study: odd.yaml, needs: prepare}
  decide: {command: "true", needs: [search]}
YAML
"$THRONG" run steps.yaml >/dev/null 2>&1
cat >live.yaml <<'YAML'
name: live
command: ["sh", "-c", "while [ ! -e go ]; do sleep 0.1; done; sleep 2; echo ::throng loss={x}"]
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
printf '0 4242 1000000000\n0 busy 40\n' >on-gpus
export THRONG_GPUS=a100:8.0:40G THRONG_GPUS_USE=$TMP/on-gpus
serve look
look=$!
unset THRONG_GPUS THRONG_GPUS_USE
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
if [ "${1:-}" = --update ]; then
    for name in page logged campaign; do
        cp "$pictures/docs-$name.png" "$ROOT/docs/pictures/$name.png"
    done
fi
touch go
kill $look $change
wait $study
