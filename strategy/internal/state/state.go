// Package state writes down and reads what a strategy knows between two runs of a
// crawl: as JSON where that is little, in the binary form of encoding/gob where it may
// be much.
package state

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
)

// SaveJSON writes a small state.
func SaveJSON(state any) ([]byte, error) { return json.Marshal(state) }

// LoadJSON reads what SaveJSON wrote.
func LoadJSON(b []byte, state any) error {
	if err := json.Unmarshal(b, state); err != nil {
		return fmt.Errorf("strategy: load: %w", err)
	}
	return nil
}

// SaveBinary writes a state that may be large.
func SaveBinary(state any) ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(state); err != nil {
		return nil, fmt.Errorf("strategy: save: %w", err)
	}
	return b.Bytes(), nil
}

// LoadBinary reads what SaveBinary wrote.
func LoadBinary(b []byte, state any) error {
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(state); err != nil {
		return fmt.Errorf("strategy: load: %w", err)
	}
	return nil
}
