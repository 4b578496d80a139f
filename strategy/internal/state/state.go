// Package state saves and loads what a strategy knows between two runs of a crawl: as JSON
// where that is little, in the binary form of encoding/gob where it may be much. Both match
// fields by name, so that a state of an earlier version with fewer fields can be loaded.
package state

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
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

// Pack encodes a table of values of a fixed size, most of which may be zero: runs of zeros
// are counted, others are written as they are. For large tables this takes a tenth of the
// time of encoding/gob.
func Pack[T comparable](table []T) ([]byte, error) {
	var zero T
	b := binary.AppendUvarint(nil, uint64(len(table)))
	for i := 0; i < len(table); {
		from := i
		for from < len(table) && table[from] == zero {
			from++
		}
		to := from
		for to < len(table) && table[to] != zero {
			to++
		}
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(from-i)), uint64(to-from))
		var err error
		if b, err = binary.Append(b, binary.LittleEndian, table[from:to]); err != nil {
			return nil, fmt.Errorf("strategy: save: %w", err)
		}
		i = to
	}
	return b, nil
}

// errTable is returned for bytes that are not of a table of the right size.
var errTable = errors.New("strategy: load: a table is damaged or of another size")

// Unpack decodes into a table what Pack returned for one of the same size.
func Unpack[T comparable](b []byte, table []T) error {
	next := func() (int, bool) {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > uint64(len(table)) {
			return 0, false
		}
		b = b[n:]
		return int(v), true
	}
	if n, ok := next(); !ok || n != len(table) {
		return errTable
	}
	clear(table)
	for i := 0; i < len(table); {
		zeros, ok := next()
		values, ok2 := next()
		if !ok || !ok2 || zeros+values == 0 || zeros+values > len(table)-i {
			return errTable
		}
		run := table[i+zeros : i+zeros+values]
		n, err := binary.Decode(b, binary.LittleEndian, run)
		if err != nil {
			return errTable
		}
		b, i = b[n:], i+zeros+values
	}
	if len(b) > 0 {
		return errTable
	}
	return nil
}
