// Writes cases for test/peer/peer.c: the results of go-yaml v2, ghodss/yaml, dataurl
// and Go's own packages for inputs that are generated here from a fixed seed.
//
// A line is: kind, input, expected, the latter two in base64. An expected text
// that begins with "!" is an error message.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ghodss/yaml"
	"github.com/vincent-petithory/dataurl"
)

var out = bufio.NewWriter(os.Stdout)

func line(kind byte, in, want []byte) {
	e := base64.StdEncoding
	fmt.Fprintf(out, "%c %s %s\n", kind, e.EncodeToString(in), e.EncodeToString(want))
}

func failed(err error) []byte { return []byte("!" + err.Error()) }

// Pieces that matter to a YAML emitter or parser; inputs are made of them.
var pieces = []string{
	"a", "b", "Z", "0", "1", "7", "9", " ", "  ", "\n", "\n\n", "\t", "\r", "\r\n",
	":", ": ", " #", "#", "-", "- ", "--", "---", "...", "?", "? ", ",", "[", "]", "{",
	"}", "&", "*", "!", "!!", "|", ">", "'", "\"", "%", "@", "`", "\\", "~", "=", "<<",
	"_", ".", "+", "e", "E", "x", "0x", "0o", "0b", "é", "日本", "\u0085",
	"\u00a0", "\u2028", "\u2029", "\ufeff", "\U0001F600", "\x00", "\x07", "\x1b",
	"word ", "longer-word ", "yes", "no", "on", "off", "null", "true", "12:30", "2001-01-02",
	"1e3", "1.5", ".5", "nan", ".nan", ".inf", "key: value", "<html>&amp;", "/etc/passwd",
	"\x7f", "\u0084", "\ufffe", "\xff", "\xed\xa0\x80",
}

func nasty(r *rand.Rand) string {
	var b strings.Builder
	n := 1 + r.Intn(6)
	if r.Intn(12) == 0 {
		n = 30 + r.Intn(60) // long enough to be folded
	}
	for i := 0; i < n; i++ {
		k := r.Intn(len(pieces))
		if n > 6 && r.Intn(3) > 0 {
			k = r.Intn(8)
		}
		if k >= len(pieces)-5 && r.Intn(10) > 0 {
			k = 0 // what is refused should not drown the rest
		}
		b.WriteString(pieces[k])
	}
	return b.String()
}

// Texts that are numbers, dates and words, or almost are.
// Cuts a fraction of a second: Go 1.19 accepts nine digits, later releases any number.
func fractionLimit() int32 {
	if _, err := time.Parse("2006-1-2T15:4:5.999999999Z07:00", "2001-1-2T3:4:5.1234567890Z"); err != nil {
		return 1000000000
	}
	return math.MaxInt32
}

func wordlike(r *rand.Rand) string {
	alphabet := "0123456789abcdefxobeE+-._:TtZz ynYNoOfF~"
	n := 1 + r.Intn(8)
	if r.Intn(4) == 0 {
		n = 8 + r.Intn(18)
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.Intn(len(alphabet))]
	}
	switch r.Intn(8) {
	case 0:
		return fmt.Sprintf("%04d-%d-%d", r.Intn(10000), r.Intn(14), r.Intn(33))
	case 1:
		return fmt.Sprintf("2001-%d-%02dT%d:%d:%02d.%dZ", 1+r.Intn(12), r.Intn(31), r.Intn(25), r.Intn(61), r.Intn(61), r.Int31()%fractionLimit())
	case 2:
		return fmt.Sprintf("%d:%02d:%d", r.Intn(100), r.Intn(70), r.Intn(70))
	case 3:
		return strconv.FormatFloat(math.Float64frombits(r.Uint64()), 'g', -1, 64)
	case 4:
		return strconv.FormatUint(r.Uint64()<<uint(r.Intn(2)), 10) + string(b[:r.Intn(2)])
	}
	return string(b)
}

