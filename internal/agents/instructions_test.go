package agents

import (
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"dowse/internal/operations"
)

// TestInstructionsNameTools connects to servers that crawl and that only read: the instructions name a tool where it is
// offered, and nowhere else.
func TestInstructionsNameTools(t *testing.T) {
	writing := openServer(t, false)
	reading := openServer(t, true)
	names := toolNames(t, writing)
	offered := toolNames(t, reading)
	if len(names) <= len(offered) || len(offered) == 0 {
		t.Fatalf("%d tools, and %d of a server that only reads", len(names), len(offered))
	}
	said := wordsOf(reading.InitializeResult().Instructions)
	for name := range names {
		if said[name] && !offered[name] {
			t.Errorf("a server that only reads tells clients to call %s, which it does not have", name)
		}
	}
	if said := wordsOf(writing.InitializeResult().Instructions); !said["collect"] || !said["start_crawl"] {
		t.Error("a server that crawls does not name collect and start_crawl")
	}
	if !said["list_collections"] || !said["search"] {
		t.Error("a server that only reads does not name list_collections and search")
	}
}

// openServer returns a client of a new server.
func openServer(t *testing.T, readOnly bool) *mcp.ClientSession {
	t.Helper()
	dir := t.TempDir()
	ops, err := operations.New(operations.Config{Dirs: []string{dir}, Into: dir, ReadOnly: readOnly, Bound: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ops.Close() })
	s, err := New(Config{Operations: ops, Exports: dir, ReadOnly: readOnly, Pages: 10, Time: time.Minute, Bytes: 1e6, Result: least})
	if err != nil {
		t.Fatal(err)
	}
	near, far := mcp.NewInMemoryTransports()
	if _, err := s.server.Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// toolNames returns the names of the tools that a server offers.
func toolNames(t *testing.T, c *mcp.ClientSession) map[string]bool {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, tool := range list.Tools {
		names[tool.Name] = true
	}
	return names
}

// wordsOf returns the words of a text; the names of tools are words.
func wordsOf(s string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		words[w] = true
	}
	return words
}
