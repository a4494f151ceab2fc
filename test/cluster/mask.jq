# One line per answer, without values that differ from run to run.
def text:
  gsub("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"; "UID")
  | gsub("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z"; "TIME")
  | gsub("10\\.96(\\.[0-9]+){2}"; "CLUSTER-IP")
  | gsub("Bad_[a-z0-9]{5}"; "Bad_XXXXX")
  | gsub("(?<g>gen-)[a-z0-9]{5}"; "\(.g)XXXXX")
  | gsub("too old resource version: (?<a>[0-9]+) \\([0-9]+\\)"; "too old resource version: \(.a) (RV)")
  | gsub("current: [0-9]+"; "current: RV")
  | gsub("policy/v1beta1"; "policy/v1")
  | gsub("ResourceVersion in object meta: [0-9]+"; "ResourceVersion in object meta: RV")
  | gsub("in record \\([0-9]+\\)"; "in record (RV)")
  # a diff of Go's structs follows
  | gsub("(?<a>if it was previously negative\\)\n)[\\s\\S]*"; .a)
  | gsub("0xc[0-9a-f]{6,}"; "POINTER")
  | gsub("(?<a>resourceVersion\\\\\":\\\\\")[0-9]+"; "\(.a)RV")
  # causes have no fixed order
  | gsub("(?<a> is invalid: \\[).*\\]$"; "\(.a)]");
def mask:
  if type == "object" then
    del(.managedFields, .storageVersionHash)
    | if .kind == "Table" then
        .columnDefinitions = [(.columnDefinitions // [])[] | del(.description)]
      # custom ones have no fixed order
      elif .kind == "APIResourceList" then .resources |= sort_by(.name)
      else . end
    | to_entries | sort_by(.key) | map(
      if (.key == "resourceVersion" and (.value | type) == "string"
          and (.value | test("^[1-9][0-9]*$"))) then .value = "RV"
      elif (.key == "continue" and .value != "") then .value = "TOKEN"
      elif (.key == "causes") then .value |= (map(mask) | sort_by(.field, .message))
      elif (.key == "cells") then .value |= map(
        if type == "string" and (test("^([0-9]+[smhdy])+$")) then "AGE"
        else mask end)
      else .value |= mask end) | from_entries
  elif type == "array" then map(mask)
  # A quoted object has Go's order, and the message has the read position.
  elif type == "string" and test("patch: Invalid value: \"\\{|^Invalid value: \"\\{") then
    capture("(?<head>^.*?Invalid value: )(?<quoted>\"\\{.*\\}\"): (?<why>.*?)(, error found in #.*)?$")
    | "\(.head)\(.quoted | fromjson | fromjson | mask | tojson): \(.why | text)"
  elif type == "string" then text
  else . end;
# A watch is several values, one per line; text that is not JSON stays
# unchanged.
def value: . as $b
  | (try [fromjson] catch
      (try [$b | split("\n")[] | select(. != "") | fromjson] catch [$b]))
  | map(mask) | if length == 1 then .[0] else . end;
split("\u001e")[1:][] | split("\u001f")
| "\(.[0])\t\(.[2])\t\(if .[1] == "" then "" else (.[1] | value | tojson) end)"
