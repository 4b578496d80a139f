package site

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dowse"
	"dowse/crawl"
	"dowse/judge"
	"dowse/strategy/strategytest"
)

// TestRankingAgreesWithModel offers sites, changes their ranks and takes the best, and compares
// with sorting all of them: start sites first, then by rank, then by age.
func TestRankingAgreesWithModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := outer{index: map[string]int32{}}
		o.ready.before = (&Crawler{}).before()
		var ready []*knownSite
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				if len(o.ready.list) != len(ready) {
					t.Fatalf("%d sites are ready, want %d", len(o.ready.list), len(ready))
				}
				for i, s := range o.ready.list {
					if s.at != int32(i+1) {
						t.Fatalf("%s is at %d and knows %d", s.name, i+1, s.at)
					}
				}
			},
			"offer": func(t *rapid.T) {
				name := fmt.Sprint(len(o.sites), ".test")
				s := o.site(name, dowse.URL("http://"+name+"/"), dowse.URL("http://"+name+"/entry"))
				s.start = rapid.IntRange(0, 5).Draw(t, "start") == 0
				s.sum, s.links = float64(rapid.IntRange(0, 4).Draw(t, "sum")), rapid.IntRange(0, 2).Draw(t, "links")
				o.offer(s)
				ready = append(ready, s)
			},
			"link": func(t *rapid.T) {
				if len(ready) > 0 {
					s := rapid.SampledFrom(ready).Draw(t, "to")
					s.sum, s.links = s.sum+rapid.Float64Range(0, 2).Draw(t, "weight"), s.links+1
					o.offer(s)
				}
			},
			"best": func(t *rapid.T) {
				got := o.best()
				if len(ready) == 0 {
					if got != nil {
						t.Fatalf("%s is the best of none", got.name)
					}
					return
				}
				want := slices.MinFunc(ready, func(a, b *knownSite) int {
					switch {
					case a.start != b.start && a.start, a.start == b.start && a.rank() > b.rank(), a.start == b.start && a.rank() == b.rank() && a.seq < b.seq:
						return -1
					}
					return 1
				})
				if got != want {
					t.Fatalf("the best is %s, want %s", got.name, want.name)
				}
				ready = slices.DeleteFunc(ready, func(s *knownSite) bool { return s == got })
			},
		})
	})
}

// TestPosteriors computes the posterior of a site after each page by the product of likelihood
// ratios, and compares it with the sums of logarithms that the crawler keeps.
func TestPosteriors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prior := rapid.Float64Range(0.2, 0.8).Draw(t, "prior")
		confidences := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 12).Draw(t, "confidences")
		c := &Crawler{Error: rapid.SampledFrom([]float64{0.05, 0.15, 0.4}).Draw(t, "error"), Sure: rapid.SampledFrom([]float64{0.6, 0.9, 0.99}).Draw(t, "sure")}
		after, judged := c.Posteriors(prior, confidences)
		on, off := prior, 1-prior
		evidence, done := false, 0
		for i, conf := range confidences {
			if done == 0 {
				on *= conf*(1-c.Error) + (1-conf)*c.Error
				off *= (1-conf)*(1-c.Error) + conf*c.Error
				evidence = evidence || conf != 0.5
			}
			want := on / (on + off)
			if done == 0 && math.Abs(max(want, 1-want)-c.Sure) < 1e-9 {
				return // rounding decides on which side of the threshold it is
			}
			if math.Abs(after[i]-want) > 1e-9 {
				t.Fatalf("after %d pages %v, want %v", i+1, after[i], want)
			}
			if evidence && done == 0 && max(want, 1-want) >= c.Sure {
				done = i + 1
			}
		}
		if judged != done {
			t.Fatalf("judged after %d pages, want %d", judged, done)
		}
	})
}

// halfRead returns a crawler in the middle of a crawl, with sites in each state.
func halfRead(t testing.TB, visits int) *Crawler {
	t.Helper()
	s := &Crawler{AtOnce: 3}
	web, seeds := strategytest.Sites(400, 5)
	c, err := crawl.New(crawl.Config{Strategy: s, Limits: crawl.Limits{Pages: visits}, Polite: crawl.Politeness{Delay: crawl.None}, Traps: crawl.Traps{Budget: -1}})
	if err != nil {
		t.Fatal(err)
	}
	run(c, web, seeds...)
	return s
}

// TestSaveAndLoad restores a crawler from what it saved, at several points of a crawl: it knows
// the same of every site, and saves the same bytes.
func TestSaveAndLoad(t *testing.T) {
	for _, visits := range []int{1, 7, 30, 120} {
		s := halfRead(t, visits)
		data, err := s.Save()
		if err != nil {
			t.Fatal(err)
		}
		loaded := &Crawler{AtOnce: 3}
		if err := loaded.Load(data); err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprintf("%+v", loaded.All()), fmt.Sprintf("%+v", s.All()); got != want {
			t.Errorf("after %d visits the sites are\n%s\nwant\n%s", visits, got, want)
		}
		if again, err := loaded.Save(); err != nil || !bytes.Equal(again, data) {
			t.Errorf("after %d visits it saves other bytes: %v", visits, err)
		}
		a, b, c, d := s.Counts()
		if w, x, y, z := loaded.Counts(); a != w || b != x || c != y || d != z {
			t.Errorf("after %d visits the counts are %d %d %d %d, want %d %d %d %d", visits, w, x, y, z, a, b, c, d)
		}
	}
}

