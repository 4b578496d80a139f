package topic

import _ "embed"

//go:embed schema.json
var schemaJSON []byte

// JSONSchema returns the JSON Schema of topic files, for editors that check and complete
// them. It says what [Parse] takes, but for what a schema can't say.
func JSONSchema() []byte { return schemaJSON }
