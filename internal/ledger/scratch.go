package ledger

import (
	"fmt"

	"dowse/internal/durable"
	"dowse/internal/frontier"
)

// Scratch makes a file next to the journal for what a crawl does not keep in memory. Nothing in it
// outlives the process. An error in reading it counts as one of the journal (see Err), because
// decisions would be made without what was in it; one in writing does not, since the crawl
// then keeps what it could not write.
func (j *Journal) Scratch() (frontier.Scratch, error) {
	f, err := j.dir.Scratch()
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return &scratchFile{f, j}, nil
}

// A scratchFile reports failed reads to its journal.
type scratchFile struct {
	*durable.File
	j *Journal
}

func (s *scratchFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := s.File.ReadAt(p, at)
	if n < len(p) && err != nil {
		return n, s.j.fail(fmt.Errorf("journal: read a scratch file: %w", err))
	}
	return n, nil
}
