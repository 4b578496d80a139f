package cluster

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"dowse/internal/durable"
)

// A Shipper publishes what the coordinator writes to its collection. Every message carries the
// sequence that it expects to follow, so that of two processes that both believe to coordinate
// only one can publish.
type Shipper struct {
	c     *Conn
	lease *Lease

	mu      sync.Mutex
	last    uint64 // sequence of the last message on the stream
	number  uint64 // of the last message of this term
	covered Covered
	dir     durable.Dir
	files   map[string]*shippedFile // as they are on the stream
	folders map[string]time.Time    // times of change, as of the last scan
	scanned time.Time
	fenced  bool
	// unsent is the last message if its publication was given up: the stream may have it or not,
	// so that it is published again before any other.
	unsent []byte
	unsaid Covered // what unsent covers
	// message and content are memory that is used again: of the last message, and of what it has of files.
	message, content []byte

	// What follows is read while a commit waits for the servers with mu held.
	standbysMu sync.Mutex
	standbys   map[string]standbyState
	at         atomic.Uint64 // the value of last
	stuck      atomic.Int64  // since when the servers do not accept commits, in Unix nanoseconds; 0 if they do
	foreign    atomic.Int64  // messages on the stream that no coordinator wrote
}

// shippedFile is the state of a file as the stream has it.
type shippedFile struct {
	info fs.FileInfo // as last seen on disk; nil if it is gone
	was  fs.FileInfo // of a file that is replaced: when it was published
	size int64       // bytes that are on the stream; -1 for a file that is not
}

// standbyState is what a standby reported last.
type standbyState struct {
	standbyHello
	at time.Time
}

// A Membership is what a collection knows of the cluster that it belongs to.
type Membership struct {
	Cluster string `json:"cluster"`
	Term    string `json:"term"`   // in which this copy was last written
	Before  string `json:"before"` // the term before that
}

// membershipName is the file of the membership in a collection.
const membershipName = "state/cluster.json"

// ReadMembership returns the membership of a collection; the zero value if it has none.
func ReadMembership(dir string) (m Membership, err error) {
	data, err := durable.In(dir).ReadBounded(membershipName, 1<<16)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		err = fmt.Errorf("cluster: %s: %w", membershipName, err)
	}
	return m, err
}

