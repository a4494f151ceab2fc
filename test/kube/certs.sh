#!/bin/bash
# certs.sh DIR: two authorities, servers and clients of each, for the tests of
# kube and of the commands that use it.
set -eu
. test/authority.sh
cd "$1"
authority <<CONF
[v_server]
extendedKeyUsage = serverAuth
subjectAltName = IP:127.0.0.1, DNS:localhost
[v_name]
extendedKeyUsage = serverAuth
subjectAltName = DNS:api.example
[v_ip]
extendedKeyUsage = serverAuth
subjectAltName = IP:10.1.2.3
CONF
give() {	# NAME CN EXTENSIONS CA [END]
	ec prime256v1 "$1.key"
	make "$1" "$1.key" "$2" "$3" "$4" '' "${5-}"
}
for ca in ca other; do
	ec prime256v1 $ca.key
	root $ca $ca.key $ca
done
give server server v_server ca
give moved server v_server other
give name server v_name ca
give ip server v_ip ca
give expired server v_server ca 20210101000000Z
give alice alice v_client ca
give bob bob v_client ca
