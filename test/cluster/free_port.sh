# Sourced: returns a port that a server can reuse after a restart. It is below the
# kernel's ephemeral range, so no connection gets it meanwhile.
free_port() {	# a port without a listener
	local port
	while :; do
		port=$((20000 + RANDOM % 12000))
		if ! (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; then
			echo $port
			return
		fi
	done
}
