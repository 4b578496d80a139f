package experiment

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/lab/measure"
	"dowse/strategy"
)

// prepared1 prepares the first topic of an experiment.
func prepared1(t *testing.T, text string) (*run, *task, *prepared, []int) {
	t.Helper()
	r, err := plan(t.Context(), parsed(t, text), Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	task := r.jobs[0].task.(*task)
	p, err := task.prepare()
	if err != nil {
		t.Fatal(err)
	}
	return r, task, p, task.seeds(0, "")
}

// TestLabelsAreNotSeen turns the label of every page round that the judge was not trained
// on. Every strategy must make the same visits as before: it must not depend on them.
func TestLabelsAreNotSeen(t *testing.T) {
	sequential(t)
	var names []string
	for _, d := range strategy.All() {
		names = append(names, d.Name)
	}
	text := strings.Replace(small, "[breadth-first, random, link-context, oracle]", "["+strings.Join(append(names, Oracle), ", ")+"]", 1)
	r, task, p, _ := prepared1(t, text)
	truth := slices.Clone(p.wanted)
	for _, j := range r.jobs[:len(names)+1] {
		p.wanted = truth
		before, err := task.crawl(t.Context(), j.variant, 0)
		if err != nil {
			t.Fatal(err)
		}
		p.wanted = slices.Clone(truth)
		for i := range p.wanted {
			p.wanted[i] = p.wanted[i] != !p.train[i]
		}
		after, err := task.crawl(t.Context(), j.variant, 0)
		if err != nil {
			t.Fatal(err)
		}
		same := slices.EqualFunc(stepsOf(before), stepsOf(after), func(a, b measure.Step) bool {
			return a.URL == b.URL && a.Judged == b.Judged && a.At == b.At && a.OnTopic == b.OnTopic
		})
		if same == (j.variant.Spec == Oracle) {
			t.Errorf("%s makes the same visits with other labels: %v", j.variant.Label, same)
		}
	}
}

// A spy is a strategy that looks at everything it is given, to any depth.
type spy struct {
	t      *testing.T
	secret []string // that it must not find
	noted  map[dowse.URL]string
	seen   map[uintptr]bool
	looks  int
	judges int
}

func (s *spy) Traits() dowse.Traits {
	return dowse.Traits{Window: 20, Anchors: true, Revisits: true}
}

// Follow looks at the page: its fields, the verdict and its reasons, what hangs on the
// host, and whether the note that comes back is the one that was given.
func (s *spy) Follow(p *dowse.Page) (leads []dowse.Lead) {
	s.look("page", reflect.ValueOf(p), 0)
	if p.Lead.Note != s.noted[p.URL] {
		s.t.Errorf("the note of %s came back as %q", p.URL, p.Lead.Note)
	}
	for i := range p.Links {
		u := p.Links[i].URL
		if n := p.Links[i].Target.Note; n != s.noted[u] {
			s.t.Errorf("a link to %s has the note %q", u, n)
		}
		s.noted[u] = fmt.Sprint("note ", len(s.noted))
		leads = append(leads, dowse.Lead{URL: u, Priority: 1, Note: s.noted[u]})
	}
	return leads
}

// BeforeRound looks behind the view of the queue.
func (s *spy) BeforeRound(v dowse.View) []dowse.Lead {
	s.look("view", reflect.ValueOf(v), 0)
	best, _ := v.Best()
	s.look("lead", reflect.ValueOf(best), 0)
	return nil
}

// Rescore looks at the lead.
func (s *spy) Rescore(l dowse.Lead) float64 {
	s.look("lead", reflect.ValueOf(l), 0)
	return l.Priority
}

// look walks through a value by reflection, private fields included.
func (s *spy) look(where string, v reflect.Value, depth int) {
	if depth > 40 || s.looks > 3_000_000 || !v.IsValid() {
		return
	}
	s.looks++
	typ := v.Type()
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ == reflect.TypeFor[spy]() || strings.HasPrefix(typ.PkgPath(), "testing") {
		return
	}
	if strings.Contains(typ.PkgPath(), "dowse/lab") || strings.Contains(typ.PkgPath(), "dowse/judge") {
		s.judges++
		s.t.Errorf("%s leads to a %v", where, typ)
		return
	}
	switch v.Kind() {
	case reflect.String:
		for _, secret := range s.secret {
			if strings.Contains(v.String(), secret) {
				s.t.Errorf("%s contains %q", where, secret)
			}
		}
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if v.IsNil() || s.seen[v.Pointer()] && v.Kind() != reflect.Slice {
			return
		}
		s.seen[v.Pointer()] = true
		s.inside(where, v, depth)
	case reflect.Interface:
		s.look(where, v.Elem(), depth+1)
	case reflect.Struct, reflect.Array:
		s.inside(where, v, depth)
	}
}

func (s *spy) inside(where string, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		s.look(where, v.Elem(), depth+1)
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			s.look(where+" key", it.Key(), depth+1)
			s.look(where+" value", it.Value(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			s.look(where+"."+v.Type().Field(i).Name, v.Field(i), depth+1)
		}
	default:
		for i := range min(v.Len(), 2000) {
			s.look(where+"[]", v.Index(i), depth+1)
		}
	}
}

// TestSpy lets a strategy look for the labels, the web and the judge in all that it is
// given: pages, verdicts and their reasons, notes, leads, and what is behind the view.
func TestSpy(t *testing.T) {
	sequential(t)
	_, task, p, seeds := prepared1(t, small)
	s := &spy{t: t, noted: map[dowse.URL]string{}, seen: map[uintptr]bool{}}
	for _, topic := range task.source.labels.Topics() {
		s.secret = append(s.secret, topic.Topic)
	}
	v := Variant{Spec: "spy", Label: "spy"}
	trail, err := task.simulate(t.Context(), s, v, task.trail(v, 0, p, seeds), p, seeds)
	if err != nil {
		t.Fatal(err)
	}
	if trail.Steps.Len() < 50 || s.looks < 10_000 {
		t.Errorf("%d pages, %d looks: that was no spying", trail.Steps.Len(), s.looks)
	}
}

// TestGrabbing lets a strategy write into all that it was given. The next crawl must not
// notice: what crawls share they can't reach through links and mentions.
func TestGrabbing(t *testing.T) {
	sequential(t)
	_, task, p, seeds := prepared1(t, small)
	v := Variant{Spec: "link-context", Label: "link-context"}
	before, err := task.crawl(t.Context(), v, 0)
	if err != nil {
		t.Fatal(err)
	}
	g := &grabber{}
	if _, err := task.simulate(t.Context(), g, v, task.trail(v, 0, p, seeds), p, seeds); err != nil {
		t.Fatal(err)
	}
	after, err := task.crawl(t.Context(), v, 0)
	if err != nil {
		t.Fatal(err)
	}
	before.CPU, after.CPU = 0, 0
	if !reflect.DeepEqual(before, after) {
		t.Error("a strategy that writes into its pages changes the crawls after it")
	}
}

// TestMessages lets a strategy leave messages for crawls that come after it: it writes into
// whatever hangs on a page, to any depth, and looks in the next crawl whether it
// is still there. A strategy that could do so would know what it never found.
func TestMessages(t *testing.T) {
	_, task, p, seeds := prepared1(t, small)
	v := Variant{Spec: "link-context", Label: "link-context"}
	for round := range 2 {
		w := &writer{grabber: grabber{}, t: t, reads: round == 1}
		if _, err := task.simulate(t.Context(), w, v, task.trail(v, 0, p, seeds), p, seeds); err != nil {
			t.Fatal(err)
		}
		if w.places < 10_000 {
			t.Errorf("%d places: that was no writing", w.places)
		}
	}
}

// A writer writes into the lists of a page, by reflection.
type writer struct {
	grabber
	t      *testing.T
	reads  bool // look for messages before
	places int
}

const message = "a message from an earlier crawl"

func (w *writer) Traits() dowse.Traits { return dowse.Traits{Window: 20, Anchors: true} }

// Follow reads, follows links, and writes.
func (w *writer) Follow(p *dowse.Page) []dowse.Lead {
	if w.reads {
		w.all(p, w.read)
	}
	leads := w.BreadthFirst.Follow(p)
	w.all(p, write)
	return leads
}

func (w *writer) all(p *dowse.Page, do func(v reflect.Value, where string)) {
	w.each(reflect.ValueOf(&p.Document).Elem(), "page", do)
	w.each(reflect.ValueOf(&p.Verdict).Elem(), "verdict", do)
	w.each(reflect.ValueOf(&p.Host).Elem(), "host", do)
}

// each calls do for every text and number that can be reached and set.
func (w *writer) each(v reflect.Value, where string, do func(v reflect.Value, where string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			w.each(v.Elem(), where, do)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				w.each(v.Field(i), where+"."+v.Type().Field(i).Name, do)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			w.each(v.Index(i), where+"[]", do)
		}
	default:
		if v.CanSet() {
			w.places++
			do(v, where)
		}
	}
}

