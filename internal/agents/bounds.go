package agents

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dowse/internal/plain"
)

// least is the smallest bound of an answer for which every tool can answer.
const least = 4 << 10

// encode returns a value as JSON of at most n bytes, without invisible characters, and with fractions of four digits. Whatever is too long is shortened, long
// lists and texts first; the answer reports it.
func encode(v any, n int) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	read := json.NewDecoder(bytes.NewReader(data))
	read.UseNumber()
	var tree any
	if err := read.Decode(&tree); err != nil {
		return "", err
	}
	for most := 1 << 20; most >= 1; most /= 4 {
		cut := shorten(tree, most, 16*most, 12)
		if m, ok := cut.(map[string]any); ok && most < 1<<20 {
			m["shortened"] = "long texts and lists were cut to keep the answer small"
			if whole, ok := tree.(map[string]any)["notice"]; ok {
				m["notice"] = whole
			}
		}
		var b bytes.Buffer
		write := json.NewEncoder(&b)
		write.SetEscapeHTML(false)
		if err := write.Encode(cut); err != nil {
			return "", err
		}
		if b.Len() <= n {
			return b.String(), nil
		}
	}
	return "", fmt.Errorf("the answer is larger than %d bytes", n)
}

// shorten returns a tree of JSON with at most items values in a list and four times as many in an object, visible texts
// of at most length bytes, and at most depth levels.
func shorten(v any, items, length, depth int) any {
	if depth == 0 {
		return nil
	}
	switch v := v.(type) {
	case string:
		v = visible(v)
		if len(v) > length {
			return plain.Cut(v, length) + "…"
		}
		return v
	case json.Number:
		if f, err := v.Float64(); err == nil && strings.Contains(v.String(), ".") {
			return json.Number(strconv.FormatFloat(f, 'g', 4, 64))
		}
	case []any:
		list := []any{}
		for _, x := range v[:min(len(v), items)] {
			list = append(list, shorten(x, items, length, depth-1))
		}
		return list
	case map[string]any:
		m := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if len(m) < 4*items {
				m[k] = shorten(v[k], items, length, depth-1)
			}
		}
		return m
	}
	return v
}

// A resumePoint is where a long answer goes on.
type resumePoint struct {
	List string `json:"l,omitempty"` // cursor of the list of pages
	At   int    `json:"a,omitempty"` // bytes of the text of the next page that were returned
}

// encode returns the point as a text for callers, who must not interpret it.
func (p resumePoint) encode() string {
	b, _ := json.Marshal(p) // it has texts and numbers only
	return base64.RawURLEncoding.EncodeToString(b)
}

// readPoint reads what encode wrote; "" is the beginning.
func readPoint(text string) (p resumePoint, err error) {
	if text == "" {
		return p, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err != nil || p.At < 0 || len(text) > 4000 {
		return resumePoint{}, fmt.Errorf("cursor: it is none of this server; use the next of the answer before, or none to begin")
	}
	return p, nil
}