// Leave removes the membership of a collection, and reports whether it had one.
func Leave(dir string) (bool, error) {
	err := durable.In(dir).Remove(membershipName)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// CrawlID returns what identifies a crawl among all others, given the key of its collection. All
// copies of a collection have the same.
func CrawlID(key uint64) string { return fmt.Sprintf("%016x", key) }

// MaxVisits is how many visits may be in flight in a cluster if the settings do not say it. Its
// workers limit them further, by how many they have room for.
const MaxVisits = 4096

// A StaleError is returned for a copy of a collection that is not the one that was coordinated last.
type StaleError struct {
	Dir string
	// Apart reports that the copy is at least as long as what the streams cover, so that it may
	// have pages that no other copy has.
	Apart bool
}

func (e *StaleError) Error() string {
	if e.Apart {
		return fmt.Sprintf("cluster: %s was crawled apart from its cluster, or another copy was coordinated after it; it may have pages that the cluster does not have, and the cluster may have pages that it does not have", e.Dir)
	}
	return fmt.Sprintf("cluster: %s: another copy of this collection has gone on since; this one is behind", e.Dir)
}

// lastCommit returns the last commit on the stream of commits, nil if there is none, and the last
// sequence of the stream. Messages that no coordinator wrote are passed over.
func (c *Conn) lastCommit(ctx context.Context) (last *commit, seq uint64, err error) {
	err = c.settled(ctx, func() error {
		last, seq, err = c.lookUpLast(ctx)
		return err
	})
	return last, seq, err
}

// lookUpLast is lastCommit without another try.
func (c *Conn) lookUpLast(ctx context.Context) (*commit, uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := c.js.Stream(ctx, c.commitStream())
	if err != nil {
		return nil, 0, fmt.Errorf("cluster: %w", err)
	}
	info, err := s.Info(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("cluster: %w", err)
	}
	if info.State.Msgs == 0 {
		return nil, info.State.LastSeq, nil
	}
	for seq := info.State.LastSeq; seq >= info.State.FirstSeq && seq+maxForeign > info.State.LastSeq; seq-- {
		x, err := c.commitAt(ctx, s, seq)
		if x != nil || err != nil {
			return x, info.State.LastSeq, err
		}
	}
	if info.State.LastSeq-info.State.FirstSeq < maxForeign {
		return nil, info.State.LastSeq, nil
	}
	return nil, 0, fmt.Errorf("cluster: the last %d messages of the stream %s are not of dowse; another program publishes there", maxForeign, c.commitStream())
}

// maxForeign bounds how many messages of other programs are passed over in search of a commit.
const maxForeign = 10_000

// commitAt returns the commit at a sequence of the stream of commits; nil for a message that was
// removed or that no coordinator wrote.
func (c *Conn) commitAt(ctx context.Context, s jetstream.Stream, seq uint64) (*commit, error) {
	m, err := s.GetMsg(ctx, seq)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	x, err := readCommit(m.Data)
	if err == nil {
		return x, nil
	}
	if otherVersion(m.Data, commitMagic) {
		return nil, &VersionError{Why: "the stream " + c.commitStream() + " is of another version of dowse", Stream: true}
	}
	return nil, nil
}

// TakeLead makes this process the coordinator of the collection in dir, which may not exist yet:
// it takes the lease, makes sure that no copy is newer than this one, and raises the fence. From
// then on no other process can commit.
func (c *Conn) TakeLead(ctx context.Context, dir string, exists bool) (*Shipper, error) {
	if err := c.prepare(ctx); err != nil {
		return nil, err
	}
	lease, err := c.acquire(ctx)
	if err != nil {
		return nil, err
	}
	s, err := c.lead(ctx, lease, dir, exists, nil)
	if err != nil {
		lease.abandon()
		return nil, err
	}
	return s, nil
}

// lead raises the fence for the holder of the lease. If after is given, the fence is raised behind
// that message, or not at all.
func (c *Conn) lead(ctx context.Context, lease *Lease, dir string, exists bool, after *uint64) (*Shipper, error) {
	last, seq, err := c.lastCommit(ctx)
	if err != nil {
		return nil, err
	}
	if after != nil && seq != *after {
		return nil, errBehind
	}
	s := &Shipper{c: c, lease: lease, last: seq, dir: durable.In(dir), standbys: map[string]standbyState{}}
	written := last.writtenIn()
	var was Membership
	if exists {
		if was, err = ReadMembership(dir); err != nil {
			return nil, err
		}
	}
	owned, err := c.owner(ctx)
	if err != nil {
		return nil, err
	}
	if owned.ID != "" && last != nil {
		if !exists || was.Term == "" || written != was.Term && written != was.Before || s.journalEnd() < last.covered.Journal {
			return nil, &StaleError{dir, exists && s.journalEnd() >= last.covered.Journal}
		}
		s.covered = last.covered
	} else if s.covered, err = c.fresh(ctx, s.journalEnd()); err != nil {
		return nil, err
	}
	if exists {
		before := was.Term
		if last != nil && written == was.Before {
			before = was.Before // the last attempt did not get as far as the first commit
		}
		if err := s.join(before); err != nil {
			return nil, err
		}
	}
	return s, s.publish(ctx, []op{{kind: opBegin, id: written}}, s.covered)
}

// fresh returns what a crawl has covered that is new to the servers: its journal as it is, and all
// arrivals, which belong to no crawl.
func (c *Conn) fresh(ctx context.Context, journal uint64) (x Covered, err error) {
	err = c.settled(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		st, err := c.js.Stream(ctx, c.arrivalStream()) // asks for its state
		if err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
		x = Covered{Journal: journal, Arrivals: st.CachedInfo().State.LastSeq}
		return nil
	})
	return x, err
}