const number = 1_234_567

func write(v reflect.Value, _ string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(message)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(number)
	case reflect.Float64:
		v.SetFloat(number)
	}
}

func (w *writer) read(v reflect.Value, where string) {
	switch {
	case w.t.Failed():
	case v.Kind() == reflect.String && v.String() == message, v.CanInt() && v.Int() == number, v.CanFloat() && v.Float() == number:
		w.t.Errorf("%s: what an earlier crawl wrote is still there", where)
	}
}

// TestForging lets a strategy rewrite what came of its visits: pages off topic failed, were
// other pages, cost nothing, and the judge liked the rest. The trail must be that of the
// honest one, in rounds and one by one.
func TestForging(t *testing.T) {
	for _, text := range []string{small, strings.Replace(small, "strategies:", "round: 10\nstrategies:", 1)} {
		_, task, p, seeds := prepared1(t, text)
		v := Variant{Spec: "breadth-first", Label: "breadth-first"}
		var trails []*measure.Trail
		for _, s := range []dowse.Strategy{&strategy.BreadthFirst{}, &forger{}} {
			trail, err := task.simulate(t.Context(), s, v, task.trail(v, 0, p, seeds), p, seeds)
			if err != nil {
				t.Fatal(err)
			}
			trail.CPU = 0
			trails = append(trails, trail)
		}
		if !reflect.DeepEqual(trails[0], trails[1]) {
			t.Error("a strategy that rewrites its pages is measured by what it wrote")
		}
	}
}

type forger struct{ strategy.BreadthFirst }

// Follow follows links as the honest strategy does, and changes the URL of its page.
func (f *forger) Follow(p *dowse.Page) []dowse.Lead {
	leads := f.BreadthFirst.Follow(p)
	if p.Verdict.Relevance < 0.5 {
		p.Outcome, p.Reason = dowse.Failed, dowse.FailHTTP
	}
	p.URL, p.Again, p.OnTopic = "http://shorewalks.demo/", len(leads) == 0, true
	p.Verdict.Relevance, p.Fetch.Bytes, p.Fetch.Took = 1, 0, 0
	return leads
}

type grabber struct{ strategy.BreadthFirst }

// Follow marks every page, link and mention.
func (g *grabber) Follow(p *dowse.Page) []dowse.Lead {
	leads := g.BreadthFirst.Follow(p)
	for i := range p.Links {
		l := &p.Links[i]
		l.URL, l.Anchor, l.Context, l.AnchorScore = "http://grabbed.test/", "grabbed", 1, 1
		for k := range l.More {
			l.More[k].Context = 1
		}
	}
	p.Verdict.Relevance, p.Title, p.Text, p.Words = 1, "grabbed", "grabbed", nil
	return leads
}