func value(r *rand.Rand, depth int) interface{} {
	switch k := r.Intn(12); {
	case k < 2 && depth > 0:
		m := map[string]interface{}{}
		for i := r.Intn(4); i > 0; i-- {
			key := nasty(r)
			if w := wordlike(r); len(w) < 19 && r.Intn(2) == 0 {
				key = w // longer numbers overflow upstream's sort
			}
			m[key] = value(r, depth-1)
		}
		return m
	case k < 4 && depth > 0:
		l := []interface{}{}
		for i := r.Intn(4); i > 0; i-- {
			l = append(l, value(r, depth-1))
		}
		return l
	case k == 4:
		return nil
	case k == 5:
		return r.Intn(2) == 0
	case k == 6:
		return r.Int63() >> uint(r.Intn(63))
	case k == 7:
		f := math.Float64frombits(r.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			f = 0.5
		}
		return f
	case k == 8:
		return wordlike(r)
	}
	return nasty(r)
}

func emit(j []byte) {
	y, err := yaml.JSONToYAML(j)
	if err != nil {
		line('Y', j, failed(err))
		return
	}
	line('Y', j, y)
}

func emitCases(r *rand.Rand, n int) {
	for i := 0; i < n; i++ {
		var v interface{} = nasty(r)
		switch r.Intn(4) {
		case 0:
			v = wordlike(r)
		case 1:
			v = map[string]interface{}{"spec": map[string]interface{}{"list": []string{nasty(r), nasty(r)}, "key": nasty(r)}}
		case 2:
			v = value(r, 4)
		}
		j, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		emit(j)
	}
	for _, k := range []int{127, 128, 129, 400, 1000, 1023, 1024, 1025, 3000} {
		j, _ := json.Marshal(map[string]interface{}{strings.Repeat("k", k): []int{1}})
		emit(j)
		j, _ = json.Marshal(map[string]interface{}{strings.Repeat("k ", k/2): map[string]int{"a": 1}})
		emit(j)
	}
}

// YAML texts: lines at random indents, rarely all valid.
var yamlLines = []string{
	"a: b", "key: value", "- item", "- a: 1", "k: &x 1", "l: *x", "<<: *m", "m: &m {a: 1, b: 2}",
	"s: 'single'", "d: \"double\\n\"", "t: |", "t: >", "t: |-", "t: |+2", "text", "# comment", "",
	"? complex", ": value", "{a: b, c: [1, 2]}", "[x, y]", "yes: no", "1: one", "1.5: f", "~: n",
	"null: x", "b: !!binary aGk=", "i: !!int \"3\"", "f: !!float 3", "s: !!str 12", "z: !custom x",
	"tab:\tx", "\tindented", "q: \"un", "o: 0o17", "o: 017", "h: 0xFF", "n: 1_000", "d: 2001-01-01",
	"b: 0b101", "e: ", "%YAML 1.1", "---", "...", "a: b: c", "- - x", "-", "?", "k: {", "k: [1,",
	"x: \"\\x41\\u263A\"", "dup: 1", "dup: 2", "v: .inf", "v: 1e3", "v: 12:30:45", "v: <<", "@bad", "`bad",
	"u: é日本", "nel: a\u0085b", "[a, b]: c", "{a: b}: c", "<<: [{a: 1}, {a: 2, c: 3}]", "v: 12e03", "v: +1", "v: -0",
	"a: 'it''s'", "a: \"x\\", "*x : v", "&a k: v", "v: !!null ''", "v: !!bool yes", "v: !!bool x", "k: |\n  lit\n  text",
	"v: 18446744073709551615", "18446744073709551615: v", "v: -9223372036854775809", "v: 0.1e-7", "v: 1e400",
	"f: {a: 'x', \"b\":c, d:e}", "f: [a, b:c, {d: }]", "url: http://x/y", "f: {http://x, ?a}", "f: [?a, a?b, -a]",
}

func yamlText(r *rand.Rand) string {
	var b strings.Builder
	indent := 0
	for i := 1 + r.Intn(6); i > 0; i-- {
		b.WriteString(strings.Repeat(" ", indent))
		if r.Intn(8) == 0 {
			b.WriteString("k: ")
			b.WriteString(strings.ReplaceAll(nasty(r), "\n", "\n"+strings.Repeat(" ", indent+1)))
		} else {
			b.WriteString(yamlLines[r.Intn(len(yamlLines))])
		}
		b.WriteByte('\n')
		switch r.Intn(6) {
		case 0:
			indent += 2
		case 1:
			indent = 0
		}
	}
	return b.String()
}