// TestLoadRefusesDamage loads states that decode, but can't be those of a crawler, and bytes that
// are cut or changed. None may panic, and inconsistent ones are errors.
func TestLoadRefusesDamage(t *testing.T) {
	data, err := halfRead(t, 30).Save()
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(s *saved){
		"two sites of one name":     func(s *saved) { s.Sites = append(s.Sites, s.Sites[0]) },
		"a state that is none":      func(s *saved) { s.Sites[0].State = 9 },
		"done without a result":     func(s *saved) { s.Sites[0].State, s.Sites[0].Result = uint8(done), nil },
		"a result before it is due": func(s *saved) { s.Sites[0].State, s.Sites[0].Result = uint8(known), &result{} },
		"reading no site":           func(s *saved) { s.Open[0].Site = len(s.Sites) },
		"reading a negative site":   func(s *saved) { s.Open[0].Site = -1 },
		"reading a site twice":      func(s *saved) { s.Sites[s.Open[0].Site].State = uint8(known) },
		"a link to no site":         func(s *saved) { s.Open[0].Inner.Edges, s.Open[0].Last = []edge{{To: 1 << 20}}, []int{0} },
		"links without pages":       func(s *saved) { s.Open[0].Last = append(s.Open[0].Last, 1) },
	} {
		var s saved
		if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&s); err != nil {
			t.Fatal(err)
		}
		damage(&s)
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(&s); err != nil {
			t.Fatal(err)
		}
		if err := new(Crawler).Load(b.Bytes()); err == nil {
			t.Errorf("%s: it was loaded", name)
		}
	}
	for n := 0; n < len(data); n += 7 {
		if err := new(Crawler).Load(data[:n]); err == nil {
			t.Errorf("%d of %d bytes were loaded", n, len(data))
		}
		bad := bytes.Clone(data)
		bad[n] ^= 0x15
		new(Crawler).Load(bad) // may be an error, or another number: it must not panic
	}
}

// TestPageCrawlerNotes decodes notes of any bytes, since they come from a journal.
func TestPageCrawlerNotes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1000).Draw(t, "pages")
		sum := rapid.Float64Range(0, float64(n)).Draw(t, "sum")
		if s, k := meanOf(meanNote(sum, n)); s != sum || k != n {
			t.Fatalf("%v of %d is read as %v of %d", sum, n, s, k)
		}
		note := string(rapid.SliceOf(rapid.Byte()).Draw(t, "note"))
		if s, k := meanOf(note); !(s >= 0 && s <= float64(k)) {
			t.Fatalf("%q is read as %v of %d", note, s, k)
		}
	})
	if s, n := meanOf(meanNote(math.NaN(), 3)); s != 0 || n != 0 {
		t.Errorf("NaN is read as %v of %d", s, n)
	}
}

// TestPageCrawlerSaves saves the number of pages per host, and refuses other bytes.
func TestPageCrawlerSaves(t *testing.T) {
	c := &PageCrawler{given: map[string]int{"a.test": 3, "b.test": 99}}
	data, err := c.Save()
	if err != nil {
		t.Fatal(err)
	}
	loaded := &PageCrawler{given: map[string]int{"old.test": 1}}
	if err := loaded.Load(data); err != nil || fmt.Sprint(loaded.given) != fmt.Sprint(c.given) {
		t.Errorf("loaded %v: %v", loaded.given, err)
	}
	for n := 1; n < len(data); n++ {
		if err := new(PageCrawler).Load(data[:n]); err == nil && n != bytes.IndexByte(data, 3)+1 {
			t.Errorf("%d of %d bytes were loaded", n, len(data))
		}
	}
	if (&PageCrawler{Guard: -1}).Check() == nil || (&PageCrawler{}).Check() != nil {
		t.Error("a negative guard is allowed, or none is not")
	}
}

// TestCatch groups pages into sites, each judged by all of its pages.
func TestCatch(t *testing.T) {
	c := &Catch{Error: 0.1}
	counts := []int{}
	for _, p := range []Rated{{"http://a.test/x", 0.9}, {"http://www.a.test/", 0.8}, {"http://b.test/", 0.2}, {"http://a.test/y", 0.01}, {"http://a.test/z", 0.01}, {"opaque", 0.7}} {
		counts = append(counts, c.Add(p))
	}
	if want := []int{1, 1, 1, 1, 0, 1}; !slices.Equal(counts, want) {
		t.Errorf("sites on topic after each page: %v, want %v", counts, want)
	}
	groups := c.Groups()
	if len(groups) != 3 || groups[0].Site != "a.test" || groups[0].Pages != 4 || groups[0].Relevant || groups[2].Site != "opaque" {
		t.Fatalf("groups %+v", groups)
	}
	for i, want := range [][2]bool{{true, true}, {false, true}, {true, true}} {
		if relevant, ok := groups[i].HomepageRelevant(); relevant != want[0] || ok != want[1] {
			t.Errorf("%s by its homepage: %v, %v; want %v", groups[i].Site, relevant, ok, want)
		}
	}
}

