package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"dowse/internal/durable"
)

// A Mirror is the copy of a collection that a standby keeps. It applies what the coordinator
// publishes, and takes the lead when the coordinator's lease lapses.
type Mirror struct {
	// Begin, if set, is called before the directory is touched for the first time. An error of it
	// ends Follow.
	Begin func(Owner) error
	// Tick, if set, is called about once a second.
	Tick func(MirrorStatus)

	c     *Conn
	id    string
	host  string
	dir   durable.Dir
	crawl string // the id of the crawl that is followed

	mu      sync.Mutex
	applied uint64 // sequence of the last message that was applied
	synced  uint64 // of the last one whose bytes are on the disk
	term    string
	past    map[string]bool // earlier terms
	number  uint64          // of the last message of the term
	foreign int             // messages that no coordinator wrote
	ready   bool            // the copy was complete at some message, and all later ones were applied
	asked   time.Time
	trusted Manifest // what was there before a comparison began; nil if the copy is whole
	open    map[string]*durable.File
	touched map[string]bool
	failed  error
	place   os.FileInfo // of the directory when the copy began
	holder  Holder      // of the lease, as last seen
	endRead func()      // ends the reader of the stream, so that another one begins
}

// MirrorStatus is what a standby knows of itself.
type MirrorStatus struct {
	Applied     uint64
	Ready       bool
	Coordinator Holder
}

// ErrDone is returned to a standby when the crawl has come to its end.
var ErrDone = errors.New("cluster: the crawl has come to its end")

// ErrIncomplete is returned to a standby whose copy was not complete when the crawl came to its end.
var ErrIncomplete = errors.New("cluster: the crawl has come to its end, and this copy is not complete; copy the directory of its coordinator, or resume the crawl there")

// resyncMark is a file that is there while the copy may have holes. It holds the id of the crawl.
const resyncMark = "state/.dowse-resync.tmp"

// IncompleteCopy returns the id of the crawl of which dir is a copy that may have holes, "" if it
// is none.
func IncompleteCopy(dir string) string {
	data, err := durable.In(dir).ReadBounded(resyncMark, 1<<10)
	if err != nil {
		return ""
	}
	return string(data)
}

