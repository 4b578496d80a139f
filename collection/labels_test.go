package collection_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"dowse"
	"dowse/collection"
)

func on(u string) collection.Label {
	return collection.Label{URL: dowse.URL(u), Label: collection.LabelOn, By: "ann"}
}

func off(u string) collection.Label {
	return collection.Label{URL: dowse.URL(u), Label: collection.LabelOff, By: "bob"}
}

func skip(u string) collection.Label {
	return collection.Label{URL: dowse.URL(u), Label: collection.LabelSkip}
}

func undo(model string, through int) collection.Label {
	return collection.Label{Do: collection.DoUndo, Model: model, Through: through}
}

// undoSince returns an undo that keeps the lines from number since on.
func undoSince(model string, through, since int) collection.Label {
	l := undo(model, through)
	l.Since = since
	return l
}

// TestUntrainedSurvivesUndo checks that labels of no model are counted as untrained after a return
// to an earlier model, and that an undo of an older version still removes them.
func TestUntrainedSurvivesUndo(t *testing.T) {
	models := []collection.Model{{Model: "m0001", Through: 1, Read: 1, Done: true}}
	lines := []collection.Label{on("a"), on("b"), off("c")}
	for _, test := range []struct {
		name string
		undo collection.Label
		want int
	}{
		{"kept", undoSince("m0000", 0, 2), 2},
		{"of an older version", undo("m0000", 0), 0},
	} {
		l := &collection.Labels{Lines: append(slices.Clone(lines), test.undo)}
		after := append(slices.Clone(models), collection.Model{Model: "m0000", Undo: true, Read: 4, Done: true})
		if got := l.Untrained(models); got != 2 {
			t.Errorf("%s: %d untrained before the undo is carried out, want 2", test.name, got)
		}
		if got := l.Untrained(after); got != test.want {
			t.Errorf("%s: %d untrained after the undo, want %d", test.name, got, test.want)
		}
		if got := len(l.Standing()); got != test.want {
			t.Errorf("%s: %d labels count, want %d", test.name, got, test.want)
		}
	}
}

// TestUntrainedAfterAFailure checks that the labels of a training that failed can be trained on again, and those of a model
// that was refused can't.
func TestUntrainedAfterAFailure(t *testing.T) {
	l := &collection.Labels{Lines: []collection.Label{on("a"), off("b")}}
	for want, m := range map[int]collection.Model{
		2: {Model: "m0002", Read: 2, Done: true, Error: "a record can't be read"},
		0: {Model: "m0002", Read: 2, Done: true, Error: "it is worse", Refused: true},
	} {
		if got := l.Untrained([]collection.Model{m}); got != want {
			t.Errorf("after %q: %d untrained, want %d", m.Error, got, want)
		}
	}
}

func TestStanding(t *testing.T) {
	for _, test := range []struct {
		name      string
		lines     []collection.Label
		want      string
		conflicts int
	}{
		{"nothing", nil, "", 0},
		{"the last one counts", []collection.Label{on("a"), off("b"), off("a")}, "a off b off", 1},
		{"skipped", []collection.Label{on("a"), on("b"), skip("a")}, "b on", 0},
		{"withdrawn and given again", []collection.Label{on("a"), skip("a"), off("a")}, "a off", 0},
		{"undone", []collection.Label{on("a"), off("b"), off("a"), on("c"), undo("m0001", 2)}, "a on b off", 1},
		{"all undone, then more", []collection.Label{on("a"), undo("m0000", 0), off("b")}, "b off", 0},
		{"undo of an undo", []collection.Label{on("a"), on("b"), undo("m0001", 1), off("c"), undo("m0002", 2)}, "a on b on", 0},
		{"an undo that knows too much", []collection.Label{on("a"), undo("m0009", 99)}, "a on", 0},
		{"labels of no model survive an undo", []collection.Label{on("a"), on("b"), off("c"), undoSince("m0000", 0, 2)}, "b on c off", 0},
		{"a skip of no model survives an undo", []collection.Label{on("a"), on("b"), skip("a"), undoSince("m0001", 2, 3)}, "b on", 0},
		{"they survive two undos", []collection.Label{on("a"), on("b"), undoSince("m0000", 0, 2), off("c"), undoSince("m0001", 1, 2)}, "a on b on c off", 0},
		{"not those that an older undo dropped", []collection.Label{on("a"), on("b"), undo("m0000", 0), off("c"), undoSince("m0001", 1, 2)}, "a on c off", 0},
		{"an undo that keeps what is not there", []collection.Label{on("a"), undoSince("m0000", 0, 99)}, "", 0},
		{"asking for a model", []collection.Label{on("a"), {Do: collection.DoTrain}}, "a on", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := &collection.Labels{Lines: test.lines}
			var got []string
			for _, u := range []dowse.URL{"a", "b", "c"} {
				if x, ok := l.Standing()[u]; ok {
					got = append(got, fmt.Sprint(u, " ", x.Label))
				}
			}
			if s := strings.Join(got, " "); s != test.want {
				t.Errorf("standing: %q, want %q", s, test.want)
			}
			if n := len(l.Conflicts()); n != test.conflicts {
				t.Errorf("%d conflicts, want %d: %+v", n, test.conflicts, l.Conflicts())
			}
		})
	}
}

