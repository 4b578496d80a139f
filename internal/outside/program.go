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

// ErrGone says that an outside judge is not there any more, and will not be asked
// again.
var ErrGone = errors.New("the outside judge is gone")

// A Program is an outside judge that is a program: it reads a question to a line, as
// JSON, and writes the answer to a line. It is started when it is first asked, never
// by a shell, and goes on running. A program that dies, does not answer in time or
// writes what is no answer is ended, with all that it started, and started again.
type Program struct {
	Command  []string          // and its arguments
	Dir      string            // where it runs; "" means here
	Restarts int               // without an answer in between, at most; 0 means 3
	Say      func(line string) // is told what it writes to its standard error, the first lines; nil means nobody

	mu      sync.Mutex
	turn    chan *child // holds the child, or nil for none, when nobody asks
	failed  int         // starts in a row without an answer
	closed  bool
	errText talk
}

// Name names the program and its arguments.
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
		return Answer{}, fmt.Errorf("outside: %s: others are being answered: %w", p.Name(), ctx.Err())
	}
	c, a, err := p.askChild(ctx, c, q)
	turn <- c
	if err != nil {
		return Answer{}, fmt.Errorf("outside: %s: %w", p.Name(), err)
	}
	return a, nil
}

// turns returns where the child waits for the next to ask.
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

// askChild asks the child, a new one if there is none, and returns the one that the
// next is to ask.
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
		return nil, Answer{}, err
	}
	p.mu.Lock()
	p.failed = 0
	p.mu.Unlock()
	return c, a, nil
}

// start starts a child, unless too many have failed.
func (p *Program) start() (*child, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	most := p.Restarts
	if most == 0 {
		most = 3
	}
	if p.closed || p.failed > most {
		return nil, ErrGone
	}
	p.failed++
	c, err := newChild(p.Command, p.Dir, &p.errText)
	if errors.Is(err, exec.ErrNotFound) {
		p.failed = most + 1
		return nil, fmt.Errorf("%w: %w", ErrGone, err)
	}
	return c, err
}

// Close ends the program and all that it started, once the question under way is
// given up.
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
	lines  chan []byte   // what it writes, closed at its end; one is kept, so that it is seen before the next question
	stop   chan struct{} // closed when nobody wants more lines
	read   chan struct{} // closed when nobody reads more
	family family
}

func newChild(command []string, dir string, stderr io.Writer) (*child, error) {
	if len(command) == 0 {
		return nil, fmt.Errorf("%w: no program is named", ErrGone)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Stderr = stderr
	cmd.WaitDelay = time.Second // for what holds its pipes when it is dead
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

// listen hands on the lines that the child writes.
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
		case c.lines <- append([]byte(nil), line...):
		case <-c.stop:
			return
		}
	}
}

// dead reports whether the child has ended, or said something unasked, after which
// nobody knows which answer is to which question.
func (c *child) dead() bool {
	select {
	case <-c.lines:
		return true
	default:
		return false
	}
}

// ask writes the question and waits for a line.
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
			return Answer{}, fmt.Errorf("it does not take the question: %w", err)
		}
	case <-ctx.Done():
		return Answer{}, fmt.Errorf("no answer in time: it does not take the question: %w", ctx.Err())
	}
	select {
	case line, ok := <-c.lines:
		if !ok {
			return Answer{}, errors.New("it ended without an answer, or wrote one that is too long")
		}
		return parseAnswer(line)
	case <-ctx.Done():
		return Answer{}, fmt.Errorf("no answer in time: %w", ctx.Err())
	}
}

// end ends the child and all that it started, and waits until it is gone. A child
// that has ended by itself is waited for here too, and not before: so its number is
// not another's when its family is ended.
func (c *child) end() {
	close(c.stop)
	c.family.kill(c.cmd) // before its input ends, and it leaves its children alone
	c.in.Close()
	c.cmd.Wait()
	<-c.read
}

// talk is a program's standard error: the first lines are passed on, the rest is
// thrown away.
type talk struct {
	say func(string)

	mu   sync.Mutex
	line []byte
	said int // lines
}

// The limits of what a program says beside its answers.
const (
	maxSaid     = 10  // lines
	maxSaidLine = 300 // bytes
)

// Write takes in what the program writes. It never fails.
func (t *talk) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range b {
		if c == '\n' {
			t.pass()
		} else if len(t.line) < maxSaidLine {
			t.line = append(t.line, c)
		}
	}
	return len(b), nil
}

func (t *talk) pass() {
	text := oneLine(strings.ToValidUTF8(string(t.line), "\ufffd"))
	t.line = t.line[:0]
	if t.say == nil || text == "" || t.said > maxSaid {
		return
	}
	if t.said++; t.said > maxSaid {
		text = "(what it says further is not shown)"
	}
	t.say(text)
}
