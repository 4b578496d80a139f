package operations_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dowse/collection"
	"dowse/internal/durable"
	"dowse/internal/operations"
)

// TestWhoCrawls checks that a process which has a collection open to train or to change it is no crawl, which a
// stop would end, and that a crawl of this process is paused by the function that its program gave.
func TestWhoCrawls(t *testing.T) {
	dir := copied(t)
	path := filepath.Join(dir, "pools.dowse")
	paused := 0
	var end func() error
	o := over(t, operations.Config{Dirs: []string{dir}, Pause: func() { paused++; _ = end() }})

	col, err := collection.Open(path, nil, false) // as a training does
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.Status(bg, "pools")
	if err != nil || r.State != operations.StateStopped || r.Running || r.Process != 0 {
		t.Errorf("during a training: %s, running %v, process %d, %v", r.State, r.Running, r.Process, err)
	}
	stopped, err := o.Stop(bg, "pools", time.Minute)
	if err != nil || stopped.Process != 0 || paused != 0 {
		t.Errorf("a stop during a training: %+v, %v; paused %d times", stopped, err, paused)
	}
	if _, err := o.Continue(bg, "pools", nil); operations.KindOf(err) != operations.Busy {
		t.Errorf("continue during a training: %v", err)
	}
	if err := col.Close(); err != nil {
		t.Fatal(err)
	}

	c := openMade(t, path, madePages+10)
	end = c.Close
	if r, err := o.Status(bg, "pools"); err != nil || r.State != operations.StateRunning || r.Process != os.Getpid() {
		t.Errorf("during a crawl: %+v, %v", r, err)
	}
	if _, err := o.Continue(bg, "pools", nil); operations.KindOf(err) != operations.Conflict {
		t.Errorf("continue during a crawl: %v", err)
	}
	stopped, err = o.Stop(bg, "pools", time.Minute)
	if err != nil || stopped.Process != os.Getpid() || stopped.Stopping || paused != 1 {
		t.Errorf("a stop of this process's crawl: %+v, %v; paused %d times", stopped, err, paused)
	}
}

// listed returns the line of the only collection in the list, when its counts are made.
func listed(t *testing.T, o *operations.Operations) operations.Collection {
	t.Helper()
	list, err := o.Collections(bg, operations.CountWait)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	return list[0]
}

