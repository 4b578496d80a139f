package collection_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/archive"
	"dowse/strategy"
)

// steps are what a scenario can do with a collection, and what it can ask it.
var steps = map[string]func(r *scenarioRun, args []string){
	// What changes the collection.
	"crawl": (*scenarioRun).crawl, "forget": (*scenarioRun).forget, "interrupted-forget": (*scenarioRun).interruptedForget,
	"label": (*scenarioRun).label, "undo": (*scenarioRun).undo, "retrain": (*scenarioRun).retrain,
	"open": (*scenarioRun).openStep, "summarise": (*scenarioRun).summarise, "interrupted-change": (*scenarioRun).interruptedChange,
	"damage": (*scenarioRun).damage, "put-aside": (*scenarioRun).putAside, "put-back": (*scenarioRun).putBack,
	"lock": (*scenarioRun).lock, "unlock": (*scenarioRun).unlock, "salvage": (*scenarioRun).salvage,
	// What only asks.
	"pages": (*scenarioRun).pages, "books": (*scenarioRun).books, "why": (*scenarioRun).why, "hosts": (*scenarioRun).hosts,
	"verify": (*scenarioRun).verify, "wreck": (*scenarioRun).wreck, "info": (*scenarioRun).info, "export": (*scenarioRun).export,
	"labels": (*scenarioRun).labels, "audit": (*scenarioRun).audit, "queue": (*scenarioRun).queue, "models": (*scenarioRun).models,
	"files": (*scenarioRun).files, "cat": (*scenarioRun).cat, "grep": (*scenarioRun).grep, "knows": (*scenarioRun).knows, "links": (*scenarioRun).links,
}

// crawl reads "[pages=N] [threshold=X] [delay=D]" and resumes the crawl under these settings.
func (r *scenarioRun) crawl(args []string) {
	_, named := options(args)
	c, err := r.web.crawl(r.dir, func(cfg *crawler.Config) {
		for key, value := range named {
			var err error
			switch key {
			case "pages":
				cfg.Limits.Pages, err = strconv.Atoi(value)
			case "threshold":
				cfg.Threshold, err = strconv.ParseFloat(value, 64)
			case "exclude":
				cfg.Scope.Exclude = []string{value}
			default:
				r.t.Fatalf("crawl: unknown setting %q", key)
			}
			if err != nil {
				r.t.Fatal(err)
			}
		}
	})
	if r.failed(err) {
		return
	}
	for _, n := range slices.Concat(c.Collection.Notices, c.Notes) {
		r.show("note: %s", n)
	}
	st := c.Status()
	r.show("%d pages, %d on topic; stopped: %s", st.Fetched, st.OnTopic, c.StopReason())
}

// takedownOf reads "URL...", "host=HOST" or "prefix=PREFIX".
func takedownOf(args []string) collection.Takedown {
	urls, named := options(args)
	x := collection.Takedown{Why: "its owner asked", At: takenDown, Host: named["host"]}
	for _, u := range urls {
		x.URLs = append(x.URLs, url(u))
	}
	if p := named["prefix"]; p != "" {
		x.Prefix = "http://" + p
	}
	return x
}

func (r *scenarioRun) forget(args []string) {
	f, err := collection.Forget(r.dir, takedownOf(args))
	if r.failed(err) {
		return
	}
	for _, part := range []struct {
		name string
		list []dowse.URL
	}{{"urls", f.URLs}, {"already", f.Already}, {"ended", f.Ended}, {"copies", f.Copies}, {"same as", f.SameAs}} {
		if len(part.list) > 0 {
			r.show("%s: %s", part.name, part.list)
		}
	}
	r.show("%d records, %d entries, %d leads, %d labels, models %v", f.Records, f.Entries, f.Leads, f.Labels, f.Models)
	for _, n := range f.Notes {
		r.show("note: %s", n)
	}
}

// interruptedForget reads "STEPS URL..." and ends a takedown after some steps, as a crash does.
func (r *scenarioRun) interruptedForget(args []string) {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		r.t.Fatal(err)
	}
	more, err := collection.ForgetPartly(r.dir, takedownOf(args[1:]), n)
	if !r.failed(err) {
		r.show("more steps: %v", more)
	}
}

