# mco-daemon apply: no message contains a password hash, whatever the programs print.
. test/applets/node.sh
new='$6$rounds=4096$saltsalt$NEWHASHNEWHASHNEWHASH' old='$6$oldsalt$OLDHASHOLDHASHOLDHASH'
core() { printf '"passwd":{"users":[{"name":"core","sshAuthorizedKeys":["k"]%s}]}' "${1:+,\"passwordHash\":\"$1\"}"; }
# shellcheck disable=SC2016 # for the stand-ins
all='echo "given: $* $(timeout 5 cat)"; echo "given: $*" >&2; exit 1'
ln -sf "$TMP/stand-in" "$MCO_HOST_PATH/chpasswd"

silent() {	# name, the number of errors, their text
	same "$1: messages" '' "$(grep -he OLDHASH -e NEWHASH "$TMP/.out" "$TMP/.err" <(grep ^LOG "$CALLS"))"
	same "$1: errors" "$2" "$(grep -c '^Error: ' "$TMP/.err")"
	same "$1: why" "$2" "$(grep -c "^Error: .*${3:-}" "$TMP/.err")"
}
node() {
	new_node
	says 'getent shadow' "echo 'core:$old:1::::::'"
	mc r1 "$(core)"
	apply r1 0
	mc r2 "$(core "$new")"
	: > "$CALLS"
}

node
apply r2 0
silent 'a password that is set' 0

node
says usermod "$all"
says chpasswd "$all"
apply r2 1
silent 'programs that repeat what they are given' 1 'Failed to reset password for core'

node
rm "$MCO_HOST_PATH/usermod" "$MCO_HOST_PATH/chpasswd"
apply r2 1
silent 'programs that are not there' 1 'executable file not found'
ln -s "$TMP/stand-in" "$MCO_HOST_PATH/usermod"
ln -s "$TMP/stand-in" "$MCO_HOST_PATH/chpasswd"

# set, and then restored by a program that prints it
node
mc r2 "$(core "$new")" '"kernelArguments":["a"]'
# shellcheck disable=SC2016
again='in=$(timeout 5 cat); case "$* $in" in *OLDHASH*) echo "given: $* $in"; exit 1 ;; esac'
says usermod "$again"
says chpasswd "$again"
says 'rpm-ostree cleanup' 'echo busy >&2; exit 5'
apply r2 1
silent 'a password that cannot be set back' 1 'error rolling back password hash updates'

node
mc r2 "$(core "$new:x")"
apply r2 1
silent 'a hash that is none' 1 'the password hash of core contains an invalid character'

node
says 'getent shadow' "echo 'core:$old:1::::::'; echo 'core:$old' >&2; exit 2"
apply r2 1
silent 'a program that fails to tell' 1 'Failed to check password hash for core'
finish
