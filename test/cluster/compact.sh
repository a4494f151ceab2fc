# Sourced by rest.sh at the very end: pages begun before the past was forgotten.
c=$(field "$core/nodes?limit=1" .metadata.continue)
r compact-change POST $ns/configmaps '{"metadata":{"name":"compacted"}}'
eval "$COMPACT"
r compact-page GET "$core/nodes?limit=1&continue=$c"
