package refresh

import (
	"strings"

	"dowse"
)

// A Kind is a sort of pages that change alike, as far as the URL shows it.
type Kind uint8

// The kinds.
const (
	Home   Kind = iota // of a host
	Folder             // a path that ends in a slash, or has one part: sections and lists
	Query              // with a query: made by a program
	Dated              // with a year and a month in its path: news that were printed once
	Other
	kinds
)

// KindOf returns the kind of a page.
func KindOf(u dowse.URL) Kind {
	_, rest, _ := strings.Cut(string(u), "://")
	_, path, _ := strings.Cut(rest, "/")
	path, query, _ := strings.Cut(path, "?")
	switch {
	case query != "":
		return Query
	case path == "":
		return Home
	case isDated(path):
		return Dated
	case strings.HasSuffix(path, "/"), !strings.ContainsAny(path, "/."):
		return Folder
	}
	return Other
}

// isDated reports whether a path has a year and then a month as its parts: 2024/05.
func isDated(path string) bool {
	parts := strings.Split(path, "/")
	for i := 1; i < len(parts); i++ {
		if isNumber(parts[i-1], 4, "1990", "2099") && isNumber(parts[i], 2, "01", "12") {
			return true
		}
	}
	return false
}

// isNumber reports whether a text has n digits and lies between two others.
func isNumber(s string, n int, from, to string) bool {
	return len(s) == n && strings.Trim(s, "0123456789") == "" && s >= from && s <= to
}
