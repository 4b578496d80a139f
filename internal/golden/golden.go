// Package golden holds the numbers that the algorithms of dowse must reproduce.
// The files in testdata were computed by small reference programs that share no
// code with this module. Each has a list of cases; a case has parameters, an input
// and the expected result. Only tests import this package.
package golden

import (
	"embed"
	"encoding/json"
	"testing"
)

//go:embed testdata/*.json
var files embed.FS

// Read decodes testdata/name.json into v. A file that is missing or broken fails
// the test: golden numbers are never optional.
func Read(t testing.TB, name string, v any) {
	t.Helper()
	data, err := files.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("testdata/%s.json: %v", name, err)
	}
}
