"""docs.py - keep docs/reference true

    docs.py THRONG FOLDER            check it; TAP on standard output
    docs.py THRONG FOLDER --update   write the help texts into cli.md

What is checked: the help texts in cli.md are those of the program; each file
and each study in the examples can be used (studies are checked, and run where
the fence says so); every key of a study file is described; the tables of
json.md name exactly the fields that the program writes.

The first words behind a fence say what a block is:

    ```yaml file=NAME [run]   a study file; `run`: and it runs to its end
    ```sh file=NAME           a file that goes with it
    ```console                `$ command` lines, run in the same folder
    ```text help=VERB         what `throng help VERB` prints
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

FENCE = re.compile(r"^```(\w+) *([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

made = failed = 0


def check(name, good, why=""):
    global made, failed
    made += 1
    print("%sok %d - %s" % ("" if good else "not ", made, name))
    if not good:
        failed += 1
        for line in str(why).splitlines():
            print("#   " + line)


def run(argv, cwd=None, shell=False):
    return subprocess.run(argv, cwd=cwd, shell=shell, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True)


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        return f.read()


# ---- cli.md ----------------------------------------------------------------

def verbs_of(throng):
    said = run([throng, "help"]).stdout
    return re.findall(r"^  ([a-z-]+) +[A-Z]", said, re.MULTILINE)


def help_blocks(throng):
    text = ""
    for verb in verbs_of(throng):
        said = run([throng, "help", verb]).stdout
        text += "\n### %s\n\n```text help=%s\n%s```\n" % (verb, verb, said)
    return text


def update(throng, folder):
    head = read(folder, "cli.md").split("\n### ")[0].rstrip() + "\n"
    with open(os.path.join(folder, "cli.md"), "w", encoding="utf-8") as f:
        f.write(head + help_blocks(throng))


def check_help(throng, folder):
    text = read(folder, "cli.md")
    at = text.index("\n### ")
    check("the help texts in cli.md are those of the program",
          text[at:] == help_blocks(throng), "update with --update")


# ---- examples --------------------------------------------------------------

def words_of(info):
    return dict(w.partition("=")[::2] for w in info.split())


def check_file(throng, scratch, name, words):
    said = run([throng, "check", words["file"]], scratch)
    check("%s: the study %s is right" % (name, words["file"]),
          said.returncode == 0, said.stderr)
    if "run" in words:
        said = run([throng, "run", words["file"]], scratch)
        check("%s: and runs" % name, said.returncode == 0, said.stderr)


def check_console(scratch, name, body):
    for line in body.splitlines():
        if not line.startswith("$ "):
            continue
        said = run(["bash", "-c", line[2:]], scratch)
        check("%s: %s" % (name, line), said.returncode == 0,
              said.stdout + said.stderr)


def check_examples(throng, folder, name):
    blocks = FENCE.findall(read(folder, name))
    with tempfile.TemporaryDirectory() as scratch:
        for program in ("train.py", "train"):  # what its studies start
            path = os.path.join(scratch, program)
            with open(path, "w", encoding="utf-8"):
                os.chmod(path, 0o755)
        for _, info, body in blocks:
            if "file" in words_of(info):
                path = os.path.join(scratch, words_of(info)["file"])
                with open(path, "w", encoding="utf-8") as f:
                    f.write(body)
        for kind, info, body in blocks:
            words = words_of(info)
            if kind == "yaml" and "file" in words:
                check_file(throng, scratch, name, words)
            if kind == "console":
                check_console(scratch, name, body)


# ---- study-file.md ---------------------------------------------------------

def check_keys(throng, folder):
    text = read(folder, "study-file.md")
    said = run([throng, "help", "study-file"]).stdout
    for key in re.findall(r"^  (\S+): ", said, re.MULTILINE):
        last = key.split(".")[-1]
        check("study-file.md describes %s" % key,
              re.search(r"`%s`" % re.escape(last), text), "no `%s`" % last)
    said = run([throng, "help", "methods"]).stdout
    for method in re.findall(r"^  (\w+)$", said, re.MULTILINE):
        check("study-file.md: method %s" % method,
              re.search(r"^\| [^|]*`%s`[^|]* \|" % method, text, re.MULTILINE),
              "it is not in the table of methods")


# ---- json.md ---------------------------------------------------------------

STUDY = """
name: doc
command: [sh, -c, 'throng report loss={x}; echo 1 >$THRONG_OUTPUT/f; echo no; [ {x} = 1 ]']
method: grid
keep: all
metric: {name: loss}
parameters: {x: {values: [1, 2]}, y: {value: 0}}
"""
# What only some studies show.
SEVERAL = """
name: several
command: [sh, -c, 'throng report loss={x} size={x}']
method: grid
metrics: [{name: loss}, {name: size}]
constraints: [{name: size, max: 5}]
parameters: {x: {values: [1, 2]}}
"""
NOISY = """
name: noisy
command: [sh, -c, 'throng report loss=$(awk -v s=$THRONG_SEED "BEGIN { srand(s); rand(); print rand() + {x} / 9 }")']
method: gp
run_cap: 15
parallel: 1
metric: {name: loss}
parameters: {x: {values: [0, 1, 2]}}
"""
# Three sets, of which one lacks a seed, and a parameter that is averaged.
DESIGN = """\
command: ["sh", "-c", "test {w}{seed} = 31 || throng report loss={w}{seed}{draw}"]
method: grid
metric: {name: loss}
parameters:
  w: {values: [1, 2, 3]}
  seed: {values: [1, 2, 3]}
  draw: {values: [1, 2]}
