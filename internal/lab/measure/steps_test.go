package measure

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"dowse"
)

// TestSteps gives back what was put in, and changes nothing of a copy's length.
func TestSteps(t *testing.T) {
	want := []Step{
		{URL: "http://a.demo/", Host: "a.demo", Relevant: true, Seed: true, Judged: 0.5, Bytes: maxBytes},
		{URL: "http://a.demo/x", Host: "other", Trained: true, OnTopic: true, Popular: true, At: time.Hour, From: "http://a.demo/", Anchor: "x"},
		{},
	}
	s := StepsOf(want...)
	for i, got := range s.All() {
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("step %d: %+v, want %+v", i, got, want[i])
		}
	}
	s.SetOrigin(2, "http://b.demo/", "there")
	if got := s.At(2); got.From != "http://b.demo/" || got.Anchor != "there" || got.URL != "" {
		t.Errorf("led by %q from %q", got.Anchor, got.From)
	}
	short := s
	s.Append(Step{Relevant: true})
	if s.Len() != 4 || short.Len() != 3 || s.Relevant(4) != 2 || s.Relevant(1) != 1 || s.Relevant(99) != 2 {
		t.Errorf("%d steps, %d relevant; the copy has %d", s.Len(), s.Relevant(99), short.Len())
	}
}

// TestNamesShared lets many trails be written concurrently with the same names.
func TestNamesShared(t *testing.T) {
	names := NewNames()
	trails := make([]Steps, 8)
	var group sync.WaitGroup
	for i := range trails {
		group.Go(func() {
			trails[i] = names.Steps()
			for k := range 200 {
				trails[i].Append(Step{URL: dowse.URL(fmt.Sprint("http://a.demo/", (k*(i+1))%100))})
			}
		})
	}
	group.Wait()
	for i := range trails {
		for k, s := range trails[i].All() {
			if want := dowse.URL(fmt.Sprint("http://a.demo/", (k*(i+1))%100)); s.URL != want {
				t.Fatalf("trail %d, step %d is %s, want %s", i, k, s.URL, want)
			}
		}
	}
	if len(names.list) != 101 { // and the empty one
		t.Errorf("%d names, want 101", len(names.list))
	}
}

// A run of the lab keeps at most so many bytes per step in all.
const mostPerStep = 48

// TestStepsAreLean crawls nothing 200 times over 500 pages, and weighs what is kept:
// millions of steps are kept until a run is reported on.
func TestStepsAreLean(t *testing.T) {
	const trails, steps, pages = 200, 2000, 500
	file := func() *bytes.Reader {
		var b bytes.Buffer
		made := &Trail{Strategy: "x", Topic: "t", Steps: leanSteps(NewNames(), steps, pages)}
		if err := WriteTrail(&b, made); err != nil {
			t.Fatal(err)
		}
		return bytes.NewReader(b.Bytes())
	}()
	for name, make := range map[string]func(*Names) Steps{
		"made": func(n *Names) Steps { return leanSteps(n, steps, pages) },
		"read": func(n *Names) Steps {
			file.Seek(0, 0)
			trail, err := n.ReadTrail(file)
			if err != nil {
				t.Fatal(err)
			}
			return trail.Steps
		},
	} {
		before := heap()
		names, kept := NewNames(), []Steps(nil)
		for range trails {
			kept = append(kept, make(names))
		}
		if each := float64(heap()-before) / (trails * steps); each > mostPerStep {
			t.Errorf("%s: %.1f bytes for a step, want at most %d", name, each, mostPerStep)
		}
		runtime.KeepAlive(kept)
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// leanSteps are steps over pages whose anchors are parts of long texts.
func leanSteps(n *Names, steps, pages int) Steps {
	s := n.Steps()
	for k := range steps {
		page := k % pages
		text := fmt.Sprint("anchor ", page, strings.Repeat(" and much more", 200))
		s.Append(Step{URL: dowse.URL(fmt.Sprintf("http://a.demo/%s/%d", strings.Repeat("long", 10), page)), Host: "a.demo", From: "http://a.demo/", Anchor: text[:10]})
	}
	s.Trim()
	return s
}
