"""add_history.py URL RENDERED NODES: writes the objects of an old cluster to the API
server at URL: RENDERED old rendered MachineConfigs of 225 KB each, owned by pool worker,
and NODES nodes."""
import base64
import hashlib
import http.client
import json
import sys
import urllib.parse

url, rendered, nodes = urllib.parse.urlsplit(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
API = "machineconfiguration.openshift.io"
conn = http.client.HTTPConnection(url.hostname, url.port)


def ask(method, path, body=None):
    conn.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
    answer = conn.getresponse()
    text = answer.read()
    if answer.status >= 300:
        sys.exit(f"{method} {path}: {answer.status} {text[:300]}")
    return json.loads(text)


pool = ask("GET", f"/apis/{API}/v1/machineconfigpools/worker")
target = pool["spec"]["configuration"]["name"]
text = ("setting = a value of some length\n" * 2048).encode()
files = [{"path": f"/etc/conf.d/{i}.conf", "mode": 420, "overwrite": True, "contents": {
    "source": "data:text/plain;charset=utf-8;base64," + base64.b64encode(text[i:i + 3200]).decode()}}
    for i in range(52)]
for i in range(rendered):
    name = "rendered-worker-" + hashlib.md5(str(i).encode()).hexdigest()
    ask("POST", f"/apis/{API}/v1/machineconfigs", {
        "apiVersion": f"{API}/v1", "kind": "MachineConfig",
        "metadata": {
            "name": name,
            "annotations": {f"{API}/generated-by-controller-version": "0123456789abcdef0123456789abcdef01234567",
                            f"{API}/release-image-version": "4.22.0"},
            "ownerReferences": [{"apiVersion": f"{API}/v1", "kind": "MachineConfigPool", "name": "worker",
                                 "uid": pool["metadata"]["uid"], "controller": True, "blockOwnerDeletion": True}]},
        "spec": {"osImageURL": "img.test/os@sha256:" + "0" * 64, "kernelType": "default", "fips": False,
                 "kernelArguments": [], "extensions": [], "baseOSExtensionsContainerImage": "",
                 "config": {"ignition": {"version": "3.5.0"}, "storage": {
                     "files": files + [{"path": "/etc/n", "contents": {"source": f"data:,{i}"}}]}}}})
for i in range(nodes):
    ask("POST", "/api/v1/nodes", {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": f"worker-{i}", "labels": {"node-role.kubernetes.io/worker": ""}, "annotations": {
            f"{API}/currentConfig": target, f"{API}/desiredConfig": target, f"{API}/state": "Done",
            f"{API}/desiredDrain": f"uncordon-{target}", f"{API}/lastAppliedDrain": f"uncordon-{target}"}},
        "status": {"conditions": [{"type": "Ready", "status": "True"}],
                   "nodeInfo": {"architecture": "amd64", "kubeletVersion": "v1.34.1"},
                   "images": [{"names": [f"img.test/{k}@sha256:" + "0" * 64], "sizeBytes": k} for k in range(50)]}})
