"""make_data.py MB: a list of MachineConfigs of about that size, as JSON: files with
percent-encoded and base64 contents, units of many lines, kernel arguments."""
import base64
import json
import random
import sys

rng = random.Random(7)
words = "the node pool config kernel module service After=network.target ExecStart=/usr/bin/true".split()


def text(n):
    return "\n".join(" ".join(rng.choices(words, k=8)) for _ in range(n)) + "\n"


def config(i):
    files = []
    for k in range(20):
        body = text(6)
        url = "data:text/plain;charset=utf-8;base64," + base64.b64encode(body.encode()).decode()
        files.append({"path": f"/etc/conf.d/{i}-{k}.conf", "mode": 420, "overwrite": True,
                      "contents": {"source": url, "compression": ""}})
    units = [{"name": f"unit-{i}-{k}.service", "enabled": True, "contents": "[Unit]\n" + text(10)}
             for k in range(8)]
    return {"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfig",
            "metadata": {"name": f"50-mc-{i}", "labels": {"machineconfiguration.openshift.io/role": "worker"}},
            "spec": {"config": {"ignition": {"version": "3.5.0"}, "storage": {"files": files},
                                "systemd": {"units": units}}, "kernelArguments": ["nosmt", "a=b"]}}


items, size, i = [], 0, 0
while size < float(sys.argv[1]) * 1e6:
    items.append(config(i))
    size += len(json.dumps(items[-1]))
    i += 1
json.dump({"kind": "List", "items": items}, sys.stdout)