// Known differences between libyaml 0.2.5 and go-yaml: brackets and commas in
// tags, byte order marks inside a text.
var knownToDiffer = regexp.MustCompile(`![^\s]*[\[\]{},]|\x{feff}`)

func parse(y []byte) {
	if knownToDiffer.Match(y) {
		return
	}
	j, err := yaml.YAMLToJSON(y)
	if err != nil {
		line('J', y, failed(err))
		return
	}
	line('J', y, j)
}

func parseCases(r *rand.Rand, n int) {
	for i := 0; i < n; i++ {
		switch r.Intn(4) {
		case 0:
			parse([]byte("v: " + wordlike(r) + "\n"))
		case 1:
			parse([]byte(nasty(r)))
		default:
			parse([]byte(yamlText(r)))
		}
	}
	// every word and number once as a value and as a key
	for _, p := range pieces {
		parse([]byte("v: " + p + "\n"))
		parse([]byte(p + ": v\n"))
	}
}

var dataPieces = []string{
	"data:", "data:", "data:", "data:", ",", ",", ";", ";base64", "text/plain", "text", "/", "x-a", "x", "application/json",
	"=", "charset", "utf-8", "\"", "\\", "%41", "%4", "%zz", "aGVsbG8=", "aGk", "=", "==", "a b", "é", "\n", "+", "<", "~",
	"charset=utf-8", "a=\"b,c\"", "a=\"\\x41\"", "a=\"\\q\"", "image/", "DATA:",
}

func dataCases(r *rand.Rand, n int) {
	for i := 0; i < n; i++ {
		var b strings.Builder
		for k := 1 + r.Intn(7); k > 0; k-- {
			b.WriteString(dataPieces[r.Intn(len(dataPieces))])
		}
		in := b.String()
		if r.Intn(3) > 0 {
			in = "data:" + in
		}
		u, err := dataurl.DecodeString(in)
		if err != nil {
			line('D', []byte(in), failed(err))
			continue
		}
		line('D', []byte(in), u.Data)
	}
}

// JSON: Go's error for a text, or the compact form of what it accepts.
func jsonCases(r *rand.Rand, n int) {
	for i := 0; i < n; i++ {
		j, _ := json.Marshal(value(r, 3))
		if r.Intn(3) == 0 {
			var b bytes.Buffer
			json.Indent(&b, j, "", " ")
			j = b.Bytes()
		}
		for k := r.Intn(3); k > 0 && len(j) > 0; k-- {
			at := r.Intn(len(j))
			switch r.Intn(3) {
			case 0:
				j = append(append([]byte{}, j[:at]...), j[at+1:]...)
			case 1:
				j = append([]byte{}, j...)
				bad := "{}[]\",:\\tfn0-.eu\x01\xffx"
				j[at] = bad[r.Intn(len(bad))]
			case 2:
				j = j[:at]
			}
		}
		var raw json.RawMessage
		err := json.Unmarshal(j, &raw)
		if s, ok := err.(*json.SyntaxError); ok {
			line('S', j, []byte(fmt.Sprintf("!%d %s", s.Offset, s.Error())))
			continue
		}
		var v interface{}
		d := json.NewDecoder(bytes.NewReader(j))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			panic(err)
		}
		c, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		line('S', j, c)
	}
}

func numberCases(r *rand.Rand, n int) {
	for i := 0; i < n; i++ {
		f := math.Float64frombits(r.Uint64())
		if r.Intn(2) == 0 {
			f = float64(r.Intn(100000000)) * math.Pow(10, float64(r.Intn(40)-20))
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		j, _ := json.Marshal(f)
		in := strconv.FormatFloat(f, 'e', 17, 64)
		want := string(j) + " " + strconv.FormatFloat(f, 'g', -1, 64) + " " + strconv.FormatFloat(f, 'g', -1, 32)
		line('N', []byte(in), []byte(want))
	}
}

func main() {
	seed, _ := strconv.ParseInt(os.Args[1], 10, 64)
	n, _ := strconv.Atoi(os.Args[2])
	r := rand.New(rand.NewSource(seed))
	emitCases(r, 4*n)
	parseCases(r, 4*n)
	dataCases(r, n)
	jsonCases(r, n)
	numberCases(r, n)
	out.Flush()
}