// join records in the collection that it is written in this term.
func (s *Shipper) join(before string) error {
	data, err := json.Marshal(Membership{Cluster: s.c.opt.Name, Term: s.lease.holder.Term, Before: before})
	if err != nil {
		return err
	}
	if err := s.dir.WriteFile(membershipName, append(data, '\n')); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// journalEnd returns where the journal of the collection ends, by the sizes of its files; 0 if
// there is none.
func (s *Shipper) journalEnd() (end uint64) {
	const magic = 8 // bytes at the beginning of every file
	names, _ := s.dir.Sub("state").Names("journal-*.log")
	for _, name := range names {
		var base uint64
		if _, err := fmt.Sscanf(name, "journal-%016x.log", &base); err != nil {
			continue
		}
		if info, err := s.dir.Lstat("state/" + name); err == nil && info.Size() >= magic {
			end = max(end, base+uint64(info.Size())-magic)
		}
	}
	return end
}

// An Owner is the crawl to which the streams of a cluster belong.
type Owner struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Wire    int    `json:"wire"`
}

const ownerKey = "crawl"

// owner returns the crawl to which the streams belong; the zero value if they belong to none.
func (c *Conn) owner(ctx context.Context) (o Owner, err error) {
	err = c.settled(ctx, func() error {
		o, err = c.lookUpOwner(ctx)
		return err
	})
	return o, err
}

func (c *Conn) lookUpOwner(ctx context.Context) (o Owner, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	e, err := c.state.Get(ctx, ownerKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return o, nil
	}
	if err == nil {
		err = json.Unmarshal(e.Value(), &o)
	}
	if err != nil {
		err = fmt.Errorf("cluster: %w", err)
	}
	return o, err
}

// An OwnerError is returned when the streams belong to another crawl.
type OwnerError struct{ Cluster, Crawl string }

func (e *OwnerError) Error() string {
	return fmt.Sprintf("cluster: the name %q is used there by another crawl, %s; choose another name", e.Cluster, e.Crawl)
}

// Owned returns an OwnerError if the streams belong to another crawl than the one with the given
// id; "" is a crawl that does not exist yet. It creates nothing.
func (c *Conn) Owned(ctx context.Context, id string) error {
	err := c.settled(ctx, func() error {
		ask, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return c.openState(ask, false)
	})
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	o, err := c.owner(ctx)
	if err == nil && o.ID != "" && o.ID != id {
		err = &OwnerError{c.opt.Name, o.Name}
	}
	return err
}

// Claim records that the streams belong to a crawl, and that this program's version coordinates it.
func (s *Shipper) Claim(ctx context.Context, id, name string) error {
	if err := s.c.Owned(ctx, id); err != nil {
		return err
	}
	data, err := json.Marshal(Owner{ID: id, Name: name, Version: s.c.opt.Version, Wire: wireVersion})
	if err != nil {
		return err
	}
	err = s.c.settled(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		_, err := s.c.state.Put(ctx, ownerKey, data)
		return err
	})
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	m, err := ReadMembership(s.dir.Path("."))
	if err == nil && m.Term != s.lease.holder.Term {
		err = s.join("")
	}
	return err
}

// Covered returns what is on the stream. It is to be called before the first Commit.
func (s *Shipper) Covered() Covered {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.covered
}

// Conn returns the connection of the coordinator.
func (s *Shipper) Conn() *Conn { return s.c }

// Lease returns the lease of the coordinator.
func (s *Shipper) Lease() *Lease { return s.lease }

// Commit publishes what was written since the last Commit, the journal last and only up to the
// given size of each of its files. It returns when the stream has it, however long that takes,
// unless ctx ends; or ErrFenced if another process coordinates by now.
func (s *Shipper) Commit(ctx context.Context, covered Covered, journal func(name string) int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.resend(ctx); err != nil {
		return err
	}
	if s.files == nil { // the copies of standbys are compared as a whole first
		return s.begin(ctx, covered, journal)
	}
	if err := s.scan(false); err != nil {
		return err
	}
	out := &outbox{s: s, ctx: ctx, again: true, content: s.content[:0]}
	defer func() { s.content = out.content }()
	for _, name := range slices.SortedFunc(maps.Keys(s.files), journalLast) {
		s.shipFile(out, name, journal)
	}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if s.files[name].info == nil && out.add(op{kind: opRemove, name: name}) {
			delete(s.files, name)
		}
	}
	if len(out.ops) == 0 && covered == s.covered {
		return out.err
	}
	return out.flush(covered)
}

// journalLast sorts files so that those of the journal, which names what is in others, are last.
func journalLast(a, b string) int {
	if x, y := isJournal(a), isJournal(b); x != y {
		if x {
			return 1
		}
		return -1
	}
	if a < b {
		return -1
	}
	return 1
}

