// Command bench measures what a crawl costs, compared with a floor and with
// another crawler, on a cheap synthetic web on loopback. It is a module of its
// own so that no other crawler becomes a dependency of dowse.
//
//	go run . run -pages 5000 -repeat 3
//	go run . parts -pages 3000
//	go run . scale -urls 10000000
//	go run . soak -for 2h -faults 0.05 -kills 20 -pages 250000 -rate 12
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
// parts does the work of visits in one goroutine, without network, and prints the median time of each
// part of a visit. It shows what a change to one part is worth, also on a machine that does other work.
//
// scale grows a collection to many known URLs, with pages made in memory, and prints what a URL costs
// in memory and on disk, what a page costs the loop, how long a snapshot stops it, and how long a
// restart takes.
//
// soak runs the program for a long time on a web with faults, kills it at random
// moments, starts it again, and prints how memory, open files, goroutines and disk
// grow with time and pages. At the end the collection is verified.
package main
