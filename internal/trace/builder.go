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

// Options say how logs are read. Only Salt is required.
type Options struct {
	Salt   []byte        // the key of the hashes that stand for people: at least 8 random bytes
	Format Format        // "" finds out by the first lines
	Base   dowse.URL     // of paths without a host, as a server's own log has them; "" for none
	Gap    time.Duration // a pause after which a session is over; 30 min, as web analytics count. Negative for none
	Most   int           // accesses to keep; 20 million

	// Keep tells whether an access at a time is kept, so that a log can be parted by time;
	// nil keeps all. It is asked once for each, with the zero time where none is known.
	Keep func(time.Time) bool
}

// An Access is one person going to one page at one time.
type Access struct {
	User string    // any name; only its hash is kept
	Time time.Time // zero where it is not known: then order counts
	URL  dowse.URL
	New  bool // it begins a session, whatever the time
}

// ErrNoSalt says that people would not be protected.
var ErrNoSalt = errors.New("trace: no salt of at least 8 random bytes to hash people's names with")

const minSalt = 8

// A Builder gathers accesses. It must not be used from several goroutines at once.
type Builder struct {
	opts    Options
	base    *weburl.Base // nil for none
	mac     hash.Hash
	sum     []byte
	name    []byte
	users   map[uint64]uint32
	keys    []uint64
	pages   *names
	records []accessRecord
}

// An accessRecord is an access that was kept.
type accessRecord struct {
	user uint32
	page uint32
	at   int64 // milliseconds; unknown for none
}

const (
	unknown  = math.MinInt64 / 2 // time
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

// Add takes in an access. It reports false if there are too many already.
func (b *Builder) Add(a Access) bool {
	b.name = append(b.name[:0], a.User...)
	at := int64(unknown)
	if !a.Time.IsZero() {
		at = a.Time.UnixMilli()
	}
	return !b.keeps(at) || b.add(b.name, at, a.URL, a.New)
}

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

// keeps tells whether an access at a time is wanted.
func (b *Builder) keeps(at int64) bool { return b.opts.Keep == nil || b.opts.Keep(timeOf(at)) }

// timeOf is the time of an access; the zero one where it is not known.
func timeOf(at int64) time.Time {
	if at == unknown {
		return time.Time{}
	}
	return time.UnixMilli(at).UTC()
}

// user returns the number of a person.
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

// Log returns what was gathered. The builder must not be used afterwards.
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

// byUser sorts the records by user, each in order of time, and tells where users
// begin.
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

// session fills in the path of one user and where sessions begin.
func (b *Builder) session(l *Log, sorted []accessRecord, from, to uint32) {
	gap := b.opts.Gap.Milliseconds()
	for i := from; i < to; i++ {
		r := sorted[i]
		l.path[i] = r.page
		if i == from || r.at&beginBit != 0 || gap >= 0 && pause(sorted[i-1], r) > gap {
			l.begins.set(i)
		}
	}
}

// pause returns the milliseconds between two accesses, as far as they are known.
func pause(a, b accessRecord) int64 {
	if a.at>>1 == unknown || b.at>>1 == unknown {
		return 0
	}
	return b.at>>1 - a.at>>1
}

// index lists the accesses of each page, or its users, each once.
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

// each calls f for every access.
func (l *Log) each(f func(i, user uint32)) {
	for u := range uint32(len(l.keys)) {
		for i := l.starts[u]; i < l.starts[u+1]; i++ {
			f(i, u)
		}
	}
}
