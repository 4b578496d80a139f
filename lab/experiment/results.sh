#!/bin/sh
# Makes docs/results.md from runs of the experiments that come with dowse: on synthetic webs
# and, if it is there, on Wikispeedia. Runs are kept in RUNS; what was finished is not run
# again, so that the script can be stopped and called again. The program that makes the crawls is
# built once and kept in RUNS/dowse: a run that continues is made by one program, also if the
# checkout has changed meanwhile. Remove RUNS/dowse to run everything again by the present program.
# The document is written by the present program; each section names the one that made its crawls.
# Environment:
#
#   RUNS         folder of the runs (default: runs)
#   WEBS         folder with wikispeedia.warc.gz (default: ../shared/webs). Topics that strategies were
#                tuned on (wikispeedia.topics.tune.txt) are left out; first-truth has those of
#                wikispeedia.topics.report.txt
#   EXPERIMENTS  names of the experiments to run (default: all)
#   JOBS         crawls at a time (default: one per processor)
#   OUT          document to write (default: docs/results.md). If only some experiments are run, the
#                sections of the others are kept as they are in docs/results.md
set -eu
cd "$(dirname "$0")/../.."
RUNS=${RUNS:-runs} WEBS=${WEBS:-../shared/webs} JOBS=${JOBS:-0}
OUT=${OUT:-docs/results.md}
mkdir -p "$RUNS"
# The commit is recorded in each run; a plus sign says that files differ from it.
if [ ! -x "$RUNS/dowse" ]; then
	commit=$(git rev-parse HEAD 2>/dev/null || true)
	[ -z "$commit" ] || [ -z "$(git status --porcelain)" ] || commit=$commit+
	go build -ldflags "-X main.revision=$commit" -o "$RUNS/dowse" ./cmd/dowse
fi

# topics NAME [FLAGS]: the flags that choose the topics of an experiment on a recorded web.
topics() {
	[ $# -gt 1 ] || return 0
	if [ "$1" = first-truth ]; then
		echo "--topics $WEBS/wikispeedia.topics.report.txt"
	else
		echo "--without $WEBS/wikispeedia.topics.tune.txt"
	fi
}

# run FOLDER [FLAGS]: the experiments into a folder, each by a process of its own, so that the
# memory of one is not counted for the next.
run() {
	to=$RUNS/$1
	shift
	for x in ${EXPERIMENTS:-$(ls lab/experiment/shipped | sed 's/\.yaml$//')}; do
		code=0
		nice -n 10 "$RUNS/dowse" lab run "$x" -q --jobs "$JOBS" "$@" $(topics "$x" "$@") -o "$to/$x" || code=$?
		# One that makes no sense on a recorded web is refused with code 2, and left out. All run on
		# synthetic webs.
		[ $code = 0 ] || { [ $code = 2 ] && [ $# -gt 0 ]; } || exit $code
		[ $code = 0 ] || echo "left out: $x in $to" >&2
	done
}

run made
folders=$RUNS/made
if [ -f "$WEBS/wikispeedia.warc.gz" ]; then
	run wiki --web "$WEBS/wikispeedia.warc.gz" --traces "$WEBS/wikispeedia.squid.log.gz"
	[ ! -d "$RUNS/wiki" ] || folders="$RUNS/wiki $folders"
fi
# shellcheck disable=SC2086
go run ./cmd/dowse lab results $folders ${EXPERIMENTS:+--keep docs/results.md} --preface docs/results-preface.md -o "$OUT"