// begin notes the files as they are at the beginning of the term.
func (s *Shipper) begin(ctx context.Context, covered Covered, journal func(string) int64) (err error) {
	s.files = map[string]*shippedFile{}
	defer func() {
		if err != nil {
			s.files = nil
		}
	}()
	if err := s.scan(true); err != nil {
		return err
	}
	for name, f := range s.files {
		f.size, f.was = f.info.Size(), f.info
		if isJournal(name) {
			f.size = min(f.size, journal(name))
		}
	}
	return s.publish(ctx, nil, covered)
}

// scanEvery is how often all files are looked at. Files that grow, and new ones, are found in
// between.
const scanEvery = time.Second

// scan updates what is known of the files on disk: all of them if some folder has changed or the
// last look is long ago, otherwise only those that grow.
func (s *Shipper) scan(all bool) error {
	folders := map[string]time.Time{}
	for _, name := range []string{".", "archive", "state", "models"} {
		if info, err := s.dir.Lstat(name); err == nil {
			folders[name] = info.ModTime()
		}
	}
	if !all && maps.Equal(folders, s.folders) && time.Since(s.scanned) < scanEvery {
		for _, name := range s.growing() {
			if info, err := s.dir.Lstat(name); err == nil {
				s.files[name].info = info
			}
		}
		return nil
	}
	found, err := listFiles(s.dir)
	if err != nil {
		return err
	}
	for name, f := range s.files {
		f.info = found[name] // nil for one that is gone
	}
	for name, info := range found {
		if s.files[name] == nil {
			s.files[name] = &shippedFile{info: info, size: -1}
		}
	}
	s.folders, s.scanned = folders, time.Now()
	return nil
}

// growing returns the last file of each kind that grows.
func (s *Shipper) growing() (list []string) {
	last := map[string]string{}
	for name := range s.files {
		if grows(name) {
			folder := path.Dir(name)
			last[folder] = max(last[folder], name)
		}
	}
	return slices.Collect(maps.Values(last))
}

// listFiles returns the files of a collection that are part of a copy.
func listFiles(dir durable.Dir) (map[string]fs.FileInfo, error) {
	found := map[string]fs.FileInfo{}
	err := fs.WalkDir(os.DirFS(dir.Path(".")), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && name != ".":
			return nil // it was removed meanwhile
		case err != nil:
			return err
		case d.IsDir() && name == "search":
			return fs.SkipDir
		case !d.Type().IsRegular() || !mirrored(name):
			return nil
		}
		if info, err := d.Info(); err == nil {
			found[name] = info
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return found, nil
}

// shipFile adds what is new in a file to a message, and notes what was added.
func (s *Shipper) shipFile(out *outbox, name string, journal func(string) int64) {
	f := s.files[name]
	if f.info == nil {
		return
	}
	size := f.info.Size()
	if isJournal(name) {
		size = min(size, journal(name))
	}
	if grows(name) {
		if size > max(0, f.size) || f.size < 0 {
			f.size = s.shipRange(out, name, f.size, size)
		}
		return
	}
	if f.size < 0 || f.was == nil || !os.SameFile(f.was, f.info) || f.was.Size() != size || !f.was.ModTime().Equal(f.info.ModTime()) {
		if s.shipWhole(out, name) {
			f.was, f.size = f.info, size
		}
	}
}

// shipRange adds a part of a file, and returns where the bytes end that were added. A negative from is
// the beginning of a file that standbys do not have at all.
func (s *Shipper) shipRange(out *outbox, name string, from, to int64) int64 {
	file, err := s.dir.Open(name)
	if err != nil {
		out.fail(err)
		return from
	}
	defer file.Close()
	if max(0, from) == to { // an empty file
		if out.add(op{kind: opWrite, name: name, at: to}) {
			return to
		}
		return from
	}
	for from < to {
		at := max(0, from)
		b := out.take(min(to-at, int64(out.room())))
		n, err := file.ReadAt(b, at)
		if n == 0 {
			out.fail(err)
			return from
		}
		if !out.add(op{kind: opWrite, name: name, at: at, data: b[:n]}) {
			return from
		}
		from = at + int64(n)
	}
	return from
}

// shipWhole adds a file that replaces the one that standbys have, and reports whether all of it was
// added. It is read from one open file, so that a replacement meanwhile does not mix two versions.
func (s *Shipper) shipWhole(out *outbox, name string) bool {
	file, err := s.dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return true // it was removed meanwhile
	}
	if err != nil {
		out.fail(err)
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		out.fail(err)
		return false
	}
	id, total := rand.Text()[:10], info.Size()
	for at := int64(0); ; {
		b := make([]byte, min(total-at, int64(out.room())))
		if n, err := io.ReadFull(file, b); err != nil && n < len(b) {
			return true // it was cut meanwhile; the next scan finds it changed
		}
		if !out.add(op{kind: opWhole, name: name, at: at, total: total, id: id, data: b}) {
			return false
		}
		if at += int64(len(b)); at >= total {
			return true
		}
	}
}

