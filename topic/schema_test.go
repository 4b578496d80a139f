package topic

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

// everyMapping is a topic file with all mappings that a topic can have.
const everyMapping = `dowse: topic/v1
name: x
words: [reef]
like: [{collection: {dir: c.dowse}}]
unlike: [{text: other}]
category: {directory: d.jsonl, path: a}
model: {file: m.json}
categories: {A: {model: a.json}}
judge: {exec: [a]}
languages: {only: [en]}
seeds: {from: like}
limits: {per_host: 2}
follow: {tunnel: 2}
`

// The keys that the parser knows are those of the schema.
func TestSchemaKnowsTheKeysOfTheParser(t *testing.T) {
	r := &reader{file: "x", known: map[string][]string{}}
	root, p := form.Parse([]byte(everyMapping), "schema")
	if p != nil {
		t.Fatal(p)
	}
	r.topic(root, &Topic{})
	if err := joinProblems(r.problems); err != nil {
		t.Fatal(err)
	}
	var schema any
	if err := json.Unmarshal(JSONSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	at := map[string][]any{ // where the schema has what the parser calls so
		"":                 nil,
		"like":             {"$defs", "source"},
		"unlike":           {"$defs", "source"},
		"like: collection": {"$defs", "source", "properties", "collection", "oneOf", 1},
		"category":         {"properties", "category"},
		"categories":       {"properties", "categories", "additionalProperties"},
		"model":            {"properties", "model", "oneOf", 1},
		"judge":            {"properties", "judge"},
		"languages":        {"properties", "languages", "oneOf", 1},
		"seeds":            {"properties", "seeds", "oneOf", 2},
		"limits":           {"properties", "limits"},
		"follow":           {"properties", "follow"},
	}
	if got, want := slices.Sorted(maps.Keys(r.known)), slices.Sorted(maps.Keys(at)); !slices.Equal(got, want) {
		t.Errorf("mappings %q, want %q", got, want)
	}
	for inside, path := range at {
		got, want := slices.Sorted(maps.Keys(propertiesAt(t, schema, path))), slices.Sorted(slices.Values(r.known[inside]))
		if !slices.Equal(got, want) {
			t.Errorf("%q: the schema knows %q, the parser %q", inside, got, want)
		}
	}
}

func propertiesAt(t *testing.T, v any, path []any) map[string]any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = v.(map[string]any)[step]
		case int:
			v = v.([]any)[step]
		}
	}
	m, ok := v.(map[string]any)
	if !ok || m["additionalProperties"] != false {
		t.Fatalf("%v: not a closed mapping", path)
	}
	return m["properties"].(map[string]any)
}
