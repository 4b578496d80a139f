package cluster

import (
	"path"
	"slices"

	"dowse/internal/wire"
)

// A Covered says how far the stream of commits goes: which bytes of the journal are on it, and
// which arrivals these bytes contain.
type Covered struct {
	Journal  uint64 // offset of the journal's end
	Arrivals uint64 // sequence on the stream of arrivals
}

// A commit is one message of the stream of commits.
type commit struct {
	term    string // of the coordinator
	number  uint64 // of the message within the term
	covered Covered
	ops     []op
}

// An op is one change of a file. Applied in order to the directory of a standby, all of them make it
// equal to that of the coordinator; applied twice they change nothing.
type op struct {
	kind  opKind
	name  string
	at    int64 // opWrite: where the bytes begin; opWhole: the same, in the new file
	total int64 // opWhole: bytes of the new file; opCut: bytes that stay
	id    string
	data  []byte
}

type opKind byte

const (
	opBegin  opKind = iota + 1 // a coordinator begins its term; id is the term in which the files were last written
	opWrite                    // bytes of a file that only grows
	opWhole                    // a part of a file that replaces another one when its last byte is there
	opCut                      // the file is cut
	opRemove                   // the file is removed
	opSynced                   // everything that the standby named by id lacked is there
)

// begins reports whether a commit only announces a term. Files are written in that term when another
// commit follows it.
func (m *commit) begins() bool { return len(m.ops) == 1 && m.ops[0].kind == opBegin }

// writtenIn returns the term in which the files were last written, "" for a nil commit.
func (m *commit) writtenIn() string {
	switch {
	case m == nil:
		return ""
	case m.begins() && m.ops[0].id != "":
		return m.ops[0].id
	}
	return m.term
}

// appendCommit appends the encoding of a commit to b.
func appendCommit(b []byte, m *commit) []byte {
	size := 256
	for i := range m.ops {
		size += len(m.ops[i].data) + len(m.ops[i].name) + 64
	}
	w := wire.Writer{B: append(slices.Grow(b, size), commitMagic...)}
	w.Text(m.term)
	w.Uint(m.number)
	w.Uint(m.covered.Journal)
	w.Uint(m.covered.Arrivals)
	w.Uint(uint64(len(m.ops)))
	for i := range m.ops {
		o := &m.ops[i]
		w.Byte(byte(o.kind))
		w.Text(o.name)
		w.Int(o.at)
		w.Int(o.total)
		w.Text(o.id)
		w.Bytes(o.data)
	}
	return w.B
}

func readCommit(b []byte) (*commit, error) {
	r, err := begin(b, commitMagic)
	if err != nil {
		return nil, err
	}
	m := &commit{term: r.Text(), number: r.Uint(), covered: Covered{r.Uint(), r.Uint()}}
	for range r.Items(6) {
		o := op{kind: opKind(r.Byte()), name: r.Text(), at: r.Int(), total: r.Int(), id: r.Text(), data: own(r.Raw())}
		if o.kind < opBegin || o.kind > opSynced || o.at < 0 || o.total < 0 {
			r.Fail()
		}
		if o.name != "" && !(localName(o.name) && mirrored(o.name)) {
			r.Fail() // nothing else is written, whoever asks for it
		}
		m.ops = append(m.ops, o)
	}
	return m, ended(r)
}

// apart are the files of a collection that belong to one machine: locks, the pulse of the process,
// requests to it, temporary files, and the full-text index, which is a cache.
var apart = []string{"*.lock", "state/now.json", "state/set-*.json", "search/*", "search/store/*", "*.tmp", "*/*.tmp"}

// mirrored reports whether a file of a collection is part of the copy of a standby.
func mirrored(name string) bool {
	for _, pattern := range apart {
		if ok, _ := path.Match(pattern, name); ok {
			return false
		}
	}
	return true
}

// grows reports whether a file only ever grows, so that its end is enough to bring a copy up to date.
func grows(name string) bool {
	for _, pattern := range []string{"state/journal-*.log", "archive/*.warc.gz", "archive/*.warc", "requisites/*.warc.gz"} {
		if ok, _ := path.Match(pattern, name); ok {
			return true
		}
	}
	return false
}

// isJournal reports whether a file is a part of the journal.
func isJournal(name string) bool {
	ok, _ := path.Match("state/journal-*.log", name)
	return ok
}
