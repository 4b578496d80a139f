package trace

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"math"
	"slices"
	"time"

	"dowse"
	"dowse/weburl"
)

// Options select how logs are read. Only Salt is required.
type Options struct {
	Salt   []byte        // key of the hashes that replace names: at least 8 random bytes
	Format Format        // default recognised by the first line that can be
	Base   dowse.URL     // resolves paths without a host, as in a server's own log; default none
	Gap    time.Duration // pause that ends a session; default 30 min, as in web analytics. Negative for none
	Most   int           // accesses to keep; default 20 million

	// Keep, if set, reports whether an access at a time is kept, so that a log
	// can be divided by time. It is called once per access, with the zero time
	// if it is unknown.
	Keep func(time.Time) bool
}

// An Access is one visit of one person to one page.
type Access struct {
	User string    // any name; only its hash is kept
	Time time.Time // the zero time if unknown: then the order of calls counts
	URL  dowse.URL
	New  bool // begins a session, whatever the time
}

// ErrNoSalt is returned without a salt, because names could then be found by
// trying them.
var ErrNoSalt = errors.New("trace: salt for hashing names is missing or too short (want at least 8 random bytes)")

const minSalt = 8

// A Builder collects accesses and makes a [Log] of them. It must not be used
// concurrently.
//
// While it reads, an access is one record, in the order of the logs. Log sorts
// the records by user and time, finds the sessions and then drops the times: who
// was where when cannot be recovered from a Log.
type Builder struct {
	opts    Options
	base    *weburl.Base // nil for none
	mac     hash.Hash
	sum     []byte
	name    []byte // of the current user; a buffer that is reused
	users   map[uint64]uint32
	keys    []uint64
	pages   *names
	records []accessRecord
}

// An accessRecord is an access that was kept: 16 bytes.
//
// Time and the begin of a session share a field, so that a record has no padding
// and twenty million of them fit into 320 MB.
type accessRecord struct {
	user uint32
	page uint32
	at   int64 // half milliseconds; the lowest bit is beginBit
}

const (
	unknown  = math.MinInt64 / 2 // an unknown time, in milliseconds
	beginBit = 1                 // lowest bit of record.at, which counts half milliseconds
)

// New returns a builder without accesses.
func New(o Options) (*Builder, error) {
	if len(o.Salt) < minSalt {
		return nil, ErrNoSalt
	}
	if o.Gap == 0 {
		o.Gap = 30 * time.Minute
	}
	o.Most = min(cmp.Or(o.Most, 20_000_000), math.MaxInt32)
	b := &Builder{opts: o, mac: hmac.New(sha256.New, o.Salt), users: map[uint64]uint32{}, pages: newNames()}
	if o.Base != "" {
		base, err := weburl.NewBase(string(o.Base))
		if err != nil {
			return nil, fmt.Errorf("trace: %w", err)
		}
		b.base = base
	}
	return b, nil
}

// Add adds an access. It returns false if the limit is reached; an access that
// Keep does not want is dropped and counts as added.
func (b *Builder) Add(a Access) bool {
	b.name = append(b.name[:0], a.User...)
	at := int64(unknown)
	if !a.Time.IsZero() {
		at = a.Time.UnixMilli()
	}
	return !b.keeps(at) || b.add(b.name, at, a.URL, a.New)
}

// add adds an access at a time in milliseconds.
func (b *Builder) add(user []byte, at int64, u dowse.URL, begins bool) bool {
	if len(b.records) >= b.opts.Most {
		return false
	}
	at *= 2
	if begins {
		at |= beginBit
	}
	b.records = append(b.records, accessRecord{b.user(user), b.pages.add(string(u)), at})
	return true
}

// keeps reports whether an access at a time is wanted.
func (b *Builder) keeps(at int64) bool { return b.opts.Keep == nil || b.opts.Keep(timeOf(at)) }

// timeOf returns the time of an access, the zero time if it is unknown.
func timeOf(at int64) time.Time {
	if at == unknown {
		return time.Time{}
	}
	return time.UnixMilli(at).UTC()
}

