package collection

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/extract"
	"dowse/internal/facts"
	"dowse/internal/maintext"
)

// readContent replaces the page of a candidate by a copy with its document, if the export
// needs it, tests what the document decides, and sets the text that the export wants.
// Title and language stay those of the visit. A page that can't be read keeps its row,
// without these facts; one that was erased is not a problem. It may be called from
// several goroutines.
func (x *exporter) readContent(c *exportedPage) {
	if !x.sel.document && !x.needsFields {
		c.left = x.sel.refusesContent(c.row)
		return
	}
	layout := x.readDocument(c)
	if c.left = x.sel.refusesContent(c.row); c.left != "" || layout == nil {
		return
	}
	switch x.opt.Text {
	case textMain:
		x.setText(c, layout.Main(x.templates[c.template]))
	case textAll:
		x.setText(c, layout.All())
	}
}

// setText sets the text of a candidate, as the format of the export needs it.
func (x *exporter) setText(c *exportedPage, t *maintext.Text) {
	c.row.Text = t.Plain()
	if !x.noWords {
		c.row.Words = dowse.Words(c.row.Text)
	}
	if x.markdown {
		c.markdown = t.Markdown()
	}
}

// readDocument reads the document of a candidate and returns its layout, nil if it can't
// be read. Title, language and sketch stay as they were when the page was judged. The
// flags for robots stay those of the visit, because the header of the answer sets them, too,
// and the document has only those of the HTML.
func (x *exporter) readDocument(c *exportedPage) (layout *maintext.Page) {
	var reserved []string
	doc, err := x.c.document(c.row.Page, func(body []byte, opt extract.Options, header http.Header) *dowse.Document {
		reserved = reservedBy(header)
		doc, page := maintext.Read(body, c.row.URL, opt)
		layout = page
		return doc
	})
	if err != nil {
		c.err = err
		row := *c.row
		row.Unread = true
		c.row = &row
		return nil
	}
	page := *c.row.Page
	page.Document = *doc
	was := c.row.Page // its facts are those of the visit
	page.Title, page.Language, page.Sketch = was.Title, was.Language, was.Sketch
	page.NoFollow, page.NoIndex, page.NoArchive = was.NoFollow, was.NoIndex, was.NoArchive
	row := *c.row
	row.Page, row.Reserved = &page, slices.Concat(row.Reserved, reserved)
	c.row = &row
	return layout
}

// reservedBy returns the uses that the header of an answer reserves.
func reservedBy(h http.Header) (list []string) {
	if strings.TrimSpace(h.Get("Tdm-Reservation")) == "1" {
		list = append(list, facts.UseTDM)
	}
	list = append(list, usesReserved(strings.Join(append(h.Values("Content-Usage"), h.Values("Content-Signal")...), ","))...)
	if facts.ReservesAI(strings.Join(h.Values("X-Robots-Tag"), ",")) {
		list = append(list, facts.UseAI)
	}
	return list
}

// maxTemplates bounds the blocks of all templates together: 64 MB. Hosts beyond it have
// none, and the rules of package maintext decide alone.
const maxTemplates = 8 << 20

// A hostSample is some pages of a host, from which its template is learnt: the offsets of
// their visits in the journal, with the fingerprints of their URLs, of which the least are
// chosen. So the sample does not depend on the order of the crawl.
type hostSample struct {
	pages []sampledPage
}

// A sampledPage is a page of a hostSample.
type sampledPage struct{ key, place uint64 }

// add adds a page, and drops the one with the largest key if there are too many.
func (h *hostSample) add(p sampledPage) {
	i, _ := slices.BinarySearchFunc(h.pages, p, func(a, b sampledPage) int { return cmp.Compare(a.key, b.key) })
	if i == maintext.SamplePages {
		return
	}
	h.pages = slices.Insert(h.pages, i, p)
	if len(h.pages) > maintext.SamplePages {
		h.pages = h.pages[:maintext.SamplePages]
	}
}

// samplePages chooses the pages from which the templates of hosts are learnt: of all
// pages of the collection, so that the text of a page does not depend on what else is
// exported. Near-duplicates would repeat more than the template.
func (x *exporter) samplePages() error {
	x.samples = map[uint32]*hostSample{}
	x.templates = map[uint32]*maintext.Template{}
	fr := x.c.Crawl.Frontier()
	for e, err := range x.c.Journal.Visits(0) {
		if x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		if err != nil || !x.c.isPage(e) || e.Page.Near != "" {
			continue // what can't be read is recorded when the pages are listed
		}
		host := uint32(fr.Host(e.ID))
		if x.samples[host] == nil {
			x.samples[host] = &hostSample{}
		}
		x.samples[host].add(sampledPage{fingerprint(string(x.c.URL(e.ID))), e.Place()})
	}
	return nil
}

// learnTemplates sets the hosts of candidates, and learns the templates of those hosts of
// which it is not known yet.
func (x *exporter) learnTemplates(batch []*exportedPage) error {
	if x.opt.Text != textMain {
		return nil
	}
	if x.samples == nil {
		if err := x.samplePages(); err != nil {
			return err
		}
	}
	fr := x.c.Crawl.Frontier()
	for _, c := range batch {
		id, ok := fr.Find(c.row.URL)
		if !ok || c.left != "" {
			continue
		}
		c.template = uint32(fr.Host(id))
		if sample := x.samples[c.template]; sample != nil {
			delete(x.samples, c.template)
			x.learn(c.template, sample)
		}
	}
	return nil
}

// learn learns the template of a host from a sample of its pages. Pages that can't be
// read are passed over.
func (x *exporter) learn(host uint32, sample *hostSample) {
	if len(sample.pages) < maintext.MinPages || x.learnt > maxTemplates {
		return
	}
	var pages []*dowse.Page
	for _, p := range sample.pages {
		if e, err := x.c.entry(p.place); err == nil {
			pages = append(pages, e.Page)
		}
	}
	layouts := make([]*maintext.Page, len(pages))
	inParallel(len(pages), func(i int) {
		_, _ = x.c.document(pages[i], func(body []byte, opt extract.Options, _ http.Header) *dowse.Document {
			doc, page := maintext.Read(body, pages[i].URL, opt)
			layouts[i] = page
			return doc
		})
	})
	var l maintext.Learner
	for _, p := range layouts {
		if p != nil {
			l.Add(p)
		}
	}
	if t := l.Template(); t != nil {
		x.templates[host] = t
		x.learnt += t.Len()
	}
}