// TestCountsOfTheList compares the counts of the list with those of the status: at rest, in a run, after a kill, after
// a training and its undo, and after a takedown. Every time a process that has seen nothing yet lists them, and one that has.
func TestCountsOfTheList(t *testing.T) {
	dir := copied(t)
	path := filepath.Join(dir, "pools.dowse")
	old := over(t, operations.Config{Dirs: []string{dir}})
	compare := func(when string) operations.Collection {
		t.Helper()
		fresh := over(t, operations.Config{Dirs: []string{dir}})
		want, err := over(t, operations.Config{Dirs: []string{dir}}).Status(bg, "pools")
		if err != nil {
			t.Fatal(when, err)
		}
		var got operations.Collection
		for _, o := range []*operations.Operations{fresh, old} {
			for late := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) { // a busy machine takes its time to count
				if got = listed(t, o); got.Fetched == want.Fetched && got.OnTopic == want.OnTopic && got.State == want.State {
					break
				}
				if time.Now().After(late) {
					t.Errorf("%s: the list has %s, %d and %d on topic, want %s, %d and %d", when, got.State, got.Fetched, got.OnTopic, want.State, want.Fetched, want.OnTopic)
					break
				}
			}
		}
		return got
	}
	if got := compare("at rest"); got.Fetched != madePages {
		t.Errorf("%d pages", got.Fetched)
	}
	c := openMade(t, path, madePages+20)
	n := 0
	for range c.Crawl(context.Background()) {
		if n++; n == 10 {
			if got := compare("in a run"); got.Fetched <= madePages {
				t.Errorf("%d pages in a run", got.Fetched)
			}
			// What is on the disk now is what a kill would leave.
			killed := filepath.Join(t.TempDir(), "pools.dowse")
			if err := os.CopyFS(killed, os.DirFS(path)); err != nil {
				t.Fatal(err)
			}
			if got := listed(t, over(t, operations.Config{Dirs: []string{killed}})); got.State != operations.StateKilled || got.Fetched <= madePages {
				t.Errorf("after a kill: %s with %d pages", got.State, got.Fetched)
			}
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	before := compare("after the run")
	var labels []operations.GivenLabel
	list, err := old.Pages(bg, "pools", operations.PageQuery{Verdict: "on", Limit: 8})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list.Pages {
		labels = append(labels, operations.GivenLabel{URL: string(p.URL), Label: "off"})
	}
	if _, err := old.Label(bg, "pools", operations.LabelRequest{Labels: labels, Train: true, Accept: true}); err != nil {
		t.Fatal(err)
	}
	if got := compare("after a training"); got.OnTopic >= before.OnTopic {
		t.Errorf("%d of %d pages are on topic after labels against it", got.OnTopic, before.OnTopic)
	}
	if _, err := old.Undo(bg, "pools", "", ""); err != nil {
		t.Fatal(err)
	}
	if got := compare("after an undo"); got.OnTopic != before.OnTopic {
		t.Errorf("%d pages on topic after the undo, want %d", got.OnTopic, before.OnTopic)
	}
	if _, err := old.Forget(bg, "pools", operations.ForgetRequest{URLs: []string{labels[0].URL}, Because: "asked"}); err != nil {
		t.Fatal(err)
	}
	if got := compare("after a takedown"); got.Fetched != before.Fetched-1 {
		t.Errorf("%d pages after a takedown of one of %d", got.Fetched, before.Fetched)
	}
}

// spoil changes the files that a pattern names.
func spoil(t *testing.T, dir, pattern string, change func([]byte) []byte) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "pools.dowse", pattern))
	if err != nil || len(names) == 0 {
		t.Fatal(pattern, names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if data = change(data); data == nil {
			err = os.Remove(name)
		} else {
			err = os.WriteFile(name, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// garbled changes bytes in the middle.
func garbled(data []byte) []byte {
	data = slices.Clone(data)
	for i := len(data) / 3; i < min(len(data), len(data)/3+200); i++ {
		data[i] ^= 0x55
	}
	return data
}

// nearTheEnd changes a byte of the last record.
func nearTheEnd(data []byte) []byte {
	data = slices.Clone(data)
	data[len(data)-20] ^= 0x55
	return data
}

// TestDamageIsUnhealthy damages collections and checks that none of them is reported as healthy, neither by a process that
// opens it then nor by one that had it open before.
func TestDamageIsUnhealthy(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, dir string){
		"journal and snapshots": func(t *testing.T, dir string) {
			spoil(t, dir, "state/journal-*.log", garbled)
			spoil(t, dir, "state/*.snap", garbled)
		},
		"a journal without its end, and no snapshots": func(t *testing.T, dir string) {
			spoil(t, dir, "state/*.snap", func([]byte) []byte { return nil })
			spoil(t, dir, "state/journal-*.log", func(b []byte) []byte { return b[:len(b)/2] })
		},
		"the last entry of the journal": func(t *testing.T, dir string) { spoil(t, dir, "state/journal-*.log", nearTheEnd) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t)
			open := over(t, operations.Config{Dirs: []string{dir}})
			if r, err := open.Status(bg, "pools"); err != nil || !r.Healthy {
				t.Fatalf("before the damage: %+v, %v", r, err)
			}
			time.Sleep(viewLeast)
			damage(t, dir)
			for who, o := range map[string]*operations.Operations{"it had it open": open, "it opens it": over(t, operations.Config{Dirs: []string{dir}})} {
				r, err := o.Status(bg, "pools")
				damaged := operations.KindOf(err) == operations.Damaged
				if err == nil {
					damaged = !r.Healthy && r.Ailment.Name == operations.AilDamaged
				}
				if !damaged {
					t.Errorf("%s: %+v, %v", who, r, err)
				}
				list, err := o.Measures(bg)
				eventually(func() bool { // measures do not wait long for a collection that is being opened
					list, err = o.Measures(bg)
					return err == nil && len(list) == 1 && (list[0].Report != nil || list[0].State == string(operations.Damaged))
				})
				if err != nil || len(list) != 1 || list[0].Report != nil && list[0].Report.Healthy || list[0].Report == nil && list[0].State != string(operations.Damaged) {
					t.Errorf("%s: measured %+v, %v", who, list, err)
				}
				if line := listed(t, o); err == nil && list[0].Report == nil && (line.State != string(operations.Damaged) || line.Error == "") {
					t.Errorf("%s: listed as %+v", who, line)
				}
			}
		})
	}
}

// TestFoldersInPlaceOfFiles puts a folder where a file belongs: that is damage of the collection, not a fault of the server.
func TestFoldersInPlaceOfFiles(t *testing.T) {
	for file, ask := range map[string]func(o *operations.Operations) error{
		"crawl.yaml":         func(o *operations.Operations) error { _, err := o.Status(bg, "pools"); return err },
		"topic.yaml":         func(o *operations.Operations) error { _, err := o.Status(bg, "pools"); return err },
		"labels.jsonl":       func(o *operations.Operations) error { _, err := o.Labels(bg, "pools"); return err },
		"models/log.jsonl":   func(o *operations.Operations) error { _, err := o.Models(bg, "pools"); return err },
		"log/settings.jsonl": func(o *operations.Operations) error { _, err := o.Settings(bg, "pools"); return err },
	} {
		dir := copied(t)
		path := filepath.Join(dir, "pools.dowse", file)
		if err := errors.Join(os.RemoveAll(path), os.MkdirAll(path, 0o755)); err != nil {
			t.Fatal(err)
		}
		if err := ask(over(t, operations.Config{Dirs: []string{dir}})); operations.KindOf(err) != operations.Damaged {
			t.Errorf("%s: %q %v", file, operations.KindOf(err), err)
		}
	}
	if kind := operations.KindOf(fmt.Errorf("open labels.jsonl: %w", fs.ErrPermission)); kind != operations.Refused {
		t.Errorf("a file that may not be read: %q", kind)
	}
}

// eventually calls ok until it returns true, for two minutes at most.
func eventually(ok func() bool) {
	for range 1200 {
		if ok() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// searched searches, again until the index is made: a search does not wait long for it.
func searched(o *operations.Operations, query string) (found *operations.Found, err error) {
	eventually(func() bool {
		found, err = o.Search(bg, []string{"pools"}, operations.SearchQuery{Query: query})
		return err == nil
	})
	return found, err
}

// viewLeast is longer than the time for which a view is not made again in any case.
const viewLeast = 400 * time.Millisecond

// TestDamagedArchive reads a page whose answer can't be read: that is damage, not a fault of the server, and from then on the
// collection is not healthy.
func TestDamagedArchive(t *testing.T) {
	dir := copied(t)
	spoil(t, dir, "archive/*.warc.gz", func(b []byte) []byte {
		for i := 100; i < len(b); i += 50 {
			b[i] ^= 0x55
		}
		return b
	})
	o := over(t, operations.Config{Dirs: []string{dir}})
	list, err := o.Pages(bg, "pools", operations.PageQuery{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := o.Markdown(bg, "pools", string(list.Pages[0].URL), 0); operations.KindOf(err) != operations.Damaged {
		t.Errorf("got %v, want damage", err)
	}
	if r, err := o.Status(bg, "pools"); err != nil || r.Healthy {
		t.Errorf("it is healthy: %v", err)
	}
}

// TestLastAnswerDamaged changes a byte of the last answer in the archive: whoever opens the collection then sees that it is damaged.
func TestLastAnswerDamaged(t *testing.T) {
	dir := copied(t)
	spoil(t, dir, "archive/*.warc.gz", nearTheEnd)
	r, err := over(t, operations.Config{Dirs: []string{dir}}).Status(bg, "pools")
	if err != nil || r.Healthy || r.Ailment.Name != operations.AilDamaged {
		t.Errorf("got %+v, %v; want damaged", r, err)
	}
}

// TestFullDisk checks that changes on a full disk fail with that reason, and that a search uses a temporary index there.
func TestFullDisk(t *testing.T) {
	dir := copied(t)
	o := over(t, operations.Config{Dirs: []string{dir}, SearchKey: func() []byte { return []byte("0123456789abcdef") }})
	list, err := o.Pages(bg, "pools", operations.PageQuery{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer durable.Inject(func(op durable.Op, path string) error {
		if (op == durable.OpWrite || op == durable.OpMkdir) && strings.HasPrefix(path, dir) {
			return syscall.ENOSPC
		}
		return nil
	})()
	_, set := o.Set(bg, "pools", operations.SetRequest{Set: map[string][]string{"delay": {"2s"}}})
	_, label := o.Label(bg, "pools", operations.LabelRequest{Labels: []operations.GivenLabel{{URL: string(list.Pages[0].URL), Label: "on"}}})
	for name, err := range map[string]error{"set": set, "label": label} {
		if operations.KindOf(err) != operations.DiskFull {
			t.Errorf("%s: got %v of kind %q", name, err, operations.KindOf(err))
		}
	}
	found, err := searched(o, "tide")
	if err != nil || found.Total == 0 || len(found.Notes) != 1 {
		t.Errorf("search: %+v, %v", found, err)
	}
	o = over(t, operations.Config{Dirs: []string{dir}, Executable: program(t, "echo write topic.yaml: no space left on device >&2; sleep 0.1; exit 3\n")})
	if _, err := o.Start(bg, operations.StartRequest{Words: []string{"coral"}, Seeds: []string{"http://a.example/"}}); operations.KindOf(err) != operations.DiskFull {
		t.Errorf("start: got %v of kind %q", err, operations.KindOf(err))
	}
}

// TestEmptySettings checks that a collection with an empty crawl.yaml is damaged, for every question.
func TestEmptySettings(t *testing.T) {
	dir := copied(t)
	spoil(t, dir, "crawl.yaml", func([]byte) []byte { return []byte{} })
	o := over(t, operations.Config{Dirs: []string{dir}})
	_, status := o.Status(bg, "pools")
	_, labels := o.Labels(bg, "pools")
	_, settings := o.Settings(bg, "pools")
	for name, err := range map[string]error{"status": status, "labels": labels, "settings": settings} {
		if operations.KindOf(err) != operations.Damaged {
			t.Errorf("%s: got %v, want damage", name, err)
		}
	}
}

// TestSearchOfADamagedArchive searches collections whose archive is gone or was cut off. The answer reports that pages are missing, and
// from then on the list and the measures have the state damaged.
func TestSearchOfADamagedArchive(t *testing.T) {
	for name, damage := range map[string]func(b []byte) []byte{
		"gone": func([]byte) []byte { return nil },
		"cut":  func(b []byte) []byte { return b[:len(b)-500] },
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t)
			spoil(t, dir, "archive/*.warc.gz", damage)
			o := over(t, operations.Config{Dirs: []string{dir}, SearchKey: func() []byte { return []byte("0123456789abcdef") }})
			found, err := searched(o, "tide")
			if err != nil || len(found.Notes) == 0 {
				t.Fatalf("got %+v, %v; want notes", found, err)
			}
			if line := listed(t, o); line.State != string(operations.Damaged) || line.Error == "" {
				t.Errorf("listed as %+v", line)
			}
			if list, err := o.Measures(bg); err != nil || list[0].State != string(operations.Damaged) {
				t.Errorf("measured %+v, %v", list, err)
			}
		})
	}
}

// TestExportsOfForgottenPages checks that no export has a page that was taken down: one that is ready, one that is being
// written, and one whose page another process took down.
func TestExportsOfForgottenPages(t *testing.T) {
	dir := copied(t)
	o := over(t, operations.Config{Dirs: []string{dir}})
	other := over(t, operations.Config{Dirs: []string{dir}})
	list, err := o.Pages(bg, "pools", operations.PageQuery{Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	await := func(id string) *operations.Export {
		t.Helper()
		for {
			e, err := o.ExportNamed("pools", id)
			if err != nil {
				t.Fatal(err)
			}
			if e.State != operations.JobRunning {
				return e
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	for i, by := range []*operations.Operations{o, o, other} {
		gone := string(list.Pages[i].URL)
		e, err := o.Export(bg, "pools", operations.ExportRequest{Format: "jsonl", All: true})
		if err != nil {
			t.Fatal(err)
		}
		if i != 1 { // the second one may still be written
			if e = await(e.ID); e.State != operations.JobDone {
				t.Fatalf("export: %+v", e)
			}
		}
		if _, err := by.Forget(bg, "pools", operations.ForgetRequest{URLs: []string{gone}, Because: "asked"}); err != nil {
			t.Fatal(err)
		}
		await(e.ID)
		f, _, err := o.ExportFile("pools", e.ID)
		if err == nil {
			text, _ := io.ReadAll(f)
			f.Close()
			if strings.Contains(string(text), gone) {
				t.Errorf("export %d has the page that was taken down", i)
			}
			t.Errorf("export %d can be read after a takedown", i)
		} else if operations.KindOf(err) != operations.Conflict {
			t.Errorf("export %d: %v", i, err)
		}
	}
	e, err := o.Export(bg, "pools", operations.ExportRequest{Format: "jsonl", All: true})
	if err != nil {
		t.Fatal(err)
	}
	if e = await(e.ID); e.State != operations.JobDone || e.Records != madePages-3 {
		t.Errorf("the next export: %+v", e)
	}
}

// TestReadOnlyWritesNothing asks everything of operations that only read, and compares the files of the collection.
func TestReadOnlyWritesNothing(t *testing.T) {
	dir := copied(t)
	files := func() string {
		var b strings.Builder
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				b.WriteString(path + "\n")
				return err
			}
			info, err := d.Info()
			if err == nil {
				b.WriteString(path + " " + info.ModTime().String() + "\n")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	before := files()
	o := over(t, operations.Config{Dirs: []string{dir}, ReadOnly: true, SearchKey: func() []byte { return []byte("0123456789abcdef") }})
	found, err := searched(o, "tide")
	if err != nil || found.Total == 0 {
		t.Errorf("search: %+v, %v", found, err)
	}
	askAll(o)
	if after := files(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// TestCommandOfAForgottenPage checks that the command of a page that was taken down names the URL that was asked for.
func TestCommandOfAForgottenPage(t *testing.T) {
	o := over(t, operations.Config{Dirs: []string{copied(t)}})
	list, err := o.Pages(bg, "pools", operations.PageQuery{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	gone := string(list.Pages[0].URL)
	if _, err := o.Forget(bg, "pools", operations.ForgetRequest{URLs: []string{gone}, Because: "asked"}); err != nil {
		t.Fatal(err)
	}
	p, err := o.Page(bg, "pools", gone)
	if err != nil || !strings.HasSuffix(p.Command, gone) {
		t.Errorf("got %+v, %v", p, err)
	}
}

// TestExportsAreCheckedFirst asks for exports that can't be made. Each is refused when it is asked for, with the member that
// is wrong, and none is left in the list as a failed one.
func TestExportsAreCheckedFirst(t *testing.T) {
	o := over(t, operations.Config{Dirs: []string{copied(t)}})
	for want, r := range map[string]operations.ExportRequest{
		"where":     {Format: "jsonl", Where: "score >"},
		"where ":    {Format: "jsonl", Where: "{lang: "},
		"where  ":   {Format: "csv", Where: "page.nothing > 3"},
		"text":      {Format: "jsonl", Text: "some"},
		"distinct":  {Format: "jsonl", Distinct: "twice"},
		"respect":   {Format: "jsonl", Respect: []string{"me"}},
		"graph":     {Format: "gexf", Graph: "stars"},
		"limit":     {Format: "jsonl", Limit: -4},
		"sample":    {Format: "jsonl", Sample: -1},
		"min_score": {Format: "jsonl", MinScore: -0.5},
		"":          {Format: "gexf", Where: "lang(en)"},
	} {
		_, err := o.Export(bg, "pools", r)
		var e *operations.Error
		if !errors.As(err, &e) || e.Kind != operations.Invalid || e.Field != strings.TrimSpace(want) {
			t.Errorf("%+v: got %v, want an error of %q", r, err, want)
			continue
		}
		if text := err.Error(); strings.Contains(text, os.TempDir()) || strings.Contains(text, "export to") {
			t.Errorf("%+v: the error names a file: %s", r, text)
		}
	}
	if list := o.Exports("pools"); len(list) != 0 {
		t.Errorf("exports that were refused are listed: %+v", list)
	}
}
