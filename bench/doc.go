// Command bench measures what a crawl costs, compared with a floor and with
// another crawler, on a cheap synthetic web on loopback. It is a module of its
// own so that no other crawler becomes a dependency of dowse.
//
//	go run . run -pages 5000 -repeat 3
//	go run . soak -for 20m -faults 0.05 -rate 200
//
// One process serves the web, and each contender crawls it in a process of its
// own, one after another, interleaved over the repetitions, so that a slow
// phase of the machine affects all of them. The table has CPU seconds per 1,000
// pages of the contender's process alone, pages per second, and peak memory:
// the median, with the smallest and largest value in parentheses.
//
// The floor is what no crawler can avoid: fetching, tokenizing, and remembering
// URLs. The ratio to it means more than absolute numbers, which depend on the
// machine.
//
// soak runs one crawl for a long time on a web with faults and prints memory,
// goroutines and open files, which must not grow with the pages fetched.
package main
