package ledger

import (
	"dowse"
	"dowse/internal/frontier"
)

// EntryRoundTrip reads an entry and writes it again.
func EntryRoundTrip(b []byte) ([]byte, error) {
	e, err := readEntry(b, func(frontier.ID) dowse.URL { return "" }, nil)
	if err != nil {
		return nil, err
	}
	return appendEntry(nil, e), nil
}

// EncodeEntry writes an entry.
func EncodeEntry(e *Entry) []byte { return appendEntry(nil, e) }

// DecodeEntry reads an entry.
func DecodeEntry(b []byte) (*Entry, error) {
	return readEntry(b, func(frontier.ID) dowse.URL { return "" }, nil)
}

// DecodeVisit reads an entry without the links of a page.
func DecodeVisit(b []byte) (*Entry, error) { return readVisit(b, nil) }