// What would not be read as a label is refused, and then nothing is appended.
func TestAppendNoLabels(t *testing.T) {
	dir := t.TempDir()
	for _, bad := range []collection.Label{
		{}, {Label: collection.LabelOn}, {URL: "http://a.test/"}, {URL: "http://a.test/", Label: "On"}, {URL: "http://a.test/", Label: "maybe"},
		{URL: "http://a.test/", Label: collection.LabelOn, Note: strings.Repeat("x", 1<<16)},
	} {
		if err := collection.AppendLabels(dir, on("http://b.test/"), bad); err == nil {
			t.Errorf("%.80v was appended", bad)
		}
	}
	if l, err := collection.ReadLabels(dir); err != nil || len(l.Lines) != 0 {
		t.Errorf("there are %+v, %v", l, err)
	}
}

// Several goroutines append concurrently, and a line that a crash tore spoils no other.
func TestAppendLabels(t *testing.T) {
	dir := t.TempDir()
	if l, err := collection.ReadLabels(dir); err != nil || len(l.Lines) != 0 {
		t.Fatalf("of nothing: %+v, %v", l, err)
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 10 {
				if err := collection.AppendLabels(dir, on(fmt.Sprintf("http://a.test/%d/%d", w, i)), off(fmt.Sprintf("http://b.test/%d/%d", w, i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	path := filepath.Join(dir, "labels.jsonl")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"url":"http://torn.test/","lab`)
	f.Close()
	l, err := collection.ReadLabels(dir)
	if err != nil || len(l.Standing()) != 160 || l.Bad != 0 {
		t.Fatalf("%d labels, %d bad, %v", len(l.Standing()), l.Bad, err)
	}
	if err := collection.AppendLabels(dir, on("http://last.test/")); err != nil {
		t.Fatal(err)
	}
	l, err = collection.ReadLabels(dir)
	if err != nil || len(l.Standing()) != 161 || l.Bad != 1 || l.Size != collection.LabelsSize(dir) {
		t.Errorf("after a torn line %d labels, %d bad, %v", len(l.Standing()), l.Bad, err)
	}
}

func TestModels(t *testing.T) {
	dir := t.TempDir()
	data := []byte(`{"judge":"logistic"}`)
	hash, err := collection.SaveModel(dir, "m0001", data)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := collection.LoadModel(dir, "m0001", hash); err != nil || string(got) != string(data) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := collection.LoadModel(dir, "m0001", strings.Repeat("0", 64)); err == nil || !strings.Contains(err.Error(), "hash") {
		t.Errorf("of another hash: %v", err)
	}
	for _, name := range []string{"../../etc/passwd", "m1", "", "m0001.json"} {
		if _, err := collection.LoadModel(dir, name, ""); err == nil {
			t.Errorf("%q is taken for a model", name)
		}
	}
	m := collection.Model{Model: "m0001", Through: 7, Hash: hash}
	begun := m
	m.Done, m.Verdicts = true, 3
	for _, x := range []collection.Model{begun, m, {Model: "m0002", Through: 9}} {
		if err := collection.LogModel(dir, x); err != nil {
			t.Fatal(err)
		}
	}
	list, err := collection.Models(dir)
	if err != nil || len(list) != 2 || !list[0].Done || list[0].Verdicts != 3 || list[1].Done {
		t.Errorf("%+v, %v", list, err)
	}
	if next, err := collection.NameModel(dir, list); err != nil || next != "m0003" {
		t.Errorf("next is %s, %v", next, err)
	}
	if _, ok := collection.MadeModel(list, "m0007"); ok {
		t.Error("there is a m0007")
	}
	if first, ok := collection.MadeModel(list, collection.FirstModel); !ok || first.Through != 0 {
		t.Errorf("the first: %+v", first)
	}
}

// TestModelBefore goes back model by model, as far as the first one. A model that was left by an undo before the next one was
// trained is never gone back to.
func TestModelBefore(t *testing.T) {
	trained := func(name, before string) collection.Model {
		return collection.Model{Model: name, Before: before, Done: true}
	}
	undone := func(name, before string) collection.Model {
		m := trained(name, before)
		m.Undo = true
		return m
	}
	for _, test := range []struct {
		name string
		list []collection.Model
		want string // from the last model of the list on
	}{
		{"one", []collection.Model{trained("m0001", "m0000")}, "m0000"},
		{"one after the other", []collection.Model{trained("m0001", "m0000"), trained("m0002", "m0001")}, "m0001 m0000"},
		{"undone and trained again", []collection.Model{trained("m0001", "m0000"), undone("m0000", "m0001"), trained("m0002", "m0000")}, "m0000"},
		{"returned to", []collection.Model{trained("m0001", "m0000"), trained("m0002", "m0001"), trained("m0003", "m0002"), undone("m0002", "m0003")}, "m0001 m0000"},
		{"two undone", []collection.Model{trained("m0001", "m0000"), trained("m0002", "m0001"), trained("m0003", "m0002"), undone("m0002", "m0003"),
			undone("m0001", "m0002"), trained("m0004", "m0001")}, "m0001 m0000"},
		{"forward by name", []collection.Model{trained("m0001", "m0000"), undone("m0000", "m0001"), trained("m0002", "m0000"), undone("m0001", "m0002")}, "m0000"},
		{"without its line", []collection.Model{undone("m0004", "m0007")}, "m0000"},
	} {
		var got []string
		for m := test.list[len(test.list)-1].Model; m != collection.FirstModel && len(got) < 9; {
			m = collection.ModelBefore(test.list, m)
			got = append(got, m)
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %s, want %s", test.name, s, test.want)
		}
	}
}

// TestLabelHistory marks the lines of a page that are not in force, and the last one that counts is never marked.
func TestLabelHistory(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []collection.Label
		want  string
	}{
		{"of another page", []collection.Label{on("b")}, ""},
		{"one", []collection.Label{on("a"), off("b")}, "on"},
		{"replaced", []collection.Label{on("a"), off("a")}, "on replaced, off"},
		{"taken back", []collection.Label{on("a"), off("a"), skip("a")}, "on replaced, off withdrawn, skip"},
		{"given again", []collection.Label{on("a"), skip("a"), skip("a"), off("a")}, "on withdrawn, skip replaced, skip replaced, off"},
		{"undone", []collection.Label{on("a"), off("a"), undo("m0001", 1)}, "on, off undone"},
		{"all undone", []collection.Label{on("a"), skip("a"), undo("m0000", 0)}, "on undone, skip undone"},
		{"undone, then labelled", []collection.Label{on("a"), undo("m0000", 0), off("a")}, "on undone, off"},
		{"an undo of an undo", []collection.Label{on("a"), undo("m0000", 0), off("a"), undo("m0001", 1)}, "on, off undone"},
		{"kept by an undo", []collection.Label{on("a"), off("a"), on("b"), undoSince("m0000", 0, 2)}, "on undone, off"},
		{"counted twice", []collection.Label{on("a"), off("a"), undoSince("m0001", 2, 1)}, "on replaced, off"},
	} {
		l := &collection.Labels{Lines: test.lines}
		var got []string
		for _, x := range l.History("a") {
			got = append(got, strings.TrimSpace(x.Label.Label+" "+x.Ended))
			if stands, ok := l.Standing()["a"]; ok && x.Ended == "" && stands.Label != x.Label.Label {
				t.Errorf("%s: %s is in force, and %s counts", test.name, x.Label.Label, stands.Label)
			}
		}
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("%s: %q, want %q", test.name, s, test.want)
		}
	}
}

func FuzzParseLabels(f *testing.F) {
	f.Add([]byte(`{"url":"http://a.test/","label":"on","by":"ann","at":"2026-11-15T09:12:01Z","model":"m0001"}` + "\n"))
	f.Add([]byte("{\"do\":\"undo\",\"through\":-3}\n{\"do\":\"undo\",\"through\":99999999999}\nx\n\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := collection.ParseLabels(data)
		if l.Size > int64(len(data)) || l.Bad > len(l.Lines) {
			t.Errorf("%d of %d bytes, %d of %d lines bad", l.Size, len(data), l.Bad, len(l.Lines))
		}
		if len(l.Lines) < 200 {
			l.Standing()
			l.Conflicts()
		}
	})
}

// TestAuditOfTheMadeWeb draws 100 samples of 50 pages of a crawl, labels them by what
// the synthetic web knows, and looks how often the interval holds the truth.
func TestAuditOfTheMadeWeb(t *testing.T) {
	sequential(t)
	c := open(t, madeDir(t), true)
	defer c.Close()
	true0, all := 0, 0
	for row, err := range c.Pages(collection.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if all++; wanted(row.URL) {
			true0++
		}
	}
	truth := float64(true0) / float64(all)
	held := 0
	first := ""
	for seed := range 100 {
		c.Settings.Key = uint64(seed)
		rows, err := c.Queue(collection.QueueAudit, &collection.Labels{}, 50)
		if err != nil || len(rows) != 50 {
			t.Fatalf("%d pages, %v", len(rows), err)
		}
		if again, _ := c.Queue(collection.QueueAudit, &collection.Labels{}, 50); again[7].URL != rows[7].URL {
			t.Fatal("drawn again it is another sample")
		}
		if seed > 0 && first == string(rows[0].URL) && string(rows[1].URL) == first {
			t.Error("another key draws the same")
		}
		first = string(rows[0].URL)
		l := &collection.Labels{}
		for _, r := range rows {
			x := off(string(r.URL))
			if wanted(r.URL) {
				x = on(string(r.URL))
			}
			x.Queue, x.Of = collection.QueueAudit, all
			l.Lines = append(l.Lines, x)
		}
		a, err := c.Audit(l)
		if err != nil || a.N != 50 || a.Of != all {
			t.Fatalf("%+v, %v", a, err)
		}
		if a.Low <= truth && truth <= a.High {
			held++
		}
	}
	t.Logf("%d pages, %.3f on topic: held in %d of 100 audits", all, truth, held)
	if held < 93 {
		t.Errorf("the interval holds the truth in %d of 100 audits", held)
	}
}

func wanted(u dowse.URL) bool {
	relevant, ok := madeWeb().Truth(u, "tide pools")
	return ok && relevant
}

// A sample grows with labels, whatever queue they come from, and ends at the first page
// without one.
func TestAuditCounts(t *testing.T) {
	c := open(t, madeDir(t), true)
	defer c.Close()
	rows, err := c.Queue(collection.QueueAudit, &collection.Labels{}, 10)
	if err != nil {
		t.Fatal(err)
	}
	audited := func(x collection.Label) collection.Label {
		x.Queue, x.Of = collection.QueueAudit, madePages
		return x
	}
	url := func(i int) string { return string(rows[i].URL) }
	l := &collection.Labels{Lines: []collection.Label{on(url(3)), audited(on(url(0))), audited(off(url(1))), audited(skip(url(2)))}}
	a, err := c.Audit(l)
	if err != nil || a.N != 3 || a.On != 2 || a.Skipped != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	left, err := c.Queue(collection.QueueAudit, l, 5)
	if err != nil || len(left) != 2 || string(left[0].URL) != url(4) {
		t.Errorf("%d left, %v", len(left), err)
	}
	l.Lines = append(l.Lines, audited(on(url(5)))) // page 4 has no label
	if a, _ := c.Audit(l); a.N != 3 {
		t.Errorf("%+v", a)
	}
	if a, err := c.Audit(&collection.Labels{Lines: []collection.Label{on(url(0))}}); a != nil || err != nil {
		t.Errorf("without an audit: %+v, %v", a, err)
	}
	if _, err := c.Queue("best", l, 5); err == nil {
		t.Error("there is a queue called best")
	}
}
