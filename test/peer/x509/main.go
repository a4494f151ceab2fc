// Writes cases for test/io/test_x509_chain.c: certificates, and whether Go's
// crypto/x509 accepts them. Without arguments the named cases, which are kept in
// test/io/x509_chain.txt; with SEED and N, N random sets of certificates.
//
// Lines: "cert NAME BASE64"; "case NAME", "roots NAME...", "shown NAME...",
// "host HOST", "use server|client", "want accepted|refused".
//
// Negative serial numbers are refused, as by programs built with Go modules.
//
//go:debug x509negativeserial=0
package main

import (
	"bufio"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	cryptorand "crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"fmt"
	"math/big"
	"math/rand"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

var out = bufio.NewWriter(os.Stdout)

// The current time in all cases.
var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func der(v any) []byte {
	b, err := asn1.Marshal(v)
	must(err)
	return b
}

// ---- extensions -------------------------------------------------------------------

type ext = pkix.Extension

func std(n int, critical bool, value []byte) ext {
	return ext{Id: asn1.ObjectIdentifier{2, 5, 29, n}, Critical: critical, Value: value}
}

func basic(ca bool, pathLen int) ext {
	if pathLen < 0 {
		return std(19, true, der(struct {
			CA bool `asn1:"optional"`
		}{ca}))
	}
	return std(19, true, der(struct {
		CA  bool `asn1:"optional"`
		Len int
	}{ca, pathLen}))
}

func usage(bits byte) ext {
	return std(15, true, der(asn1.BitString{Bytes: []byte{bits}, BitLength: 8}))
}

func eku(last ...int) ext {
	var oids []asn1.ObjectIdentifier
	for _, n := range last {
		if n < 0 {
			oids = append(oids, asn1.ObjectIdentifier{2, 5, 29, 37, 0})
		} else {
			oids = append(oids, asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, n})
		}
	}
	return std(37, false, der(oids))
}

// "dns:a.example", "ip:10.0.0.1", "net:10.0.0.0/8", "email:...", "uri:...", "dir:"
func general(s string) asn1.RawValue {
	kind, value, _ := strings.Cut(s, ":")
	v := asn1.RawValue{Class: asn1.ClassContextSpecific, Bytes: []byte(value)}
	switch kind {
	case "email":
		v.Tag = 1
	case "dns":
		v.Tag = 2
	case "dir":
		v.Tag, v.IsCompound, v.Bytes = 4, true, name("dir")
	case "uri":
		v.Tag = 6
	case "ip":
		v.Tag, v.Bytes = 7, net.ParseIP(value)
		if four := net.ParseIP(value).To4(); four != nil {
			v.Bytes = four
		}
	case "net":
		_, n, err := net.ParseCIDR(value)
		must(err)
		v.Tag, v.Bytes = 7, append(append([]byte{}, n.IP...), n.Mask...)
	default:
		panic(s)
	}
	return v
}

func san(names ...string) ext { return sanCritical(false, names...) }
func sanCritical(critical bool, names ...string) ext {
	var list []asn1.RawValue
	for _, n := range names {
		list = append(list, general(n))
	}
	return std(17, critical, der(list))
}

func limits(critical bool, permitted, excluded []string) ext {
	type subtree struct{ Base asn1.RawValue }
	trees := func(names []string) (list []subtree) {
		for _, n := range names {
			list = append(list, subtree{general(n)})
		}
		return
	}
	return std(30, critical, der(struct {
		Permitted []subtree `asn1:"optional,omitempty,tag:0"`
		Excluded  []subtree `asn1:"optional,omitempty,tag:1"`
	}{trees(permitted), trees(excluded)}))
}

// ---- certificates -----------------------------------------------------------------

var keys = map[string]*ecdsa.PrivateKey{}

func key(id string) *ecdsa.PrivateKey {
	if keys[id] == nil {
		k, err := ecdsa.GenerateKey(elliptic.P256(), cryptorand.Reader)
		must(err)
		keys[id] = k
	}
	return keys[id]
}

func name(cn string) []byte { return der(pkix.Name{CommonName: cn}.ToRDNSequence()) }

type spec struct {
	subject, issuer string
	key, by         string // their keys; "": as the names
	version         int    // 0: 3
	from, to        int    // years; 0: 2020 to 2120
	serial          int64
	exts            []ext
}

