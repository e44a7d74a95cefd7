#!/usr/bin/env bash
# Tasks with ranks on this machine: mpiexec starts them. Where there is none, a
# stand-in on PATH does, that runs the command once for each rank.
. "$(dirname "$0")/lib.sh"
mkdir bin
cat >bin/mpiexec <<'END'
#!/bin/sh
# mpiexec -n RANKS COMMAND...
[ "$1" = -n ] && [ "$2" -gt 0 ] || { echo "mpiexec: usage: $*" >&2; exit 2; }
ranks=$2 rank=0
shift 2
while [ $rank -lt "$ranks" ]; do
    PMI_RANK=$rank PMI_SIZE=$ranks "$@" &
    rank=$((rank + 1))
done
wait
END
chmod +x bin/mpiexec
cat >rank.sh <<'END'
echo "$PMI_RANK" >"$THRONG_OUTPUT/rank.$PMI_RANK"
echo "threads $OMP_NUM_THREADS"
[ "$PMI_RANK" != 0 ] || echo "::throng size=$PMI_SIZE"
END
study() { # NAME RESOURCES
    printf '%s\n' "command: [sh, rank.sh]" 'method: grid' \
        'metric: {name: size}' 'parameters: {x: {values: [1]}}' \
        "resources: {$2}" >"$1.yaml"
}
ranks() { # NAME
    cat ".throng/$1/trials/0/1"/output/rank.* | sort -n | xargs
}

study stand 'ranks: 3, cpus: 1'
PATH=$TMP/bin:$PATH run "$THRONG" run stand.yaml
check_status "a study with ranks runs here" 0
check_equal "each rank ran" '0 1 2' "$(ranks stand)"
check_equal "the first one reports" 3.0 \
    "$(sqlite3 .throng/stand/study.db 'select value from trials')"
run "$THRONG" logs stand 1
check_contains "each has its own part of the cpus" "$out" 'threads 1'

if command -v mpiexec.hydra >/dev/null; then
    mkdir real && printf '#!/bin/sh\nexec mpiexec.hydra "$@"\n' >real/mpiexec
    chmod +x real/mpiexec
    study real 'ranks: 2, cpus: 1'
    PATH=$TMP/real:$PATH run "$THRONG" run real.yaml
    check_status "a real MPI starts them" 0
    check_equal "all of them" '0 1' "$(ranks real)"
else
    skip "a real MPI starts them" "no mpiexec.hydra (package mpich)"
fi

# A command that starts its ranks itself is started once.
study own 'ranks: 2, cpus: 1'
sed -i 's/^command:.*/command: [mpiexec, -n, "2", sh, rank.sh]/' own.yaml
PATH=$TMP/bin:$PATH run "$THRONG" run own.yaml
check_status "a command that begins with mpiexec runs" 0
check_equal "and its ranks are started once" 2 \
    "$("$THRONG" logs own 1 | grep -c threads)"

study nodes 'nodes: 2'
PATH=$TMP/bin:$PATH run "$THRONG" run nodes.yaml
check "several nodes are refused here" test "$status" -ne 0
check_contains "in words" "$err" 'needs 2 nodes, this is one machine'

study follows 'ranks: 4, ranks_per_node: 2, cpus: 1'
PATH=$TMP/bin:$PATH run "$THRONG" run follows.yaml
check_contains "also those that follow from ranks_per_node" "$err" \
    'needs 2 nodes, this is one machine'

study none 'ranks: 2, cpus: 1'
mkdir only && for p in sh env python3 git; do
    ln -s "$(command -v $p)" only/
done
run env PATH="$TMP/only" "$THRONG" check none.yaml
check "without an MPI check fails" test "$status" -ne 0
check_contains "with the place and the way out" "$err$out" \
    'none.yaml:5:12: error: resources: ranks are started by mpiexec here'
