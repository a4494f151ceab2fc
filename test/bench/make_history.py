"""make_history.py URL CONFIGS NODES BYTES: an old cluster at this API server: three pools,
NODES nodes, and CONFIGS rendered MachineConfigs of BYTES bytes each. The pools name the last
three of them."""
import base64
import http.client
import json
import sys
import urllib.parse

url, configs, nodes, size = urllib.parse.urlparse(sys.argv[1]), *map(int, sys.argv[2:5])
conn = http.client.HTTPConnection(url.hostname, url.port, timeout=300)
MCO = "/apis/machineconfiguration.openshift.io/v1/"
POOLS = ("master", "worker", "infra")


def send(method, path, obj, kind="application/json"):
    conn.request(method, path, json.dumps(obj), {"Content-Type": kind})
    answer = conn.getresponse()
    text = answer.read()
    if answer.status >= 300:
        sys.exit(f"{method} {path}: {answer.status} {text[:300]!r}")
    return json.loads(text)


def mc(n, pool):
    source = "data:text/plain;charset=utf-8;base64," + base64.b64encode(b"x = %06d\n" % n * 300).decode()
    files = [{"path": f"/etc/conf.d/{k}.conf", "mode": 420, "contents": {"source": source}}
             for k in range(max(1, size // (len(source) + 80)))]
    return {"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfig",
            "metadata": {"name": name(n), "annotations": {
                "machineconfiguration.openshift.io/generated-by-controller-version": "0123456789"},
                "ownerReferences": [{"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfigPool",
                                     "name": pool, "uid": uids[pool], "controller": True, "blockOwnerDeletion": True}]},
            "spec": {"config": {"ignition": {"version": "3.5.0"}, "storage": {"files": files}},
                     "osImageURL": "registry.test/os@sha256:" + "0" * 64}}


def name(n):
    return f"rendered-{POOLS[n % 3]}-{n:032x}"


uids = {}
for pool in POOLS:
    uids[pool] = send("POST", MCO + "machineconfigpools", {
        "apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfigPool",
        "metadata": {"name": pool},
        "spec": {"paused": False, "configuration": {},
                 "machineConfigSelector": {"matchLabels": {"role": pool}},
                 "nodeSelector": {"matchLabels": {"node-role.kubernetes.io/" + pool: ""}}}})["metadata"]["uid"]
for n in range(configs):
    send("POST", MCO + "machineconfigs", mc(n, POOLS[n % 3]))
for n in range(nodes):
    send("POST", "/api/v1/nodes", {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": f"node-{n:04d}", "labels": {"node-role.kubernetes.io/worker": ""}}})
for i, pool in enumerate(POOLS):
    used = {"configuration": {"name": name(next(n for n in range(configs - 1, -1, -1) if n % 3 == i))}}
    send("PATCH", MCO + f"machineconfigpools/{pool}", {"spec": used}, "application/merge-patch+json")
    send("PATCH", MCO + f"machineconfigpools/{pool}/status", {"status": {**used, "updatedMachineCount": 1}},
         "application/merge-patch+json")