var serial int64

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func make509(s spec) []byte {
	ecdsaSHA256 := pkix.AlgorithmIdentifier{Algorithm: asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}}
	spki, err := x509.MarshalPKIXPublicKey(key(or(s.key, s.subject)).Public())
	must(err)
	serial++
	if s.serial == 0 {
		s.serial = serial
	}
	if s.version == 0 {
		s.version = 3
	}
	if s.from == 0 {
		s.from = 2020
	}
	if s.to == 0 {
		s.to = 2120
	}
	tbs := der(struct {
		Version  int `asn1:"optional,explicit,default:0,tag:0"`
		Serial   *big.Int
		Alg      pkix.AlgorithmIdentifier
		Issuer   asn1.RawValue
		Validity struct{ From, To time.Time }
		Subject  asn1.RawValue
		SPKI     asn1.RawValue
		Exts     []ext `asn1:"optional,omitempty,explicit,tag:3"`
	}{s.version - 1, big.NewInt(s.serial), ecdsaSHA256, asn1.RawValue{FullBytes: name(s.issuer)},
		struct{ From, To time.Time }{time.Date(s.from, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(s.to, 1, 1, 0, 0, 0, 0, time.UTC)},
		asn1.RawValue{FullBytes: name(s.subject)}, asn1.RawValue{FullBytes: spki}, s.exts})
	sum := sha256.Sum256(tbs)
	sig, err := key(or(s.by, s.issuer)).Sign(cryptorand.Reader, sum[:], crypto.SHA256)
	must(err)
	return der(struct {
		TBS asn1.RawValue
		Alg pkix.AlgorithmIdentifier
		Sig asn1.BitString
	}{asn1.RawValue{FullBytes: tbs}, ecdsaSHA256, asn1.BitString{Bytes: sig, BitLength: 8 * len(sig)}})
}

var certs = map[string][]byte{}

func cert(id string, s spec) string {
	certs[id] = make509(s)
	fmt.Fprintf(out, "cert %s %s\n", id, base64.StdEncoding.EncodeToString(certs[id]))
	return id
}

// ---- cases ------------------------------------------------------------------------

