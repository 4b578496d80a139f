package topic

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/archive"
	"dowse/extract"
	"dowse/judge"
)

func TestExplore(t *testing.T) {
	out := os.Getenv("EXPLORE")
	if out == "" {
		t.Skip()
	}
	dir := "../../shared/webs/"
	lines := func(f string) []string { b, _ := os.ReadFile(dir + f); return strings.Split(strings.TrimSpace(string(b)), "\n") }
	labels := map[string][]string{}
	for _, l := range lines("wikispeedia.labels.tsv")[1:] {
		u, tp, _ := strings.Cut(l, "\t")
		labels[u] = append(labels[u], strings.TrimSpace(tp))
	}
	f, err := os.Open(dir + "wikispeedia.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	var pages []*dowse.Page
	for r, err := range archive.Records(f) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Type() != "response" || labels[r.Target()] == nil {
			continue
		}
		resp, _ := r.Response()
		body, _ := io.ReadAll(resp.Body)
		u := dowse.URL(r.Target())
		d, _ := extract.Decode(body, resp.Header.Get("Content-Type"))
		p := &dowse.Page{URL: u, Document: *extract.HTML(d, u, extract.Options{})}
		p.Links = nil
		pages = append(pages, p)
	}
	slices.SortFunc(pages, func(a, b *dowse.Page) int { return strings.Compare(string(a.URL), string(b.URL)) })
	w, _ := os.Create(out)
	bw := bufio.NewWriter(w)
	defer w.Close()
	defer bw.Flush()
	for _, tp := range lines("wikispeedia.topics.tune.txt") {
		name := strings.ToLower(strings.ReplaceAll(tp[strings.LastIndex(tp, "/")+1:], "_", " "))
		words, err := judge.NewWords(judge.Wanted{Words: []string{name}})
		if err != nil {
			t.Fatal(err)
		}
		var all []judge.Example
		for _, p := range pages {
			on := slices.ContainsFunc(labels[string(p.URL)], func(x string) bool { return x == tp || strings.HasPrefix(x, tp+"/") })
			all = append(all, judge.Example{Page: p, Relevant: on})
		}
		seed := uint64(len(tp))
		for _, c := range tp {
			seed = seed*31 + uint64(c)
		}
		zw := map[*dowse.Page]float64{}
		for _, e := range all {
			zw[e.Page] = logit(words.Judge(e.Page).Relevance)
		}
		for _, n := range []int{1, 2, 3, 5, 10} {
			for _, mode := range []string{"real", "mix30", "everyday-all"} {
				train, rest := judge.Draw(all, n, rand.New(rand.NewPCG(seed, 0)))
				var pos []judge.Example
				for _, e := range train {
					if e.Relevant {
						pos = append(pos, e)
					}
				}
				ev := everyday()
				switch mode {
				case "everyday":
					train = append(pos, ev[:min(2*n, len(ev))]...)
				case "mix30":
					train = append(train, ev[:max(0, 30-2*n)]...)
				case "everyday-all":
					train = append(pos, ev...)
				case "randompages":
					continue
				case "real-all30":
					// n positives and 30 random others
					rng := rand.New(rand.NewPCG(seed, 1))
					train = pos
					k := 0
					for _, i := range rng.Perm(len(rest)) {
						if !rest[i].Relevant && k < 30 {
							train = append(train, rest[i])
							k++
						}
					}
				}
				if n == 0 && mode != "real" {
					continue
				}
				for _, prior := range []float64{0.1} {
					if n == 0 && prior != 0.1 {
						continue
					}
					m, err := judge.Logistic{Prior: prior}.Train(train)
					if err != nil {
						t.Fatal(err)
					}
					for _, e := range rest {
						r := 0
						if e.Relevant {
							r = 1
						}
						fmt.Fprintf(bw, "%s\t%d\t%s\t%g\t%d\t%.4f\t%.4f\n", name, n, mode, prior, r, zw[e.Page], logit(m.Judge(e.Page).Relevance))
					}
				}
			}
		}
		fmt.Println(tp)
	}
}