// label reads "URL on|off|skip [by=NAME] [queue=audit of=N]".
func (r *scenarioRun) label(args []string) {
	words, named := options(args)
	l := collection.Label{URL: url(words[0]), Label: words[1], By: named["by"], Queue: named["queue"], At: takenDown}
	l.Of, _ = strconv.Atoi(named["of"])
	r.failed(collection.AppendLabels(r.dir, l))
}

// undo reads "MODEL THROUGH", the request to return to a model that knew the first lines.
func (r *scenarioRun) undo(args []string) {
	through, err := strconv.Atoi(args[1])
	if err != nil {
		r.t.Fatal(err)
	}
	r.failed(collection.AppendLabels(r.dir, collection.Label{Do: collection.DoUndo, Model: args[0], Through: through, At: takenDown}))
}

func (r *scenarioRun) retrain([]string) {
	m, err := crawler.Retrain(r.dir, "")
	if !r.failed(err) {
		r.show("%s: %d labels, %d on, through line %d, before %q, undo %v", m.Model, m.Labels, m.On, m.Through, m.Before, m.Undo)
	}
}

func (r *scenarioRun) openStep([]string) {
	r.writing(func(c *collection.Collection) { r.show("open: %s", booksLine(c)) })
}

func (r *scenarioRun) summarise([]string) {
	r.writing(func(c *collection.Collection) {
		if !r.failed(c.Summarise()) {
			save, err := c.Checkpoint()
			if err == nil {
				err = save()
			}
			r.failed(err)
		}
	})
}

// interruptedChange reads "threshold=X [lock=TEXT] planned|decided" and ends a change of the threshold when
// its plan is written, or when all was decided again but the settings are still the old ones.
func (r *scenarioRun) interruptedChange(args []string) {
	words, named := options(args)
	threshold, err := strconv.ParseFloat(named["threshold"], 64)
	if err != nil {
		r.t.Fatal(err)
	}
	r.writing(func(c *collection.Collection) {
		topic, err := c.Topic()
		next := c.Settings
		next.Threshold = threshold
		var files []collection.File
		if text := named["lock"]; text != "" {
			files = []collection.File{{Name: collection.LockName, Data: []byte(text + "\n")}}
		}
		if r.failed(err) || r.failed(c.BeginChange(next, topic, files)) || words[0] == "planned" {
			return
		}
		cfg, err := scenarioConfig(next)
		if r.failed(err) {
			return
		}
		change, err := c.Crawl.Rerank(takenDown, &crawl.Terms{Threshold: threshold, Scope: cfg.Scope, Renew: cfg.Renew}, "", nil, nil)
		if !r.failed(err) && !r.failed(c.Journal.Sync()) {
			r.show("verdicts changed: %d", change.Verdicts)
		}
	})
}

// damage reads "FILE flip middle|end", "FILE flip last TEXT", "FILE flip record URL", "FILE cut
// BYTES", "FILE cut record URL", "FILE remove", "FILE write TEXT", "FILE append TEXT", "FILE
// replace OLD NEW" or "FILE link TARGET". A flip changes one bit: in the middle or at the end of
// the file, in the last occurrence of a text, or in the checksum of the record of a URL.
func (r *scenarioRun) damage(args []string) {
	text := strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(strings.Join(args[2:], " "))
	if args[1] == "write" || args[1] == "link" {
		path := filepath.Join(r.dir, filepath.FromSlash(args[0]))
		os.MkdirAll(filepath.Dir(path), 0o755)
		os.Remove(path)
		if args[1] == "link" {
			r.must(os.Symlink(text, path))
			return
		}
		r.must(os.WriteFile(path, []byte(text), 0o644))
		return
	}
	path := r.file(args[0])
	data := readAll(r.t, path)
	switch args[1] {
	case "flip":
		at := map[string]int{"middle": len(data) / 2, "end": len(data) - 3}[args[2]]
		switch args[2] {
		case "last":
			at = bytes.LastIndex(data, []byte(strings.Join(args[3:], " ")))
		case "record":
			_, end := r.record(data, url(args[3]))
			at = end - 6
		}
		data[at] ^= 0x10
	case "cut":
		if args[2] == "record" {
			from, end := r.record(data, url(args[3]))
			data = data[:(from+end)/2]
			break
		}
		n, err := strconv.Atoi(args[2])
		r.must(err)
		data = data[:max(0, len(data)-n)]
	case "remove":
		r.must(os.Remove(path))
		return
	case "append":
		data = append(data, text...)
	case "replace":
		if !bytes.Contains(data, []byte(args[2])) {
			r.t.Fatalf("%s does not contain %q", args[0], args[2])
		}
		data = bytes.Replace(data, []byte(args[2]), []byte(strings.Join(args[3:], " ")), 1)
	default:
		r.t.Fatalf("unknown damage %q", args[1])
	}
	r.must(os.WriteFile(path, data, 0o644))
}

