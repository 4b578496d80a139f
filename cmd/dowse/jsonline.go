package main

import (
	"encoding/json"
	"io"
)

// jsonLine writes v as a line of JSON. URLs stay as they are: < > & are not escaped.
func jsonLine(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
