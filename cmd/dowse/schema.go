package main

import (
	"dowse/collection"
	"dowse/internal/facts"
	"dowse/internal/operations"
	"dowse/internal/sink"
	"dowse/topic"
)

// schemaCmd prints the JSON Schemas of what commands print and of topic files. Every
// page, reason, status and error that a command prints names its schema and version, so
// that a program can check what it reads and notice a new version.
type schemaCmd struct {
	What string `arg:"" enum:"page,reason,change,search,status,error,sink,topic" help:"page, reason, change, search, status, error, sink or topic."`
}

func (schemaCmd) Help() string {
	return `Examples:
  dowse schema page        pages, judge, crawl --print jsonl, exports
  dowse schema reason      why --json
  dowse schema change      changes --json
  dowse schema search      search --json
  dowse schema sink        what sinks receive when a page is deleted
  dowse schema topic > topic.schema.json

Every page, reason, change, status and error in JSON names its schema and version,
as in "schema":"page/v1". What is not known is left out. A version can gain
members; a member that is removed, or changes its meaning, makes a new version.
Times that something took are numbers of seconds.`
}

// The schemas of this package. The number rises when a member is removed or changes its
// meaning; new members keep it.
const (
	errorSchema = "error/v1"
)

// Run prints one JSON Schema.
func (c *schemaCmd) Run(w *world) error {
	_, err := w.out.Write(schemaNamed(c.What))
	return err
}

// schemaNamed returns a JSON Schema. Except for topics it is derived from the Go types
// that are printed, with the texts of their doc tags, so that schema and output cannot
// differ. The schema of topics is a file that editors also get from package topic.
func schemaNamed(name string) []byte {
	switch name {
	case "page":
		return facts.PageObject().Document("What is known of a page. Facts that are not known are left out.")
	case "reason":
		return facts.SchemaOf(account{}, collection.ReasonSchema).Document("What became of a URL, and why. Parts that do not apply are left out.")
	case "change":
		return facts.SchemaOf(collection.Change{}, collection.ChangeSchema).Document("What happened to a page: it was found new, changed, gone or moved.")
	case "search":
		return facts.SchemaOf(operations.Found{}, operations.SearchSchema).Document("Pages found by their words.")
	case "sink":
		return facts.SchemaOf(sink.Deletion{}, sink.DeleteSchema).Document("Deletes a page in a sink. A record that adds a page is an object of schema page/v1 that begins with the members event, key, op (put) and version.")
	case "status":
		return facts.SchemaOf(status{}, operations.StatusSchema).Document("The progress of a crawl.")
	case "error":
		return facts.SchemaOf(errorLine{}, errorSchema).Document("An error, as commands with --json print it on stderr.")
	}
	return topic.JSONSchema()
}
