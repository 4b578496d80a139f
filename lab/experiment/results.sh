#!/bin/sh
# Makes docs/results.md from runs of the experiments that come with dowse: on synthetic webs
# and, if it is there, on Wikispeedia. Runs are kept in RUNS; what was finished is not run
# again, so that the script can be stopped and called again. Environment:
#
#   RUNS         folder of the runs (default: runs)
#   WEBS         folder with wikispeedia.warc.gz (default: ../shared/webs)
#   EXPERIMENTS  names of the experiments to run (default: all)
#   JOBS         crawls at a time (default: one per processor)
set -eu
cd "$(dirname "$0")/../.."
RUNS=${RUNS:-runs} WEBS=${WEBS:-../shared/webs} JOBS=${JOBS:-0}
mkdir -p "$RUNS"
go build -o "$RUNS/dowse" ./cmd/dowse

# run FOLDER [FLAGS]: the experiments into a folder.
run() {
	to=$RUNS/$1
	shift
	if [ -z "${EXPERIMENTS:-}" ]; then
		nice -n 10 "$RUNS/dowse" lab run all -q --jobs "$JOBS" "$@" -o "$to"
		return
	fi
	for x in $EXPERIMENTS; do
		# One that makes no sense on a web is refused, and left out.
		nice -n 10 "$RUNS/dowse" lab run "$x" -q --jobs "$JOBS" "$@" -o "$to/$x" || echo "left out: $x in $to" >&2
	done
}

run made
folders=$RUNS/made
if [ -f "$WEBS/wikispeedia.warc.gz" ]; then
	run wiki --web "$WEBS/wikispeedia.warc.gz" --traces "$WEBS/wikispeedia.squid.log.gz"
	folders="$RUNS/wiki $folders"
fi
# shellcheck disable=SC2086
"$RUNS/dowse" lab results $folders --preface docs/results-preface.md -o docs/results.md
