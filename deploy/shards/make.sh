#!/bin/sh
# Writes nats.conf for a NATS server or cluster with several shards, and
# shard-K.yml for the daemons of each, into the working directory. Keys are
# made once: in front for who publishes, and in shard-K for shadowd, its
# operator and who reads. What it says of the swarm can be set:
set -eu
SHARDS=${SHARDS:-2}
COMMANDERS=${COMMANDERS:-cmd-impl cmd-test}
STORE=${STORE:-/var/lib/nats}

umask 077
config() { shadowd bus config --commanders "$(echo $COMMANDERS | tr ' ' ,)" --store-dir "$STORE" --nkeys "$1"; }
config front >/dev/null # for its keys
last=$((SHARDS - 1))

# A shard has the accounts of the wall as shadowd bus config prints them, with
# its number behind their names. Its inputs are open to the account SHARDS, too.
shard() {
	config "shard-$1" >"shard-$1.conf"
	{
		sed -n "/^#   bus:/,/^#\$/s|^#   ||p" "shard-$1.conf"
		echo "  data_dir: shard-$1/data"
	} >"shard-$1.yml"
	sed -n '/^accounts {/,/^}/p' "shard-$1.conf" | sed -E \
		-e '/^accounts \{|^\}$|  SYS \{\}|^  # For the server/d' \
		-e "s/^  ([A-Z][A-Za-z0-9_-]*) \{/  \1_$1 {/; s/account: SHADOW,/account: SHADOW_$1,/" \
		-e "/accounts: \[/s/([A-Z][A-Za-z0-9_-]*)([],]) /\1_$1\2 /g" \
		-e '/service: "swarm\./s/\] \}/, SHARDS] }/'
	rm "shard-$1.conf"
}

inputs() { # USER
	case $1 in
	nexus) echo 'decomposition-done.*' ;;
	*) echo "bundle-complete.*.${1#commander-} fix-submitted.*.${1#commander-}" ;;
	esac
}

# SHARDS has no users. What comes in goes to the shard that the hash of the
# run's id says, which is the first *.
shards() {
	echo '  SHARDS {'
	echo '    mappings: {'
	echo "      \"swarm.decomposition-done.*\": \"shard.{{partition($SHARDS,1)}}.decomposition-done.{{wildcard(1)}}\""
	for name in bundle-complete fix-submitted; do
		echo "      \"swarm.$name.*.*\": \"shard.{{partition($SHARDS,1)}}.$name.{{wildcard(1)}}.{{wildcard(2)}}\""
	done
	echo '    }'
	echo '    imports: ['
	for s in $all; do
		for k in $(seq 0 $last); do echo "      { service: { account: SHADOW_$k, subject: \"swarm.$s\" }, to: \"shard.$k.$s\" }"; done
	done
	echo '    ]'
	echo '    exports: ['
	for u in $users; do
		for s in $(inputs "$u"); do echo "      { service: \"swarm.$s\", accounts: [FRONT_$u] }"; done
	done
	echo '    ]'
	echo '  }'
}

# front is the account by which a user publishes on the subjects that all know.
front() { # USER
	echo "  FRONT_$1 {"
	echo '    limits { max_connections: 256, max_subscriptions: 4096 }'
	echo '    imports: ['
	for s in $(inputs "$1"); do echo "      { service: { account: SHARDS, subject: \"swarm.$s\" } }"; done
	echo '    ]'
	echo "    users: [{ nkey: $(cat "front/$1.pub"), permissions: {"
	echo "      publish: { allow: [$(printf '"swarm.%s", ' $(inputs "$1") | sed 's/, $//')] }"
	echo "      subscribe: { allow: [\"_INBOX_$1.>\"] } } }]"
	echo '  }'
}

set -f # a * in a subject is no file
users=nexus all='decomposition-done.*'
for c in $COMMANDERS; do
	users="$users commander-$c"
	all="$all $(inputs "commander-$c")"
done
{
	config front | sed -n '/^server_name:/,/^system_account:/p'
	echo 'accounts {'
	echo '  SYS {}'
	for k in $(seq 0 $last); do shard "$k"; done
	shards
	for u in $users; do front "$u"; done
	echo '}'
} >nats.conf
