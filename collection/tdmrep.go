package collection

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"dowse"
	"dowse/fetch"
	"dowse/internal/archive"
	"dowse/internal/requisite"
)

// Bounds on the tdmrep.json of a host.
const (
	maxTDMBytes   = 1 << 20
	maxTDMRules   = 1000
	maxTDMPattern = 2048 // bytes
	maxTDMHops    = 5    // redirects
)

// A tdmRule is an entry of a tdmrep.json: whether text and data mining of some paths is reserved (TDM
// Reservation Protocol, W3C Community Group report of 2024).
type tdmRule struct {
	pattern  string // of paths, as in a robots.txt: * is any text, $ the end
	reserved bool
}

// parseTDM reads a tdmrep.json: a list of rules, or one. What is no rule is passed over.
func parseTDM(body []byte) (rules []tdmRule) {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) != nil {
		list = []json.RawMessage{body}
	}
	for _, raw := range list {
		var r struct {
			Location    string          `json:"location"`
			Reservation json.RawMessage `json:"tdm-reservation"`
		}
		if json.Unmarshal(raw, &r) != nil || r.Location == "" || len(r.Location) > maxTDMPattern || len(rules) == maxTDMRules {
			continue
		}
		value := strings.Trim(string(r.Reservation), `" `)
		if value == "0" || value == "1" || value == "true" || value == "false" {
			rules = append(rules, tdmRule{r.Location, value == "1" || value == "true"})
		}
	}
	return rules
}

// reservesTDM reports whether rules reserve a path. As in a robots.txt the longest pattern counts; of two
// that are equally long, the one that reserves.
func reservesTDM(rules []tdmRule, path string) bool {
	best, reserved := -1, false
	for _, r := range rules {
		if n := len(r.pattern); n >= best && (n > best || r.reserved) && matchesPath(r.pattern, path) {
			best, reserved = n, r.reserved
		}
	}
	return reserved
}

// matchesPath reports whether a pattern of a robots.txt or tdmrep.json matches the beginning of a path. Each
// piece between two stars is looked for after the piece before it, so the time is linear in the path.
func matchesPath(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	pieces := strings.Split(pattern, "*")
	if !strings.HasPrefix(path, pieces[0]) {
		return false
	}
	rest := path[len(pieces[0]):]
	for i, piece := range pieces[1:] {
		if whole && i == len(pieces)-2 {
			return strings.HasSuffix(rest, piece)
		}
		at := strings.Index(rest, piece)
		if at < 0 {
			return false
		}
		rest = rest[at+len(piece):]
	}
	return !whole || rest == ""
}

// tdmOf returns the rules of the tdmrep.json of the host of a page, if the collection has it, and whether
// the host was asked for it.
func (c *Collection) tdmOf(u dowse.URL) (rules []tdmRule, asked bool) {
	if c.tdm == nil {
		c.tdm = tdmLines(c.Dir)
	}
	at := requisite.TDMRep(u)
	line, asked := c.tdm[at]
	for range maxTDMHops {
		if line == nil || line.Status < 300 || line.Status >= 400 || len(line.Uses) == 0 {
			break
		}
		line = c.tdm[line.Uses[0]]
	}
	if line == nil || line.File == "" || line.Status != 200 {
		return nil, asked
	}
	ex, err := archive.ReadExchange(filepath.Join(c.Dir, requisite.Folder), dowse.Place{File: line.File, Offset: line.Offset}, maxTDMBytes)
	if err != nil {
		return nil, asked
	}
	return parseTDM(fetch.Decoded(ex.Response().Header, ex.Payload, maxTDMBytes)), asked
}

// tdmLines returns the lines of the ledger of requisites for tdmrep.json files, and for what they redirect to.
// It is never nil. A ledger that can't be read has none.
func tdmLines(dir string) map[dowse.URL]*requisite.Line {
	lines, wanted := map[dowse.URL]*requisite.Line{}, map[dowse.URL]bool{}
	for range maxTDMHops {
		more := false
		for l, err := range requisite.Lines(dir) {
			if err != nil {
				break
			}
			if l.URL == "" || lines[l.URL] != nil || !wanted[l.URL] && requisite.TDMRep(l.URL) != l.URL {
				continue
			}
			lines[l.URL] = l
			if len(l.Uses) == 1 && !wanted[l.Uses[0]] {
				wanted[l.Uses[0]] = true
				more = true
			}
		}
		if !more {
			break
		}
	}
	return lines
}