// An outbox gathers changes and publishes them when a message is full. Its user holds the lock of
// the shipper, or passes one that takes it for each message.
type outbox struct {
	s    *Shipper
	ctx  context.Context
	ops  []op
	size int
	err  error

	again   bool   // content is used again, by the next outbox
	content []byte // memory for the bytes of changes
}

// room returns how many bytes one change may have.
func (o *outbox) room() int { return min(o.s.c.room(), 1<<20) / 2 }

// take returns memory for n bytes of a change.
func (o *outbox) take(n int64) []byte {
	const block = 256 << 10 // bytes that are allocated, at least
	if !o.again {
		return make([]byte, n)
	}
	if int64(cap(o.content)-len(o.content)) < n { // what was taken before stays where it is
		o.content = make([]byte, 0, max(block, n))
	}
	from := len(o.content)
	o.content = o.content[:from+int(n)]
	return o.content[from:]
}

func (o *outbox) fail(err error) {
	if o.err == nil && err != nil {
		o.err = fmt.Errorf("cluster: %w", err)
	}
}

// add adds a change, and reports whether it is on its way: whoever published it before counts as
// having published it, even if that is given up, see [Shipper.unsent].
func (o *outbox) add(x op) bool {
	const overhead = 600 // bytes, for the name and the numbers
	if o.err == nil && o.size+len(x.data)+overhead > 2*o.room()-overhead {
		o.fail(o.flush(o.s.covered))
	}
	if o.err != nil {
		return false
	}
	o.ops, o.size = append(o.ops, x), o.size+len(x.data)+overhead
	return true
}

// flush publishes what has gathered.
func (o *outbox) flush(covered Covered) error {
	if o.err == nil {
		if err := o.s.publish(o.ctx, o.ops, covered); err != nil {
			o.err = err
		}
	}
	o.ops, o.size = nil, 0
	return o.err
}

// publish publishes one message and waits for its acknowledgement. While the servers do not answer
// it goes on trying. It must be called with the lock held.
func (s *Shipper) publish(ctx context.Context, ops []op, covered Covered) error {
	s.number++
	m := commit{term: s.lease.holder.Term, number: s.number, covered: covered, ops: ops}
	data := appendCommit(s.message[:0], &m)
	s.message = nil
	err := s.publishData(ctx, data, covered)
	if err == nil { // else it is published again
		s.message = data
	}
	return err
}

// resend publishes the message whose publication was given up, if there is one. It is to be called
// before any other message is made: what that one has counts as published.
func (s *Shipper) resend(ctx context.Context) error {
	if s.unsent == nil {
		return nil
	}
	return s.publishData(ctx, s.unsent, s.unsaid)
}

// publishData publishes an encoded message, the last one that was numbered.
func (s *Shipper) publishData(ctx context.Context, data []byte, covered Covered) error {
	if s.fenced {
		return ErrFenced
	}
	s.unsent, s.unsaid = data, covered
	for {
		err := s.publishOnce(ctx, data)
		switch {
		case err == nil:
			s.covered, s.unsent = covered, nil
			if s.stuck.Swap(0) != 0 {
				s.c.opt.logf("NATS accepts commits again")
			}
			return nil
		case errors.Is(err, ErrFenced):
			s.fenced = true
			return err
		case errors.Is(err, errAnother) && ctx.Err() == nil:
			continue
		case s.stuck.CompareAndSwap(0, time.Now().UnixNano()):
			s.c.opt.logf("NATS does not accept commits (%v); the crawl pauses until it does", whyNot(err))
		}
		if !pause(ctx, 300*time.Millisecond) {
			return fmt.Errorf("cluster: not committed: %w", err)
		}
	}
}

