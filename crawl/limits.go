package crawl

import (
	"dowse"
	"dowse/settings"
)

// Limits end a crawl, see [settings.Limits]. Zero means no limit.
type Limits = settings.Limits

// reached returns which limit has been reached, "" for none.
func (s *stats) reached(l *Limits) dowse.StopReason {
	switch {
	case l.Pages > 0 && s.Fetched >= l.Pages:
		return dowse.StopPages
	case l.OnTopic > 0 && s.OnTopic >= l.OnTopic:
		return dowse.StopOnTopic
	case l.Bytes > 0 && s.Bytes >= l.Bytes:
		return dowse.StopBytes
	case l.Time > 0 && s.Elapsed >= l.Time:
		return dowse.StopTime
	case l.Dry.Over > 0 && s.Fetched >= l.Dry.Over && s.window(l.Dry.Over) < l.Dry.Harvest:
		return dowse.StopDriedUp
	case l.Dry.GainOver > 0 && s.Fetched >= l.Dry.GainOver && s.gains.window(l.Dry.GainOver) < l.Dry.Gain:
		return dowse.StopDriedUp
	case l.Dry.Recall > 0 && s.isFound(l.Dry.Recall):
		return dowse.StopRecall
	}
	return ""
}

// A siteCounter is a strategy that counts what sites cost, see [settings.Dry].
type siteCounter interface {
	// PagesPerSite returns the pages read per site on topic over the last sites, back
	// until they have window pages, and whether there were that many; 0 if none of them
	// is on topic.
	PagesPerSite(window int) (pprs float64, full bool)
}

// costLimit returns StopDriedUp if the last sites cost more pages per site on topic than the
// limit allows, or none of them was on topic; else "". A strategy that looks for pages has no
// such limit.
func costLimit(s dowse.Strategy, d *settings.Dry) dowse.StopReason {
	c, ok := s.(siteCounter)
	if d.PPRS == 0 || !ok {
		return ""
	}
	if pprs, full := c.PagesPerSite(d.PPRSOver); full && (pprs == 0 || pprs > d.PPRS) {
		return dowse.StopDriedUp
	}
	return ""
}

// isLimit reports whether a crawl ended because it reached one of its limits.
func isLimit(why dowse.StopReason) bool {
	switch why {
	case dowse.StopPages, dowse.StopOnTopic, dowse.StopBytes, dowse.StopTime, dowse.StopDriedUp, dowse.StopRecall:
		return true
	}
	return false
}

// isBeyond reports whether a page that came back is one more than a limit allows. More visits
// than the limit has room for are made only in place of those that take long, see picker.leavesRoom.
func isBeyond(c *Crawl, p *dowse.Page) bool {
	if c.cfg.Round > 0 || !countsAsPage(p) {
		return false
	}
	why := c.stats.reached(&c.cfg.Limits)
	return why == dowse.StopPages || why == dowse.StopOnTopic
}

// leavesRoom reports whether one more visit may begin while out visits are in flight: even if
// all of them give a page (or one on topic), no limit is passed.
func (s *stats) leavesRoom(l *Limits, out int) bool {
	return !(l.Pages > 0 && s.Fetched+out >= l.Pages || l.OnTopic > 0 && s.OnTopic+out >= l.OnTopic)
}
