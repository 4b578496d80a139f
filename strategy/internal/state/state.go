// Package state saves and loads what a strategy knows between two runs of a crawl: as JSON
// where that is little, in the binary form of encoding/gob where it may be much. Both match
// fields by name, so that a state of an earlier version with fewer fields can be loaded.
package state

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
)

// SaveJSON encodes a small state.
func SaveJSON(state any) ([]byte, error) { return json.Marshal(state) }

// LoadJSON decodes what SaveJSON returned. After an error the state may be incomplete.
func LoadJSON(b []byte, state any) error {
	if err := json.Unmarshal(b, state); err != nil {
		return fmt.Errorf("strategy: load: %w", err)
	}
	return nil
}

// SaveBinary encodes a state that may be large. Only exported fields are saved.
func SaveBinary(state any) ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(state); err != nil {
		return nil, fmt.Errorf("strategy: save: %w", err)
	}
	return b.Bytes(), nil
}

// LoadBinary decodes what SaveBinary returned, see LoadJSON.
func LoadBinary(b []byte, state any) error {
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(state); err != nil {
		return fmt.Errorf("strategy: load: %w", err)
	}
	return nil
}
