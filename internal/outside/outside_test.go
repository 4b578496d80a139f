package outside

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dowse"
	"dowse/judge"
)

// The test binary is also the program that is asked.
func TestMain(m *testing.M) {
	if mode := os.Getenv("OUTSIDE_TEST_CHILD"); mode != "" {
		childMain(mode)
		return
	}
	os.Exit(m.Run())
}

// childMain answers questions: relevant is what has "reef" in its text.
func childMain(mode string) {
	fmt.Fprintln(os.Stderr, "\x1b[31mstarted")
	if mode == "grandchild" {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "OUTSIDE_TEST_CHILD=sleep")
		c.Start()
		fmt.Fprintln(os.Stderr, "grandchild", c.Process.Pid)
	}
	if mode == "sleep" {
		time.Sleep(time.Minute)
		return
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		var q Question
		if json.Unmarshal(in.Bytes(), &q) != nil {
			os.Exit(3)
		}
		childAnswer(mode, q, n)
	}
}

func childAnswer(mode string, q Question, n int) {
	switch {
	case mode == "dies", mode == "dies-later" && n == 2, mode == "moody" && strings.Contains(q.Text, "die"):
		os.Exit(4)
	case mode == "slow", mode == "moody" && strings.Contains(q.Text, "slow"):
		time.Sleep(time.Minute)
	case mode == "babble":
		fmt.Println("let me think")
	case mode == "flood":
		fmt.Println(strings.Repeat("x", 2*maxAnswer))
	case mode == "twice":
		fmt.Println(`{"score":0.9}`)
	case mode == "talks":
		fmt.Fprintln(os.Stderr, strings.Repeat("and so on ", 100))
	}
	score := 0.1
	if strings.Contains(q.Text, "reef") {
		score = 0.9
	}
	json.NewEncoder(os.Stdout).Encode(Answer{score, []string{fmt.Sprint("question ", n), "length " + fmt.Sprint(len(q.Text))}})
}

// program returns a program that is this test, in a mode.
func program(t *testing.T, mode string) *Program {
	t.Setenv("OUTSIDE_TEST_CHILD", mode)
	p := &Program{Command: []string{os.Args[0]}}
	t.Cleanup(func() { p.Close() })
	return p
}

func page(text string) *dowse.Page {
	return &dowse.Page{URL: "http://example.org/", Document: dowse.Document{Title: "A page", Text: text, Words: dowse.Words(text)}}
}

// unsure is an inner judge with a relevance of its own for all pages.
type unsure struct {
	relevance float64
	scale     string
}

func (u unsure) Judge(p *dowse.Page) dowse.Verdict { v, _ := u.JudgeWindows(p, nil); return v }

func (u unsure) JudgeWindows(p *dowse.Page, w []dowse.Span) (dowse.Verdict, []float64) {
	weight := u.relevance
	if u.scale == judge.LogOdds {
		weight = logOdds(u.relevance)
	}
	ratings := make([]float64, len(w))
	for i := range ratings {
		ratings[i] = 0.25
	}
	return dowse.Verdict{Relevance: u.relevance, Scale: u.scale, Because: []dowse.Because{{What: "inner", Weight: weight}}, Judge: "inner/1"}, ratings
}

// patience is for what must come, on a busy machine too.
const patience = 5 * time.Minute

func ask(p *Program, text string, limit time.Duration) (Answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return p.Ask(ctx, Question{URL: "http://example.org/", Text: text})
}

func TestProgram(t *testing.T) {
	p := program(t, "good")
	var lines []string
	p.Say = func(s string) { lines = append(lines, s) }
	for n := 1; n <= 3; n++ {
		a, err := ask(p, "a reef\nand \"quotes\"", patience)
		if err != nil || a.Score != 0.9 || a.Because[0] != fmt.Sprint("question ", n) {
			t.Fatal(a, err)
		}
	}
	if a, err := ask(p, strings.Repeat("words ", 10000), patience); err != nil || a.Score != 0.1 || a.Because[1] != "length 60000" {
		t.Fatal(a, err)
	}
	p.Close()
	if len(lines) != 1 || lines[0] != "[31mstarted" {
		t.Errorf("it wrote %q", lines)
	}
	if _, err := ask(p, "", time.Second); !errors.Is(err, ErrGone) {
		t.Errorf("after its end: %v", err)
	}
}