"""
DESIGN_WORDS = ["--over", "seed", "--ratio", "0", "w=1", "w=2", "w=3"]

MANY = """
name: many
command: [throng, report, 'loss={x}']
method: random
run_cap: 20
metric: {name: loss}
parameters: {x: {min: 0.0, max: 1.0}}
"""
STEPS = """
stages:
  first: {study: many.yaml, run_cap: 3}
  then: {study: many.yaml, run_cap: 2, needs: first}
"""
RUNNING = """
command: [sh, -c, 'until test -e go; do sleep 0.1; done']
method: grid
resources: {gpus: 1, cpus: 0.1}
parameters: {x: {values: [1]}}
"""
MODEL = """
layers: [{dense: 2}]
loss: sparse_categorical_crossentropy
metrics: [accuracy]
data: {file: rows.csv, validation: 0.4}
"""
NUMBER = """
layers: [{dense: 1}]
loss: mse
data: {file: rows.csv, label: x, validation: 0.5}
"""
HEADS = """
layers:
  - {dense: 1, name: size}
  - {dense: 2, name: kind, from: input}
heads:
  - {from: size, loss: mse, label: x}
  - {from: kind, loss: sparse_categorical_crossentropy, label: y}
data: {file: heads.csv, label: [x, y], validation: 0.5}
"""
ASKED = """
predict: {models: ../model.safetensors, data: ../rows.csv}
"""
# As a cluster's place leaves it.
JOBS = """Slurm\t7\tshort\t43200
0\twaits\t1-2\tPENDING\tResources\t\t\tit waits for room\t-1
"""
NAMED = {"states", "params", "metrics", "space", "trial", "baseline",
         "changes"}
# As one thing in the table, though there is more inside.
WHOLE = {"space", "trials[].trial", "beside[]", "total"}


def fields(value, path=""):
    """The paths of everything in a value, as the tables write them."""
    if path in WHOLE or not isinstance(value, (dict, list)):
        return {path}
    found = set()
    if isinstance(value, list):
        for item in value:
            found |= fields(item, path + "[]")
        return found
    for key, item in value.items():
        inside = path.split(".")[-1] in NAMED
        found |= fields(item, (path + "." if path else "") +
                        ("NAME" if inside else key))
    return found


def tables(text):
    """title -> the fields of its table."""
    found = {}
    for section in text.split("\n## ")[1:]:
        title = section.splitlines()[0].replace("`", "")
        names = set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))
        # An object whose members have rows of their own is a heading.
        found[title] = {n for n in names
                        if not any(m.startswith(n + ".") for m in names)}
    return found


def running_status(throng, scratch):
    """The status of a study that runs beside another, on a GPU."""
    env = {**os.environ, "THRONG_GPUS": "a100:8.0:40G,a100:8.0:40G"}
    runs, value = [], {}
    for name in ("first", "second"):
        with open(os.path.join(scratch, name + ".yaml"), "w") as f:
            f.write(RUNNING)
        runs.append(subprocess.Popen(
            [throng, "run", "-q", name + ".yaml"], cwd=scratch, env=env,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL))
    for _ in range(1200):
        said = run([throng, "status", "first", "--json"], scratch).stdout
        value = json.loads(said) if said else {}
        if value.get("beside") and value["has"]["gpus"]:
            break
        time.sleep(0.1)
    open(os.path.join(scratch, "go"), "w").close()
    for child in runs:
        child.wait()
    return {k: v for k, v in value.items() if v is not None}


def check_json(throng, folder):
    text = read(folder, "json.md")
    documented = tables(text)
    with tempfile.TemporaryDirectory() as scratch:
        with open(os.path.join(scratch, "doc.yaml"), "w") as f:
            f.write(STUDY)
        with open(os.path.join(scratch, "warned.yaml"), "w") as f:
            f.write(STUDY + "random: {}\n")
        several = os.path.join(scratch, "several")
        os.mkdir(several)
        with open(os.path.join(several, "several.yaml"), "w") as f:
            f.write(SEVERAL)
        run([throng, "run", "several.yaml"], several)
        noisy = os.path.join(scratch, "noisy")
        os.mkdir(noisy)
        with open(os.path.join(noisy, "noisy.yaml"), "w") as f:
            f.write(NOISY)
        run([throng, "run", "noisy.yaml"], noisy)
        design = os.path.join(scratch, "design")
        os.mkdir(design)
        with open(os.path.join(design, "design.yaml"), "w") as f:
            f.write(DESIGN)
        run([throng, "run", "design.yaml"], design)
        many = os.path.join(scratch, "many")
        os.mkdir(many)
        with open(os.path.join(many, "many.yaml"), "w") as f:
            f.write(MANY)
        run([throng, "run", "many.yaml"], many)
        with open(os.path.join(many, "steps.yaml"), "w") as f:
            f.write(STEPS)
        run([throng, "run", "steps.yaml"], many)
        run([throng, "run", "doc.yaml"], scratch)
        jobs = os.path.join(scratch, ".throng", "doc", "jobs", "1")
        os.makedirs(jobs)
        with open(os.path.join(jobs, "state"), "w") as f:
            f.write(JOBS)
        with open(os.path.join(scratch, "rows.csv"), "w") as f:
            f.write("x,y\n1,no\n2,yes\n3,yes\n")
        with open(os.path.join(scratch, "model.yml"), "w") as f:
            f.write(MODEL)
        run([throng, "train", "model.yml"], scratch)
        with open(os.path.join(scratch, "number.yml"), "w") as f:
            f.write(NUMBER)
        run([throng, "train", "number.yml"], scratch)
        with open(os.path.join(scratch, "heads.csv"), "w") as f:
            f.write("a,x,y\n1,2,no\n2,3,yes\n3,4,yes\n4,5,no\n")
        with open(os.path.join(scratch, "heads.yml"), "w") as f:
            f.write(HEADS)
        run([throng, "train", "heads.yml"], scratch)
        asked = os.path.join(scratch, "asked")
        os.mkdir(asked)
        with open(os.path.join(asked, "asked.yaml"), "w") as f:
            f.write(ASKED)
        run([throng, "run", "asked.yaml"], asked)
        for title, names in documented.items():
            argv = title.replace("over NAME", "over x").replace(
                "CAMPAIGN", "steps").replace("A,B", "w,seed").split()[1:]
            argv += {"check": ["warned.yaml"], "show": ["all"], "explain": ["all"],
                     "diff": ["1", "2"],
                     "evaluate": ["model.safetensors"],
                     "calibrate": ["model.safetensors"]}.get(argv[0], [])
            of_many = argv[0] == "importance" or "steps" in argv
            of_design = argv[0] == "compare" or "--matrix" in argv
            argv += DESIGN_WORDS if argv[0] == "compare" else []
            where = (many if of_many else design if of_design else
                     asked if argv[0] == "inferences" else scratch)
            argv += ["many"] if argv[0] == "importance" else []
            said = run([throng] + argv, where)
            values = [json.loads(line) for line in said.stdout.splitlines()]
            if argv[:2] in (["status", "--json"], ["rank", "--json"]):
                for folder in (several, noisy):
                    said = run([throng] + argv, folder)
                    values.append(json.loads(said.stdout))
            if argv[0] == "evaluate":
                for words in (["model.safetensors", "--by", "x",
                               "--importance"],
                              ["number.safetensors", "--by", "x", "--k-rank",
                               "2"]):
                    said = run([throng, "evaluate", "--json"] + words, scratch)
                    values.append(json.loads(said.stdout))
            if argv[0] == "calibrate":
                said = run([throng, "calibrate", "--json",
                            "heads.safetensors"], scratch)
                values.append(json.loads(said.stdout))
            if argv == ["status", "--json"]:
                running = os.path.join(scratch, "running")
                os.mkdir(running)
                values.append(running_status(throng, running))
            real = set().union(*map(fields, values)) if values else set()
            check("json.md: the fields of %s" % title, real == names,
                  "not documented: %s\nnot there: %s" %
                  (sorted(real - names), sorted(names - real)))
            schema = re.search(r"## `%s`\n.*?`(throng\.[\w-]+/\d+)`" %
                               re.escape(title), text, re.DOTALL)
            if "--json" in argv and values:
                check("json.md: its schema (%s)" % title,
                      schema and schema.group(1) == values[0]["schema"],
                      values[0]["schema"])


def main(throng, folder, *rest):
    if rest == ("--update",):
        update(throng, folder)
        return 0
    check_help(throng, folder)
    check_keys(throng, folder)
    check_json(throng, folder)
    for name in sorted(os.listdir(folder)):
        if name.endswith(".md"):
            check_examples(throng, folder, name)
    print("1..%d" % made)
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))
