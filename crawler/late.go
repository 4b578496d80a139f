package crawler

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/plain"
	"dowse/settings"
)

// A change of the scope decides all pages and links again, which takes as long as folding the
// journal does. That fewer URLs may be visited than before is a change that needs no earlier
// decision: it is enough that none of the others is visited any more. So these changes are late:
// further patterns of exclude and hosts of block, patterns of include where there were none, and a narrower
// reach. A threshold applies from now on as well, see [crawl.Crawl.Set]. The crawl checks them when it picks a URL, and takes out of the queue what they
// leave out, with an entry for each URL in the journal. To take back a late change is as quick. The next
// change that decides all again makes all of them part of the scope proper.

// Names of late entries, see collection.Settings.
const (
	lateExclude = "exclude "
	lateBlock   = "block "
	lateInclude = "include "
	lateReach   = "reach " // with the reach that links are decided under

	// lateThreshold is followed by the threshold that the journal begins with, and by the place from which on
	// its entries change it.
	lateThreshold = "threshold "
)

// splitScope returns the scope that links are decided under, and what is late.
func splitScope(s collection.Settings) (early, late settings.Scope) {
	early = s.Scope
	split := func(list []string, name string) (before, after []string) {
		for _, x := range list {
			if slices.Contains(s.Late, name+x) {
				after = append(after, x)
			} else {
				before = append(before, x)
			}
		}
		return before, after
	}
	early.Exclude, late.Exclude = split(s.Exclude, lateExclude)
	early.Block, late.Block = split(s.Block, lateBlock)
	early.Include, late.Include = split(s.Include, lateInclude)
	for _, x := range s.Late {
		if reach, ok := strings.CutPrefix(x, lateReach); ok {
			early.Reach, late.Reach = reach, s.Reach
		}
	}
	return early, late
}

// lateScope returns the late part of the scope of a collection, as a crawl needs it. Its reach is
// measured from the seeds of the collection.
func lateScope(s collection.Settings) (crawl.Scope, error) {
	_, late := splitScope(s)
	scope, err := scopeOf(late)
	if err != nil || scope.Reach == "" {
		return scope, err
	}
	if scope.Homes, err = seedURLs(s.Seeds); errors.Is(err, ErrSeeds) { // there are none
		err = nil
	}
	return scope, err
}

// lateChange returns the late entries after a change of settings. ok is false if the change needs
// all decisions to be made again, or does not concern the scope.
// end is where the journal ends.
func lateChange(before, after collection.Settings, changes []settings.Change, end uint64) (late []string, ok bool) {
	threshold, from := earlyThreshold(before)
	for _, x := range changes {
		switch {
		case strings.HasPrefix(x.Key, "scope."):
			ok = true
		case x.Key == "threshold":
			ok = true
			from = cmp.Or(from, end)
		case x.When == settings.Again:
			return nil, false
		}
	}
	if !ok {
		return nil, false
	}
	early, _ := splitScope(before)
	for _, l := range []struct {
		name         string
		early, after []string
	}{{lateExclude, early.Exclude, after.Exclude}, {lateBlock, early.Block, after.Block}, {lateInclude, early.Include, after.Include}} {
		added, ok := beyond(l.after, l.early)
		if !ok || l.name == lateInclude && len(l.early) > 0 && len(added) > 0 {
			return nil, false // links were decided under what is missing now, or more links may be followed
		}
		for _, x := range added {
			late = append(late, l.name+x)
		}
	}
	was := reachOf(early.Reach)
	switch now := reachOf(after.Reach); {
	case now == was:
	case !now.Within(was), len(after.Forgotten) > 0: // a seed that was taken down is no longer known here, but allows its host
		return nil, false
	default:
		late = append(late, lateReach+string(was))
	}
	if from > 0 {
		late = append(late, fmt.Sprintf("%s%g from %d", lateThreshold, threshold, from))
	}
	return late, true
}

// earlyThreshold returns the threshold that the journal of a collection begins with, and the place from which on its
// entries change it, 0 if none does.
func earlyThreshold(s collection.Settings) (threshold float64, from uint64) {
	for _, x := range s.Late {
		if text, ok := strings.CutPrefix(x, lateThreshold); ok {
			if n, err := fmt.Sscanf(text, "%g from %d", &threshold, &from); err == nil && n == 2 {
				return threshold, from
			}
		}
	}
	return s.Resolved().Threshold, 0
}

// beyond returns the entries of a list that are not part of another one. ok is false if the list
// lacks any of the other's.
func beyond(list, of []string) (added []string, ok bool) {
	for _, x := range of {
		if !slices.Contains(list, x) {
			return nil, false
		}
	}
	for _, x := range list {
		if !slices.Contains(of, x) {
			added = append(added, x)
		}
	}
	return added, true
}

// reachOf returns the reach of settings, which leave out the widest one.
func reachOf(name string) crawl.Reach { return crawl.Reach(cmp.Or(name, string(crawl.ReachWeb))) }

// lateNote describes for a person what a change of late entries did to the queue, from which a number of
// links is gone; a negative one wait again. narrows reports whether late entries leave out anything now.
func lateNote(gone int, narrows bool) string {
	switch {
	case gone > 0:
		return plain.Some(gone, "link") + " left the queue"
	case gone < 0, !narrows:
		return plain.Some(-gone, "link") + " put back into the queue"
	}
	return "links that are left out leave the queue as the crawl goes on"
}