func TestProgramFails(t *testing.T) {
	for mode, want := range map[string]string{
		"dies": "ended without an answer", "slow": "no answer in time", "babble": `"let me think\n"`, "flood": "too long",
	} {
		t.Run(mode, func(t *testing.T) {
			p := program(t, mode)
			p.Restarts = 1
			limit := patience
			if mode == "slow" {
				limit = 300 * time.Millisecond
			}
			for range 2 {
				if _, err := ask(p, "x", limit); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
			}
			if _, err := ask(p, "x", limit); !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), want) {
				t.Errorf("after one restart: %v", err)
			}
		})
	}
	p := &Program{Command: []string{"no-such-program-here"}}
	if _, err := ask(p, "x", time.Second); !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), "no-such-program-here") {
		t.Error(err)
	}
	if _, err := ask(&Program{}, "x", time.Second); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
}

// A program that dies now and then is started again as often as it takes, as long as
// it answers in between.
func TestProgramRestarts(t *testing.T) {
	p := program(t, "dies-later")
	p.Restarts = 1
	for n := range 6 {
		if _, err := ask(p, "x", patience); (err != nil) != (n%2 == 1) {
			t.Errorf("question %d: %v", n, err)
		}
	}
}

// What a program has written unasked is never taken for the answer to the next question.
func TestProgramOutOfStep(t *testing.T) {
	p := program(t, "twice")
	for range 3 {
		if a, err := ask(p, "nothing", patience); err != nil || a.Because != nil {
			t.Errorf("the answer to another question: %v, %v", a, err)
		}
		c := <-p.turn
		for len(c.lines) == 0 { // the second line comes
			time.Sleep(time.Millisecond)
		}
		p.turn <- c
	}
}

