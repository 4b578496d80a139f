package extract

import (
	"math"
	"strconv"
	"strings"
)

// Refresh parses the content of a meta refresh by the rules of the HTML
// standard: after how many seconds to go to which reference. An empty target
// means the page itself. Tabs and line breaks in the target are dropped, as in
// every URL. A delay that is too long becomes the largest number of 31 bits.
func Refresh(content string) (seconds int, target string, ok bool) {
	s := strings.TrimLeft(content, htmlSpace)
	digits := leading(s, isDigit)
	s = s[len(digits):]
	if digits == "" && !strings.HasPrefix(s, ".") {
		return 0, "", false
	}
	seconds = number(digits)
	// The fraction of a delay is ignored: "0.5" is 0.
	s = s[len(leading(s, func(c byte) bool { return isDigit(c) || c == '.' })):]
	if s == "" {
		return seconds, "", true
	}
	if s[0] != ';' && s[0] != ',' && !isSpace(s[0]) {
		return 0, "", false
	}
	s = strings.TrimLeft(s, htmlSpace)
	if s != "" && (s[0] == ';' || s[0] == ',') {
		s = strings.TrimLeft(s[1:], htmlSpace)
	}
	return seconds, noBreaks.Replace(refreshTarget(s)), true
}

var noBreaks = strings.NewReplacer("\t", "", "\n", "", "\r", "")

const htmlSpace = " \t\n\f\r"

// refreshTarget removes "url=" and quotes from a target.
func refreshTarget(s string) string {
	if len(s) >= 3 && strings.EqualFold(s[:3], "url") {
		after := strings.TrimLeft(s[3:], htmlSpace)
		if !strings.HasPrefix(after, "=") {
			return strings.TrimRight(s, htmlSpace)
		}
		s = strings.TrimLeft(after[1:], htmlSpace)
	}
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return strings.TrimRight(s, htmlSpace)
	}
	s, _, _ = strings.Cut(s[1:], s[:1])
	return strings.Trim(s, htmlSpace)
}

// leading returns the longest beginning of s whose bytes are in the class.
func leading(s string, in func(byte) bool) string {
	i := 0
	for i < len(s) && in(s[i]) {
		i++
	}
	return s[:i]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// number returns the value of digits, at most what fits into 31 bits.
func number(digits string) int {
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil && digits != "" {
		return math.MaxInt32
	}
	return int(n)
}
