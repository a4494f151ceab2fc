# Sourced: a port that stays the same when its server is started again, and that no
# connection is given meanwhile: below those the kernel hands out.
free_port() {	# one that nothing listens on now
	local port
	while :; do
		port=$((20000 + RANDOM % 12000))
		if ! (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; then
			echo $port
			return
		fi
	done
}
