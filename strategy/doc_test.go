package strategy_test

import (
	"os"
	"strings"
	"testing"

	"dowse"
	"dowse/strategy/strategytest"
)

// TestDocumentedExample checks that the strategy in docs/add-a-strategy.md is the one
// that is compiled and run here.
func TestDocumentedExample(t *testing.T) {
	doc, err := os.ReadFile("../docs/add-a-strategy.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "```go\n")
	block, _, ok := strings.Cut(rest, "```\n")
	if !ok || block != string(code) {
		t.Error("the code in docs/add-a-strategy.md is not strategy/example_test.go")
	}
}

func TestExampleConforms(t *testing.T) {
	strategytest.Run(t, func() dowse.Strategy { return &AnchorWords{} })
}
