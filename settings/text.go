package settings

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// An Error names a setting that was given a value that it can't have.
type Error struct {
	Field
	Got  string // the value
	Want string // what it may be
}

// Error names the setting by its key, or by its flag if no file keeps it.
func (e *Error) Error() string {
	name := e.Key
	if name == "" {
		name = e.Flag
	}
	return fmt.Sprintf("%s: got %s, want %s", name, e.Got, e.Want)
}

// Read parses a text into a value of the type of the field. The text of a list
// is one entry of it. The error is an [Error].
func (f Field) Read(text string) (any, error) {
	if kept := f.tag.Get("none"); kept != "" && text == "none" {
		return f.convert(kept)
	}
	x, err := f.convert(text)
	var bad *untilError
	if errors.As(err, &bad) {
		return nil, &Error{f, strconv.Quote(text), f.want() + "; " + bad.Error()}
	}
	if err != nil {
		return nil, f.wrong(text)
	}
	v := reflect.ValueOf(x)
	switch {
	case isNumber(v) && f.outside(v) && !isNegative(v) && f.isTooMuch(v):
		return nil, &Error{f, f.got(text), "at most " + f.greatest()}
	case isNumber(v) && f.outside(v) || isNegative(v):
		return nil, f.wrong(text)
	}
	if !v.IsZero() || v.Kind() == reflect.String {
		return x, nil
	}
	if kept := f.tag.Get("zero"); kept != "" {
		return f.convert(kept)
	}
	if f.hasPositiveDefault() { // 0 would mean the default
		return nil, f.wrong(text)
	}
	return x, nil
}

// hasPositiveDefault reports whether 0 can't be stored as a value of its own, because it means
// that no value was given.
func (f Field) hasPositiveDefault() bool { return f.Default != "" && f.Default != "0" }

func isNegative(v reflect.Value) bool {
	return v.CanInt() && v.Int() < 0 || v.CanFloat() && v.Float() < 0
}

func isNumber(v reflect.Value) bool { return v.CanInt() || v.CanFloat() }

// convert parses a text by the kind of the field, without checking its bounds.
func (f Field) convert(text string) (any, error) {
	switch f.Kind {
	case numberKind:
		return strconv.ParseUint(text, 10, 64)
	case Count:
		return strconv.Atoi(text)
	case Time:
		if n, err := strconv.Atoi(text); err == nil && n <= 0 { // 0, and -1, which means it
			return time.Duration(n), nil
		}
		return time.ParseDuration(text)
	case Size:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n <= 0 { // 0, and -1, which means it
			return n, nil
		}
		return parseSize(text)
	case Rate:
		n, ok := strings.CutSuffix(text, "/s")
		if !ok {
			return 0.0, strconv.ErrSyntax
		}
		return strconv.ParseFloat(n, 64)
	case Share:
		return strconv.ParseFloat(text, 64)
	case Until:
		if text == "none" { // drops the rules that there are
			return Dry{}, nil
		}
		return parseUntil(text)
	case Often:
		_, _, err := parseOften(text)
		return text, err
	case flagKind:
		return strconv.ParseBool(text)
	}
	return text, nil
}

// parseSize reads a number of bytes with its unit: 500MB, 5GB, 10KiB.
func parseSize(text string) (int64, error) {
	for _, u := range sizeUnits {
		if n, ok := strings.CutSuffix(text, u.suffix); ok {
			v, err := strconv.ParseFloat(n, 64)
			if err != nil || !(v >= 0 && v*u.factor <= 1<<62) {
				break
			}
			return int64(v * u.factor), nil
		}
	}
	return 0, fmt.Errorf("%q is not a size; write it with its unit, as 500MB or 5GB", text)
}

var sizeUnits = []struct {
	suffix string
	factor float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}}

