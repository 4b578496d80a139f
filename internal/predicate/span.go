package predicate

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A span is a range of numbers, both ends included. People write "5..10" and mean
// that 5 and 10 are in it. A bound that is left out is infinite.
type span struct{ from, to float64 }

// has reports whether a number is in the range.
func (s span) has(n float64) bool { return s.from <= n && n <= s.to }

// parseSpan reads 5, 5.., ..10 or 5..10.
func parseSpan(s string) (span, error) {
	from, to, isRange := strings.Cut(strings.TrimSpace(s), "..")
	if !isRange {
		n, err := parseNumber(from)
		return span{n, n}, err
	}
	sp := span{math.Inf(-1), math.Inf(1)}
	if strings.TrimSpace(from+to) == "" {
		return sp, fmt.Errorf("%q has no number on either side", s)
	}
	var err error
	if strings.TrimSpace(from) != "" {
		if sp.from, err = parseNumber(from); err != nil {
			return sp, err
		}
	}
	if strings.TrimSpace(to) != "" {
		if sp.to, err = parseNumber(to); err != nil {
			return sp, err
		}
	}
	if sp.from > sp.to {
		return sp, fmt.Errorf("%q is empty: swap its ends", s)
	}
	return sp, nil
}

// parseNumber reads a finite number.
func parseNumber(s string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("%q is not a number", cutName(s))
	}
	return n, nil
}

// A period is a time from its start to just before its end; a zero time is no
// bound.
type period struct{ from, to time.Time }

// has reports whether a time is in the period. The end is excluded, so that a year
// ends with its last moment, whatever the precision of the time.
func (p period) has(t time.Time) bool {
	return (p.from.IsZero() || !t.Before(p.from)) && (p.to.IsZero() || t.Before(p.to))
}

// parsePeriod reads a date, or two with .. between them, of which either may be
// omitted.
func parsePeriod(s string) (period, error) {
	from, to, isRange := strings.Cut(strings.TrimSpace(s), "..")
	if !isRange {
		return parseDay(from)
	}
	var p period
	if strings.TrimSpace(from+to) == "" {
		return p, fmt.Errorf("%q has no date on either side", s)
	}
	if strings.TrimSpace(from) != "" {
		first, err := parseDay(from)
		if err != nil {
			return p, err
		}
		p.from = first.from
	}
	if strings.TrimSpace(to) != "" {
		last, err := parseDay(to)
		if err != nil {
			return p, err
		}
		p.to = last.to
	}
	if !p.from.IsZero() && !p.to.IsZero() && !p.from.Before(p.to) {
		return p, fmt.Errorf("%q is empty: swap its ends", s)
	}
	return p, nil
}

// parseDay reads a year, a month, a day or an instant as the period that it
// covers. So "2026" holds for each day of 2026, and a range of dates can begin
// with a month and end with a day. All are in UTC, since most pages give no time
// zone.
func parseDay(s string) (period, error) {
	s = strings.TrimSpace(s)
	for _, l := range []struct {
		layout              string
		years, months, days int
	}{{"2006", 1, 0, 0}, {"2006-01", 0, 1, 0}, {"2006-01-02", 0, 0, 1}} {
		if t, err := time.Parse(l.layout, s); err == nil && t.Year() > 0 {
			return period{t, t.AddDate(l.years, l.months, l.days)}, nil
		}
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil && t.Year() > 0 {
		return period{t, t.Add(time.Second)}, nil
	}
	return period{}, fmt.Errorf("%q is not a date", cutName(s))
}
