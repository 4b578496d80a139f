package extract

import (
	"strings"
	"time"
)

// dateRank orders the places in which a page may say when it was published, the
// most trusted highest.
type dateRank uint8

const (
	noDate     dateRank = iota
	dateOfMeta          // dc.date and the like
	dateOfTime          // time with pubdate
	dateOfItem          // microdata
	dateOfData          // JSON-LD
	dateOfOpen          // article:published_time
)

// dateRankOf returns the rank of a meta element by its name or property.
func dateRankOf(name []byte) dateRank {
	if len(name) < 4 || len(name) > 32 {
		return noDate
	}
	switch strings.ToLower(string(name)) {
	case "article:published_time", "og:article:published_time":
		return dateOfOpen
	case "datepublished":
		return dateOfItem
	case "date", "dc.date", "dc.date.issued", "dc.date.created", "dcterms.date", "dcterms.created", "dcterms.issued",
		"pubdate", "publishdate", "publish-date", "publication_date", "citation_publication_date", "parsely-pub-date":
		return dateOfMeta
	}
	return noDate
}

// readDate keeps a date if no more trusted one is there.
func (p *pass) readDate(value []byte, rank dateRank) {
	if rank <= p.meta.rank || len(value) == 0 || len(value) > 64 || p.meta.dates >= maxDates {
		return
	}
	p.meta.dates++
	if t, ok := parseDate(string(value)); ok {
		p.meta.published, p.meta.rank = t, rank
	}
}

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

// parseDate reads a date in one of the ways pages write it. Without a zone it is
// in UTC.
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
