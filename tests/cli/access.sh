#!/usr/bin/env bash
# Who may what: other users' folders are not believed, tools lie where nobody
# else can reach them.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" -eq 0 ] || skip_all "other users can be played by root only"
command -v setpriv >/dev/null || skip_all "there is no setpriv"

# Ann runs studies; Mal is another user; they share the group 12100 where said.
ann=12001 mal=12002 both=12100
ground=$(mktemp -d "${TMPDIR:-/tmp}/throng-ground.XXXXXX") || exit 1
trap 'code=$?; rm -rf "$ground"; (exit $code); finish' EXIT
chmod 1777 "$ground"
mkdir "$ground/bin" && cp "$THRONG" "$WORKER" "$ground/bin/"
throng=$ground/bin/throng

as() { # UID COMMAND...
    local uid=$1
    shift
    mkdir -p "$ground/home-$uid" && chown "$uid" "$ground/home-$uid"
    setpriv --reuid "$uid" --regid "$uid" --groups "$uid,$both" env \
        HOME="$ground/home-$uid" XDG_CONFIG_HOME="$ground/home-$uid/config" \
        XDG_CACHE_HOME="$ground/home-$uid/cache" \
        THRONG_RUNTIME_DIR="$ground/home-$uid/run" "$@"
}

as $ann test -x "$throng" || skip_all "other users cannot reach $ground"

# A folder of a user with a study file in it; the script goes there.
folder_of() { # UID NAME MODE
    mkdir "$ground/$2" && cd "$ground/$2" || exit 1
    cat >v.yaml <<'END'
command: [sh, -c, 'echo "$PATH"; echo "y=1" | sed "s/^/::throng /"']
method: grid
parameters: {x: {values: [1, 2]}}
metric: {name: y}
END
    chown -R "$1:$1" .
    chmod "$3" .
}

# ---- planted folders -------------------------------------------------------

folder_of $ann planted 1777
as $mal sh -c 'umask 0; mkdir -p .throng/v/last-words'
run as $ann "$throng" run v.yaml
check_status "a .throng that another user planted is refused" 1
check_contains "the folder is named" "$err" "$ground/planted/.throng belongs to"
check_contains "so is its owner" "$err" "uid $mal"
check_contains "and what allows it" "$err" "\`throng trust $ground/planted\`"
check_equal "nothing was put into it" "" "$(find .throng -type f)"

folder_of $ann inside 1777
as $ann "$throng" run -q v.yaml
chown -R $mal .throng/v && chmod 755 .throng/v
run as $ann "$throng" run v.yaml
check_status "so is a study's folder of another user" 1
check_contains "by its name" "$err" "$ground/inside/.throng/v belongs to uid $mal"

chown -R $ann .throng/v && mkdir .throng/v/last-words
chown $mal .throng/v/last-words
run as $ann "$throng" run v.yaml
check_status "and one in which something is another user's" 1
check_contains "which is named" "$err" ".throng/v/last-words belongs to"
rmdir .throng/v/last-words

folder_of $ann linked 1777
as $ann mkdir -p "$ground/home-$ann/elsewhere"
as $mal ln -s "$ground/home-$ann/elsewhere" .throng
run as $ann "$throng" run v.yaml
check_status "a link that another user made is refused" 1
rm .throng && as $ann ln -s "$ground/home-$ann/elsewhere" .throng
run as $ann "$throng" run v.yaml
check_status "one that leads to a folder of ours, and is ours, is followed" 0

# ---- open folders ----------------------------------------------------------

folder_of $ann open 755
as $ann "$throng" run -q v.yaml
for path in .throng .throng/v .throng/v/requests .; do
    chmod o+w $path
    run as $ann "$throng" run v.yaml
    check_status "$path that everyone may write is refused" 1
    check_contains "with the way to close it" "$err" "\`chmod o-w $ground/open"
    run as $ann "$throng" note v 1 text
    check_status "also by who acts on it" 1
    chmod o-w $path
