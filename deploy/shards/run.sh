#!/bin/sh
# Runs a daemon for each shard on this machine, in the directory in which make.sh
# ran. Those that are named do the work of their shard. The others stand by for
# another machine, which has the same directory and names the others:
#
#   SHARDS=8 sh run.sh 0 1 2 3
#   SHARDS=8 sh run.sh 4 5 6 7
set -eu
SHARDS=${SHARDS:-2}
mine=" $* "
pids=
trap 'kill $pids 2>/dev/null || true; wait' INT TERM EXIT
for k in $(seq 0 $((SHARDS - 1))); do
	case $mine in
	*" $k "*) shadowd run --config "shard-$k.yml" & ;;
	*) shadowd run --config "shard-$k.yml" --standby & ;;
	esac
	pids="$pids $!"
done
wait
