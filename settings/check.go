package settings

import (
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of texts that are entries of a list.
const (
	maxPattern = 64 << 10
	maxEntry   = 10_000
)

// sinkForms are the beginnings of the names of sinks.
var sinkForms = []string{"jsonl:", "http://", "https://", "opensearch+http://", "opensearch+https://", "nats://", "nats+tls://"}

// Check returns an [Error] for the first setting whose value no crawl can have. Settings may
// come from the file of a stranger, so every field is checked.
func (s *Settings) Check() error {
	for _, f := range fields {
		if err := f.check(f.value(s)); err != nil {
			return err
		}
	}
	return nil
}

// check checks one value. The bounds of numbers include the value that means
// zero or none.
func (f Field) check(v reflect.Value) error {
	switch x := v.Interface().(type) {
	case string:
		return f.checkText(x)
	case []string:
		return f.checkList(x)
	case Dry:
		return f.checkDry(x)
	}
	if !isNumber(v) || !f.outside(v) {
		return nil
	}
	low, high := f.bounds()
	want := fmt.Sprintf("%v to %v", low, high)
	if f.tag.Get("zero") != "" {
		kept, _ := f.convert(f.tag.Get("zero"))
		want += fmt.Sprintf(", or %v for none", kept)
	}
	return &Error{f, shortened(fmt.Sprint(v.Interface())), want}
}

func (f Field) checkText(text string) error {
	if len(f.Choices) > 0 {
		if text != "" && !slices.Contains(f.Choices, text) {
			return &Error{f, shortened(text), f.want()}
		}
		return nil
	}
	if f.Kind == Often && text != "" {
		if _, _, err := parseOften(text); err != nil {
			return &Error{f, shortened(text), f.want()}
		}
		return nil
	}
	if most := f.most(); !isLine(text, most) {
		return &Error{f, shortened(text), fmt.Sprintf("one line of at most %d bytes without control characters", most)}
	}
	return nil
}

func (f Field) checkList(list []string) error {
	if most := f.most(); len(list) > most {
		return &Error{f, fmt.Sprintf("%d entries", len(list)), fmt.Sprintf("at most %d", most)}
	}
	for _, text := range list {
		if want := f.entryWanted(text); want != "" {
			return &Error{f, shortened(text), want}
		}
	}
	return nil
}

// entryWanted returns what an entry of a list must be, "" if it is that.
func (f Field) entryWanted(text string) string {
	switch f.Kind {
	case patternKind:
		var bad *syntax.Error
		switch _, err := regexp.Compile(text); {
		case errors.As(err, &bad):
			return fmt.Sprintf("a regular expression (RE2): %s", bad.Code)
		case err != nil:
			return "a regular expression (RE2)"
		case len(text) > maxPattern:
			return fmt.Sprintf("a regular expression of at most %d bytes", maxPattern)
		}
	case netKind:
		_, err1 := netip.ParsePrefix(text)
		_, err2 := netip.ParseAddr(text)
		if err1 != nil && err2 != nil {
			return "a network as 10.0.0.0/8, or an address"
		}
	case sinkKind:
		switch scheme, rest, _ := strings.Cut(text, "://"); {
		case !isLine(text, maxEntry):
			return "a sink on one line, without control characters"
		case !slices.ContainsFunc(sinkForms, func(form string) bool { return strings.HasPrefix(text, form) }):
			return "a sink that begins with " + strings.Join(sinkForms, ", ")
		case scheme != text && strings.Contains(strings.FieldsFunc(rest+"/", func(r rune) bool { return strings.ContainsRune("/?#", r) })[0], "@"):
			return "a sink without user and password"
		}
	default:
		if len(f.Choices) > 0 && !slices.Contains(f.Choices, text) {
			return f.want()
		}
		if !isLine(text, maxEntry) {
			return fmt.Sprintf("one line of at most %d bytes without control characters", maxEntry)
		}
	}
	return ""
}

// checkDry names the keys under which the file keeps the numbers.
func (f Field) checkDry(d Dry) error {
	at := strings.TrimSuffix(f.Key, "until")
	for _, x := range []struct {
		key   string
		value float64
		most  float64
	}{
		{"until_harvest", d.Harvest, 1}, {"until_over", float64(d.Over), 1_000_000},
		{"until_gain", d.Gain, 1}, {"until_gain_over", float64(d.GainOver), 1_000_000}, {"until_recall", d.Recall, 1},
		{"until_pprs", d.PPRS, 1_000_000}, {"until_pprs_over", float64(d.PPRSOver), 1_000_000},
	} {
		if !(x.value >= 0 && x.value <= x.most) {
			f.Key = at + x.key
			return &Error{f, shortened(strconv.FormatFloat(x.value, 'f', -1, 64)), fmt.Sprintf("0 to %.0f", x.most)}
		}
	}
	return nil
}

// most returns how long a text or a list may be.
func (f Field) most() int {
	n := 0
	_, _ = fmt.Sscan(f.tag.Get("max"), &n) // a table without it fails its test
	return n
}

// isLine reports whether a text is printed on one line as it is.
func isLine(s string, most int) bool {
	return len(s) <= most && utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0
}

// shortened returns the beginning of a text, quoted.
func shortened(s string) string {
	const most = 80
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q…", strings.ToValidUTF8(s[:most], ""))
}
