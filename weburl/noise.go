package weburl

import "strings"

// isNoise reports whether a query parameter does not affect the page: it names
// a session or where the visitor came from. [Parse] lists them.
func isNoise(param string) bool {
	if len(param) < 3 || !noiseInitial[param[0]] {
		return false
	}
	name, value, _ := strings.Cut(param, "=")
	// The length selects the few names to compare with.
	switch len(name) {
	case 3:
		return fold(name, "sid") && isHexToken(value)
	case 4:
		return fold(name, "cfid")
	case 5:
		return fold(name, "gclid") || fold(name, "yclid")
	case 6:
		if fold(name, "fbclid") || fold(name, "mc_eid") || fold(name, "igshid") {
			return true
		}
	case 7:
		if fold(name, "msclkid") || fold(name, "cftoken") {
			return true
		}
	case 9:
		if fold(name, "phpsessid") || fold(name, "sessionid") && isToken(value) {
			return true
		}
	case 10:
		if fold(name, "jsessionid") || fold(name, "session_id") && isToken(value) {
			return true
		}
	}
	return hasFoldedPrefix(name, "utm_") || hasFoldedPrefix(name, "aspsessionid")
}

// noiseInitial holds the first letters of the names in isNoise, so that one
// lookup settles most parameters.
var noiseInitial = func() (t [256]bool) {
	for _, c := range []byte("scgyfmipjua") {
		t[c], t[c-0x20] = true, true
	}
	return t
}()

// fold reports whether s equals lower without regard to case.
func fold(s, lower string) bool { return strings.EqualFold(s, lower) }

func hasFoldedPrefix(s, lower string) bool {
	return len(s) >= len(lower) && strings.EqualFold(s[:len(lower)], lower)
}

// isToken reports whether s looks like a random token: only letters and digits,
// at least 8 with both kinds or 16 digits. A short number, such as that of a
// session at a conference, is not one.
func isToken(s string) bool {
	letters, digits := 0, 0
	for i := 0; i < len(s); i++ {
		switch {
		case isLetter(s[i]):
			letters++
		case isDigit(s[i]):
			digits++
		default:
			return false
		}
	}
	return digits >= 16 || digits > 0 && letters > 0 && len(s) >= 8
}

// isHexToken reports whether s is a token of hexadecimal digits. Parameters
// called sid often name a section or story, so only this strict form counts as
// a session there.
func isHexToken(s string) bool {
	for i := 0; i < len(s); i++ {
		if hexValue(s[i]) < 0 {
			return false
		}
	}
	return isToken(s)
}

// withoutSession removes ;jsessionid=… from a path segment.
func withoutSession(segment string) string {
	const name = ";jsessionid="
	for i := 0; i+len(name) <= len(segment); i++ {
		if segment[i] != ';' || !fold(segment[i:i+len(name)], name) {
			continue
		}
		rest := ""
		if end := strings.IndexByte(segment[i+1:], ';'); end >= 0 {
			rest = segment[i+1+end:]
		}
		return segment[:i] + withoutSession(rest)
	}
	return segment
}

// isSessionSegment reports whether a path segment is a session id of ASP.NET:
// (S(…)), with other letters before and after it, or, in its first version, 24
// letters and digits in parentheses.
func isSessionSegment(segment string) bool {
	n := len(segment)
	if n < 3 || segment[0] != '(' || segment[n-1] != ')' {
		return false
	}
	inner := segment[1 : n-1]
	if len(inner) == 24 && isToken(inner) {
		return true
	}
	token := false
	for inner != "" {
		end := strings.IndexByte(inner, ')')
		if end < 2 || !isLetter(inner[0]) || inner[1] != '(' {
			return false
		}
		token = token || isSessionToken(inner[2:end])
		inner = inner[end+1:]
	}
	return token
}

// isSessionToken reports whether s may be a session id inside (S(…)): at least
// 16 unreserved characters.
func isSessionToken(s string) bool {
	for i := 0; i < len(s); i++ {
		if class[s[i]]&unreserved == 0 {
			return false
		}
	}
	return len(s) >= 16
}