// Stuck returns for how long the servers have not accepted commits, 0 if they do.
func (s *Shipper) Stuck() time.Duration {
	since := s.stuck.Load()
	if since == 0 {
		return 0
	}
	return max(1, time.Since(time.Unix(0, since)))
}

// publishOnce tries once. If the servers say that another message was first, it may have been this
// one, whose acknowledgement was lost; one of a new coordinator, which fences this one off; or one of
// another program, which is passed over.
func (s *Shipper) publishOnce(ctx context.Context, data []byte) error {
	ask, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ack, err := s.c.js.Publish(ask, s.c.commitSubject(), data, jetstream.WithExpectLastSequence(s.last), jetstream.WithRetryAttempts(0))
	if err == nil {
		s.follow(ack.Sequence)
		return nil
	}
	if !wrongSequence(err) {
		return err
	}
	last, seq, err := s.c.lookUpLast(ctx)
	switch {
	case err != nil:
		return err
	case last != nil && last.term == s.lease.holder.Term && last.number == s.number:
		s.follow(seq)
		return nil
	case last != nil && last.term == s.lease.holder.Term && seq == s.last:
		return errors.New("the servers are not of one mind yet")
	}
	mine, err := s.lease.holds(ctx)
	if err != nil {
		return err
	}
	if !mine {
		return ErrFenced
	}
	// A new coordinator takes the lease before it publishes. So what was first is of another program,
	// or an old message that was published again.
	if s.foreign.Add(int64(seq-s.last)) == int64(seq-s.last) {
		s.c.opt.logf("another program publishes on the stream of commits; its messages are passed over")
	}
	s.follow(seq)
	return errAnother
}

// errAnother is returned when a commit has to be tried again because of a message of another program.
var errAnother = errors.New("another program published a message on the stream of commits")

// follow notes the sequence of the last message on the stream.
func (s *Shipper) follow(seq uint64) {
	s.last = seq
	s.at.Store(seq)
}

// A FileState describes a file of a copy.
type FileState struct {
	Size int64  `json:"size"`
	Hash string `json:"hash"`
}

// A Manifest describes the copy of a standby.
type Manifest map[string]FileState

