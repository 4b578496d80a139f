package text

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns s in a form in which texts can be compared without regard to
// case, whatever their language: composed (NFC), in lower case, and with the
// dotless ı of Turkish as i, so that Iğdır, IĞDIR and iğdir are equal. If the
// language is known, an [Analyzer] is exact.
func Fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	s = strings.ToLower(norm.NFC.String(s))
	if strings.Contains(s, "ı") {
		return strings.ReplaceAll(s, "ı", "i")
	}
	return s
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
