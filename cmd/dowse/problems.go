package main

import (
	"bufio"
	"fmt"
	"io"

	"dowse/internal/operations"
)

// problems lists what did not go well in collections, as status --problems.
func (c *statusCmd) problems(w *world, dirs []string) error {
	ops, ids, err := w.operationsOn(dirs)
	if err != nil {
		return err
	}
	defer ops.Close()
	out := bufio.NewWriter(w.out)
	for i, id := range ids {
		list, err := ops.Problems(w.ctx, id)
		if err != nil {
			return operationsError(err)
		}
		if c.JSON {
			if err := jsonLine(out, list); err != nil {
				return err
			}
			continue
		}
		if len(ids) > 1 {
			fmt.Fprintf(out, "%s\n", oneLine(dirs[i]))
		}
		printProblems(out, list.Problems)
	}
	return out.Flush()
}

// printProblems prints each problem with some of its URLs and hosts, and what to do:
//
//	31 the host's robots.txt forbids it (robots.txt)
//	   http://tidewatch.demo/private/a
//	   nothing: it is the wish of the owner
func printProblems(out io.Writer, list []operations.Problem) {
	if len(list) == 0 {
		fmt.Fprintln(out, "nothing is wrong, nothing was skipped and nothing failed")
	}
	for _, p := range list {
		number, name := "", oneLine(p.What)
		if p.Count > 0 {
			number = count(p.Count)
		}
		if p.Serious {
			name = "LOOK AT THIS: " + name
		}
		if p.Reason != "" {
			name += " (" + string(p.Reason) + ")"
		}
		fmt.Fprintf(out, "%7s %s\n", number, name)
		for _, s := range p.Samples {
			fmt.Fprintf(out, "        %s\n", oneLine(s))
		}
		if p.Do != "" {
			fmt.Fprintf(out, "        to do: %s\n", p.Do)
		}
		if p.Command != "" {
			fmt.Fprintf(out, "        %s\n", oneLine(p.Command))
		}
	}
}
