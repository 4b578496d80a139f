package outside

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// ErrGone reports that an external judge has failed for good and will not be
// asked again.
var ErrGone = errors.New("the outside judge is gone")

// A Program is an external judge that is a program: it reads one question per
// line, as JSON, and writes one answer per line. It is started with the first
// question, never through a shell, and keeps running. A program that dies, does
// not answer in time or writes something that is not an answer is killed, with
// all processes that it started, and started again.
//
// Questions are answered one at a time. The running program is passed along in
// the channel turn: who receives it may ask.
//
// A question and its answer look like this, each on one line:
//
//	{"url": "https://example.org/", "title": "Reefs", "text": "A reef is …"}
//	{"score": 0.9, "because": ["is about coral reefs"]}
//
// The program must flush its output after each answer, and write nothing else to
// its standard output.
type Program struct {
	Command  []string          // program and arguments
	Dir      string            // working folder; default the current one
	Restarts int               // most restarts without an answer in between; default 3
	Say      func(line string) // if set, called with the first lines of its standard error

	mu      sync.Mutex
	turn    chan *child // holds the child, or nil for none, while no question is in flight
	failed  int         // starts since the last answer
	cause   error       // of the last failure
	closed  bool
	errText talk
}

// Name returns the program and its arguments.
func (p *Program) Name() string {
	if len(p.Command) == 0 {
		return "exec"
	}
	words := append([]string{filepath.Base(p.Command[0])}, p.Command[1:]...)
	return oneLine(firstBytes("exec "+strings.Join(words, " "), maxReason))
}

// Ask waits for its turn, writes the question and reads the answer.
func (p *Program) Ask(ctx context.Context, q Question) (Answer, error) {
	turn := p.turns()
	var c *child
	select {
	case c = <-turn:
	case <-ctx.Done():
		return Answer{}, fmt.Errorf("outside: %s: busy with other questions: %w", p.Name(), ctx.Err())
	}
	c, a, err := p.askChild(ctx, c, q)
	turn <- c
	if err != nil {
		return Answer{}, fmt.Errorf("outside: %s: %w", p.Name(), err)
	}
	return a, nil
}

// turns returns the channel turn, which it makes on first use.
func (p *Program) turns() chan *child {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.turn == nil {
		p.turn = make(chan *child, 1)
		p.turn <- nil
		p.errText.say = p.Say
	}
	return p.turn
}

// askChild asks the child, a new one if there is none, and returns the one for
// the next question.
func (p *Program) askChild(ctx context.Context, c *child, q Question) (*child, Answer, error) {
	if c != nil && c.dead() {
		c.end()
		c = nil
	}
	if c == nil {
		var err error
		if c, err = p.start(); err != nil {
			return nil, Answer{}, err
		}
	}
	a, err := c.ask(ctx, q)
	if err != nil {
		c.end()
		p.mu.Lock()
		p.cause = err
		p.mu.Unlock()
		return nil, Answer{}, err
	}
	p.mu.Lock()
	p.failed = 0
	p.mu.Unlock()
	return c, a, nil
}

// start starts a child, unless too many have failed. A program that does not
// exist is gone immediately.
func (p *Program) start() (*child, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	most := p.Restarts
	if most == 0 {
		most = 3
	}
	if p.closed || p.failed > most {
		return nil, goneBy(p.cause)
	}
	p.failed++
	c, err := newChild(p.Command, p.Dir, &p.errText)
	if errors.Is(err, exec.ErrNotFound) {
		p.failed = most + 1
	}
	if err != nil {
		p.cause = err
	}
	if p.failed > most && err != nil {
		return nil, goneBy(err)
	}
	return c, err
}

// goneBy returns ErrGone with the last failure before, nil for none. The failure is quoted, not
// wrapped: it is not that of the present question.
func goneBy(cause error) error {
	if cause == nil {
		return ErrGone
	}
	return fmt.Errorf("%w: %v", ErrGone, cause)
}

// Close kills the program and all processes that it started, after the question
// in flight has ended.
func (p *Program) Close() error {
	turn := p.turns()
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	c := <-turn
	if c != nil {
		c.end()
	}
	turn <- nil
	return nil
}

