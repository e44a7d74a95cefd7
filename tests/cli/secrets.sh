#!/usr/bin/env bash
# Secrets do not get into the store, whatever way they go to a task.
. "$(dirname "$0")/lib.sh"

export OUTER_TOKEN=5ecret-outer
cat >study.yaml <<'END'
name: s
command: [sh, task.sh, "--api_key=5ecret-one", --password, 5ecret-two,
          "HF_TOKEN=5ecret-three", "--from=${envvar:OUTER_TOKEN}",
          "--max_tokens={max_tokens}", "${args}"]
method: grid
env: {WANDB_API_KEY: 5ecret-four, PLAIN: visible}
metric: {name: loss}
parameters: {max_tokens: {values: [17, 18]}}
END
cat >task.sh <<'END'
case "$* $WANDB_API_KEY" in
"--api_key=5ecret-one --password 5ecret-two HF_TOKEN=5ecret-three\
 --from=5ecret-outer --max_tokens=17 --max_tokens=17 5ecret-four") ;;
*--max_tokens=18*) ;;
*) exit 1 ;;
esac
throng report loss=1
END
run "$THRONG" run study.yaml
check_status "the task gets its secrets" 0
# What was deleted may still lie in a database's free pages, and the newest
# writes in its log.
check_equal "the store holds none of them" "" \
    "$(grep -raoE '5ecret-[a-z]+' .throng | sort -u)"
check_contains "what is no secret is there" "$(strings -n 4 .throng/s/study.db*)" \
    "max_tokens"
check_contains "variables are named, not expanded" \
    "$(strings -n 4 .throng/s/study.db*)" 'envvar:OUTER_TOKEN'
run "$THRONG" check study.yaml
check_lacks "check shows none" "$out" "5ecret"
check_contains "but says where one was" "$out" "--api_key="
check_contains "and shows parameters" "$out" "--max_tokens=17"
run "$THRONG" show --json
check_lacks "nor does show" "$out" "5ecret"
run "$THRONG" run study.yaml
check_status "the study can be run again" 0
sed -i 's/5ecret-one/5ecret-five/' study.yaml
run "$THRONG" run study.yaml
check_status "a changed secret does not make another study of it" 0
check_equal "and is not stored either" "" \
    "$(grep -raoE '5ecret-[a-z]+' .throng | sort -u)"

# What a task says of itself may name them too.
cat >says.yaml <<'END'
command: ["WANDB_API_KEY=5ecret-seven", sh, -c, "true"]
method: grid
retries: 1
retry_delay: 0.01
parameters: {a: {values: [1]}}
END
run "$THRONG" run says.yaml
check_status "a command that cannot start has failed" 3
check_equal "why it did is stored without its secret" "" \
    "$(grep -raoE '5ecret-[a-z]+' .throng/says | sort -u)"
run "$THRONG" show says 1
check_contains "and says what could not start" "$out" "WANDB_API_KEY=***"
cat >tail.yaml <<'END'
command: [sh, -c, "echo \"login --token: $LOGIN_TOKEN\" >&2; exit 1"]
method: grid
env: {LOGIN_TOKEN: 5ecret-eight}
parameters: {a: {values: [1]}}
END
run "$THRONG" run tail.yaml
check_status "a command that shows its secret has failed" 3
check_equal "its last lines are stored without it" "" \
    "$(grep -aoE '5ecret-[a-z]+' .throng/tail/study.db* | sort -u)"

# Words of a command stay words.
cat >words.yaml <<'END'
command: [sh, -c, "true", "--token:", "5ecret-nine"]
method: grid
parameters: {a: {values: [1]}}
END
run "$THRONG" run words.yaml
check_equal "a word behind a name with a colon is a secret" "" \
    "$(grep -raoE '5ecret-[a-z]+' .throng/words | sort -u)"
sed -i 's/"true"/"true;"/' words.yaml
run "$THRONG" run words.yaml
check_status "another command is another study" 1
check_contains "and the difference is shown" "$err" \
    'was ["sh","-c","true","--token:","***"]'
rm words.yaml
run "$THRONG" show words --command 1
check_contains "a study whose file is gone can still be read" "$out" '--token:'

# Secrets that have no telling name.
cat >places.yaml <<'END'
command: [sh, -c, "sshpass -p 5ecret-ten true; curl -u me:5ecret-eleven x;
          git clone https://me:5ecret-twelve@host/a; mkdir -p visible", sh,
          "GITHUB_PAT=5ecret-thirteen", "-p", "8080"]
method: grid
env: {DB_PWD: 5ecret-fourteen}
parameters: {pat: {values: [1]}}
END
run "$THRONG" run places.yaml
check_equal "passwords are known by their places" "" \
    "$(grep -aoE '5ecret-[a-z]+' .throng/places/study.db* | sort -u)"
run "$THRONG" check places.yaml
check_contains "and what is none stays" "$out" "mkdir -p visible"
check_contains "a port, too" "$out" "-p 8080"

if command -v git >/dev/null; then
    mkdir repo && cd repo || exit 1
    git init -q . && git config user.email a@b && git config user.name n
    touch login.py
    cp ../study.yaml ../task.sh . && git add . && git commit -qm first
    sed -i 's/5ecret-five/5ecret-six/' study.yaml
    cat >login.py <<'END'
wandb.login(key="5ecret-login")
-----BEGIN OPENSSH PRIVATE KEY-----
5ecret-key
-----END OPENSSH PRIVATE KEY-----
END
    run "$THRONG" run study.yaml
    check_equal "the diff of a repository holds none" "" \
        "$(grep -raoE '5ecret-[a-z]+' .throng | sort -u)"
fi