func accepted(roots, shown []string, host, use string) bool {
	opts := x509.VerifyOptions{Roots: x509.NewCertPool(), Intermediates: x509.NewCertPool(),
		DNSName: host, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	if use == "client" {
		opts.KeyUsages = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	}
	for _, id := range roots {
		if c, err := x509.ParseCertificate(certs[id]); err == nil {
			opts.Roots.AddCert(c)
		}
	}
	var leaf *x509.Certificate
	for i, id := range shown {
		if certs[id] == nil {
			panic(id)
		}
		c, err := x509.ParseCertificate(certs[id])
		if err != nil {
			return false
		}
		if i == 0 {
			leaf = c
		} else {
			opts.Intermediates.AddCert(c)
		}
	}
	_, err := leaf.Verify(opts)
	return err == nil
}

func try(id string, roots, shown string, host, use string) {
	r, s := strings.Fields(roots), strings.Fields(shown)
	want := "refused"
	if accepted(r, s, host, use) {
		want = "accepted"
	}
	fmt.Fprintf(out, "case %s\nroots %s\nshown %s\nhost %s\nuse %s\nwant %s\n", id, roots, shown, host, use, want)
}

const certSign = 0x04

var ca = []ext{basic(true, -1), usage(certSign)}

func named() {
	const host = "a.example"
	leafExts := []ext{eku(1), san("dns:a.example", "ip:10.0.0.1")}
	root := cert("root", spec{subject: "root", issuer: "root", exts: ca})
	inter := cert("inter", spec{subject: "inter", issuer: "root", exts: ca})
	leaf := cert("leaf", spec{subject: "leaf", issuer: "inter", exts: leafExts})
	direct := cert("direct", spec{subject: "leaf", issuer: "root", exts: leafExts})
	cert("stranger", spec{subject: "stranger", issuer: "stranger", exts: ca})
	server := func(id, roots, shown string) { try(id, roots, shown, host, "server") }
	_ = inter

	server("direct", root, direct)
	server("chain", root, "leaf inter")
	server("no-intermediate", root, leaf)
	server("stranger", "stranger", "leaf inter")
	server("strangers-beside", "stranger root", "leaf stranger inter")
	server("no-roots", "", "leaf inter root")
	server("leaf-is-root", leaf, leaf)
	server("intermediate-is-root", "inter", "leaf inter")
	try("wrong-host", root, direct, "b.example", "server")
	try("wrong-use", root, direct, host, "client")

	// times
	for _, t := range []struct {
		id       string
		from, to int
	}{{"expired", 2010, 2021}, {"future", 2100, 2120}} {
		cert("root-"+t.id, spec{subject: "root", issuer: "root", from: t.from, to: t.to, exts: ca})
		cert("inter-"+t.id, spec{subject: "inter", issuer: "root", from: t.from, to: t.to, exts: ca})
		cert("leaf-"+t.id, spec{subject: "leaf", issuer: "inter", from: t.from, to: t.to, exts: leafExts})
		server("root-"+t.id, "root-"+t.id, direct)
		server("root-"+t.id+"-deep", "root-"+t.id, "leaf inter")
		server("inter-"+t.id, root, "leaf inter-"+t.id)
		server("leaf-"+t.id, root, "leaf-"+t.id+" inter")
		server("root-"+t.id+"-first", "root-"+t.id+" root", direct)
		server("root-"+t.id+"-last", "root root-"+t.id, direct)
		server("inter-"+t.id+"-first", root, "leaf inter-"+t.id+" inter")
		server("inter-"+t.id+"-last", root, "leaf inter inter-"+t.id)
		server("leaf-is-root-"+t.id, "leaf-"+t.id, "leaf-"+t.id)
	}

	// who may sign
	cert("root-v1", spec{subject: "root", issuer: "root", version: 1})
	cert("inter-v1", spec{subject: "inter", issuer: "root", version: 1})
	cert("root-v3-bare", spec{subject: "root", issuer: "root"})
	cert("root-not-ca", spec{subject: "root", issuer: "root", exts: []ext{basic(false, -1)}})
	cert("root-no-sign", spec{subject: "root", issuer: "root", exts: []ext{basic(true, -1), usage(0x80)}})
	cert("root-usage-alone", spec{subject: "root", issuer: "root", exts: []ext{usage(certSign)}})
	cert("inter-bare", spec{subject: "inter", issuer: "root"})
	cert("inter-not-ca", spec{subject: "inter", issuer: "root", exts: []ext{basic(false, -1), usage(certSign)}})
	cert("inter-no-sign", spec{subject: "inter", issuer: "root", exts: []ext{basic(true, -1), usage(0x80)}})
	for _, r := range []string{"root-v1", "root-v3-bare", "root-not-ca", "root-no-sign", "root-usage-alone"} {
		server(r, r, direct)
		server(r+"-deep", r, "leaf inter")
		server(r+"-and-good", r+" root", direct)
	}
	for _, i := range []string{"inter-v1", "inter-bare", "inter-not-ca", "inter-no-sign"} {
		server(i, root, "leaf "+i)
		server(i+"-and-good", root, "leaf "+i+" inter")
	}
	cert("root-odd-key", spec{subject: "root", issuer: "root", key: "odd", by: "odd", exts: ca})
	server("same-name-other-key", "root-odd-key root", "leaf inter")
	server("other-key-alone", "root-odd-key", "leaf inter")
	cert("leaf-forged", spec{subject: "leaf", issuer: "inter", by: "odd", exts: leafExts})
	server("forged", root, "leaf-forged inter")

	// path lengths: of the chain root - two - one - leaf
	for _, n := range []int{0, 1, 2} {
		cert(fmt.Sprintf("root-len%d", n), spec{subject: "root", issuer: "root", exts: []ext{basic(true, n)}})
		cert(fmt.Sprintf("two-len%d", n), spec{subject: "two", issuer: "root", exts: []ext{basic(true, n)}})
	}
	cert("two", spec{subject: "two", issuer: "root", exts: ca})
	cert("one", spec{subject: "one", issuer: "two", exts: ca})
	cert("one-len0", spec{subject: "one", issuer: "two", exts: []ext{basic(true, 0)}})
	cert("leaf-one", spec{subject: "leaf", issuer: "one", exts: leafExts})
	cert("leaf-ca", spec{subject: "leaf", issuer: "root", exts: append([]ext{basic(true, 0)}, leafExts...)})
	for _, n := range []int{0, 1, 2} {
		r := fmt.Sprintf("root-len%d", n)
		server(r+"-direct", r, direct)
		server(r+"-one", r, "leaf inter")
		server(r+"-two", r, "leaf-one one two")
		server(fmt.Sprintf("two-len%d", n), root, fmt.Sprintf("leaf-one one two-len%d", n))
	}
	server("one-len0", root, "leaf-one one-len0 two")
	server("leaf-len0", root, "leaf-ca")
	server("path-jumbled", root, "leaf-one root two one")

	// extensions
	odd := ext{Id: asn1.ObjectIdentifier{1, 2, 3, 4}, Critical: true, Value: []byte{5, 0}}
	cert("root-critical", spec{subject: "root", issuer: "root", exts: append([]ext{odd}, ca...)})
	cert("inter-critical", spec{subject: "inter", issuer: "root", exts: append([]ext{odd}, ca...)})
	cert("leaf-critical", spec{subject: "leaf", issuer: "inter", exts: append([]ext{odd}, leafExts...)})
	server("root-critical", "root-critical", direct)
	server("root-critical-and-good", "root-critical root", direct)
	server("inter-critical", root, "leaf inter-critical")
	server("leaf-critical", root, "leaf-critical inter")
	cert("leaf-twice", spec{subject: "leaf", issuer: "inter", exts: append(leafExts, san("dns:b.example"))})
	server("extension-twice", root, "leaf-twice inter")
	cert("leaf-v1-exts", spec{subject: "leaf", issuer: "inter", version: 1, exts: leafExts})
	server("extensions-of-version-1", root, "leaf-v1-exts inter")
	cert("leaf-negative", spec{subject: "leaf", issuer: "inter", serial: -7, exts: leafExts})
	server("negative-serial", root, "leaf-negative inter")
	cert("leaf-policy", spec{subject: "leaf", issuer: "inter", exts: append([]ext{std(32, true,
		der([]struct{ ID asn1.ObjectIdentifier }{{asn1.ObjectIdentifier{1, 2, 3}}}))}, leafExts...)})
	server("critical-policies", root, "leaf-policy inter")
	cert("inter-policy", spec{subject: "inter", issuer: "root", exts: append([]ext{std(36, false,
		der(struct {
			Explicit int `asn1:"tag:0"`
		}{0}))}, ca...)})
	server("policy-required", root, "leaf inter-policy")
	cert("leaf-san-dir", spec{subject: "leaf", issuer: "inter", exts: []ext{eku(1), sanCritical(true, "dir:")}})
	try("critical-names-unread", root, "leaf-san-dir inter", "", "server")

	// extended key usage, at every level
	uses := []struct {
		id string
		e  ext
	}{{"server", eku(1)}, {"client", eku(2)}, {"both", eku(1, 2)}, {"any", eku(-1)}, {"mail", eku(4)}}
	for _, u := range uses {
		cert("root-eku-"+u.id, spec{subject: "root", issuer: "root", exts: append([]ext{u.e}, ca...)})
		cert("inter-eku-"+u.id, spec{subject: "inter", issuer: "root", exts: append([]ext{u.e}, ca...)})
		cert("leaf-eku-"+u.id, spec{subject: "leaf", issuer: "inter", exts: []ext{u.e, san("dns:a.example")}})
	}
	for _, u := range uses {
		for _, use := range []string{"server", "client"} {
			try("root-eku-"+u.id+"-"+use, "root-eku-"+u.id, "leaf-eku-both inter", host, use)
			try("inter-eku-"+u.id+"-"+use, root, "leaf-eku-both inter-eku-"+u.id, host, use)
			try("leaf-eku-"+u.id+"-"+use, root, "leaf-eku-"+u.id+" inter", host, use)
		}
	}
	server("eku-next-root", "root-eku-client root-eku-server", direct)
	server("eku-next-inter", root, "leaf inter-eku-client inter")

	constraints(root)
}

func constraints(root string) {
	for i, c := range []struct {
		permitted, excluded, names string
	}{
		{"dns:example", "", "dns:a.example"},
		{"dns:example", "", "dns:example"},
		{"dns:example", "", "dns:A.Example"},
		{"dns:EXAMPLE", "", "dns:a.example"},
		{"dns:example", "", "dns:badexample"},
		{"dns:example", "", "dns:a.other"},
		{"dns:example", "", "dns:a.example dns:a.other"},
		{"dns:.example", "", "dns:a.example"},
		{"dns:.example", "", "dns:example"},
		{"dns:other dns:a.example", "", "dns:a.example"},
		{"dns:a.example", "", "dns:*.example"},
		{"dns:example", "", "dns:*.example"},
		{"dns:", "", "dns:a.example"},
		{"", "dns:", "dns:a.example"},
		{"", "dns:example", "dns:a.example"},
		{"", "dns:other", "dns:a.example"},
		{"", "dns:a.example", "dns:*.example"},
		{"", "dns:b.a.example", "dns:*.example"},
		{"", "dns:b.a.example", "dns:a.example"},
		{"dns:example", "dns:a.example", "dns:a.example"},
		{"dns:example", "dns:a.example", "dns:b.example"},
		{"dns:example", "", "dns:a.example."},
		{"dns:example", "", "dns:a..example"},
		{"dns:example", "", "ip:10.0.0.1"},
		{"dns:example", "", "email:user@other"},
		{"net:10.0.0.0/8", "", "ip:10.0.0.1"},
		{"net:10.0.0.0/8", "", "ip:11.0.0.1"},
		{"net:10.0.0.0/8", "", "ip:fd00::1"},
		{"net:10.0.0.0/8", "", "dns:a.example"},
		{"net:fd00::/8", "", "ip:fd00::1"},
		{"net:fd00::/8", "", "ip:fe00::1"},
		{"net:fd00::/8", "", "ip:10.0.0.1"},
		{"net:10.0.0.1/32", "", "ip:10.0.0.1 dns:a.example"},
		{"", "net:10.0.0.0/9", "ip:10.128.0.1"},
		{"", "net:10.0.0.0/9", "ip:10.127.0.1"},
		{"", "net:0.0.0.0/0", "ip:10.127.0.1"},
		{"", "net:0.0.0.0/0", "ip:fd00::1"},
		{"email:example", "", "email:user@example"},
		{"email:example", "", "email:user@EXAMPLE"},
		{"email:example", "", "email:user@other"},
		{"email:user@example", "", "email:user@example"},
		{"email:user@example", "", "email:User@example"},
		{"email:user@example", "", "email:user@Example"},
		{"email:example", "", "email:nobody"},
		{"", "email:.example", "email:user@a.example"},
		{"", "email:.example", "email:user@example"},
		{"uri:example", "", "uri:https://a.example/x"},
		{"uri:example", "", "uri:https://a.other/x"},
		{"uri:example", "", "uri:https://u@a.example:8443/x"},
		{"uri:example", "", "uri:https://10.0.0.1/x"},
		{"uri:example", "", "uri:https://[fd00::1]/x"},
		{"uri:example", "", "uri:urn:x"},
		{"dns:example", "", "uri:spiffe://cluster/x"},
		{"", "uri:cluster", "uri:spiffe://cluster/x"},
		{"dir:", "", "dns:a.example"},
		{"dir: dns:example", "", "dns:a.other"},
	} {
		p, e, names := strings.Fields(c.permitted), strings.Fields(c.excluded), strings.Fields(c.names)
		leaf := cert(fmt.Sprintf("named%d", i), spec{subject: "leaf", issuer: "inter", exts: []ext{san(names...)}})
		for _, critical := range []bool{false, true} {
			id := fmt.Sprintf("limits%d-%v", i, critical)
			cert(id, spec{subject: "inter", issuer: "root", exts: append([]ext{limits(critical, p, e)}, ca...)})
			try(id, root, leaf+" "+id, "", "server")
		}
	}
	example := []string{"dns:example"}
	cert("root-limits", spec{subject: "root", issuer: "root", exts: append([]ext{limits(false, example, nil)}, ca...)})
	cert("inter-other", spec{subject: "inter", issuer: "root", exts: append([]ext{limits(false, []string{"dns:other"}, nil)}, ca...)})
	cert("inter-named", spec{subject: "inter", issuer: "root", exts: append([]ext{san("dns:a.other")}, ca...)})
	try("root-limits", "root-limits", "direct", "", "server")
	try("root-limits-deep", "root-limits", "leaf inter", "", "server")
	try("limits-of-both", "root-limits", "leaf inter-other", "", "server")
	try("limits-next", root, "leaf inter-other inter", "", "server")
	try("limits-next-root", "root-limits root", "leaf inter-other inter", "", "server")
	try("limits-of-an-intermediates-name", "root-limits", "leaf inter-named", "", "server")
	cert("leaf-other", spec{subject: "leaf", issuer: "root", exts: []ext{san("dns:a.other")}})
	try("root-limits-other", "root-limits", "leaf-other", "", "server")
	cert("self-limits", spec{subject: "self", issuer: "self", exts: []ext{basic(true, -1), limits(true, example, nil), san("dns:a.other")}})
	try("limits-of-oneself", "self-limits", "self-limits", "a.other", "server")
	cert("limits-empty", spec{subject: "inter", issuer: "root", exts: append([]ext{limits(false, nil, nil)}, ca...)})
	try("limits-empty", root, "leaf limits-empty", "", "server")
	cert("limits-mask", spec{subject: "inter", issuer: "root", exts: append([]ext{std(30, false,
		[]byte{0x30, 14, 0xA0, 12, 0x30, 10, 0x87, 8, 10, 0, 0, 0, 255, 0, 255, 0})}, ca...)})
	try("limits-mask", root, "leaf limits-mask", "", "server")
}

// ---- random cases -----------------------------------------------------------------

// Older releases of Go check name constraints against the leaf alone.
func checksAllNames() bool {
	cert("probe-root", spec{subject: "probe", issuer: "probe", exts: append([]ext{limits(false, []string{"dns:example"}, nil)}, ca...)})
	cert("probe-inter", spec{subject: "middle", issuer: "probe", exts: append([]ext{san("dns:a.other")}, ca...)})
	cert("probe-leaf", spec{subject: "leaf", issuer: "middle", exts: []ext{san("dns:a.example")}})
	return !accepted([]string{"probe-root"}, []string{"probe-leaf", "probe-inter"}, "", "server")
}

func random(r *rand.Rand, n int) {
	allNames := checksAllNames()
	pick := func(list ...string) string { return list[r.Intn(len(list))] }
	rare := func(n int) bool { return r.Intn(n) == 0 }
	domains := []string{"example", "a.example", ".example", "other", "b.other"}
	for i := 0; i < n; i++ {
		id := func(k int) string { return fmt.Sprintf("r%d-%d", i, k) }
		var all []string
		for k := 0; k < 7; k++ {
			s := spec{subject: pick("A", "B", "C"), issuer: pick("A", "B", "C")}
			if k == 0 {
				s.subject = "leaf"
				s.exts = []ext{san("dns:"+pick("a.example", "b.example", "c.other"), "ip:10.0.0.1")}
			} else {
				if !rare(10) {
					s.exts = append(s.exts, basic(!rare(10), []int{-1, -1, 0, 1}[r.Intn(4)]))
				}
				if rare(3) {
					s.exts = append(s.exts, usage([]byte{certSign, certSign, 0x80}[r.Intn(3)]))
				}
				if rare(5) {
					s.exts = append(s.exts, limits(rare(2), []string{"dns:" + pick(domains...)}, nil))
				} else if rare(5) {
					s.exts = append(s.exts, limits(rare(2), nil, []string{"dns:" + pick(domains...), "net:10.0.0.0/31"}[:1+r.Intn(2)]))
				}
				if rare(10) && allNames {
					s.exts = append(s.exts, san("dns:"+pick("a.example", "d.other")))
				}
				if rare(30) {
					s.version, s.exts = 1, nil
				}
				s.key = pick(s.subject, s.subject, s.subject+"2")
			}
			s.by = pick(s.issuer, s.issuer, s.issuer+"2")
			if rare(4) && s.version != 1 {
				s.exts = append(s.exts, eku([][]int{{1}, {2}, {1, 2}, {-1}}[r.Intn(4)]...))
			}
			if rare(8) {
				s.from, s.to = 2010, 2021
			}
			all = append(all, cert(id(k), s))
		}
		roots := all[5:]
		if rare(20) {
			roots = append([]string{all[0]}, roots...)
		}
		shown := append([]string{}, all[1:5]...)
		r.Shuffle(len(shown), func(a, b int) { shown[a], shown[b] = shown[b], shown[a] })
		try(fmt.Sprintf("random%d", i), strings.Join(roots, " "), all[0]+" "+strings.Join(shown, " "),
			pick("", "a.example", "10.0.0.1"), pick("server", "client"))
		for _, c := range all {
			delete(certs, c)
		}
	}
}

func main() {
	if len(os.Args) == 3 {
		seed, _ := strconv.ParseInt(os.Args[1], 10, 64)
		n, _ := strconv.Atoi(os.Args[2])
		random(rand.New(rand.NewSource(seed)), n)
	} else {
		named()
	}
	must(out.Flush())
}
