package main

import (
	"encoding/json"
	"io"
)

// jsonLine writes v as a line of JSON: one object, one line, so that output can be read
// by jq and by line-oriented tools while it is being written. URLs stay as they are: < >
// & are not escaped, which only matters in HTML.
func jsonLine(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