done
chgrp $both .throng/v && chmod g+w .throng/v
run as $ann "$throng" run v.yaml
check_status "one that a group of ours may write is accepted" 0
chgrp 12999 .throng/v && chmod g+w .throng/v
run as $ann "$throng" run v.yaml
check_status "another group is refused" 1
check_contains "by its number" "$err" "gid 12999"
chgrp $ann .throng/v

mkdir -m 777 "$ground/around" && folder_of $ann around/mine 755
run as $ann "$throng" run v.yaml
check_status "a folder in one that everyone may write is refused" 1
check_contains "by the name of that" "$err" "$ground/around of root"
chmod 1777 "$ground/around"
run as $ann "$throng" run v.yaml
check_status "unless that is sticky" 0
chown $mal "$ground/around"
run as $ann "$throng" run v.yaml
check_status "and nobody else's" 1
check_contains "who could rename what is in it" "$err" \
    "$ground/around belongs to uid $mal"

# Mal cannot write into Ann's .throng, but rename it and plant his own.
folder_of $ann given 755
as $ann "$throng" run -q v.yaml
chown $mal .
run as $ann "$throng" run v.yaml
check_status "a folder of another user around our .throng is refused" 1
check_contains "by its name and its owner" "$err" \
    "$ground/given belongs to uid $mal"
check_contains "with the way out" "$err" "\`throng trust $ground/given\`"
run as $ann "$throng" note v 1 text
check_status "also by who acts" 1
run as $ann "$throng" rank v
check_status "reading is not" 0
as $ann "$throng" trust . 2>/dev/null
run as $ann "$throng" run v.yaml
check_status "who trusts him may run there" 0
as $ann "$throng" trust --remove . 2>/dev/null
chgrp $both . && chmod 775 .
run as $ann "$throng" run v.yaml
check_status "and who is in the group that may write there" 0
chgrp 12999 .
run as $ann "$throng" run v.yaml
check_status "but in no other" 1
chown 0:0 . && chmod 755 .
run as $ann "$throng" run v.yaml
check_status "root is nobody to fear" 0

# ---- planted deep ----------------------------------------------------------

folder_of $ann deep 755
as $ann "$throng" run -q v.yaml
chmod 777 .throng .throng/v .throng/v/trials .throng/v/trials/0
as $mal mkdir -p .throng/v/trials/0/9/checkpoint
as $mal ln -s /etc .throng/v/trials/0/8
closed() { # does what a refused run says, as long as it says something new
    local n
    for n in 1 2 3 4 5 6; do
        run as $ann "$throng" run v.yaml
        case $err in
        *"\`chmod "*) eval "as $ann $(tr '\n' ' ' <"$TMP/.err" |
            sed -n 's/.*`\(chmod [^`]*\)`.*/\1/p')" ;;
        *) return ;;
        esac
    done
}
closed
check_status "what was planted below a folder that was open is refused" 1
check_contains "by its name" "$err" ".throng/v/trials/0/8 belongs to uid $mal"
rm .throng/v/trials/0/8
closed
check_contains "one after the other" "$err" \
    ".throng/v/trials/0/9 belongs to uid $mal"
