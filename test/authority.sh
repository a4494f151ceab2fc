# authority.sh: sourced; makes certificates with openssl in the current directory.

# The extensions of certificates, as sections of an openssl config.
authority() {
	exec 2>openssl.log
	: >index
	echo 01 >serial
	cat - >conf <<-CONF
	$(cat)
	[v_ca]
	basicConstraints = critical, CA:TRUE
	keyUsage = critical, keyCertSign, cRLSign
	[v_client]
	extendedKeyUsage = clientAuth
	[req]
	distinguished_name = dn
	prompt = no
	[dn]
	[ca]
	default_ca = own
	[own]
	new_certs_dir = .
	database = index
	serial = serial
	default_md = sha256
	policy = any
	unique_subject = no
	[any]
	commonName = supplied
	organizationName = optional
	CONF
}

ec() { openssl ecparam -name "$1" -genkey -noout -out "$2"; }

root() {	# name, key, CN
	openssl req -new -x509 -key "$2" -subj "/CN=$3" -days 36500 -config conf \
		-extensions v_ca -out "$1.pem"
}

make() {	# name, key, CN, extensions, CA name, [start, end, more]
	local name=$1 key=$2 cn=$3 ext=$4 ca=$5 from=${6:-20200101000000Z}
	local to=${7:-21200101000000Z}
	shift 7 || shift $#
	openssl req -new -key "$key" -subj "${ORG:+/O=$ORG}/CN=$cn" -out "$name.csr" -config conf
	openssl ca -batch -notext -config conf -cert "$ca.pem" -keyfile "$ca.key" \
		-startdate "$from" -enddate "$to" -extensions "$ext" \
		-in "$name.csr" -out "$name.pem" "$@" >/dev/null
}