// hashBytes returns a hash of the first bytes of a file. All of them count: a takedown blanks records
// in the middle of files, and copies must follow.
func hashBytes(dir durable.Dir, name string, size int64) (string, error) {
	file, err := dir.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if n, err := io.Copy(h, io.NewSectionReader(file, 0, size)); err != nil || n != size {
		return "", errors.Join(err, io.ErrUnexpectedEOF)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// Resync publishes all that a standby lacks. It takes the lock for each file only, so that the
// crawl goes on meanwhile.
func (s *Shipper) Resync(ctx context.Context, standby string, has Manifest) error {
	s.mu.Lock()
	for s.files == nil && !s.fenced && ctx.Err() == nil { // not yet begun
		s.mu.Unlock()
		pause(ctx, 50*time.Millisecond)
		s.mu.Lock()
	}
	names := slices.SortedFunc(maps.Keys(s.files), journalLast)
	s.mu.Unlock()
	for _, name := range names {
		if err := s.resyncFile(ctx, name, has); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.resend(ctx); err != nil {
		return err
	}
	out := &outbox{s: s, ctx: ctx}
	for name := range has {
		if s.files[name] == nil && localName(name) && mirrored(name) {
			out.add(op{kind: opRemove, name: name})
		}
	}
	out.add(op{kind: opSynced, id: standby})
	return out.flush(s.covered)
}

// resyncStep is how many bytes of a file are published before the lock is free for a commit.
const resyncStep = 8 << 20

// resyncFile publishes what a standby lacks of one file.
func (s *Shipper) resyncFile(ctx context.Context, name string, has Manifest) error {
	if !grows(name) {
		return s.resyncWhole(ctx, name, has[name])
	}
	from := s.common(name, has[name])
	for first := true; ; first = false {
		s.mu.Lock()
		f := s.files[name]
		if err := s.resend(ctx); err != nil || f == nil || f.size < 0 {
			s.mu.Unlock()
			return err
		}
		out := &outbox{s: s, ctx: ctx}
		if first {
			out.add(op{kind: opCut, name: name, total: from})
		}
		to := min(f.size, from+resyncStep)
		s.shipRange(out, name, from, to)
		err := out.flush(s.covered) // if it fails the standby asks again
		done := to >= f.size
		s.mu.Unlock()
		if err != nil || done {
			return err
		}
		from = to
	}
}

// resyncWhole publishes a file that is replaced as a whole, unless the standby has it.
func (s *Shipper) resyncWhole(ctx context.Context, name string, has FileState) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[name]
	if err := s.resend(ctx); err != nil || f == nil || f.info == nil || f.size < 0 {
		return err
	}
	if h, err := hashBytes(s.dir, name, f.info.Size()); err == nil && has == (FileState{f.info.Size(), h}) {
		return nil
	}
	out := &outbox{s: s, ctx: ctx}
	s.shipWhole(out, name)
	return out.flush(s.covered)
}

// common returns how many bytes of a file that grows the copy of a standby has in common with this one.
// What is on the stream does not change, so that it is read without the lock.
func (s *Shipper) common(name string, has FileState) int64 {
	s.mu.Lock()
	f := s.files[name]
	known := f != nil && has.Size > 0 && has.Size <= f.size
	s.mu.Unlock()
	if !known {
		return 0
	}
	if h, err := hashBytes(s.dir, name, has.Size); err != nil || h != has.Hash {
		return 0
	}
	return has.Size
}

// reported notes what a standby has applied.
func (s *Shipper) reported(h standbyHello) {
	h.Has = nil
	s.standbysMu.Lock()
	defer s.standbysMu.Unlock()
	if h.Leaving {
		delete(s.standbys, h.ID)
		return
	}
	s.standbys[h.ID] = standbyState{h, time.Now()}
}

// standbyLapse is after how long without a word a standby no longer keeps messages from being
// trimmed. When it comes back it is compared as a whole.
const standbyLapse = 2 * time.Minute

// Trim removes from the streams what is no longer needed: arrivals that are committed, and commits
// that every standby has. The last commit stays.
func (s *Shipper) Trim(ctx context.Context) {
	if !s.mu.TryLock() {
		return // a commit waits for the servers
	}
	if s.fenced {
		s.mu.Unlock()
		return
	}
	commits, arrivals := s.last, s.covered.Arrivals+1
	s.mu.Unlock()
	s.standbysMu.Lock()
	for id, b := range s.standbys {
		if time.Since(b.at) > standbyLapse {
			delete(s.standbys, id)
			continue
		}
		commits = min(commits, b.Applied)
	}
	s.standbysMu.Unlock()
	s.c.purge(ctx, s.c.arrivalStream(), arrivals)
	s.c.purge(ctx, s.c.commitStream(), commits)
}

// DropArrivals removes all arrivals. It is for a crawl that has come to its end: what is left there
// answers no visit any more.
func (s *Shipper) DropArrivals(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if st, err := s.c.js.Stream(ctx, s.c.arrivalStream()); err == nil {
		_ = st.Purge(ctx)
	}
}

// purge removes all messages before a sequence. It is tried again with the next one.
func (c *Conn) purge(ctx context.Context, stream string, before uint64) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if st, err := c.js.Stream(ctx, stream); err == nil && before > 1 {
		_ = st.Purge(ctx, jetstream.WithPurgeSequence(before))
	}
}

// Close gives the lease back.
func (s *Shipper) Close(done bool) { s.lease.Release(done) }

// Fail gives the lease to a standby, because this process can't go on. why is for people.
func (s *Shipper) Fail(why string) { s.lease.fail(why) }

// Abandon gives the lease back before the first commit. A crawl that a person had stopped is stopped
// still; one whose coordinator had failed is left to another standby.
func (s *Shipper) Abandon(why string) {
	if s.lease.before.Ended || s.lease.before.Term == "" {
		s.lease.abandon()
		return
	}
	s.lease.fail(why)
}
