package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestParquetOpens reads an export in Parquet with another implementation, and compares it with the same export in JSON.
func TestParquetOpens(t *testing.T) {
	script := filepath.Join(installNode(t, "parquet"), "open.mjs")
	dir, path := changedCollection(t), filepath.Join(t.TempDir(), "x.parquet")
	mustRun(t, "export", dir, path, "--all")
	text, err := exec.Command("node", script, path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Groups          int
		Codecs, Columns []string
		Rows            []struct {
			URL, Text, Title, Language, ID string
			TokenCount                     int     `json:"token_count"`
			Score                          float64 `json:"score"`
			LanguageScore                  float64 `json:"language_score"`
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v in %d bytes", err, len(text))
	}
	first := []string{"text", "id", "dump", "url", "date", "file_path", "language", "language_score", "token_count"}
	if got.Groups < 1 || !slices.Equal(got.Codecs, []string{"ZSTD"}) || len(got.Columns) < 9 || !slices.Equal(got.Columns[:9], first) {
		t.Errorf("%d row groups, compressed by %v, with the columns %v", got.Groups, got.Codecs, got.Columns)
	}
	lines := strings.Split(strings.TrimSpace(mustRun(t, "export", dir, "-", "--all", "--text", "main")), "\n")
	if len(lines) != len(got.Rows) || len(lines) < 3 {
		t.Fatalf("%d rows and %d lines", len(got.Rows), len(lines))
	}
	for i, line := range lines {
		var want struct {
			URL, Text, Title, Lang string
			Relevance              float64
			TokenCount             int     `json:"token_count"`
			LangScore              float64 `json:"lang_score"`
		}
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		row := got.Rows[i]
		if row.URL != want.URL || row.Text != want.Text || row.Text == "" || row.Title != want.Title || row.Language != want.Lang ||
			row.Score != want.Relevance || row.TokenCount != want.TokenCount || row.TokenCount == 0 || row.LanguageScore != want.LangScore {
			t.Errorf("row %d is %.300v\nwant %.300v", i, row, want)
		}
	}
}