// record returns where the first response of a URL begins and ends in an archive file.
func (r *scenarioRun) record(data []byte, u dowse.URL) (from, end int) {
	from = -1
	for rec, err := range archive.Records(bytes.NewReader(data)) {
		r.must(err)
		if from >= 0 {
			return from, int(rec.Offset)
		}
		if rec.Target() == string(u) && (rec.Type() == "response" || rec.Type() == "revisit") {
			from = int(rec.Offset)
		}
	}
	if from < 0 {
		r.t.Fatalf("there is no record of %s", u)
	}
	return from, len(data)
}

func (r *scenarioRun) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// putAside reads "FILE" and keeps a copy of it, which put-back restores.
func (r *scenarioRun) putAside(args []string) { r.aside[args[0]] = readAll(r.t, r.file(args[0])) }

func (r *scenarioRun) putBack(args []string) {
	r.must(os.WriteFile(r.file(args[0]), r.aside[args[0]], 0o644))
}

// lock opens the collection to write until unlock, as another process does.
func (r *scenarioRun) lock([]string) { r.held = r.open(false) }

func (r *scenarioRun) unlock([]string) {
	r.failed(r.held.Close())
	r.held = nil
}

// salvage builds a new collection from what can be read. The steps after it are about that one.
func (r *scenarioRun) salvage([]string) {
	out := filepath.Join(r.t.TempDir(), "salvaged.dowse")
	s, err := crawler.Salvage(context.Background(), r.dir, out, crawler.SalvageConfig{})
	if r.failed(err) {
		return
	}
	r.show("%d pages, %d answers, %d lost, %d missing, %d erased, %d forgotten, %d labels", s.Pages, s.Answers, s.Lost(), s.MissingAll, s.Erased, s.Forgotten, s.Labels)
	for _, u := range s.Missing {
		r.show("missing: %s", u)
	}
	for _, n := range s.Notes {
		r.show("note: %s", n)
	}
	r.dir = out
}

// pages reads "[on] [off] [unsure] [failed] [skipped=REASON] [host=HOST] [limit=N] [sort=ORDER]".
func (r *scenarioRun) pages(args []string) {
	words, named := options(args)
	f := collection.Filter{Skipped: named["skipped"], Host: named["host"], Sort: collection.Sort(named["sort"])}
	f.Limit, _ = strconv.Atoi(named["limit"])
	for _, w := range words {
		switch w {
		case "on":
			f.On = true
		case "off":
			f.Off = true
		case "unsure":
			f.Unsure = true
		case "failed":
			f.Failed = true
		default:
			r.t.Fatalf("pages: unknown word %q", w)
		}
	}
	r.reading(func(c *collection.Collection) {
		for row, err := range c.Pages(f) {
			if !r.failed(err) {
				r.row(row)
			}
		}
	})
}

// row shows a page, or a URL that was not fetched.
func (r *scenarioRun) row(row *collection.Row) {
	if row.Judged {
		r.show("%-22s %-6s %.2f %s", row.URL, row.Verdict(), row.Page.Verdict.Relevance, row.Title)
		return
	}
	r.show("%-22s %s", row.URL, strings.TrimSpace(fmt.Sprint(row.State, " ", row.Reason, " ", row.Detail)))
}