func TestProgramEndsItsFamily(t *testing.T) {
	p := program(t, "grandchild")
	pid := make(chan int, 1)
	p.Say = func(s string) {
		var n int
		if _, err := fmt.Sscanf(s, "grandchild %d", &n); err == nil {
			pid <- n
		}
	}
	if _, err := ask(p, "x", patience); err != nil {
		t.Fatal(err)
	}
	n := <-pid
	if !alive(n) {
		t.Fatal("the grandchild never lived")
	}
	p.Close()
	for i := 0; alive(n); i++ {
		if i == 6000 {
			t.Fatal("the grandchild lives on")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestProgramTalk(t *testing.T) {
	p := program(t, "talks")
	var lines []string
	p.Say = func(s string) { lines = append(lines, s) }
	for range 15 {
		if _, err := ask(p, "x", patience); err != nil {
			t.Fatal(err)
		}
	}
	p.Close()
	if len(lines) != maxLogLines+1 || !strings.Contains(lines[maxLogLines], "not shown") || len(lines[1]) > maxLogLine {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
}

// fixed answers immediately, and counts.
type fixed struct {
	Answer
	err   error
	asked atomic.Int32
	last  atomic.Value
	hold  chan struct{}
}

func (f *fixed) Name() string { return "fixed" }
func (f *fixed) Close() error { return nil }
func (f *fixed) Ask(ctx context.Context, q Question) (Answer, error) {
	f.asked.Add(1)
	f.last.Store(q)
	if f.hold != nil {
		select {
		case <-f.hold:
		case <-ctx.Done():
			return Answer{}, ctx.Err()
		}
	}
	return f.Answer, f.err
}

func newJudge(t *testing.T, inner dowse.WindowJudge, a Asker, o Options) *Judge {
	t.Helper()
	j, err := New(inner, a, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// The reasons of both judges add up on the scale of the inner one.
func TestVerdictAddsUp(t *testing.T) {
	for _, scale := range []string{judge.LogOdds, judge.Share, judge.Cosine, judge.Change} {
		for _, score := range []float64{0, 0.001, 0.4, 0.99, 1} {
			for _, because := range [][]string{nil, {"one"}, {"one", "two", "three"}} {
				j := newJudge(t, unsure{0.4, scale}, &fixed{Answer: Answer{score, because}}, Options{})
				v, ratings := j.JudgeWindows(page("words"), []dowse.Span{{Start: 0, End: 1}})
				want := min(max(score, surest), 1-surest)
				sum := sumOf(v.Because)
				switch scale {
				case judge.LogOdds:
					sum = 1 / (1 + math.Exp(-sum))
				case judge.Change: // there is no sum
					sum = want
				}
				if math.Abs(v.Relevance-want) > 1e-12 || math.Abs(sum-want) > 1e-6 {
					t.Errorf("%s %g: relevance %g, sum %g", scale, score, v.Relevance, sum)
				}
				if len(v.Because) != max(1, len(because))+1 || v.Because[len(v.Because)-1].What != "inner" || !strings.HasPrefix(v.Because[0].What, "asked: ") {
					t.Errorf("reasons %v", v.Because)
				}
				if v.Judge != "inner/1 + fixed" || ratings[0] != 0.25 {
					t.Errorf("judge %q, windows %v", v.Judge, ratings)
				}
				if scale == judge.Change && len(because) == 1 && math.Abs(judge.Without(v, 0)-0.4) > 1e-9 {
					t.Errorf("without the outside judge %g", judge.Without(v, 0))
				}
			}
		}
	}
}

func TestOnlyTheUnsure(t *testing.T) {
	for relevance, asked := range map[float64]int32{0: 0, 0.29: 0, 0.3: 1, 0.5: 1, 0.7: 1, 0.71: 0, 1: 0} {
		f := &fixed{Answer: Answer{Score: 0.9}}
		v := newJudge(t, unsure{relevance, judge.Share}, f, Options{}).Judge(page("words"))
		if f.asked.Load() != asked || (v.Relevance == 0.9) != (asked == 1) {
			t.Errorf("%g: asked %d times, %v", relevance, f.asked.Load(), v)
		}
	}
	for _, o := range []Options{{From: 0.7, To: 0.3}, {From: -1, To: 0.5}, {To: 1.5}, {Timeout: -1}, {Budget: -1}} {
		if _, err := New(unsure{}, &fixed{}, o); err == nil {
			t.Errorf("%+v passes", o)
		}
	}
}

func TestWhatIsSent(t *testing.T) {
	f := &fixed{Answer: Answer{Score: 0.9}}
	j := newJudge(t, unsure{0.5, judge.Share}, f, Options{Text: 9})
	p := page("naïve één\xffabc")
	p.Title = strings.Repeat("t", 2*maxTitle)
	j.Judge(p)
	if q := f.last.Load().(Question); q.Text != "naïve é" || len(q.Title) != maxTitle || q.URL != "http://example.org/" {
		t.Errorf("%+v", q)
	}
}

func TestBudgetAndMemory(t *testing.T) {
	f := &fixed{Answer: Answer{Score: 0.9}}
	j := newJudge(t, unsure{0.5, judge.Share}, f, Options{Budget: 2})
	for _, text := range []string{"one", "one", "two", "three", "one"} {
		j.Judge(page(text))
	}
	want := Stats{Wanted: 5, Asked: 2, Answered: 2, Known: 2, Spent: 1}
	if got := j.Stats(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A resumed crawl asks nothing twice, knows what it has learnt, and continues the
// budget where it was. What a crash left of the file does no harm.
func TestAnswersAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	o := Options{File: path, Budget: 3}
	f := &fixed{Answer: Answer{0.9, []string{"a reason"}}}
	j := newJudge(t, unsure{0.5, judge.Share}, f, o)
	first := j.Judge(page("one"))
	j.Judge(page("two"))
	j.Close()
	data, _ := os.ReadFile(path)
	broken := append(append([]byte("no JSON\n{\"judge\":\"fixed\",\"score\":7}\n\n"+strings.Repeat("x", 2*maxAnswerLine)+"\n"), data...), `{"judge":"fix`...)
	if err := os.WriteFile(path, broken, 0o644); err != nil {
		t.Fatal(err)
	}
	learnt := &notes{}
	o.Learner = learnt
	again := &fixed{Answer: Answer{Score: 0.1}}
	j = newJudge(t, unsure{0.5, judge.Share}, again, o)
	if got := j.Judge(page("one")); got.Relevance != first.Relevance || got.Because[0] != first.Because[0] {
		t.Errorf("%v, want %v", got, first)
	}
	if len(learnt.list) != 2 || learnt.list[0] != "one true" {
		t.Errorf("learnt %q", learnt.list)
	}
	j.Judge(page("three"))
	j.Judge(page("four"))
	if s := j.Stats(); s.Asked != 1 || s.Known != 1 || s.Spent != 1 {
		t.Errorf("%+v", s)
	}
	j.Close()
	j = newJudge(t, unsure{0.5, judge.Share}, &fixed{}, o)
	if j.Judge(page("three")); j.Stats().Known != 1 {
		t.Error("what came after a broken line is lost")
	}
	if _, err := New(unsure{}, f, Options{File: t.TempDir()}); err == nil {
		t.Error("a folder passes for a file of answers")
	}
}

type notes struct {
	mu   sync.Mutex
	list []string
}

func (n *notes) Learn(e judge.Example) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, fmt.Sprint(e.Page.Text, " ", e.Relevant))
}

// Failures leave the inner verdict, are counted, and after some of them no
// question is asked for a while.
func TestFailuresFallBack(t *testing.T) {
	for name, f := range map[string]*fixed{
		"error": {err: errors.New("no")}, "score": {Answer: Answer{Score: 1.5}}, "NaN": {Answer: Answer{Score: math.NaN()}},
	} {
		j := newJudge(t, unsure{0.5, judge.Share}, f, Options{})
		for n := range 7 {
			if v := j.Judge(page(fmt.Sprint(n))); v.Relevance != 0.5 || len(v.Because) != 1 || v.Judge != "inner/1" {
				t.Errorf("%s: %v", name, v)
			}
		}
		if s := j.Stats(); s.Failed != failuresInARow || s.Resting != 2 || s.Error == nil || s.Answered != 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	gone := newJudge(t, unsure{0.5, judge.Share}, &fixed{err: fmt.Errorf("x: %w", ErrGone)}, Options{})
	gone.Judge(page("a"))
	gone.Judge(page("b"))
	if s := gone.Stats(); s.Failed != 1 || s.Resting != 1 {
		t.Errorf("%+v", s)
	}
}

// Concurrent callers ask one question per text, and none waits longer than the limit.
func TestManyAtOnce(t *testing.T) {
	f := &fixed{Answer: Answer{Score: 0.9}, hold: make(chan struct{})}
	j := newJudge(t, unsure{0.5, judge.Share}, f, Options{Timeout: patience, Learner: &notes{}, File: filepath.Join(t.TempDir(), "a")})
	var all sync.WaitGroup
	for n := range 60 {
		all.Go(func() {
			if v := j.Judge(page(fmt.Sprint(n % 3))); v.Relevance != 0.9 {
				t.Errorf("%v", v)
			}
		})
	}
	for f.asked.Load() < 3 {
		time.Sleep(time.Millisecond)
	}
	close(f.hold)
	all.Wait()
	if s := j.Stats(); s.Asked != 3 || s.Known != 57 || s.Wanted != 60 {
		t.Errorf("%+v", s)
	}
	slow := newJudge(t, unsure{0.5, judge.Share}, &fixed{hold: make(chan struct{})}, Options{Timeout: 20 * time.Millisecond})
	for range 3 {
		all.Go(func() { slow.Judge(page("same")) })
	}
	all.Wait() // comes to an end
	if s := slow.Stats(); s.Answered != 0 || s.Wanted != 3 {
		t.Errorf("%+v", s)
	}
}

func TestCloseGivesUp(t *testing.T) {
	f := &fixed{hold: make(chan struct{})}
	j := newJudge(t, unsure{0.5, judge.Share}, f, Options{Timeout: time.Hour})
	done := make(chan dowse.Verdict)
	go func() { done <- j.Judge(page("x")) }()
	for f.asked.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	j.Close()
	if v := <-done; v.Relevance != 0.5 {
		t.Errorf("%v", v)
	}
	if v := j.Judge(page("y")); v.Relevance != 0.5 || f.asked.Load() != 1 {
		t.Errorf("asked after the end: %v", v)
	}
}

// With a real program and a real judge that learns: asked about one kind of page, it
// is soon sure of it.
func TestLearnsToAskLess(t *testing.T) {
	m, err := judge.Logistic{}.Train([]judge.Example{{Text: "reef coral water", Relevant: true}, {Text: "train station rails"}})
	if err != nil {
		t.Fatal(err)
	}
	online := m.(*judge.Online)
	program := program(t, "good")
	j := newJudge(t, online, program, Options{From: 0.02, To: 0.98, Timeout: patience, Learner: online})
	text := func(n int) *dowse.Page {
		if n%2 == 0 {
			return page(fmt.Sprintf("the reef and its coral in warm water near island number %d", n))
		}
		return page(fmt.Sprintf("trains leave the station on rails to town number %d", n))
	}
	asked := [2]int{}
	for n := range 60 {
		before := j.Stats().Asked
		j.Judge(text(n))
		asked[n/30] += j.Stats().Asked - before
	}
	if asked[1] >= asked[0]/2 {
		t.Errorf("asked %d times in the first half and %d in the second", asked[0], asked[1])
	}
	if s := j.Stats(); s.Failed > 0 {
		t.Errorf("%+v", s)
	}
	t.Logf("asked %d times in the first half and %d in the second", asked[0], asked[1])
}
