package settings

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// The values of a setting of kind [Often] that are no times.
const (
	oftenAuto    = "auto"
	oftenChanges = "changes"
	oftenNone    = "none"
)

// RefreshEvery returns how often pages are asked again: after a time, or by an estimate, whose aim is "auto" or
// "changes". Both are zero if they are never asked again.
func (o Order) RefreshEvery() (every time.Duration, aim string) {
	every, aim, _ = parseOften(o.Refresh)
	return every, aim
}

// Bounds of a time after which a page is asked again.
const (
	leastOften = time.Minute
	mostOften  = 520 * 7 * 24 * time.Hour
)

// parseOften reads a time, which may be in days (7d) or weeks (2w), auto, changes or none.
func parseOften(text string) (every time.Duration, aim string, err error) {
	switch text {
	case "", oftenNone:
		return 0, "", nil
	case oftenAuto, oftenChanges:
		return 0, text, nil
	}
	every, err = parseDays(text)
	if err == nil && (every < leastOften || every > mostOften) {
		err = errors.New("out of range")
	}
	return every, "", err
}

// parseDays is time.ParseDuration that also knows days and weeks, as the only unit.
func parseDays(text string) (time.Duration, error) {
	for _, u := range []struct {
		suffix string
		unit   time.Duration
	}{{"d", 24 * time.Hour}, {"w", 7 * 24 * time.Hour}} {
		if n, ok := strings.CutSuffix(text, u.suffix); ok {
			x, err := strconv.ParseFloat(n, 64)
			if err != nil || !(x >= 0 && x <= 1e4) {
				return 0, errors.New("not a number of days or weeks")
			}
			return time.Duration(x * float64(u.unit)), nil
		}
	}
	return time.ParseDuration(text)
}
