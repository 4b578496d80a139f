package admission

import (
	"testing"

	"dowse"
)

func TestIsFile(t *testing.T) {
	for u, want := range map[dowse.URL]bool{
		"https://a.example/report.pdf":              true,
		"https://a.example/x/PHOTO.JPG":             true,
		"https://a.example/report.pdf?download=1":   true,
		"https://a.example/a.b/data.tar.gz":         true,
		"https://a.example/":                        false,
		"https://a.example/report.html":             false,
		"https://a.example/v1.0/report":             false,
		"https://a.example/.pdf":                    false,
		"https://a.example/pdf":                     false,
		"https://a.example/get?file=report.pdf":     false,
		"https://w.example/wiki/File:Reef.jpg":      false,
		"https://a.example/index.php/report.pdf/en": false,
	} {
		if got := IsFile(u); got != want {
			t.Errorf("%s: %v, want %v", u, got, want)
		}
	}
}
