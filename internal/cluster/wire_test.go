package cluster

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/repeats"
)

// fill sets every field that v has to something other than its zero value, so that a field that the
// wire forgets is found by comparing.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(1_700_000_000+int64(*n), 5).UTC()))
		return
	case netip.Addr:
		v.Set(reflect.ValueOf(netip.MustParseAddr("192.0.2.7")))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(0.25)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n)
			}
		}
	}
}

// fullPage returns a page with all that a visit can bring, and nothing else.
func fullPage() *dowse.Page {
	p, n := &dowse.Page{}, 0
	fill(reflect.ValueOf(p).Elem(), &n)
	p.Outcome = dowse.Skipped
	p.Lead, p.Again, p.Depth, p.Hops, p.Via, p.LinksIn, p.OnTopic, p.Near = dowse.Lead{}, false, 0, 0, nil, nil, false, ""
	p.Fetch.Archive = dowse.Place{}
	p.Numbers = nil // are valid in one process only
	p.Host.Robots.Rules = nil
	for i := range p.Links {
		p.Links[i].Target = dowse.Target{}
	}
	return p
}

func fullResult() *Result {
	var a Answer
	n := 0
	fill(reflect.ValueOf(&a).Elem(), &n)
	a.Exchange.Payload = nil
	a.Encoded.Bytes, a.Encoded.Offset, a.Encoded.Length = []byte("0123456789"), 4, 6
	a.Encoded.URL, a.Encoded.At, a.Encoded.Place = a.Exchange.URL, a.Exchange.At, dowse.Place{}
	return &Result{Term: "T", Number: 7, Judge: "j", Kind: crawl.VisitSitemap, Page: fullPage(), Answers: []Answer{a}}
}

func TestResultsSurviveTheWire(t *testing.T) {
	want := fullResult()
	b := encodeResult(want)
	got, err := readResult(b)
	if err != nil {
		t.Fatal(err)
	}
	want.Size = len(b)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got.Page, want.Page)
	}
	if term, number := identityOf(b); term != "T" || number != 7 {
		t.Errorf("identity %s %d", term, number)
	}
}

