package web

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/demo"
	"dowse/internal/directory"
	"dowse/internal/mistake"
	"dowse/internal/plain"
	"dowse/internal/text"
	"dowse/weburl"
)

// Labels are the ground truth of a lab: which pages are on which topics. A
// topic is a path such as Top/Science/Physics, and includes everything below
// it. Judges and strategies never see labels, except for the training pages of
// an experiment; nothing in this package leads from a [Web] or a [View] to
// them.
type Labels struct {
	pages map[dowse.URL][]string
	order []dowse.URL      // of first appearance
	words map[string]Words // by topic, of synthetic webs
	// Topics under which a directory lists a page.
	listed  map[dowse.URL][]string
	portals []dowse.URL // pages that lead everywhere, of synthetic webs
	// Unread is the number of entries of a directory that cannot be read.
	Unread int
}

// Words describe a topic as a person would in a topic file.
type Words struct{ Words, Also, Not []string }

// Limits of a file of labels: bytes per line, and lines.
const (
	maxLabelLine = 64 << 10
	maxLabels    = 20_000_000
)

// listedMark in the third column of a file of labels means that a directory lists
// the page under the topic.
const listedMark = "listed"

// ReadLabels reads labels: one URL and topic per line, separated by a tab. The word
// listed in a third column marks a page that a directory lists under the topic;
// other words and further columns are ignored. A header "url", empty lines and lines that begin
// with # are skipped. URLs are parsed and made canonical, so that they match
// those of the web. A line that cannot be read is a [*mistake.Error] with its
// number and what to write instead; nothing is skipped silently, since missing
// labels would be missing targets.
func ReadLabels(r io.Reader) (*Labels, error) {
	l := newLabels()
	in := bufio.NewScanner(plain.Unmarked(r))
	in.Buffer(nil, maxLabelLine)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSuffix(in.Text(), "\r")
		if line == "" || line[0] == '#' || n == 1 && strings.HasPrefix(line, "url\t") {
			continue
		}
		raw, topic, ok := strings.Cut(line, "\t")
		topic, marks, _ := strings.Cut(topic, "\t")
		mark, _, _ := strings.Cut(marks, "\t")
		topic = strings.Trim(topic, "/ ")
		if !ok || topic == "" {
			return nil, labelMistake(n, "want URL, tab and topic", "write https://example.org/page, a tab, Top/Science/Physics")
		}
		u, err := weburl.Parse(raw)
		if err != nil {
			return nil, labelMistake(n, err.Error(), "write the whole URL, as it is in the web")
		}
		if n > maxLabels {
			return nil, fmt.Errorf("web: labels: more than %d lines", maxLabels)
		}
		l.add(u, topic)
		if strings.EqualFold(strings.TrimSpace(mark), listedMark) {
			l.list(u, topic)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("web: labels: %w", err)
	}
	return l, nil
}

// labelMistake returns an error with its line; LoadLabels adds the file's name.
func labelMistake(line int, problem, fix string) error {
	return &mistake.Error{File: "labels", Line: line, Column: 1, Problem: problem, Fix: fix}
}

// newLabels returns labels for no page.
func newLabels() *Labels {
	return &Labels{pages: map[dowse.URL][]string{}, words: map[string]Words{}, listed: map[dowse.URL][]string{}}
}

// add labels a page with a topic, once.
func (l *Labels) add(u dowse.URL, topic string) {
	have, known := l.pages[u]
	if !known {
		l.order = append(l.order, u)
	}
	if !slices.Contains(have, topic) {
		l.pages[u] = append(have, topic)
	}
}

// list records that a directory lists a page under a topic.
func (l *Labels) list(u dowse.URL, topic string) {
	if !slices.Contains(l.listed[u], topic) {
		l.listed[u] = append(l.listed[u], topic)
	}
}

// LoadLabels reads the labels of a source: the file that it names, the one next
// to its first path, or those of the synthetic web. The file has one label per line, or is a web
// directory (ODP RDF or JSONL). It returns nil if there are none.
func (s Source) LoadLabels() (*Labels, error) {
	if s.Demo != nil && s.Labels == "" {
		return s.Demo.labels(), nil
	}
	path := cmp.Or(s.Labels, s.LabelsFile())
	if path == "" {
		return nil, nil
	}
	if d, err := directory.Open(path, directory.Options{}); err == nil && d.Kind() != directory.Labels {
		return labelsOf(d)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("web: labels: %w", err)
	}
	defer f.Close()
	l, err := ReadLabels(f)
	var wrong *mistake.Error
	if errors.As(err, &wrong) {
		wrong.File = path
	}
	return l, err
}

// labelsOf returns the entries of a directory as labels, all of them listed. Entries that cannot be
// read are counted: dumps of large directories have a few.
func labelsOf(d *directory.Directory) (*Labels, error) {
	l := newLabels()
	n := 0
	for e, err := range d.All() {
		if n++; n > maxLabels {
			return nil, fmt.Errorf("web: labels: more than %d entries", maxLabels)
		}
		if err != nil {
			return nil, fmt.Errorf("web: labels: %w", err)
		}
		l.add(e.URL, e.Path)
		l.list(e.URL, e.Path)
	}
	l.Unread = d.Dirt().Skipped()
	return l, nil
}

// LabelsFile returns the file of labels that belongs to the first path:
// labels.tsv in a folder, NAME.labels.tsv next to NAME.warc.gz; "" if there is
// none.
func (s Source) LabelsFile() string {
	if len(s.Paths) == 0 {
		return ""
	}
	name := s.Paths[0]
	candidates := []string{filepath.Join(name, "labels.tsv")}
	for _, suffix := range []string{".warc.gz", ".warc", ".wacz"} {
		if stem, ok := strings.CutSuffix(name, suffix); ok {
			candidates = append(candidates, stem+".labels.tsv")
		}
	}
	for _, c := range candidates {
		if info, err := os.Stat(c); err == nil && info.Mode().IsRegular() {
			return c
		}
	}
	return ""
}