// windowJudge rates every page and window with the same number.
type windowJudge float64

func (w windowJudge) Judge(*dowse.Page) dowse.Verdict { return dowse.Verdict{Relevance: float64(w)} }

func (w windowJudge) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	ratings := make([]float64, len(windows))
	for i := range ratings {
		ratings[i] = float64(w)
	}
	return w.Judge(p), ratings
}

// pageJudge rates pages with the same number, and no windows.
type pageJudge float64

func (j pageJudge) Judge(*dowse.Page) dowse.Verdict { return dowse.Verdict{Relevance: float64(j)} }

// TestReaderOfWindows rates windows as the judge does, also on pages that it does not rate itself.
func TestReaderOfWindows(t *testing.T) {
	windows := make([]dowse.Span, 3)
	text := func(s string) *dowse.Page {
		return &dowse.Page{Document: dowse.Document{Text: s, Words: dowse.Words(s)}}
	}
	for words, want := range map[string]float64{"tide pools": 0.8, "": 0.5, "this domain is for sale": 0} {
		v, ratings := Reader{By: windowJudge(0.8)}.JudgeWindows(text(words), windows)
		if v.Relevance != want || !slices.Equal(ratings, []float64{0.8, 0.8, 0.8}) {
			t.Errorf("%q: %v and %v, want %v", words, v.Relevance, ratings, want)
		}
	}
	if v, ratings := (Reader{By: pageJudge(0.8)}).JudgeWindows(text("tide pools"), windows); v.Relevance != 0.8 || !slices.Equal(ratings, make([]float64, 3)) {
		t.Errorf("without windows: %v and %v", v.Relevance, ratings)
	}
}

// TestTrain trains the judge of the paper on the first pages of sites, and that of homepages on the
// first page of each.
func TestTrain(t *testing.T) {
	var examples []judge.Example
	for s := range 6 {
		for page := range 3 {
			words := "tide pools crabs kelp shore"
			if s%2 == 1 {
				words = "prices shop cart offers checkout"
			}
			words += strings.Repeat(" rocks", page)
			p := &dowse.Page{URL: dowse.URL(fmt.Sprintf("http://s%d.test/%d", s, page)), Document: dowse.Document{Text: words, Words: dowse.Words(words)}}
			examples = append(examples, judge.Example{Page: p, Relevant: s%2 == 0})
		}
	}
	for name, train := range map[string]func([]judge.Example, judge.Centroid) (*judge.Centroids, error){"pages": Train, "homepages": TrainHomepages} {
		j, err := train(examples, judge.Centroid{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		on, off := j.Judge(examples[0].Page).Relevance, j.Judge(examples[3].Page).Relevance
		if !(on > 0.5 && off < 0.5) {
			t.Errorf("%s: rated %v and %v", name, on, off)
		}
		if e := (Reader{By: j}).ErrorRate(); e < 0 || e > 0.5 || math.IsNaN(e) {
			t.Errorf("%s: an error rate of %v", name, e)
		}
	}
	if _, err := Train(nil, judge.Centroid{}); err == nil {
		t.Error("trained on nothing")
	}
	if e := (Reader{By: windowJudge(1)}).ErrorRate(); e != 0 {
		t.Errorf("the error rate of a judge that knows none is %v", e)
	}
}

// TestWords explains every stop and every kind of homepage, each in other words.
func TestWords(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Stops() {
		if seen[s.Means()] || s.Means() == "" {
			t.Errorf("%s means %q", s, s.Means())
		}
		seen[s.Means()] = true
	}
	for _, h := range Homepages() {
		if seen[h.Means()] || h.Means() == "" {
			t.Errorf("%s means %q", h, h.Means())
		}
		seen[h.Means()] = true
	}
	if Stop("x").Means() != "" || Homepage("x").Means() != "" {
		t.Error("an unknown word has a meaning")
	}
}

// TestLookup finds sites by name, in each state.
func TestLookup(t *testing.T) {
	s := halfRead(t, 30)
	verdicts := map[Verdict]int{}
	for _, x := range s.All() {
		got, ok := s.Lookup(x.Name)
		if !ok || got != x || s.SiteOf(x.Homepage) != x.Name {
			t.Errorf("%s is found as %+v", x.Name, got)
		}
		verdicts[x.Verdict]++
	}
	if _, ok := s.Lookup("no.such.test"); ok {
		t.Error("a site that is unknown was found")
	}
	known, reading, examined, relevant := s.Counts()
	if known != len(s.All()) || reading != verdicts[Reading] || examined > known || relevant > examined || verdicts[Waiting] == 0 || reading == 0 {
		t.Errorf("%d known, %d being read, %d judged, %d on topic; verdicts %v", known, reading, examined, relevant, verdicts)
	}
}
