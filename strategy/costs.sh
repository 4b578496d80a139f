#!/bin/sh
# Measures what strategies cost and prints the table of docs/strategy-costs.md. Each
# strategy runs in a process of its own, so that none pays for what another left behind.
#
#   strategy/costs.sh                    all, at 10,000, 100,000 and 1,000,000 pages
#   MILLION= strategy/costs.sh           without the last: a few minutes
#   strategy/costs.sh shark lsfc         some of them
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go test -c -o "$work/Page.test" .
go test -c -o "$work/Learners.test" ./internal/interest

simple='breadth-first random opic link-context otie fish shark naive-best-first soft-focus lsfc lsfc-optimised nb nb-threshold nb-updateable online auto'
learners='intelligent collaborative combined'

# run NAME BENCHMARK TIMES appends the lines of a strategy's benchmark.
run() {
	echo "$1 ..." >&2
	"$work/$2.test" -test.run '^$' -test.timeout 60m -test.bench "^Benchmark$2\$/^$1\$/" -test.benchtime "$3" ${MILLION--million} |
		grep '^Benchmark' | sed "s,^,$2 ," >>"$work/lines"
}

wanted=${*:-$simple $learners}
case " $wanted " in *' breadth-first '*) ;; *) wanted="breadth-first $wanted" ;; esac
for name in $wanted; do
	case " $learners " in
	*" $name "*) run "$name" Learners 1x ;;
	*) run "$name" Page 2000x ;;
	esac
done

# Memory of simple strategies is that of the whole crawl: what breadth-first takes, the
# first, is not theirs.
awk '
function value(unit,   i) { for (i = 4; i <= NF; i++) if ($i == unit) return $(i - 1); return "" }
function short(x) { return x == "" ? "" : x >= 10 || x <= -10 ? sprintf("%.0f", x) : sprintf("%.1f", x) }
function own(x, name, size) { return x == "" || how[name] == "Learners" ? x : x - bytes["breadth-first", size] }
{
	split($2, part, "/"); name = part[2]; size = part[3]; sub(/-[0-9]+$/, "", size)
	if (!(name in how)) order[++n] = name
	how[name] = $1
	time[name, size] = $1 == "Page" ? value("median-µs") : value("µs/page")
	bytes[name, size] = value("B/URL")
}
END {
	split("10k 100k 1000k", sizes, " ")
	print "| strategy | µs at 10 k | 100 k | 1 M pages | times | bytes at 10 k | 100 k | 1 M pages |"
	print "|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= n; i++) {
		s = order[i]; row = "| " s; last = time[s, "1000k"] == "" ? time[s, "100k"] : time[s, "1000k"]
		for (k = 1; k <= 3; k++) row = row " | " short(time[s, sizes[k]])
		row = row " | " sprintf("%.2f", last / time[s, "10k"])
		for (k = 1; k <= 3; k++) row = row " | " short(own(bytes[s, sizes[k]], s, sizes[k]))
		print row " |"
	}
	printf "\nA known URL in a crawl of breadth-first takes %s, %s and %s bytes.\n", short(bytes["breadth-first", "10k"]), short(bytes["breadth-first", "100k"]), short(bytes["breadth-first", "1000k"])
}' "$work/lines"
