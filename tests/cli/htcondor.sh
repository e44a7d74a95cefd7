# What `throng check` says of a study for an HTCondor pool, where no pool is:
# which files go there, and what cannot.
. "$(dirname "$0")/lib.sh"

cat >train.py <<'PY'
print("x")
PY
mkdir data sub && echo 1 >data/a.csv && echo 2 >data/b.csv && echo 3 >rows.csv

study() { # [LINE]...
    printf '%s\n' 'name: s' 'parameters: {x: {values: [1, 2]}}' \
        'method: grid' 'engine: htcondor' 'metric: {name: loss}' "$@" >s.yaml
}
says() { # NAME STATUS TEXT
    run "$THRONG" check s.yaml
    check_status "$1" "$2"
    check_contains "$1: in words" "$err$out" "$3"
}
silent() { # NAME
    run "$THRONG" check s.yaml
    check_status "$1" 0
    check_lacks "$1: nothing stays behind" "$err" "does not go"
}

study 'command: python3 train.py --x {x}'
silent "a script goes by itself"
study 'command: python3 train.py --x {x} --rows rows.csv'
says "a file that is mentioned does not" 0 \
    "rows.csv lies beside the study, and does not go to the machines"
study 'command: python3 train.py --x={x} --rows=rows.csv'
says "however it is mentioned" 0 "rows.csv lies beside the study"
study 'command: "python3 train.py {x} <rows.csv | sort"'
says "in a line for a shell, too" 0 "rows.csv lies beside the study"
study 'command: python3 train.py --x {x} --rows rows.csv' 'inputs: [rows.csv]'
silent "an input goes"
study 'command: python3 train.py --x {x} data/a.csv' 'inputs: ["data/*.csv"]'
silent "by a glob"
study 'command: python3 train.py --x {x} data/a.csv' 'inputs: [data]'
silent "with its folder"
study 'command: python3 train.py --x {x}' 'inputs: [nowhere.csv]'
says "an input that is not there is refused" 1 "inputs: there is no nowhere.csv"
study 'command: python3 train.py --x {x}' "inputs: [$PWD/rows.csv]"
says "a path of this machine is refused" 1 "is a path of this machine"
mkdir below && cp train.py below
outside() { # NAME STATUS LINE...
    local name=$1 expected=$2
    shift 2
    of=${of:-the study\'s folder}
    study "$@"
    mv s.yaml below/s.yaml
    run "$THRONG" check below/s.yaml
    check_status "$name" "$expected"
    check_contains "$name: in words" "$err" "lies outside of $of"
}
outside "an input above the study is refused" 1 \
    'command: python3 train.py {x}' 'inputs: [../rows.csv]'
outside "a folder, too" 1 'command: python3 train.py {x}' 'inputs: [../data]'
outside "and a program" 1 'command: python3 ../train.py {x}'
outside "what a command mentions is named" 0 \
    'command: python3 train.py ../rows.csv {x}'
outside "with a copy of the code, too" 1 \
    'command: python3 train.py {x}' 'inputs: [../rows.csv]' 'code: copy'
outside "and its program" 1 'command: python3 ../train.py {x}' 'code: copy'
git init -q below && git -C below add .
of="git's folder" outside "with code of git what lies outside of that" 1 \
    'command: python3 train.py {x}' 'inputs: [../rows.csv]' 'code: git'
rm -rf below/.git && git init -q .
run "$THRONG" check below/s.yaml
check_lacks "what is above the study and in git's folder is not" "$err" outside
rm -rf .git
for name in 'a,b.csv' 'a=b.csv' 'a$b.csv'; do
    echo 1 >"$name"
    study 'command: python3 train.py {x}' "inputs: ['$name']"
    says "a name that HTCondor cannot say is refused: $name" 1 "$name has a '"
    rm "$name"
done
mkdir 'of a=b' && cp train.py 'of a=b'
study 'command: python3 train.py {x}' && mv s.yaml 'of a=b'
run "$THRONG" check 'of a=b/s.yaml'
check_status "so is such a folder" 1
check_contains "so is such a folder: in words" "$err" "of a=b has a '='"
rm -r 'of a=b'
study 'command: python3 train.py --x {x} rows.csv data/a.csv' 'inputs: [.]'
silent "the study's folder goes with all in it"
study 'command: python3 train.py --x {x} data/a.csv' 'inputs: [sub/../data]'
silent "a way back is none out of it"
study 'command: python3 train.py --x {x}' 'inputs: [data]'
says "a folder has its size" 0 "data to carry for each task: 4 B"
study 'command: python3 train.py --x {x}' 'inputs: ["osdf:///pool/x.zip"]'
says "that of a URL is not known" 0 "how much there is to carry is not known"
study "command: python3 train.py --rows $PWD/rows.csv {x}"
says "in the command, too" 1 "is a path of this machine"
study 'command: /usr/bin/env python3 train.py {x}'
silent "programs of every machine are not"
study 'command: python3 train.py {x}' 'inputs: ["osdf:///pool/x.zip"]'
silent "a URL goes as it is"
study 'command: python3 train.py {x}' 'profile: ospool' \
    'inputs: [{path: rows.csv, site_bound: true}]'
says "what is bound to its site does not leave it" 1 "bound to its site"
study 'command: python3 train.py {x}' \
    'early_terminate: {type: median}'
says "what needs to hear of trials is said" 0 "none will be ended early"
study 'command: python3 train.py {x}' 'container: none.sif'
says "an image that is not there is refused" 1 "there is no image"
