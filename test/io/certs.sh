#!/bin/bash
# certs.sh DIR: authorities, keys and certificates for the tests of io/tls, made
# by openssl, good ones and bad ones.
set -eu
. test/authority.sh
cd "$1"
ORG=system:tests
authority <<CONF
[v_inter]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign
[v_server]
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, DNS:*.wild.example, DNS:mcs.example, IP:127.0.0.1, IP:::1
[v_limited]
basicConstraints = CA:TRUE
nameConstraints = permitted;DNS:only.example
[v_noip]
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost
[v_nosan]
extendedKeyUsage = serverAuth
[v_critical]
subjectAltName = DNS:localhost
1.2.3.4 = critical, ASN1:NULL
CONF

openssl genrsa -traditional -out ca.key 2048
root ca ca.key "test CA"
ec secp384r1 ecca.key
root ecca ecca.key "test EC CA"
ec prime256v1 stranger.key
root stranger stranger.key "stranger CA"
ec prime256v1 inter.key
make inter inter.key "test intermediate" v_inter ca
make limited inter.key "test limited" v_limited ca
cp inter.key limited.key

openssl genrsa -traditional -out rsa.key 2048
openssl pkcs8 -topk8 -nocrypt -in rsa.key -out rsa.pk8
openssl rsa -aes128 -passout pass:x -in rsa.key -out rsa.enc -traditional
openssl pkcs8 -topk8 -passout pass:x -in rsa.key -out rsa.enc8
ec prime256v1 p256.key
openssl pkcs8 -topk8 -nocrypt -in p256.key -out p256.pk8
openssl ecparam -name prime256v1 -genkey -out p256.params
ec secp384r1 p384.key
ec secp521r1 p521.key
openssl genpkey -algorithm ed25519 -out ed.key

make rsa rsa.key server v_server ca
make p256 p256.key server v_server ecca
make p384 p384.key server v_server ca '' ''
make p521 p521.key server v_server ca '' ''
make leaf p256.key server v_server inter
cat leaf.pem inter.pem > chain.pem
cat leaf.pem ecca.pem stranger.pem inter.pem > jumbled.pem
make beyond p256.key server v_server limited
cat beyond.pem limited.pem > beyond-chain.pem
make expired p256.key server v_server ca 20200101000000Z 20210101000000Z
make future p256.key server v_server ca 21000101000000Z 21200101000000Z
make noip p256.key server v_noip ca
make nosan p256.key localhost v_nosan ca
make critical p256.key server v_critical ca
make sha1 p256.key server v_server ca '' '' -md sha1
make client p256.key system:node:worker-0 v_client ca
make rsaclient rsa.key rsa-client v_client ca
openssl req -new -x509 -key p256.key -subj /CN=self -days 36500 -config conf \
	-extensions v_server -out self.pem
# a certificate signed by one that is no authority
cp p256.pem leaf2.pem; cp p256.key leaf2.key
make under p384.key server v_server leaf2
cat under.pem leaf2.pem > under-chain.pem