rm -rf .throng/v/trials/0/9
closed
check_status "when all is gone, it runs" 0
check_equal "and is closed from then on" 700 "$(stat -c %a .throng/v)"
chmod 666 .throng/v/trials/0/*/log
run as $ann "$throng" run v.yaml
check_status "in a closed folder modes do not matter" 0

# ---- trust -----------------------------------------------------------------

cd "$ground/open" && chmod o+w .throng/v
run as $ann "$throng" trust .
check_status "\`throng trust\` takes a folder" 0
run as $ann "$throng" run v.yaml
check_status "in which everything goes then" 0
run as $ann "$throng" note v 1 text
check_status "acting, too" 0
run as $ann "$throng" trust
check_equal "it lists them" "$ground/open" "$out"
check_equal "the list is the person's alone" "600 $ann" \
    "$(stat -c '%a %u' "$ground/home-$ann/config/throng/trusted")"
run as $mal "$throng" trust
check_equal "and of nobody else" "" "$out"
chmod o+w .throng/v
chmod 666 "$ground/home-$ann/config/throng/trusted"
run as $ann "$throng" run v.yaml
check_status "a list that others may write is not believed" 1
check_contains "which is said" "$err" "config/throng/trusted could have been"
chmod 600 "$ground/home-$ann/config/throng/trusted"
run as $ann "$throng" trust --remove "$ground/open"
check_status "a folder can be taken off" 0
run as $ann "$throng" run v.yaml
check_status "and is refused again" 1
run as $ann "$throng" trust --remove "$ground/open"
check_status "once" 4
run as $ann env XDG_CONFIG_HOME=/dev/null/none "$throng" trust .
check_status "a list that cannot be written is an error" 1
check_lacks "and nothing is said to be trusted" "$err" "trusted now"
run as $ann "$throng" trust /nowhere
check_status "what is not there cannot be trusted" 4
chmod o-w .throng/v

# ---- reading ---------------------------------------------------------------

chmod -R a+rX .throng
for verb in status rank ls "show v 1"; do
    run as $mal "$throng" $verb
    check_status "another user reads by \`$verb\` what may be read" 0
    run "$throng" $verb
    check_status "root does, too" 0
done
run as $mal "$throng" note v 1 text
check_status "and changes nothing" 1
run "$throng" run v.yaml
check_status "root does not run what a user can change" 1

# ---- tools -----------------------------------------------------------------

tools_seen() { # the first folder on PATH of a running task
    as $ann "$throng" run -q t.yaml &
    wait_for 10 test -s path
    tools=$(cut -d: -f1 path)
}
tools_study() {
    cat >t.yaml <<'END'
command: [sh, -c, 'echo "$PATH" >path; until test -e go; do sleep 0.1; done']
method: grid
parameters: {x: {values: [1]}}
END
    chown $ann t.yaml
}

folder_of $ann tools 755 && tools_study
tools_seen
check_equal "tools lie in a folder of ours alone" "700 $ann" \
    "$(stat -c '%a %u' "$(dirname "$tools")")"
check_contains "beside the study" "$tools" "$ground/tools/.throng/t/last-words/"
touch go && wait
folder_of $ann tools-shared 755 && tools_study
mkdir -p .throng/t && chown -R $ann:$both .throng && chmod -R g+w .throng
tools_seen
check_equal "where a group may write they are ours alone, too" "700 $ann" \
    "$(stat -c '%a %u' "$(dirname "$tools")")"
check_lacks "and not beside the study, where they could be replaced" "$tools" \
    "$ground/tools-shared"
touch go && wait
check_equal "nothing is left of them" "" "$(ls "$ground/home-$ann/run")"

# ---- modes -----------------------------------------------------------------

folder_of $ann modes 755
cat >v.yaml <<'END'
command: [sh, -c, 'echo out; umask >umask-$THRONG_TRIAL; throng report y=1;
    echo model >$THRONG_OUTPUT/model; touch made-$THRONG_TRIAL']
method: grid
parameters: {x: {values: [1, 2]}}
metric: {name: y}
keep: all
on_finish: umask >umask-hook
END
run as $ann sh -c "umask 002; exec '$throng' run v.yaml"
check_status "a study runs" 0
check_equal "what throng writes is its user's alone" "" \
    "$(find .throng ! -name model -perm /077)"
check_equal "what tasks write elsewhere is as without throng" "664 0002" \
    "$(stat -c %a made-1) $(cat umask-1)"
check_equal "and what hooks write" "0002" "$(cat umask-hook)"
for verb in status "rank v" "show v 1" "status $PWD/.throng/v"; do
    run as $mal "$throng" $verb
    check_status "another user's \`$verb\` is refused" 1
    check_contains "with the owner, and what opens it" "$err" "uid $ann"
    check_contains "which is a key" "$err" "\`share: group\`"
done
run as $mal "$throng" ls
check_status "nor can he list what is in .throng" 1
check_contains "which is said" "$err" "\`share: group\`"
chmod 755 .throng
run as $mal "$throng" ls
check_matches "where he can, a closed study is named as such" "$out" \
    "^v	unreadable"
run as $mal "$throng" status
check_contains "and no other is taken for it" "$err" ".throng/v belongs to"
run "$throng" status
check_status "root may look" 0

# As an earlier throng has left it.
chmod 755 .throng .throng/v && find .throng -type f -exec chmod 644 {} +
run as $mal "$throng" status
check_status "an older study is open to others" 0
run as $ann "$throng" run v.yaml
check_status "and goes on" 0
check_contains "closed now, which is said" "$err" "was open to other users"
check_equal "to the store" "700 600" \
    "$(stat -c %a .throng/v .throng/v/study.db | xargs)"
run as $ann "$throng" run v.yaml
check_lacks "once" "$err" "was open to other users"

# ---- share: group ----------------------------------------------------------

echo 'share: group' >>v.yaml
chgrp 12999 .
run as $ann "$throng" run v.yaml
check_status "a group that the user is not in cannot share" 1
check_contains "with the way out" "$err" "\`chgrp GROUP $ground/modes\`"
chgrp $both .
echo 'run_cap: 2' >>v.yaml
run as $ann "$throng" run v.yaml
check_status "one that he is in can" 0
check_equal "what is there becomes the group's" "" \
    "$(find .throng/v -type d ! -perm 2770 -o ! -group $both -o \
        -type f ! -perm -660 -o -perm /007)"
check_equal "which gets through .throng" ".throng" \
    "$(find .throng -maxdepth 0 -perm -050)"
for verb in status rank "show v 1" "note v 1 hello" "tag v 1 good" \
    "rerun v 1" "add v x=1"; do
    run as $mal sh -c "umask 077; exec '$throng' $verb"
    check_status "a colleague's \`$verb\` works" 0
done
check_equal "what he wrote is the group's, too" "" \
    "$(find .throng/v ! -group $both -o -type f ! -perm -660)"
run as $mal "$throng" run v.yaml
check_status "to run it he has to trust its owner" 1
run as $ann "$throng" run v.yaml
check_status "the owner goes on with it" 0
check_equal "with the colleague's trials" "hello 4" \
    "$(as $ann "$throng" show v 1 --json | sed 's/.*"note":"\([^"]*\)".*/\1/') $(
        as $ann "$throng" export v --jsonl | wc -l)"
check_equal "new files are the group's" "" \
    "$(find .throng/v ! -group $both -o -type d ! -perm -2770 -o \
        -type f ! -name model -perm /007)"

# While it runs a colleague leaves requests.
cat >r.yaml <<'END'
command: [sh, -c, 'until test -e go; do sleep 0.1; done']
method: grid
parameters: {x: {values: [1]}}
share: group
END
chown $ann r.yaml
as $ann "$throng" run -q r.yaml &
running() { as $mal "$throng" status r | grep -q '^  running *1'; }
check "a colleague sees a running study" wait_for 10 running
check_equal "whose store is the group's from the beginning" "2770 660" \
    "$(stat -c %a .throng/r .throng/r/study.db | xargs)"
run as $mal "$throng" note r 1 seen
check_status "and is heard by its conductor" 0
run as $mal "$throng" kill r 1
check_status "also to end a trial" 0
touch go
wait
check_matches "which then ends so" "$(as $mal "$throng" export r --jsonl)" \
    '"state":"killed"'

sed -i '/share/d' v.yaml
run as $ann "$throng" run v.yaml
check_equal "without the key it is closed again" "700" "$(stat -c %a .throng/v)"
