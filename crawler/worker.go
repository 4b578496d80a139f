package crawler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path"
	"slices"
	"strings"

	"dowse/collection"
	"dowse/fetch"
	"dowse/internal/cluster"
	"dowse/internal/durable"
	"dowse/internal/linkrating"
	"dowse/internal/repeats"
	"dowse/internal/site"
)

// WorkerVisits returns a function that makes the visits of a crawl from the files that its coordinator
// publishes, and one that ends it. Of cfg it uses what belongs to this machine: Memory, and the
// private networks that may be reached (AllowNet). A crawl that asks for others is refused.
func WorkerVisits(cfg Config) (make cluster.Maker, end func()) {
	m := &visitMaker{cfg: cfg}
	return m.make, m.close
}

// A visitMaker makes the visitors of a worker. The client is kept as long as the settings of the crawl
// stay the same, with its connections.
type visitMaker struct {
	cfg      Config
	settings string
	client   *fetch.Client
}

func (m *visitMaker) close() {
	if m.client != nil {
		m.client.Close()
	}
}

// make makes a visitor from the files of a judge. They are written to a folder that is removed again:
// the judge is made by the same code that opens a collection.
func (m *visitMaker) make(files map[string][]byte) (func(ctx context.Context, j cluster.Job) *cluster.Result, error) {
	dir, err := os.MkdirTemp("", "dowse-worker-")
	if err != nil {
		return nil, fmt.Errorf("crawler: %w", err)
	}
	defer os.RemoveAll(dir)
	for name, data := range files {
		if err := durable.In(dir).Mkdir(path.Dir(name)); err != nil {
			return nil, fmt.Errorf("crawler: %w", err)
		}
		if err := durable.In(dir).WriteFile(name, data); err != nil {
			return nil, fmt.Errorf("crawler: %w", err)
		}
	}
	v, err := m.visitor(dir, files)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, j cluster.Job) *cluster.Result {
		p, answers := v.request(ctx, j.Visit, j.Known)
		x := &cluster.Result{Page: p}
		if v.archiver != nil {
			x.Answers = answersOf(v.pack(p, answers))
		}
		for _, r := range answers {
			if r.Claim != nil {
				r.Claim.Release()
			}
		}
		return x
	}, nil
}

// visitor makes the visitor of a crawl from its files in dir.
func (m *visitMaker) visitor(dir string, files map[string][]byte) (*Visitor, error) {
	var spec visitSpec
	if err := json.Unmarshal(files[specName], &spec); err != nil {
		return nil, fmt.Errorf("crawler: %s: %w", specName, err)
	}
	col, err := collection.Open(dir, nil, true)
	if err != nil {
		return nil, err
	}
	j, err := judgeOf(col, spec.Model)
	t, topicErr := topicOf(col)
	if err = errors.Join(err, topicErr, col.Close()); err != nil {
		return nil, err
	}
	if err := m.allows(col.Settings.Network.AllowNet); err != nil {
		return nil, err
	}
	if kept := string(files["crawl.yaml"]); m.client == nil || kept != m.settings {
		client, err := clientOf(col.Settings, Config{budget: fetch.NewBudget(memoryFor(m.cfg))})
		if err != nil {
			return nil, err
		}
		m.settings, m.client = kept, client // visits under way still use the old one
	}
	if ForSites(col.Settings.Strategy) {
		j = site.Reader{By: j}
	}
	v := &Visitor{Client: m.client, Judge: j, Wants: t.AcceptsLanguage, Language: t.LanguageOf, others: col.Settings.Agents, wish: linkrating.Wish{Window: spec.Window, Anchors: spec.Anchors, Templates: repeats.UseOf(col.Settings.Templates)}}
	if spec.Archives {
		v.archiver = packer()
	}
	return v, nil
}

// allows returns an error if the crawl would reach private networks that this worker may not reach.
// What a coordinator asks for is no reason to open the network of this machine.
func (m *visitMaker) allows(wanted []string) error {
	want, err := prefixes(wanted)
	if err != nil {
		return err
	}
	have, err := prefixes(m.cfg.AllowNet)
	if err != nil {
		return err
	}
	covers := func(h, w netip.Prefix) bool { return h.Bits() <= w.Bits() && h.Contains(w.Addr()) }
	for _, w := range want {
		if !slices.ContainsFunc(have, func(h netip.Prefix) bool { return covers(h, w) }) {
			return fmt.Errorf("crawler: the crawl reaches the private network %s: %w", strings.Join(wanted, ", "), cluster.ErrNotAllowed)
		}
	}
	return nil
}
