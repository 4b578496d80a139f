package trace

import "strings"

const (
	maxSteps = 10_000 // of a path
	stepBack = "<"    // a step back to the page before, as in logs of navigation games
)

// parsePath parses user, time, [duration,] steps [, …], separated by tabs.
// Steps are separated by semicolons.
func parsePath(line string) (h hit, why string) {
	f := strings.SplitN(line, "\t", 5)
	if len(f) < 3 {
		return h, "fewer than 3 fields"
	}
	at, ok := seconds(f[1])
	if !ok {
		return h, "no time"
	}
	steps := f[2]
	if len(f) > 3 {
		steps = f[3]
	}
	if f[0] == "" || steps == "" {
		return h, "no user or no steps"
	}
	return hit{client: f[0], at: at, method: "GET", status: 200, kind: "text/html", url: steps}, ""
}

// walk adds the accesses of a path, which is one session. A step back visits
// the page before again.
func (b *Builder) walk(h hit, r *Report) {
	var way []string
	n, begins := 0, true
	for step := range strings.SplitSeq(h.url, ";") {
		if n++; n > maxSteps {
			r.flaw("more than 10,000 steps")
			return
		}
		if step == stepBack {
			if len(way) < 2 {
				r.flaw("a step back from the first page")
				continue
			}
			way = way[:len(way)-1]
		} else {
			way = append(way, step)
		}
		// The first step that can be parsed begins the session.
		begins = !b.step(h.at, way[len(way)-1], begins, r) && begins
	}
}

// step adds one access, and reports whether its URL could be parsed.
func (b *Builder) step(at int64, raw string, begins bool, r *Report) bool {
	u, err := b.resolve(raw)
	if err != nil {
		r.flaw(reason(err))
		return false
	}
	b.keep(at, u, begins, r)
	return true
}
