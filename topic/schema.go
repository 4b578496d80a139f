package topic

import _ "embed"

//go:embed schema.json
var schemaJSON []byte

// JSONSchema returns the JSON Schema of topic files, for editors that check and
// complete them. It describes what [Parse] accepts, as far as a schema can.
func JSONSchema() []byte { return schemaJSON }
