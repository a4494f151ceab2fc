# Sourced.
make_cert() {	# NAME: NAME.crt and NAME.key for 127.0.0.1
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
		-nodes -keyout "$1.key" -out "$1.crt" -days 2 \
		-subj /CN=cluster -addext subjectAltName=IP:127.0.0.1 2>/dev/null
}