// Clear removes the files of a collection, so that a copy of another one can take their place.
func Clear(dir string) error {
	d := durable.In(dir)
	found, err := listFiles(d)
	if err != nil {
		return err
	}
	for name := range found {
		if err := d.Remove(name); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
	}
	if err := d.RemoveAll("search"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// Follow keeps the directory equal to that of the coordinator until ctx ends, the crawl has come
// to its end (ErrDone), or the coordinator's lease lapses. In the last case this process has the
// lead, and the fence is raised.
func (c *Conn) Follow(ctx context.Context, dir string, m *Mirror) (*Shipper, error) {
	m.c, m.dir, m.id = c, durable.In(dir), strings.ToLower(rand.Text()[:12])
	m.host, _ = os.Hostname()
	m.open, m.touched, m.past = map[string]*durable.File{}, map[string]bool{}, map[string]bool{}
	if err := m.wait(ctx); err != nil {
		return nil, err
	}
	if err := m.prepare(dir); err != nil {
		return nil, err
	}
	var err error
	if m.place, err = os.Stat(dir); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	_, last, err := c.lastCommit(ctx)
	if err != nil {
		return nil, err
	}
	m.applied = last
	applying, stop := context.WithCancel(ctx)
	var applier sync.WaitGroup
	applier.Go(func() { m.apply(applying) })
	defer func() {
		stop()
		applier.Wait()
		m.close()
		m.leave()
	}()
	return m.follow(ctx, dir)
}

// leave reports that this process is no standby any more, and leaves no mark of an incomplete copy in a
// directory to which nothing was copied.
func (m *Mirror) leave() {
	h := standbyHello{ID: m.id, Host: m.host, Version: m.c.opt.Version, Leaving: true}
	if data, err := json.Marshal(h); err == nil {
		_ = m.c.nc.Publish(m.c.subject("standby"), data) // otherwise it is missed after some seconds
		_ = m.c.nc.FlushTimeout(helloEvery)
	}
	if found, err := listFiles(m.dir); err == nil && len(found) == 0 {
		_ = m.dir.Remove(resyncMark)
	}
}

// wait waits until there is a crawl on the servers.
func (m *Mirror) wait(ctx context.Context) error {
	for first := true; ; first = false {
		err := m.c.openState(ctx, false)
		if err == nil {
			o, err := m.c.owner(ctx)
			if err == nil && o.ID != "" {
				m.crawl = o.ID
				return m.begin(o)
			}
		}
		if first {
			m.c.opt.logf("there is no crawl yet; waiting for one")
		}
		if !pause(ctx, time.Second) {
			return ctx.Err()
		}
	}
}

// begin returns an error if this program can't follow the crawl, or may not in this directory.
func (m *Mirror) begin(o Owner) error {
	if err := m.fits(o); err != nil || m.Begin == nil {
		return err
	}
	return m.Begin(o)
}

// fits returns an error if this program can't follow the crawl.
func (m *Mirror) fits(o Owner) error {
	if o.Version != m.c.opt.Version || o.Wire != wireVersion {
		return &VersionError{Why: "the coordinator is dowse " + o.Version + " and the standby is dowse " + m.c.opt.Version + "; they must be the same version"}
	}
	return nil
}

// prepare makes the directory, and notes what is in it. A directory without a collection is marked
// as an incomplete copy before the first file is written.
func (m *Mirror) prepare(dir string) error {
	if err := durable.In(path.Dir(dir)).Mkdir(path.Base(dir)); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if err := m.dir.Mkdir("state"); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if _, err := m.dir.Lstat(resyncMark); err == nil {
		m.trusted = Manifest{} // an earlier comparison was not finished
		return nil
	}
	if m, err := ReadMembership(dir); err == nil && m.Term != "" {
		return nil // it is marked when the comparison begins
	}
	var err error
	if m.trusted, err = manifestOf(m.dir); err != nil {
		return err
	}
	return m.mark()
}

// mark records that the copy may have holes.
func (m *Mirror) mark() error {
	if err := m.dir.WriteFile(resyncMark, []byte(m.crawl)); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// follow watches the lease and takes over.
func (m *Mirror) follow(ctx context.Context, dir string) (*Shipper, error) {
	w := &leaseWatch{c: m.c}
	refused := make(chan error, 1)
	reporting, stop := context.WithCancel(ctx)
	defer stop()
	called := make(chan struct{}, 1)
	sub, err := m.c.nc.Subscribe(m.c.subject("roll"), func(q *nats.Msg) {
		_ = q.Respond(nil)
		select {
		case called <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	defer sub.Unsubscribe()
	go m.reportAll(reporting, called, refused)
	stopped := false
	for {
		free, err := w.look(ctx)
		m.setHolder(w.holder)
		switch {
		case err != nil || !free:
			stopped = false
		case w.holder.Ended && w.holder.Done:
			if m.caughtUp(ctx) {
				return nil, m.end()
			}
		case w.holder.Ended:
			if !stopped {
				m.c.opt.logf("the crawl was stopped by %s; waiting for it to be resumed", &w.holder)
			}
			stopped = true
		case m.isReady():
			m.c.opt.logf("%s; taking over", w.holder.gone())
			s, err := m.takeOver(ctx, w, dir)
			var held *HeldError // another standby was faster
			switch {
			case errors.As(err, &held):
			case isPassing(err) && ctx.Err() == nil:
				m.c.opt.logf("not taken over: NATS does not answer (%v); trying again until it does", err)
			default:
				return s, err
			}
		}
		select {
		case err := <-refused:
			return nil, err
		case <-time.After(helloEvery / 2):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (m *Mirror) setHolder(h Holder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holder = h
}

// reportAll reports once a second, and whenever the coordinator calls for it, until ctx ends or there is
// an error.
func (m *Mirror) reportAll(ctx context.Context, called <-chan struct{}, refused chan<- error) {
	for {
		if err := m.report(ctx); err != nil {
			refused <- err
			return
		}
		select {
		case <-time.After(helloEvery):
		case <-called:
		case <-ctx.Done():
			return
		}
	}
}

// end returns how a crawl that has come to its end leaves this copy.
func (m *Mirror) end() error {
	if !m.isReady() {
		return ErrIncomplete
	}
	return ErrDone
}

func (m *Mirror) hasFailed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed != nil
}

func (m *Mirror) isReady() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ready && m.failed == nil
}

// caughtUp reports whether everything on the stream is applied and on the disk.
func (m *Mirror) caughtUp(ctx context.Context) bool {
	_, last, err := m.c.lastCommit(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	return err == nil && m.applied >= last && m.sync() == nil
}

// report syncs what was applied, and reports to the coordinator. It asks for what the copy lacks until
// it is complete.
func (m *Mirror) report(ctx context.Context) error {
	h, err := m.helloNow()
	if err != nil {
		return err
	}
	if m.Tick != nil {
		m.mu.Lock()
		holder := m.holder
		m.mu.Unlock()
		m.Tick(MirrorStatus{h.Applied, h.Ready, holder})
	}
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if int64(len(data)) > m.c.nc.MaxPayload() {
		h.Has = nil // then all is sent
		if data, err = json.Marshal(h); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 2*helloEvery)
	defer cancel()
	answer, err := m.c.nc.RequestWithContext(ctx, m.c.subject("standby"), data)
	if err != nil {
		return nil // there is no coordinator at the moment
	}
	var x welcome
	if json.Unmarshal(answer.Data, &x) == nil && x.Refused != "" {
		return &VersionError{Why: x.Refused}
	}
	if h.Asks {
		m.mu.Lock()
		m.asked = time.Now()
		m.mu.Unlock()
	}
	return nil
}

// askAgain is after how long a comparison that was not finished is asked for again, if nothing
// comes meanwhile.
const askAgain = 30 * time.Second

// helloNow returns what to report.
func (m *Mirror) helloNow() (standbyHello, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed == nil {
		m.failed = m.present()
	}
	if err := errors.Join(m.failed, m.sync()); err != nil {
		return standbyHello{}, err
	}
	h := standbyHello{ID: m.id, Host: m.host, Process: os.Getpid(), Dir: m.dir.Path("."), Version: m.c.opt.Version, Applied: m.synced, Ready: m.ready}
	if m.ready || time.Since(m.asked) < askAgain {
		return h, nil
	}
	if m.trusted == nil {
		has, err := manifestOf(m.dir)
		if err != nil {
			return h, err
		}
		m.trusted = has
		if err := m.mark(); err != nil {
			return h, err
		}
	}
	h.Asks, h.Has = true, m.trusted
	return h, nil
}

// manifestOf describes the files of a copy.
func manifestOf(dir durable.Dir) (Manifest, error) {
	found, err := listFiles(dir)
	if err != nil {
		return nil, err
	}
	has := Manifest{}
	for name, info := range found {
		hash, err := hashBytes(dir, name, info.Size())
		if err != nil {
			return nil, fmt.Errorf("cluster: %s: %w", name, err)
		}
		has[name] = FileState{info.Size(), hash}
	}
	return has, nil
}

// present returns an error if the directory of the copy is not the one that it was at the beginning. Files that are open
// can be written to after that, so without looking it would be noticed late.
func (m *Mirror) present() error {
	info, err := os.Stat(m.dir.Path("."))
	if err != nil || !os.SameFile(info, m.place) {
		return fmt.Errorf("cluster: the directory %s was removed or replaced while this standby kept a copy in it; start the standby again", m.dir.Path("."))
	}
	return nil
}

// apply applies messages in order until ctx ends, or one could not be applied.
func (m *Mirror) apply(ctx context.Context) {
	for ctx.Err() == nil && !m.hasFailed() {
		m.applyFrom(ctx)
		pause(ctx, 300*time.Millisecond)
	}
}

// applyFrom applies messages until there is an error. A gap means that messages were trimmed which
// this copy lacks, so that it has to be compared again.
func (m *Mirror) applyFrom(ctx context.Context) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	m.mu.Lock()
	from := m.applied + 1
	m.endRead = end
	m.mu.Unlock()
	m.c.read(ctx, m.c.commitStream(), from, m.applyMessage)
}

// applyMessage applies one message, and reports whether that was possible.
func (m *Mirror) applyMessage(seq uint64, data []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if seq <= m.applied {
		return true
	}
	if seq > m.applied+1 {
		m.compareAgain()
	}
	x, err := readCommit(data)
	if err != nil && otherVersion(data, commitMagic) {
		m.failed = fmt.Errorf("cluster: message %d of %s: %w", seq, m.c.commitStream(), err)
		return false
	}
	if err != nil || x.term == m.term && x.number <= m.number || m.past[x.term] {
		m.passOver(seq)
		return true
	}
	if x.begins() {
		m.applied = seq // the files are as before until another commit of that term comes
		return true
	}
	if x.term != m.term {
		if m.term != "" || x.number <= 2 {
			m.compareAgain() // the new coordinator may have cut what a crash left
		}
		m.past[m.term] = m.term != ""
		m.term = x.term
	}
	if m.failed = m.present(); m.failed != nil {
		return false
	}
	for i := range x.ops {
		if err := m.do(&x.ops[i]); err != nil {
			m.failed = fmt.Errorf("cluster: %w", err)
			return false
		}
	}
	m.applied, m.number = seq, x.number
	return true
}

// passOver passes over a message that no coordinator wrote, or that was published again by another
// program.
func (m *Mirror) passOver(seq uint64) {
	if m.foreign++; m.foreign == 1 {
		m.c.opt.logf("another program publishes on the stream of commits; its messages are passed over")
	}
	m.applied = seq
}

// compareAgain asks the coordinator to compare the copy as a whole.
func (m *Mirror) compareAgain() {
	m.ready, m.asked = false, time.Time{}
}

// do applies one change.
func (m *Mirror) do(o *op) error {
	if o.kind != opBegin && o.kind != opSynced && o.name == "" {
		return errWire
	}
	switch o.kind {
	case opSynced:
		if o.id == m.id {
			m.ready, m.trusted = true, nil
			if err := m.dir.Remove(resyncMark); err != nil && !errors.Is(err, fs.ErrNotExist) { // it was asked for twice
				return err
			}
		}
	case opWrite:
		f, err := m.file(o.name)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(o.data, o.at)
		return err
	case opCut:
		f, err := m.file(o.name)
		if err != nil {
			return err
		}
		return f.Truncate(o.total)
	case opWhole:
		return m.replace(o)
	case opRemove:
		m.forget(o.name)
		if err := m.dir.Remove(o.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// replace writes a part of a new file, and puts the file in its place when it is complete.
func (m *Mirror) replace(o *op) error {
	if !nameForm.MatchString(strings.ToLower(o.id)) {
		return errWire
	}
	temp := path.Join(path.Dir(o.name), ".dowse-"+o.id+durable.Temporary)
	f, err := m.file(temp)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(o.data, o.at); err != nil || o.at+int64(len(o.data)) < o.total {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() != o.total { // its beginning was sent before this copy followed
		m.forget(temp)
		return m.dir.Remove(temp)
	}
	if err := f.Sync(); err != nil {
		return err
	}
	m.forget(temp)
	m.forget(o.name)
	return m.dir.Rename(temp, o.name)
}

// maxOpen bounds how many files a mirror holds open.
const maxOpen = 64

// file returns an open file of the copy, which is made if it is not there.
func (m *Mirror) file(name string) (*durable.File, error) {
	if f := m.open[name]; f != nil {
		m.touched[name] = true
		return f, nil
	}
	if len(m.open) >= maxOpen {
		if err := m.sync(); err != nil {
			return nil, err
		}
		m.close()
	}
	if folder := path.Dir(name); folder != "." {
		if err := m.dir.Mkdir(folder); err != nil {
			return nil, err
		}
	}
	f, err := m.dir.Ensure(name)
	if err != nil {
		return nil, err
	}
	m.open[name], m.touched[name] = f, true
	return f, nil
}

// forget closes a file.
func (m *Mirror) forget(name string) {
	if f := m.open[name]; f != nil {
		_ = f.Close()
		delete(m.open, name)
		delete(m.touched, name)
	}
}

// sync makes durable what was applied.
func (m *Mirror) sync() error {
	for name := range m.touched {
		if err := m.open[name].Sync(); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
	}
	clear(m.touched)
	m.synced = m.applied
	return nil
}

// close closes all files.
func (m *Mirror) close() {
	for name := range m.open {
		m.forget(name)
	}
}

// takeOver takes the lease, applies what is left on the stream, and raises the fence. If the old
// coordinator publishes once more before that, its message is applied first.
func (m *Mirror) takeOver(ctx context.Context, w *leaseWatch, dir string) (*Shipper, error) {
	lease, err := w.take(ctx)
	if err != nil {
		return nil, err
	}
	for moved := time.Now(); ; {
		before := m.appliedNow()
		s, err := m.raise(ctx, lease, dir)
		if err == nil {
			return s, nil
		}
		if m.appliedNow() != before {
			moved = time.Now()
		} else if time.Since(moved) > readerStuck {
			m.readAgain()
			moved = time.Now()
		}
		if !errors.Is(err, errBehind) && !errors.Is(err, ErrFenced) || !pause(ctx, 50*time.Millisecond) {
			lease.abandon()
			return nil, err
		}
	}
}

// readerStuck is for how long a standby that takes over waits for the next message before it makes a new reader. The
// usual one may be lost with a server, which it finds out itself only after some seconds ([stalled]).
const readerStuck = time.Second

// readAgain makes a new reader of the stream of commits.
func (m *Mirror) readAgain() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.endRead != nil {
		m.endRead()
	}
}

// appliedNow returns the sequence of the last message that was applied.
func (m *Mirror) appliedNow() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.applied
}

// errBehind is returned while messages are left to be applied.
var errBehind = errors.New("cluster: not all commits are applied yet")

// raise raises the fence behind the last message that was applied.
func (m *Mirror) raise(ctx context.Context, lease *Lease, dir string) (*Shipper, error) {
	if !m.caughtUp(ctx) {
		return nil, errBehind
	}
	m.mu.Lock()
	applied := m.synced
	m.mu.Unlock()
	return m.c.lead(ctx, lease, dir, true, &applied)
}
