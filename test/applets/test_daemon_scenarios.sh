# Every scenario of the daemon's specification is in daemon-scenarios.txt, and what
# is named there is where it says.
. test/applets/lib.sh
list=test/applets/daemon-scenarios.txt
spec=test/golden/daemon-scenarios.md
while read -r number file text; do
	case $number in \#* | '') continue ;; esac
	passed=$((passed + 1))
	[ "$file" = - ] && [ -n "$text" ] && continue
	grep -qF -e "${text:-$number}" "$file" 2>/dev/null && continue
	failed=$((failed + 1))
	echo "FAIL $number: no \"${text:-$number}\" in $file"
done < $list
numbers=$(grep -oE '^\| D[0-9]+' $spec | cut -c3-)
[ -n "$numbers" ] || { failed=$((failed + 1)); echo "FAIL no scenarios in $spec"; }
for number in $numbers; do
	grep -q "^$number " $list && continue
	failed=$((failed + 1))
	echo "FAIL $number is not in $list"
done
finish
