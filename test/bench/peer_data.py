"""peer_data.py FILE.json FILE.yaml: the speed of Python's json and PyYAML (with libyaml
if available) on the same files, as "name MB/s" lines."""
import json
import sys
import time

import yaml

ROUNDS = 3
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def measure(name, run, size):
    best = 0
    for _ in range(ROUNDS):
        start = time.monotonic()
        out = run()
        took = time.monotonic() - start
        best = max(best, (size or len(out)) / 1e6 / took)
    print(f"{name} {best:.1f}")


text = open(sys.argv[1], encoding="utf-8").read()
ytext = open(sys.argv[2], encoding="utf-8").read()
tree = json.loads(text)
measure("json-parse", lambda: json.loads(text), len(text))
measure("json-write", lambda: json.dumps(tree, sort_keys=True), None)
measure("yaml-parse", lambda: yaml.load(ytext, Loader), len(ytext))
measure("yaml-write", lambda: yaml.dump(tree, Dumper=Dumper), None)
