package crawl

import "dowse"

// Reasons are kept as small codes: the place in dowse.ReasonHelp, plus 1. The list
// only ever grows at its end.
var reasons, reasonCodes = func() ([]dowse.Reason, map[dowse.Reason]uint8) {
	list, codes := []dowse.Reason{""}, map[dowse.Reason]uint8{"": 0}
	for i, r := range dowse.ReasonHelp() {
		list = append(list, r.Reason)
		codes[r.Reason] = uint8(i + 1)
	}
	return list, codes
}()

func reasonCode(r dowse.Reason) uint8 { return reasonCodes[r] }

func reasonOf(code uint8) dowse.Reason {
	if int(code) < len(reasons) {
		return reasons[code]
	}
	return ""
}

// Reason tells why a URL was left out or failed, "" if it was not.
func (c *Crawl) Reason(u dowse.URL) dowse.Reason {
	if id, ok := c.f.Find(u); ok {
		return c.ReasonFor(id)
	}
	return ""
}
