// Package collection keeps what a crawl gathered and decided: one directory on
// disk.
//
//	NAME.dowse/
//	  dowse.lock    held by the process that crawls
//	  crawl.yaml    settings, frozen when the crawl began
//	  topic.yaml    what is wanted
//	  topic.lock    which examples that was learnt from
//	  examples.jsonl.zst  the examples themselves
//	  answers.jsonl what the outside judge said, if there is one
//	  models/       what was learnt: m0001.json, …
//	  archive/      what the web said: WARC files
//	  indexes/      index.cdxj, made from them
//	  pages/        pages.jsonl (on topic) and extraPages.jsonl (the others)
//	  state/        journal, snapshots, how far the views are written: see docs/formats.md
//	  log/          crawl.log, a line for each visit; sittings.jsonl
//	  README.md     what this is, for people
//
// The journal and the archive are the truth. Everything else can be made again
// from them, and is, at every stop.
package collection
