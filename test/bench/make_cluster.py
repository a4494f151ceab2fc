"""make_cluster.py DIR MCS POOLS FILES UNITS BYTES: manifests of a cluster: POOLS pools,
each selecting all of MCS MachineConfigs, which hold FILES files and UNITS units
of BYTES bytes in all."""
import base64
import os
import sys

out, mcs, pools, files, units, size = sys.argv[1], *map(int, sys.argv[2:7])
os.makedirs(out, exist_ok=True)
API = "apiVersion: machineconfiguration.openshift.io/v1\n"
body = max(1, size // max(1, files + units))
text = "setting = value of some length\n" * max(1, body // 31)
source = "data:text/plain;charset=utf-8;base64," + base64.b64encode(text.encode()).decode()
unit = "".join("        " + line + "\n" for line in ("[Unit]\n" + text).splitlines())

with open(f"{out}/pools.yaml", "w") as f:
    for p in range(pools):
        f.write(f"---\n{API}kind: MachineConfigPool\nmetadata: {{name: pool{p}}}\nspec:\n"
                "  machineConfigSelector: {matchLabels: {set: bench}}\n")
with open(f"{out}/configs.yaml", "w") as f:
    for m in range(mcs):
        f.write(f"---\n{API}kind: MachineConfig\nmetadata:\n  name: 50-mc-{m:05d}\n  labels: {{set: bench}}\n"
                "spec:\n  config:\n    ignition: {version: 3.5.0}\n")
        mine = range(m, files, mcs)
        if mine:
            f.write("    storage:\n      files:\n")
        for k in mine:
            f.write(f"      - path: /etc/conf.d/{k}.conf\n        mode: 0644\n        contents:\n"
                    f"          source: {source}\n")
        mine = range(m, units, mcs)
        if mine:
            f.write("    systemd:\n      units:\n")
        for k in mine:
            f.write(f"      - name: unit-{k}.service\n        enabled: true\n        contents: |\n"
                    + unit.replace("        ", "          "))
