#!/bin/sh
# Writes n1.conf, n2.conf and n3.conf for a cluster of three NATS servers, and
# config.yml for the daemons, into the working directory. Keys are made once,
# in nkeys. Flags go to shadowd bus config. Addresses and commanders can be set:
set -eu
COMMANDERS=${COMMANDERS:-cmd-impl,cmd-test}
CLIENTS=${CLIENTS:-127.0.0.1:4222 127.0.0.1:4223 127.0.0.1:4224} # where clients connect
ROUTES=${ROUTES:-127.0.0.1:6222 127.0.0.1:6223 127.0.0.1:6224}   # where the servers connect to each other
STORE=${STORE:-$PWD}                                             # for n1, n2 and n3

umask 077 # the files hold the password of the cluster
list() { echo "$@" | sed 's,[^ ]*,nats://&,g; s/ /,/g'; }
routes=$(list $ROUTES)
n=0
for client in $CLIENTS; do
	n=$((n + 1))
	shadowd bus config --commanders "$COMMANDERS" --server-name "n$n" --listen "$client" --store-dir "$STORE/n$n" \
		--cluster swarm --routes "$routes" --route-at "$(echo $ROUTES | cut -d' ' -f$n)" "$@" >"n$n.conf"
done
# What shadowd has to know stands in a comment of each: the same but for the
# address.
sed -n "/^#   bus:/,/^#\$/s|^#   ||p" n1.conf | sed "s|url: .*|url: \"$(list $CLIENTS)\"|" >config.yml