// labels returns the labels of the synthetic web, with the words of its topics. The
// home pages of sites on a topic are those that a directory would list.
func (m Synthetic) labels() *Labels {
	l := newLabels()
	if m.Campus {
		c := m.campus()
		for u := range c.Pages() {
			if class, _ := c.Class(u); class != demo.OtherPage {
				l.add(u, class.Topic())
			}
		}
		return l
	}
	w := m.web()
	l.portals = w.GeneralSeeds(w.Len())
	for _, t := range w.Topics() {
		l.words[t.Path] = Words{t.Words, t.Also, t.Not}
		for u := range w.Relevant(t.Path) {
			l.add(u, t.Path)
			if isHome(u) {
				l.list(u, t.Path)
			}
		}
	}
	return l
}

// isHome reports whether a URL is that of a host's home page.
func isHome(u dowse.URL) bool {
	_, rest, _ := strings.Cut(string(u), "://")
	_, path, ok := strings.Cut(rest, "/")
	return ok && path == ""
}

// Listed reports whether a directory lists a page under a topic or one below it.
func (l *Labels) Listed(u dowse.URL, topic string) bool {
	return slices.ContainsFunc(l.listed[u], func(t string) bool { return within(t, topic) })
}

// AnyListed reports whether a directory lists any page.
func (l *Labels) AnyListed() bool { return len(l.listed) > 0 }

// Portals returns the home pages of the directories, newspapers and general sites of
// a synthetic web; nil for a recorded one.
func (l *Labels) Portals() []dowse.URL { return l.portals }

// Is reports whether a page is on a topic or on one below it.
func (l *Labels) Is(u dowse.URL, topic string) bool {
	return slices.ContainsFunc(l.pages[u], func(t string) bool { return within(t, topic) })
}

// Len returns the number of labelled URLs, also of those that the web does not have.
func (l *Labels) Len() int { return len(l.order) }

// Labelled reports whether a page has any label.
func (l *Labels) Labelled(u dowse.URL) bool { return len(l.pages[u]) > 0 }

// Elsewhere returns the number of labelled URLs that a web does not have. No
// crawl can fetch them, so they are not targets.
func (l *Labels) Elsewhere(w *Web) (n int) {
	for _, u := range l.order {
		_, ok := w.Find(u)
		n += asNumber(!ok)
	}
	return n
}

// within reports whether a topic is the given one or below it.
func within(topic, above string) bool {
	rest, ok := strings.CutPrefix(topic, above)
	return ok && (rest == "" || rest[0] == '/')
}

// On returns the pages on a topic or on one below it, in the order of the
// labels, also those that the web does not have.
func (l *Labels) On(topic string) (list []dowse.URL) {
	for _, u := range l.order {
		if l.Is(u, topic) {
			list = append(list, u)
		}
	}
	return list
}

// WordsOf returns the words of a topic, if it has any.
func (l *Labels) WordsOf(topic string) (Words, bool) {
	w, ok := l.words[topic]
	return w, ok
}

// A TopicCount is a topic and the number of pages that are labelled with
// exactly it.
type TopicCount struct {
	Topic string
	Pages int
}

// Topics lists the topics that pages are labelled with, in alphabetical order.
func (l *Labels) Topics() (list []TopicCount) {
	count := map[string]int{}
	for _, topics := range l.pages {
		for _, t := range topics {
			count[t]++
		}
	}
	for t, n := range count {
		list = append(list, TopicCount{t, n})
	}
	slices.SortFunc(list, func(a, b TopicCount) int { return cmp.Compare(a.Topic, b.Topic) })
	return list
}

// Write writes the labels in the format of ReadLabels.
func (l *Labels) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	out.WriteString("url\ttopic\n")
	for _, u := range l.order {
		for _, t := range l.pages[u] {
			line := string(u) + "\t" + t
			if slices.Contains(l.listed[u], t) {
				line += "\t" + listedMark
			}
			fmt.Fprintln(out, line)
		}
	}
	return out.Flush()
}

// maxMeant is how many bytes of a name are compared with topics.
const maxMeant = 100

// Near returns the n topics whose names are most like a name that none has, the nearest first. The last part of a
// topic's path may stand for the whole: "reefs" is near Top/Science/Reefs. Topics above those of pages are topics, too.
func (l *Labels) Near(name string, n int) (list []string) {
	name = plain.Cut(name, maxMeant)
	far := map[string]int{}
	for _, t := range l.Topics() {
		for at := t.Topic; at != ""; at = at[:max(strings.LastIndexByte(at, '/'), 0)] {
			if _, done := far[at]; done {
				break
			}
			far[at] = min(text.Distance(name, at), text.Distance(name[strings.LastIndexByte(name, '/')+1:], at[strings.LastIndexByte(at, '/')+1:])+1)
		}
	}
	list = slices.SortedFunc(maps.Keys(far), func(a, b string) int { return cmp.Or(cmp.Compare(far[a], far[b]), cmp.Compare(a, b)) })
	return list[:min(n, len(list))]
}

// Largest returns the n topics with the most pages, the largest first; ties are
// in alphabetical order.
func (l *Labels) Largest(n int) (list []string) {
	all := l.Topics()
	slices.SortStableFunc(all, func(a, b TopicCount) int { return cmp.Compare(b.Pages, a.Pages) })
	for _, t := range all[:min(n, len(all))] {
		list = append(list, t.Topic)
	}
	return list
}