// user returns the number of a person. The name is hashed immediately and never
// stored.
//
// The first 64 bits of an HMAC-SHA-256 are kept. Among ten million people two are
// confused with a probability of three in a million.
func (b *Builder) user(name []byte) uint32 {
	b.mac.Reset()
	b.mac.Write(name)
	b.sum = b.mac.Sum(b.sum[:0])
	key := binary.BigEndian.Uint64(b.sum)
	i, ok := b.users[key]
	if !ok {
		i = uint32(len(b.keys))
		b.users[key] = i
		b.keys = append(b.keys, key)
	}
	return i
}

// Log returns the log of all accesses. The builder must not be used afterwards.
func (b *Builder) Log() *Log {
	l := &Log{pages: b.pages, keys: b.keys}
	b.pages.chunk = nil
	sorted := b.byUser(l)
	b.records = nil
	l.path = make([]uint32, len(sorted))
	l.begins = newBits(len(sorted))
	for u := range l.keys {
		b.session(l, sorted, l.starts[u], l.starts[u+1])
	}
	l.accesses = l.index(false)
	l.visitors = l.index(true)
	return l
}

// byUser sorts the records by user, and those of a user by time; it also sets
// where users begin. It is a counting sort, because there are many records per
// user and they are mostly in order of time already.
func (b *Builder) byUser(l *Log) []accessRecord {
	l.starts = make([]uint32, len(l.keys)+1)
	for _, r := range b.records {
		l.starts[r.user+1]++
	}
	for i := 1; i < len(l.starts); i++ {
		l.starts[i] += l.starts[i-1]
	}
	next := slices.Clone(l.starts)
	sorted := make([]accessRecord, len(b.records))
	for _, r := range b.records {
		sorted[next[r.user]] = r
		next[r.user]++
	}
	byTime := func(a, b accessRecord) int { return cmp.Compare(a.at>>1, b.at>>1) }
	for u := range l.keys {
		if path := sorted[l.starts[u]:l.starts[u+1]]; !slices.IsSortedFunc(path, byTime) {
			slices.SortStableFunc(path, byTime)
		}
	}
	return sorted
}

// session fills in the path of one user and where its sessions begin.
//
// The first access of a user always begins a session.
func (b *Builder) session(l *Log, sorted []accessRecord, from, to uint32) {
	gap := b.opts.Gap.Milliseconds()
	for i := from; i < to; i++ {
		r := sorted[i]
		l.path[i] = r.page
		if i == from || r.at&beginBit != 0 || b.opts.Gap >= 0 && pause(sorted[i-1], r) > gap {
			l.begins.set(i)
		}
	}
}

// pause returns the milliseconds between two accesses, 0 if one of the times is
// unknown.
func pause(a, b accessRecord) int64 {
	if a.at>>1 == unknown || b.at>>1 == unknown {
		return 0
	}
	return b.at>>1 - a.at>>1
}

// index lists the accesses of each page, or its users, each once. It passes
// over all accesses twice: to count and to fill.
//
// Users are visited in order, so remembering the last user per page is enough to
// list each one once.
func (l *Log) index(users bool) index {
	x := index{starts: make([]uint32, l.Pages()+1)}
	last := make([]uint32, l.Pages()) // user of the last access, from 1
	l.each(func(i, user uint32) {
		if p := l.path[i]; !users || last[p] != user+1 {
			last[p] = user + 1
			x.starts[p+1]++
		}
	})
	for i := 1; i < len(x.starts); i++ {
		x.starts[i] += x.starts[i-1]
	}
	x.items = make([]uint32, x.starts[len(x.starts)-1])
	next := slices.Clone(x.starts)
	clear(last)
	l.each(func(i, user uint32) {
		p := l.path[i]
		if users && last[p] == user+1 {
			return
		}
		last[p] = user + 1
		item := i
		if users {
			item = user
		}
		x.items[next[p]] = item
		next[p]++
	})
	return x
}

// each calls f for every access, user by user.
func (l *Log) each(f func(i, user uint32)) {
	for u := range uint32(len(l.keys)) {
		for i := l.starts[u]; i < l.starts[u+1]; i++ {
			f(i, u)
		}
	}
}