func (r *scenarioRun) books([]string) {
	r.reading(func(c *collection.Collection) {
		r.show("%s", booksLine(c))
		for _, x := range c.Reasons() {
			r.show("%s: %d skipped, %d failed (%s)", x.Reason, x.Skipped, x.Failed, x.Meaning)
		}
	})
}

// booksLine returns the books of a crawl; they must balance.
func booksLine(c *collection.Collection) string {
	b := c.Crawl.Books()
	line := fmt.Sprintf("%d known: %d fetched, %d queued, %d held, %d failed, %d redirected, %d skipped", b.Known, b.Fetched, b.Queued, b.Held, b.Failed, b.Redirected, b.Skipped)
	if !b.Balanced() {
		line += "; NOT BALANCED"
	}
	return line
}

func (r *scenarioRun) why(args []string) {
	r.reading(func(c *collection.Collection) {
		x, err := c.Why(url(args[0]))
		if r.failed(err) {
			return
		}
		r.row(x.Row)
		if x.Meaning != "" {
			r.show("means: %s", x.Meaning)
		}
		if x.Found != nil {
			r.show("found: %s %s %q", x.Found.How, x.Found.Parent, x.Found.Anchor)
			r.show("path: %v", x.Path)
		}
		if x.Chosen != nil {
			r.show("chosen: visited %v, offered by %q", x.Chosen.Taken, x.Chosen.Parent)
		}
		if x.Polite != nil {
			r.show("host: robots.txt %s, allowed %v %s, state %s", x.Polite.Robots, x.Polite.Allowed, x.Polite.Rule, x.Polite.State)
		}
		for _, l := range x.Labels {
			r.show("%s", strings.TrimSpace(fmt.Sprintf("label: %s by %s %s", l.Label.Label, l.By, l.Ended)))
		}
		for _, m := range x.Models {
			r.show("model: %s %v", m.Model, m.OnTopic)
		}
	})
}

func (r *scenarioRun) links(args []string) {
	r.reading(func(c *collection.Collection) {
		list, err := c.Links(url(args[0]))
		r.failed(err)
		for _, l := range list {
			r.show("%-22s %s", l.URL, strings.TrimSpace(fmt.Sprint(l.Fate, " ", l.Reason, " ", l.Target, " ", l.Anchor)))
		}
	})
}

func (r *scenarioRun) hosts([]string) {
	r.reading(func(c *collection.Collection) {
		for _, h := range c.Hosts() {
			r.show("%-10s %d pages, %d on topic, %d failed, %d waiting; robots.txt %s; %s", h.Host, h.Pages, h.OnTopic, h.Failed, h.Waiting, h.Robots, h.State)
		}
	})
}

func (r *scenarioRun) verify([]string) {
	r.reading(func(c *collection.Collection) {
		v, err := verifiedWithText(c)
		if r.failed(err) {
			return
		}
		r.show("%d pages, %d forgotten, replayed %v, views %s", v.Pages, v.Forgotten, v.Replayed, v.Views)
		r.problems(v)
	})
}

// problems shows what is wrong; what occurs several times only once.
func (r *scenarioRun) problems(v *collection.Verification) {
	var shown []string
	for _, p := range v.Problems {
		if p.Place == "" || p.What == "" || p.Do == "" {
			r.t.Errorf("a problem without place, cause or advice: %+v", p)
		}
		if line := r.masked(p.String()); !slices.Contains(shown, line) {
			shown = append(shown, line)
			r.show("problem: %s", line)
		}
	}
	if v.OK() {
		r.show("sound")
	}
}