// A rating that is not a number means that there is none; it must stay one.
func TestRatingsSurviveTheWire(t *testing.T) {
	x := &Result{Page: &dowse.Page{Outcome: dowse.Redirected, Document: dowse.Document{Links: []dowse.Link{{URL: "https://a/", Mention: dowse.Mention{Above: [3]int32{-1, -1, -1}, Context: math.NaN()}}}}}}
	got, err := readResult(encodeResult(x))
	if err != nil || !math.IsNaN(got.Page.Links[0].Context) || got.Page.Links[0].Above != [3]int32{-1, -1, -1} {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestJobsSurviveTheWire(t *testing.T) {
	var j Job
	n := 0
	fill(reflect.ValueOf(&j).Elem(), &n)
	j.Visit.Deadline, j.Visit.Prior = time.Time{}, nil // of no use to a worker
	j.Known = http.Header{"Etag": {"x"}}
	var hosts repeats.Hosts
	for range repeats.MinPages {
		hosts.Note(1, []uint32{3, 1 << 31})
	}
	j.Visit.Template = hosts.Known(1)
	term, got, err := readJobs(appendJobs("T", []Job{j, {}}))
	if err != nil || term != "T" || len(got) != 2 || !reflect.DeepEqual(got[0], j) || !reflect.DeepEqual(got[1], Job{}) {
		t.Errorf("got %+v\nwant %+v\n%v", got, j, err)
	}
}

// Whatever is cut off or changed, reading ends with an error or with a sound page, and never panics.
func TestGarbageIsRefused(t *testing.T) {
	good := encodeResult(fullResult())
	for n := range good {
		if _, err := readResult(good[:n]); err == nil {
			t.Errorf("cut at %d of %d: accepted", n, len(good))
		}
	}
	for n := range good {
		for _, x := range []byte{0xff, 0x80, 0x01} {
			b := bytes.Clone(good)
			b[n] ^= x
			if got, err := readResult(b); err == nil && sound(got.Page) != nil {
				t.Errorf("byte %d ^ %x: accepted", n, x)
			}
		}
	}
}

func TestLinksOutsideOfTheTextAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(p *dowse.Page){
		"word":      func(p *dowse.Page) { p.Words = []dowse.Span{{Start: 0, End: 99}} },
		"anchor":    func(p *dowse.Page) { p.Links[0].At = dowse.Span{Start: 0, End: 9} },
		"backwards": func(p *dowse.Page) { p.Links[1].Window = dowse.Span{Start: 2, End: 1} },
		"heading":   func(p *dowse.Page) { p.Links[0].More[1].Above[2] = 2 },
		"relevance": func(p *dowse.Page) { p.Verdict.Relevance = math.NaN() },
		"redirect":  func(p *dowse.Page) { p.Outcome, p.Links = dowse.Redirected, nil },
		"outcome":   func(p *dowse.Page) { p.Outcome = 99 },
	} {
		x := fullResult()
		spoil(x.Page)
		if _, err := readResult(encodeResult(x)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzResult(f *testing.F) {
	f.Add(encodeResult(fullResult()))
	f.Fuzz(func(t *testing.T, b []byte) {
		if x, err := readResult(b); err == nil && sound(x.Page) != nil {
			t.Error("accepted, and not sound")
		}
	})
}

// Results that do not fit into one message come in parts; others share messages.
func TestResultsArePacked(t *testing.T) {
	small := bytes.Repeat([]byte("s"), 100)
	large := bytes.Repeat([]byte("l"), 5000)
	id := 0
	messages := packResults([][]byte{small, large, small, small}, 1000, func() string { id++; return fmt.Sprint(id) })
	co := &Coordinator{}
	var got [][]byte
	for i, b := range messages {
		if len(b) > 1000 {
			t.Errorf("message %d has %d bytes", i, len(b))
		}
		list, _, err := co.unpack(&message{seq: uint64(i)}, b)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, list...)
	}
	if len(got) != 4 || !bytes.Equal(got[0], large) || len(messages) >= 4+5 {
		t.Errorf("%d results in %d messages", len(got), len(messages))
	}
	// A part that is missing makes the rest useless, and nothing is left behind.
	if _, _, err := co.unpack(&message{}, messages[1]); err == nil {
		t.Error("a second part without the first was accepted")
	}
}

func TestCommitsSurviveTheWire(t *testing.T) {
	want := &commit{term: "T", number: 3, covered: Covered{5, 6}, ops: []op{{kind: opBegin, data: []byte{}}, {kind: opWhole, name: "models/m0001.json", at: 7, total: 9, id: "x", data: []byte("ab")}}}
	got, err := readCommit(appendCommit(nil, want))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v, %v", got, want, err)
	}
	for _, name := range []string{"../crawl.yaml", "/etc/passwd", "a//b", "state/../x", "dowse.lock", `a\b`, "c:x"} {
		if _, err := readCommit(appendCommit(nil, &commit{ops: []op{{kind: opRemove, name: name}}})); err == nil {
			t.Errorf("a change of %s was accepted", name)
		}
	}
}

// BenchmarkReadResult decodes a result whose page has 20 KB of text and 4 links ("long"), or 5 KB and 40 links ("usual").
func BenchmarkReadResult(b *testing.B) {
	for _, x := range []struct {
		name        string
		text, links int
	}{{"long", 20_000, 4}, {"usual", 5000, 40}} {
		p := &dowse.Page{URL: "http://host-1.example/section/page", Outcome: dowse.Fetched}
		p.Title, p.Text = "A page", string(bytes.Repeat([]byte("keeper "), x.text/7))
		for at := int32(0); at+6 <= int32(len(p.Text)); at += 7 {
			p.Words = append(p.Words, dowse.Span{Start: at, End: at + 6})
		}
		for i := range x.links {
			m := dowse.Mention{Anchor: "keeper of light", At: dowse.Span{Start: 5, End: 8}, Block: dowse.Span{Start: 1, End: 9}, Window: dowse.Span{Start: 0, End: 20}, Context: 0.3, AnchorScore: 0.2}
			p.Links = append(p.Links, dowse.Link{URL: dowse.URL(fmt.Sprintf("http://host-%d.example/section/page-%d", i, i)), Mention: m})
		}
		p.Headings = []dowse.Heading{{Level: 1, Text: "A page"}}
		for i := range p.Sketch.Bins {
			p.Sketch.Bins[i] = uint16(i + 1)
		}
		for i := range uint32(40) {
			p.Blocks = append(p.Blocks, i<<20)
		}
		a := Answer{}
		a.Encoded.Bytes, a.Encoded.Length = bytes.Repeat([]byte{7}, x.text/2), x.text/2
		data := encodeResult(&Result{Term: "T", Number: 1, Page: p, Answers: []Answer{a}})
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := readResult(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