// A child is a running program.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan []byte   // its output, closed at its end; buffers one line, so that unexpected output is noticed
	stop   chan struct{} // closed when no more lines are wanted
	read   chan struct{} // closed when listen has returned
	family family
}

// newChild starts a program, with listen reading its output.
func newChild(command []string, dir string, stderr io.Writer) (*child, error) {
	if len(command) == 0 {
		return nil, fmt.Errorf("%w: no program is given", ErrGone)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Stderr = stderr
	cmd.WaitDelay = time.Second // other processes may keep its pipes open when it is dead
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, in: in, lines: make(chan []byte, 1), stop: make(chan struct{}), read: make(chan struct{})}
	c.family.prepare(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c.family.started(cmd)
	go c.listen(out)
	return c, nil
}

// listen sends the lines that the child writes to c.lines, until it ends,
// writes a line that is too long, or is stopped.
//
// A line longer than maxAnswer ends it, as the end of the program does; the child
// is then replaced, because its output can no longer be trusted.
func (c *child) listen(out io.Reader) {
	defer close(c.read)
	defer close(c.lines)
	in := bufio.NewReaderSize(out, maxAnswer)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil { // an end, or a line that is too long
			return
		}
		select {
		// The line is copied, since the reader reuses its buffer.
		case c.lines <- append([]byte(nil), line...):
		case <-c.stop:
			return
		}
	}
}

// dead reports whether the child has ended, or wrote something without being
// asked, after which answers can no longer be matched to questions.
func (c *child) dead() bool {
	select {
	case <-c.lines:
		return true
	default:
		return false
	}
}

// ask writes the question and waits for a line. Writing is done in a goroutine,
// because a child that does not read would block it; the goroutine ends when
// the child is killed.
func (c *child) ask(ctx context.Context, q Question) (Answer, error) {
	line, err := json.Marshal(q)
	if err != nil {
		return Answer{}, err
	}
	written := make(chan error, 1)
	go func() {
		_, err := c.in.Write(append(line, '\n'))
		written <- err
	}()
	select {
	case err := <-written:
		if err != nil {
			return Answer{}, fmt.Errorf("program does not read the question: %w", err)
		}
	case <-ctx.Done():
		return Answer{}, fmt.Errorf("no answer in time: program does not read the question: %w", ctx.Err())
	}
	select {
	case line, ok := <-c.lines:
		if !ok {
			return Answer{}, errors.New("program ended without an answer, or wrote one that is too long")
		}
		return parseAnswer(line)
	case <-ctx.Done():
		return Answer{}, fmt.Errorf("no answer in time: %w", ctx.Err())
	}
}

// end kills the child and all processes that it started, and waits until it is
// gone. Also a child that ended by itself is waited for only here, so that its
// process ID is not reused before its family is killed.
func (c *child) end() {
	close(c.stop)
	c.family.kill(c.cmd) // before its input is closed, which could make it exit and orphan its children
	c.in.Close()
	c.cmd.Wait()
	<-c.read
}

// talk is a program's standard error: the first lines are passed on, the rest
// is dropped.
type talk struct {
	say func(string)

	mu     sync.Mutex
	line   []byte
	passed int // lines passed on
}

// The limits of a program's standard error.
const (
	maxLogLines = 10  // lines
	maxLogLine  = 300 // bytes
)

// Write collects lines. It never fails, since a program must not block on its
// standard error.
func (t *talk) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range b {
		if c == '\n' {
			t.pass()
		} else if len(t.line) < maxLogLine {
			t.line = append(t.line, c)
		}
	}
	return len(b), nil
}

func (t *talk) pass() {
	text := oneLine(strings.ToValidUTF8(string(t.line), "\ufffd"))
	t.line = t.line[:0]
	if t.say == nil || text == "" || t.passed > maxLogLines {
		return
	}
	if t.passed++; t.passed > maxLogLines {
		text = "(further lines are not shown)"
	}
	t.say(text)
}