// wreck shows what is known of a collection that can't be opened.
func (r *scenarioRun) wreck([]string) {
	c, why := collection.Open(r.dir, parse, true)
	if why == nil {
		var cfg crawl.Config
		cfg, why = scenarioConfig(c.Settings)
		why = errors.Join(why, c.Load(cfg, nil), c.Close())
	}
	if why == nil {
		r.show("it can be opened to be read")
	} else {
		v, err := collection.VerifyWreck(r.dir, why)
		if r.failed(err) {
			return
		}
		r.show("%d files, %d records", v.Files, v.Records)
		r.problems(v)
	}
	w, err := collection.OpenWreck(r.dir)
	if r.failed(err) {
		return
	}
	for _, f := range w.Files() {
		r.show("file: %s", f.Name)
	}
	r.show("settings read %v, current %v, topic read %v, forgotten %d, tails %d", w.Frozen, w.Current, w.Topic != nil, len(w.Forgotten()), len(w.Tails()))
	o, err := collection.InfoOfWreck(r.dir)
	if r.failed(err) {
		return
	}
	r.show("info: name %q, %d WARC files, %d segments", o.Name, len(o.WARCs), o.Segments)
	for _, n := range w.Notes {
		r.show("note: %s", n)
	}
}

func (r *scenarioRun) info([]string) {
	r.reading(func(c *collection.Collection) {
		o, err := c.Info()
		if r.failed(err) {
			return
		}
		r.show("name %s, format %s, strategy %s, threshold %g, seeds %v", o.Name, o.Format, o.Strategy, o.Threshold, o.Seeds)
		r.show("%d WARC files, %d segments, snapshot %v, folders %v", len(o.WARCs), o.Segments, o.Snapshot != nil, slices.Sorted(maps.Keys(o.Bytes)))
		for _, s := range o.Settings {
			if !s.Default {
				r.show("%s: %s", s.Key, s.Value)
			}
		}
		sum := int64(0)
		for _, n := range o.Bytes {
			sum += n
		}
		if sum != o.Total || o.Topic == "" {
			r.t.Errorf("%d bytes in folders, %d in all; topic %q", sum, o.Total, o.Topic)
		}
	})
}

// export reads "NAME [all] [on] [text] [fields=A,B]" and shows the lines of the export.
func (r *scenarioRun) export(args []string) {
	words, named := options(args)
	opt := collection.ExportOptions{On: slices.Contains(words, "on"), All: slices.Contains(words, "all"), Text: map[bool]string{true: "all"}[slices.Contains(words, "text")], Now: takenDown}
	if f := named["fields"]; f != "" {
		opt.Fields = strings.Split(f, ",")
	}
	path := words[0]
	if !strings.HasPrefix(path, "inside/") {
		path = filepath.Join(r.t.TempDir(), path)
	} else {
		path = filepath.Join(r.dir, strings.TrimPrefix(path, "inside/"))
	}
	r.reading(func(c *collection.Collection) {
		n, err := c.Export(context.Background(), path, opt)
		if err != nil {
			r.failed(fmt.Errorf("%s", strings.ReplaceAll(err.Error(), filepath.Dir(path), "OUT")))
			return
		}
		r.show("%d exported", n)
		switch filepath.Ext(path) {
		case ".jsonl", ".csv":
			r.show("%s", readAll(r.t, path))
		case ".gz":
			if strings.HasSuffix(path, ".warc.gz") {
				r.records(path)
			}
		case ".wacz":
			p, err := archive.VerifyWACZ(path)
			r.must(err)
			r.show("WACZ with %d resources, problems %v", len(p.Resources), p.Problems)
		}
	})
}

// records shows the responses of a WARC file.
func (r *scenarioRun) records(path string) {
	for rec, err := range archive.Records(bytes.NewReader(readAll(r.t, path))) {
		r.must(err)
		if rec.Type() == "response" || rec.Type() == "revisit" {
			r.show("%s of %s", rec.Type(), rec.Target())
		}
	}
}

func (r *scenarioRun) labels([]string) {
	l, err := collection.ReadLabels(r.dir)
	if r.failed(err) {
		return
	}
	models, err := collection.Models(r.dir)
	r.failed(err)
	r.show("%d lines, %d bad, %d untrained", len(l.Lines), l.Bad, l.Untrained(models))
	valid := l.Standing()
	for _, u := range slices.Sorted(maps.Keys(valid)) {
		r.show("%s %s by %s", u, valid[u].Label, valid[u].By)
	}
	for _, c := range l.Conflicts() {
		r.show("conflict: %s is %s, of %d labels", c.URL, c.Stands, len(c.Labels))
	}
}

