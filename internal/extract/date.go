package extract

import (
	"strings"
	"time"
)

// dateRank orders the places in which a page may state when it was published or
// changed, from the least to the most trusted.
type dateRank uint8

// The ranks. What a publishing system writes for machines is trusted more than
// what people type into a meta element.
const (
	noDate     dateRank = iota
	dateOfMeta          // meta elements such as dc.date
	dateOfTime          // time elements with pubdate
	dateOfItem          // microdata
	dateOfData          // JSON-LD
	dateOfOpen          // Open Graph: article:published_time
)

// A statedDate is a date that the page states, and how much it is trusted.
//
// The zero value has the lowest rank, so every date replaces it.
type statedDate struct {
	at   time.Time
	rank dateRank
}

// readDateNamed reads a date from a meta element with that name or property.
func (p *pass) readDateNamed(name, value []byte) {
	if len(name) < 4 || len(name) > 32 || len(value) == 0 || len(value) > 64 {
		return
	}
	var lower [32]byte
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	switch string(lower[:len(name)]) {
	case "article:published_time", "og:article:published_time":
		p.readDate(value, dateOfOpen, &p.meta.published)
	case "datepublished":
		p.readDate(value, dateOfItem, &p.meta.published)
	case "date", "dc.date", "dc.date.issued", "dc.date.created", "dcterms.date", "dcterms.created", "dcterms.issued",
		"pubdate", "publishdate", "publish-date", "publication_date", "citation_publication_date", "parsely-pub-date":
		p.readDate(value, dateOfMeta, &p.meta.published)
	case "article:modified_time", "og:article:modified_time", "og:updated_time":
		p.readDate(value, dateOfOpen, &p.meta.modified)
	case "datemodified":
		p.readDate(value, dateOfItem, &p.meta.modified)
	case "last-modified", "revised", "dc.date.modified", "dcterms.modified":
		p.readDate(value, dateOfMeta, &p.meta.modified)
	}
}

// readDate stores a date unless a date of the same or a higher rank is there.
// At most maxDates values are parsed per page.
func (p *pass) readDate(value []byte, rank dateRank, into *statedDate) {
	if rank <= into.rank || len(value) == 0 || len(value) > 64 || p.meta.dates >= maxDates {
		return
	}
	p.meta.dates++
	if t, ok := parseDate(string(value)); ok {
		*into = statedDate{t, rank}
	}
}

// dateLayouts are the forms in which pages write dates, tried in order. Forms
// that are ambiguous between countries, such as 01/02/2006, are left out.
var dateLayouts = []string{
	time.RFC3339,
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04:05",
	"2006-01-02T15:04",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05 Z0700",
	"2006-01-02 15:04:05",
	"2006-01-02 15:04",
	"2006-01-02",
	"2006/01/02",
	"20060102",
	"2006-01",
	time.RFC1123Z,
	time.RFC1123,
	"2 January 2006",
	"January 2, 2006",
}

// parseDate parses a date in one of dateLayouts. Without a time zone it is in
// UTC. Years before 1000 are refused as mistakes.
func parseDate(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	for _, layout := range dateLayouts {
		t, err := time.Parse(layout, s)
		if err == nil && t.Year() >= 1000 && t.Year() <= 9999 {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
