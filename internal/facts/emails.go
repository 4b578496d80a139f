package facts

import "strings"

// maxEmails is how many addresses of a page count.
const maxEmails = 100

// emails returns the mail addresses in a text, each once. It looks around each @, so a text
// without one costs one scan, and no text costs more than a bounded number of bytes per @.
func emails(s string) (list []string) {
	seen := map[string]bool{}
	for at := 0; len(list) < maxEmails; {
		i := strings.IndexByte(s[at:], '@')
		if i < 0 {
			break
		}
		i += at
		at = i + 1
		if m := emailAt(s, i); m != "" && !seen[m] {
			seen[m] = true
			list = append(list, m)
		}
	}
	return list
}

// emailAt returns the address around the @ at i, "" if there is none. It follows the form that mail
// systems accept in practice, not all that RFC 5322 permits: quoted local parts and comments do
// not occur in texts that are meant to be read, and a last label with digits is a file name.
func emailAt(s string, i int) string {
	const maxLocal, maxDomain = 64, 253
	start, end := i, i+1
	for start > 0 && i-start < maxLocal && (isAlnum(s[start-1]) || strings.IndexByte("._%+-", s[start-1]) >= 0) {
		start--
	}
	for end < len(s) && end-i <= maxDomain && (isAlnum(s[end]) || s[end] == '.' || s[end] == '-') {
		end++
	}
	local, domain := strings.TrimLeft(s[start:i], "."), strings.TrimRight(s[i+1:end], ".-")
	dot := strings.LastIndexByte(domain, '.')
	if local == "" || dot < 1 || len(domain)-dot < 3 || strings.ContainsAny(domain[dot+1:], "0123456789") {
		return ""
	}
	return strings.ToLower(local + "@" + domain)
}

// isAlnum reports whether a byte is an ASCII letter or digit. Addresses with other
// letters are rare, and what looks like one usually is not.
func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