// sizeText writes a number of bytes in the largest unit that leaves no remainder.
func sizeText(n int64) string {
	for _, u := range []struct {
		suffix string
		bytes  int64
	}{{"TiB", 1 << 40}, {"TB", 1e12}, {"GiB", 1 << 30}, {"GB", 1e9}, {"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"KB", 1e3}} {
		if n >= u.bytes && n%u.bytes == 0 {
			return fmt.Sprintf("%d%s", n/u.bytes, u.suffix)
		}
	}
	return fmt.Sprintf("%dB", n)
}

// Text returns the value as a person writes it, "" if none was given. [Field.Read] reads it,
// but for lists, whose entries are joined by commas.
func (f Field) Text(s *Settings) string {
	if !f.Given(s) {
		return ""
	}
	v := f.value(s)
	switch {
	case isNegative(v) && f.tag.Get("none") != "" && f.tag.Get("none") != "0":
		return "none"
	case isNegative(v) && f.Kind == Time:
		return "0s"
	case isNegative(v):
		return "0"
	}
	switch x := v.Interface().(type) {
	case []string:
		return strings.Join(x, ",")
	case Dry:
		return x.text()
	case time.Duration:
		return durationText(x)
	}
	switch f.Kind {
	case Size:
		return sizeText(v.Int())
	case Rate:
		return fmt.Sprintf("%v/s", v.Float())
	}
	return fmt.Sprint(v.Interface())
}

// durationText writes a duration without parts that are zero: 2m, not 2m0s.
func durationText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// wrong returns the error for a text that is no value.
func (f Field) wrong(text string) error { return &Error{f, f.got(text), f.want()} }

// got returns a text as an error shows it. Numbers are not quoted where a number is wanted.
func (f Field) got(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err != nil || f.Kind != Count && f.Kind != Share {
		return strconv.Quote(text)
	}
	return text
}

// isTooMuch reports whether a number is above the greatest value of the field.
func (f Field) isTooMuch(v reflect.Value) bool {
	_, high := f.bounds()
	return f.Kind != Share && asFloat(v) > asFloat(reflect.ValueOf(high))
}

// greatest returns the greatest value of a number as a text that can be read.
func (f Field) greatest() string {
	_, high := f.bounds()
	switch x := high.(type) {
	case time.Duration:
		return durationText(x)
	case int64:
		return sizeText(x)
	case float64:
		return fmt.Sprintf("%v/s", x)
	}
	return fmt.Sprint(high)
}

// want describes the texts that can be read, for an error message.
func (f Field) want() string {
	or := ""
	if f.tag.Get("none") != "" {
		or = ", or none"
	}
	switch {
	case len(f.Choices) > 0:
		last := len(f.Choices) - 1
		return strings.Join(f.Choices[:last], ", ") + " or " + f.Choices[last]
	case f.Kind == Count && f.hasPositiveDefault() && f.tag.Get("zero") == "":
		return "1 or more" + or
	case f.Kind == Count:
		return "0 or more" + or
	case f.Kind == numberKind:
		return "a whole number, 0 or more"
	case f.Kind == Time:
		return "a time with its unit (e.g. 90s, 2h)" + or
	case f.Kind == Size && f.tag.Get("min") != "0":
		least, _ := strconv.ParseInt(f.tag.Get("min"), 10, 64)
		return fmt.Sprintf("a size of at least %s (e.g. 500MB, 5GB)", sizeText(least)) + or
	case f.Kind == Size:
		return "a size with its unit (e.g. 500MB, 5GB)" + or
	case f.Kind == Rate:
		return "requests per second (e.g. 20/s)" + or
	case f.Kind == Share:
		return "a share from 0 to 1" + or
	case f.Kind == Often:
		return "a time from 1m to 520w with its unit (e.g. 7d, 12h), auto, changes or none"
	case f.Kind == Until:
		return "recall>0.8, gain<0.01 over 500, harvest<0.05 over 500 (over at most 1000 pages) or pprs>20 (sites)"
	}
	return "one line"
}

// bounds returns the least and the greatest value of a number that can be kept.
func (f Field) bounds() (low, high any) {
	low, _ = f.bound("min")
	high, _ = f.bound("max")
	return low, high
}

func (f Field) bound(tag string) (any, error) {
	text := f.tag.Get(tag)
	switch f.Kind {
	case Size:
		return strconv.ParseInt(text, 10, 64)
	case Rate:
		return strconv.ParseFloat(text, 64)
	}
	return f.convert(text)
}

// outside reports whether a number is none that can be kept. The one that was not given and those with
// a meaning of their own can be; numbers that are not finite can't.
func (f Field) outside(v reflect.Value) bool {
	low, high := f.bounds()
	x, l, h := asFloat(v), asFloat(reflect.ValueOf(low)), asFloat(reflect.ValueOf(high))
	for _, tag := range []string{"zero", "none"} {
		if meaning, err := strconv.ParseFloat(f.tag.Get(tag), 64); err == nil && x == meaning {
			return false
		}
	}
	if x == 0 {
		return false
	}
	return !(x >= l && x <= h) || math.IsInf(x, 0)
}

func asFloat(v reflect.Value) float64 {
	if v.CanFloat() {
		return v.Float()
	}
	return float64(v.Int())
}
