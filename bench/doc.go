// Command bench measures what a crawl costs, against a floor and against another
// crawler, on a cheap web on loopback. It is a module of its own so that no rival
// becomes a dependency of dowse.
//
//	go run . run -pages 5000 -repeat 3
//	go run . soak -for 20m -faults 0.05 -rate 200
//
// One process serves the web, and each contender crawls it in a process of its own,
// one after another, interleaved over the repetitions. The table has CPU seconds per
// 1,000 pages of the contender's process alone, pages per second, and peak memory.
package main