func (r *scenarioRun) audit([]string) {
	r.reading(func(c *collection.Collection) {
		l, err := collection.ReadLabels(r.dir)
		if r.failed(err) {
			return
		}
		a, err := c.Audit(l)
		if r.failed(err) {
			return
		}
		if a == nil {
			r.show("no audit")
			return
		}
		r.show("%d of %d: %d on, %d skipped; rate %.2f in %.2f..%.2f, judged %.2f, outside %v", a.N, a.Of, a.On, a.Skipped, a.Rate, a.Low, a.High, a.Judged, a.Outside)
	})
}

// queue reads "NAME N".
func (r *scenarioRun) queue(args []string) {
	n, err := strconv.Atoi(args[1])
	r.must(err)
	r.reading(func(c *collection.Collection) {
		l, err := collection.ReadLabels(r.dir)
		if r.failed(err) {
			return
		}
		rows, err := c.Queue(args[0], l, n)
		r.failed(err)
		for _, row := range rows {
			r.row(row)
		}
	})
}

func (r *scenarioRun) models([]string) {
	list, err := collection.Models(r.dir)
	r.failed(err)
	for _, m := range list {
		_, load := collection.LoadModel(r.dir, m.Model, m.Hash)
		r.show("%s: %d labels, done %v, undo %v, file sound %v", m.Model, m.Labels, m.Done, m.Undo, load == nil)
	}
	next, err := collection.NameModel(r.dir, list)
	r.failed(err)
	r.show("next %s; labels read up to line %d", next, collection.ReadBy(list))
}

func (r *scenarioRun) files([]string) {
	r.each(func(name, path string) { r.show("%s", name) })
}

func (r *scenarioRun) cat(args []string) {
	r.show("%s", strings.TrimRight(string(r.content(r.file(args[0]))), "\n"))
}

// grep shows the files in which a text is, compressed ones unpacked; of the archive, the
// records, so that a page that links to another is distinguished from the page itself.
func (r *scenarioRun) grep(args []string) {
	text, found := strings.Join(args, " "), false
	r.each(func(name, path string) {
		if strings.HasSuffix(name, ".warc.gz") {
			for rec, err := range archive.Records(bytes.NewReader(readAll(r.t, path))) {
				if err != nil {
					r.show("%s: %v", name, err)
					return
				}
				body, err := io.ReadAll(rec)
				r.must(err)
				if strings.Contains(string(body), text) || strings.Contains(rec.Target(), text) {
					found = true
					r.show("%s: %s of %s", name, rec.Type(), rec.Target())
				}
			}
		} else if bytes.Contains(r.content(path), []byte(text)) {
			found = true
			r.show("%s", name)
		}
	})
	if !found {
		r.show("nowhere")
	}
}

// content returns a file, unpacked if it is packed with zstd.
func (r *scenarioRun) content(path string) []byte {
	data := readAll(r.t, path)
	if filepath.Ext(path) != ".zst" {
		return data
	}
	z, err := zstd.NewReader(bytes.NewReader(data))
	r.must(err)
	defer z.Close()
	data, err = io.ReadAll(z)
	r.must(err)
	return data
}

func (r *scenarioRun) knows(args []string) {
	knows, err := collection.Knows(r.dir)
	if r.failed(err) {
		return
	}
	for _, u := range args {
		r.show("%s %v", u, knows(url(u)))
	}
}

// verifiedWithText verifies a collection. If its strategy reads the text of pages, as the default
// does that a salvaged collection has, package crawler does it, which can restore the text.
func verifiedWithText(c *collection.Collection) (*collection.Verification, error) {
	st, err := strategy.New(c.Settings.Strategy)
	if err != nil || !dowse.TraitsOf(st).ReadsText {
		return c.Verify(collection.VerifyOptions{Config: func() (crawl.Config, error) { return scenarioConfig(c.Settings) }})
	}
	view, err := crawler.View(c.Dir)
	if err != nil {
		return nil, err
	}
	defer view.Close()
	return view.Verify(nil)
}
