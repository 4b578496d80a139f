package main

import "testing"

func TestWithScheme(t *testing.T) {
	for raw, want := range map[string]string{
		"example.org":            "https://example.org",
		" example.org/reefs ":    "https://example.org/reefs",
		"example.org:8080/reefs": "http://example.org:8080/reefs",
		"example.org:80":         "http://example.org:80",
		"example.org:443":        "https://example.org:443",
		"example.org:8443/a":     "https://example.org:8443/a",
		"web:8080":               "http://web:8080",
		"web:8443":               "https://web:8443",
		"localhost":              "http://localhost",
		"localhost:8080/a":       "http://localhost:8080/a",
		"localhost:8443":         "http://localhost:8443",
		"127.0.0.1:9000":         "http://127.0.0.1:9000",
		"[::1]:9000/a":           "http://[::1]:9000/a",
		"http://example.org":     "http://example.org",
		"https://example.org":    "https://example.org",
		"mailto:a":               "mailto:a",
		"reefs":                  "reefs",
		":8080":                  ":8080",
		"a b:80":                 "a b:80",
		"a@example.org:80":       "a@example.org:80",
	} {
		if got := withScheme(raw); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}
