#!/usr/bin/env bash
# An nvcc that cannot compile is as none, which is said when the build is set up
. "$(dirname "$0")/../cli/lib.sh"

# Its toolkit has the library that is linked; `fault` is what it says in place of
# compiling.
mkdir -p fakes toolkit/lib64
ar rc toolkit/lib64/libcudart_static.a
cat >fakes/nvcc <<'END'
#!/bin/sh
case " $* " in
*' --dryrun '*) echo "#\$ TOP=$TMP/toolkit" >&2 ;;
*' -c '*)
    echo "$*" >>"$TMP/asked"
    test -e "$TMP/fault" || exit 0
    cat "$TMP/fault" >&2
    exit 1
    ;;
esac
END
chmod +x fakes/nvcc

set_up() { # NAME
    run env -u CC PATH="$TMP/fakes:$PATH" meson setup "$TMP/$1" "$ROOT"
}
has_kernels() { grep -q '^build kernels:' "$1/build.ninja"; }

echo 'nvcc fatal : Unsupported gpu architecture compute_90' >fault
set_up old
check_status 'a build is set up where nvcc cannot compile' 0
check_contains 'that is said' "$out" "no throng-worker-cuda, although there is $TMP/fakes/nvcc"
check_contains 'with why' "$out" 'Unsupported gpu architecture compute_90'
check_contains 'it was asked for the GPUs that the kernels are for' \
    "$(cat asked)" 'arch=compute_90,code=[sm_90,compute_90]'
check_not 'and nothing is built with it' has_kernels old

if [[ ! -f $(cc -print-file-name=libstdc++.a) ]]; then
    skip 'where nvcc can, the kernels are to be built' 'needs libstdc++.a of g++'
    exit 0
fi
rm fault
set_up new
check_status 'it is set up where nvcc can' 0
check_lacks 'of which nothing is said' "$out" 'no throng-worker-cuda'
check 'and the kernels are to be built' has_kernels new
