package fetch

import (
	"bytes"
	"net/http"

	"dowse"
)

// Marks of the pages by which bot walls ask for a person, each peculiar to its
// maker.
var wallMarks = [...]string{
	"cdn-cgi/challenge-platform", "cf-chl-", "cf_chl_", "<title>just a moment...</title>",
	"attention required! | cloudflare",
	"captcha-delivery.com", "px-captcha", "_incapsula_resource", "awswafintegration",
	"ddos-guard/js-challenge", "sucuri website firewall",
	"/.within.website/x/cmd/anubis", "<title>making sure you&#39;re not a bot!</title>",
	"/vercel/security/", "go-away/challenge",
}

// Marks that only mean a wall where access is forbidden outright.
var forbiddenMarks = [...]string{
	"captcha", "verify you are human", "verify that you are human", "are you a robot", "unusual traffic",
}

// challenged reports whether the answer is a page that wants a person.
func (v *visit) challenged() bool {
	if v.Header.Get("Cf-Mitigated") == "challenge" || v.Header.Get("X-Amzn-Waf-Action") != "" {
		return true
	}
	switch v.Fetch.Status {
	case http.StatusForbidden:
		return v.marked(wallMarks[:]) || v.marked(forbiddenMarks[:])
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return v.marked(wallMarks[:])
	}
	return false
}

func (v *visit) marked(marks []string) bool {
	text := bytes.ToLower(v.Body[:min(len(v.Body), maxAside)])
	for _, mark := range marks {
		if bytes.Contains(text, []byte(mark)) {
			return true
		}
	}
	return false
}

func (v *visit) challenge() {
	v.skip(dowse.SkipChallenge, http.StatusText(v.Fetch.Status)+": a page for people, not for crawlers")
	v.host().BackOff = true
}
