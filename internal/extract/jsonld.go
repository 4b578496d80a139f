package extract

import (
	"bytes"
	"encoding/json"
)

// readJSONLD reads types and dates from JSON-LD. It looks only for the keys, at
// any depth, and does not parse, so that broken or enormous data costs no more
// than one look at each byte.
//
// Pages embed megabytes of such data, often invalid, and only three of its keys
// are of interest: @type, datePublished and dateModified.
func (p *pass) readJSONLD(data []byte) {
	for {
		key, rest, ok := nextString(data)
		if !ok {
			return
		}
		data = rest
		// A string that no colon follows is a value.
		value, isKey := cutColon(rest)
		if !isKey {
			continue
		}
		switch string(key) {
		case "@type":
			data = p.readTypes(value)
		case "datePublished":
			data = p.readDateOfData(value, &p.meta.published)
		case "dateModified":
			data = p.readDateOfData(value, &p.meta.modified)
		}
	}
}

// readDateOfData reads a date, if value begins with a string, and returns what
// follows.
func (p *pass) readDateOfData(value []byte, into *statedDate) (rest []byte) {
	s, rest, ok := leadingString(value)
	if !ok {
		return value
	}
	p.readDate([]byte(unquote(s)), dateOfData, into)
	return rest
}

// readTypes reads a string or a list of strings and returns what follows.
func (p *pass) readTypes(value []byte) (rest []byte) {
	if s, tail, ok := leadingString(value); ok {
		p.addType(unquote(s))
		return tail
	}
	list, ok := bytes.CutPrefix(value, []byte("["))
	if !ok {
		return value
	}
	for {
		s, tail, ok := leadingString(skipSpace(list))
		if !ok {
			return list
		}
		p.addType(unquote(s))
		list = tail
		if list, ok = bytes.CutPrefix(skipSpace(tail), []byte(",")); !ok {
			return tail
		}
	}
}

// nextString returns the next JSON string in b, without its quotes.
func nextString(b []byte) (s, rest []byte, ok bool) {
	i := bytes.IndexByte(b, '"')
	if i < 0 {
		return nil, nil, false
	}
	return leadingString(b[i:])
}

// leadingString returns the JSON string with which b begins, without its quotes
// and with its escapes.
func leadingString(b []byte) (s, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, b, false
	}
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return b[1:i], b[i+1:], true
		}
	}
	return nil, nil, false
}

// cutColon returns what follows the colon after a key; ok is false if there is
// none, so the string was not a key.
func cutColon(b []byte) (value []byte, ok bool) {
	b, ok = bytes.CutPrefix(skipSpace(b), []byte(":"))
	return skipSpace(b), ok
}

// unquote decodes the inside of a JSON string, "" if it is invalid or too long
// to be a type or date.
func unquote(s []byte) string {
	if len(s) > 256 {
		return ""
	}
	if bytes.IndexByte(s, '\\') < 0 {
		return string(s)
	}
	var out string
	if json.Unmarshal([]byte(`"`+string(s)+`"`), &out) != nil {
		return ""
	}
	return out
}
