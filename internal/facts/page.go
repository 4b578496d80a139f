package facts

import (
	"net/netip"
	"strings"

	"dowse"
	"dowse/internal/text"
	"dowse/weburl"
)

// pageFacts returns the table, in the order of printing.
//
// A row with a Field stores what the field holds; a row with a Get computes its value. A row with
// both stores the field and prints what Get returns, where the two differ: for example a page
// that was not judged has a relevance of 0 in its field, and none when it is printed. Facts without
// a Type are internal: formats store them and takedowns clear them, but they mean nothing to
// people.
func pageFacts() []*Fact {
	return []*Fact{
		{Name: "url", Type: Text, Doc: "the canonical URL", Printed: true, Asked: true, Match: Part,
			Get: func(r *Row) any { return known(string(r.URL)) }},
		{Name: "title", Type: Text, Doc: "the title", Printed: true, Asked: true, Match: Words, Content: true,
			Journal: 23, Features: 10, Field: func(p *dowse.Page) any { return &p.Title }},
		{Name: "host", Type: Text, Doc: "the host of the URL, without the port", Printed: true, Asked: true, Match: Domain,
			Get: func(r *Row) any { return known(weburl.Hostname(r.URL)) }},
		{Name: "tld", Type: Text, Doc: "the last label of the host; a condition such as co.uk matches the end of the host", Asked: true, Match: Same,
			Get: func(r *Row) any { return known(tld(weburl.Hostname(r.URL))) }},
		{Name: "path", Type: Text, Doc: "the path of the URL, without the query", Asked: true, Match: Part,
			Get: func(r *Row) any { return known(path(r.URL)) }},
		{Name: "state", Type: Text, Doc: "where the URL is in the crawl: queued, in flight, held, fetched, failed, redirected or skipped", Printed: true,
			Get: func(r *Row) any { return inCrawl(r, r.State.String()) }},
		{Name: "reason", Type: Text, Doc: "why it was skipped or failed, from a closed list of reasons", Printed: true,
			Journal: 2, Features: 2, Field: func(p *dowse.Page) any { return &p.Reason }, Get: reason},
		{Name: "detail", Type: Text, Doc: "the cause of a failure in words", Printed: true,
			Journal: 3, Features: 3, Field: func(p *dowse.Page) any { return &p.Detail }},
		{Name: "relevance", Type: Number, Doc: "how relevant the judge rates it, from 0 to 1", Printed: true,
			Journal: 34, Field: func(p *dowse.Page) any { return &p.Verdict.Relevance },
			Get: func(r *Row) any { return ifJudged(r, Finite(r.Page.Verdict.Relevance)) }},
		{Name: "on_topic", Type: Truth, Doc: "whether the relevance reaches the threshold", Printed: true,
			Get: func(r *Row) any {
				return ifJudged(r, r.Left == "" && r.Page.Verdict.Relevance >= r.Threshold)
			}},
		{Name: "verdict", Type: Text, Doc: "on, off, or unsure near the threshold", Printed: true,
			Get: func(r *Row) any { return r.Verdict() }},
		{Name: "lang", Type: Text, Doc: "the language that the page declares, else the one that its words look like", Printed: true, Asked: true, Match: Tag, Costly: true,
			Journal: 24, Features: 13, Field: func(p *dowse.Page) any { return &p.Language }, Get: language},
		{Name: "seen", Type: Date, Doc: "when the URL was first seen", Printed: true,
			Get: func(r *Row) any { return date(r.Seen) }},
		{Name: "fetched", Type: Date, Doc: "when it was last fetched", Printed: true,
			Journal: 4, Field: func(p *dowse.Page) any { return &p.Fetch.At }, Kept: true},
		{Name: "took", Type: Duration, Doc: "how long the download took", Unit: "s", Printed: true,
			Journal: 5, Field: func(p *dowse.Page) any { return &p.Fetch.Took }},
		{Name: "status", Type: Integer, Doc: "the HTTP status of the response", Printed: true, Asked: true,
			Journal: 6, Features: 4, Field: func(p *dowse.Page) any { return (*Signed)(&p.Fetch.Status) }},
		{Name: "mime", Type: Text, Doc: "the media type", Printed: true, Asked: true, Match: Media,
			Journal: 7, Features: 5, Field: func(p *dowse.Page) any { return &p.Fetch.Type }, Get: func(r *Row) any { return known(r.Fetch.Type) }},
		{Name: "charset", Type: Text, Doc: "the character encoding", Printed: true,
			Journal: 12, Features: 9, Field: func(p *dowse.Page) any { return &p.Fetch.Charset }},
		{Name: "size", Type: Integer, Doc: "the size of the body, decoded", Unit: "bytes", Printed: true, Asked: true,
			Journal: 8, Features: 6, Field: func(p *dowse.Page) any { return &p.Fetch.Bytes }},
		{Name: "wire", Type: Integer, Doc: "the size of the whole response as it was received", Unit: "bytes", Printed: true,
			Journal: 9, Features: 7, Field: func(p *dowse.Page) any { return &p.Fetch.Wire }, Kept: true},
		{Name: "truncated", Type: Truth, Doc: "whether the body was cut at the size limit, broke off or was not kept", Printed: true,
			Journal: 10, Features: 8, Field: func(p *dowse.Page) any { return &p.Fetch.Truncated }},
		{Name: "address", Type: Text, Doc: "the IP address of the server", Printed: true,
			Journal: 11, Field: func(p *dowse.Page) any { return &p.Fetch.Address }, Get: address},
		{Name: "again", Type: Truth, Doc: "whether this was not the first visit", Printed: true,
			Journal: 19, Field: func(p *dowse.Page) any { return &p.Again }},
		{Name: "words", Type: Integer, Doc: "the number of words in the text", Document: true, Asked: true,
			Journal: 28, Features: 15, Field: func(p *dowse.Page) any { return &p.Words }, Get: func(r *Row) any { return len(r.Words) }},
		{Name: "links_out", Type: Integer, Doc: "the number of different targets of its links", Document: true, Asked: true,
			Get: func(r *Row) any { return len(r.Links) }},
		{Name: "links_in", Type: Integer, Doc: "pages that were fetched before it and link to it; counted only if the topic asks", Printed: true, Asked: true, InCrawl: true,
			Journal: 19, Field: func(p *dowse.Page) any { return &p.LinksIn }, Get: linksIn},
		{Name: "published", Type: Date, Doc: "when it was published, according to the page", Printed: true, Asked: true,
			Journal: 27, Features: 20, Field: func(p *dowse.Page) any { return &p.Published }},
		{Name: "modified", Type: Date, Doc: "when it was changed, according to the page, or else its server", Document: true, Asked: true,
			Features: 21, Field: func(p *dowse.Page) any { return &p.Modified }, Get: modified},
		{Name: "schema_org", Type: List, Doc: "types of schema.org: JSON-LD, microdata, RDFa", Printed: true, Asked: true, Match: Same, Content: true,
			Journal: 32, Features: 19, Field: func(p *dowse.Page) any { return &p.Types }},
		{Name: "licence", Type: List, Doc: "URLs of licences that the page links to", Printed: true, Asked: true, Match: Part,
			Journal: 33, Features: 22, Field: func(p *dowse.Page) any { return &p.Licences }},
		{Name: "robots_flags", Type: List, Doc: "nofollow, noindex, noarchive: in the page or its header", Printed: true, Asked: true, Match: Same,
			Get: func(r *Row) any { return flags(r.Page) }},
		{Name: "canonical", Type: Text, Doc: "the URL that the page declares as its canonical one", Printed: true,
			Journal: 25, Features: 18, Field: func(p *dowse.Page) any { return &p.Canonical }},
		{Name: "priority", Type: Number, Doc: "the priority that it was visited at, or waits at", Printed: true,
			Journal: 15, Field: func(p *dowse.Page) any { return &p.Lead.Priority }, Get: func(r *Row) any { return inCrawl(r, Finite(r.Lead.Priority)) }},
		{Name: "depth", Type: Integer, Doc: "links from the nearest seed", Printed: true, Asked: true,
			Journal: 20, Field: func(p *dowse.Page) any { return &p.Depth }, Get: func(r *Row) any { return inCrawl(r, r.Depth) }},
		{Name: "hops", Type: Integer, Doc: "off-topic pages in a row just above it", Printed: true, Asked: true,
			Journal: 21, Field: func(p *dowse.Page) any { return &p.Hops }, Get: func(r *Row) any { return inCrawl(r, r.Hops) }},
		{Name: "parent", Type: Text, Doc: "the URL of the page that it was first seen on", Printed: true,
			Get: func(r *Row) any { return string(r.Parent) }},
		{Name: "parent.score", Type: Number, Doc: "score of the page that it was found on", Asked: true, InCrawl: true, Get: parentScore},
		{Name: "parent.host", Type: Text, Doc: "host of the page that it was found on", Asked: true, InCrawl: true, Match: Domain,
			Get: func(r *Row) any { return known(r.ParentHost) }},
		{Name: "anchor", Type: Text, Doc: "the words of the link by which it was first seen", Printed: true, Asked: true, InCrawl: true, Match: Words, Content: true,
			Get: func(r *Row) any { return r.Anchor() }, All: anchors},
		{Name: "near", Type: Text, Doc: "the URL of an earlier page with nearly the same text", Printed: true,
			Journal: 26, Field: func(p *dowse.Page) any { return &p.Near }},
		{Name: "redirect", Type: Text, Doc: "the URL where its redirects end", Printed: true,
			Get: func(r *Row) any { return string(r.Redirect) }},
		{Name: "cut", Type: Text, Doc: "the limit that ended the extraction of its text early", Printed: true,
			Journal: 31, Features: 29, Field: func(p *dowse.Page) any { return &p.Cut }},
		{Name: "warc", Type: Text, Doc: "the archive file that holds it", Printed: true,
			Journal: 13, Field: func(p *dowse.Page) any { return &p.Fetch.Archive }, Kept: true, Get: func(r *Row) any { return r.Fetch.Archive.File }},
		{Name: "offset", Type: Integer, Doc: "where its record begins in that file", Unit: "bytes", Printed: true, Get: place(func(p dowse.Place) int64 { return p.Offset })},
		{Name: "length", Type: Integer, Doc: "the size of its record in that file", Unit: "bytes", Printed: true, Get: place(func(p dowse.Place) int64 { return p.Length })},
		{Name: "judge", Type: Text, Doc: "name and version of the judge", Printed: true,
			Journal: 36, Field: func(p *dowse.Page) any { return &p.Verdict.Judge }},
		{Name: "scale", Type: Text, Doc: "what the weights of the reasons add up on: share, log-odds, cosine or change", Printed: true,
			Journal: 35, Field: func(p *dowse.Page) any { return &p.Verdict.Scale }},
		{Name: "because", Type: Reasons, Doc: "the reasons for the verdict", Printed: true,
			Journal: 37, Field: func(p *dowse.Page) any { return &p.Verdict.Because }, Get: func(r *Row) any { return r.causes() }},

		{Name: "description", Type: Text, Doc: "the meta description", Document: true,
			Features: 11, Field: func(p *dowse.Page) any { return &p.Description }},
		{Name: "keywords", Type: Text, Doc: "the meta keywords", Document: true,
			Features: 12, Field: func(p *dowse.Page) any { return &p.Keywords }},
		{Name: "text", Type: Text, Doc: "the text that is shown", Document: true, Asked: true, Match: Words, Content: true,
			Features: 14, Field: func(p *dowse.Page) any { return &p.Text }},
		{Name: "headings", Type: List, Doc: "h1 to h6", Document: true, Asked: true, Match: Words, Content: true,
			Features: 16, Field: func(p *dowse.Page) any { return &p.Headings }, Get: headings},
		{Name: "meta", Type: Table, Doc: "meta elements; meta.NAME is one of them", Document: true, Asked: true, Match: Words, Content: true,
			Features: 23, Field: func(p *dowse.Page) any { return &p.Meta }},
		{Name: "og", Type: Table, Doc: "Open Graph; og.NAME is the property og:NAME", Document: true, Asked: true, Match: Words, Content: true, Get: openGraph},
		{Name: "images", Type: List, Doc: "sources of the images, as written; at most 200", Document: true, Asked: true, Match: Part,
			Features: 24, Field: func(p *dowse.Page) any { return &p.Images }},
		{Name: "emails", Type: List, Doc: "mail addresses in the text", Document: true, Asked: true, Match: Part, Costly: true,
			Get: func(r *Row) any { return emails(r.Text) }},
		{Name: "lang_score", Type: Number, Doc: "how certain the words of the text are of its language, 0 to 1; 0 if they look like another", Document: true, Costly: true,
			Get: languageScore},
		{Name: "token_count", Type: Integer, Doc: "words, numbers and runs of punctuation in the text; letters of scripts without spaces count one by one", Document: true,
			Get: func(r *Row) any { return known(tokens(r.Text)) }},
		{Name: "use_flags", Type: List, Doc: "tdm, ai: uses that the page, its header, or the robots.txt or tdmrep.json of its host reserves", Document: true,
			Get: func(r *Row) any { return useFlags(r) }},
		{Name: "score", Type: Number, Doc: "the rating by the evidence of the topic alone, 0 to 1", Judging: true, Asked: true, Get: score},

		{Name: "outcome", Doc: "how the visit ended", Journal: 1, Features: 1, Field: func(p *dowse.Page) any { return &p.Outcome }},
		{Name: "report", Doc: "what the visit showed of the host", Journal: 14, Field: func(p *dowse.Page) any { return &p.Host }},
		{Name: "band", Doc: "the band of the lead", Journal: 16, Field: func(p *dowse.Page) any { return &p.Lead.Band }},
		{Name: "group", Doc: "the group of the lead", Journal: 17, Field: func(p *dowse.Page) any { return &p.Lead.Group }},
		{Name: "note", Doc: "what the strategy noted of the lead", Journal: 18, Field: func(p *dowse.Page) any { return &p.Lead.Note }, ByStrategy: true},
		{Name: "maps", Doc: "the feed of a page, or the further sitemaps that a sitemap lists", Journal: 22, Features: 30, Field: func(p *dowse.Page) any { return &p.Maps }},
		{Name: "sketch", Doc: "the sketch of the text, to find near duplicates", Journal: 29, Features: 28, Field: func(p *dowse.Page) any { return &p.Sketch }},
		{Name: "repeated", Doc: "the parts of the text that other pages of the host have too", Journal: 19, Field: func(p *dowse.Page) any { return (*Runs)(&p.Repeated) }},
		{Name: "blocks", Doc: "hashes of the blocks of the text, from which it is learnt what the pages of the host repeat", Journal: 19, Field: func(p *dowse.Page) any { return &p.Blocks }},
		{Name: "dated", Doc: "when the page was changed: modified, as the journal holds it, from which it is estimated how often the page changes", Journal: 19, Field: func(p *dowse.Page) any { return &p.Modified }},
		{Name: "links", Doc: "the links of the page", Features: 17, Field: func(p *dowse.Page) any { return &p.Links }},
		{Name: "nofollow", Doc: "whether links are not to be followed", Journal: 30, Features: 25, Field: func(p *dowse.Page) any { return &p.NoFollow }},
		{Name: "noindex", Doc: "whether the page is not to be indexed", Journal: 30, Features: 26, Field: func(p *dowse.Page) any { return &p.NoIndex }},
		{Name: "noarchive", Doc: "whether the page is not to be archived", Journal: 30, Features: 27, Field: func(p *dowse.Page) any { return &p.NoArchive }},
	}
}

// inCrawl returns a value, or nil for a page that is no part of a crawl.
func inCrawl(r *Row, v any) any {
	if r.Apart {
		return nil
	}
	return v
}

// ifJudged returns a value, or nil for a page that was not judged.
func ifJudged(r *Row, v any) any {
	if !r.Judged {
		return nil
	}
	return v
}

// reason returns why a judged page is left out, else why the visit failed or the URL was
// skipped. Only one can apply: what failed is not judged.
func reason(r *Row) any {
	if r.Left != "" {
		return string(r.Left)
	}
	return string(r.Reason)
}

// language returns the language that the page declares, else the one that its words look like.
func language(r *Row) any {
	if r.Language != "" || r.Text == "" {
		return known(r.Language)
	}
	lang, _ := text.Detect(r.Text, r.Languages)
	return known(lang)
}

// address returns the IP address as text; a page that was not requested has none.
func address(r *Row) any {
	if !r.Fetch.Address.IsValid() {
		return nil
	}
	return r.Fetch.Address.String()
}

// linksIn returns the number of links to the page. It is unknown, not 0, if the crawl does
// not count them, because counting costs memory per link.
func linksIn(r *Row) any {
	if r.LinksIn == nil {
		return nil
	}
	return *r.LinksIn
}

// modified returns the date of the page, or else that of its server.
func modified(r *Row) any {
	if r.Modified.IsZero() {
		return date(r.ServerModified)
	}
	return r.Modified
}

// parentScore returns the score of the page that led to this one. A seed has no such page.
func parentScore(r *Row) any {
	if r.ParentScore == nil {
		return nil
	}
	return *r.ParentScore
}

// score returns the rating that conditions can use; it is known only while a page is judged.
func score(r *Row) any {
	if r.Score == nil {
		return nil
	}
	return *r.Score
}

// anchors returns the texts of all links that led to the page. Printed is only the first:
// the number of links to a page has no bound.
func anchors(r *Row) any {
	if len(r.Anchors) == 0 {
		return nil
	}
	return r.Anchors
}

// place returns a getter of a number of the place in the archive, which a page that is not kept does not have.
func place(number func(p dowse.Place) int64) func(r *Row) any {
	return func(r *Row) any {
		if r.Fetch.Archive.File == "" {
			return nil
		}
		return int(number(r.Fetch.Archive))
	}
}

// tld returns the last label of a host, "" for an address.
func tld(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	return host[strings.LastIndexByte(host, '.')+1:]
}

// path returns the path of a URL. The query is no part of it, so that conditions on folders
// are not met by parameters.
func path(u dowse.URL) string {
	p, _, _ := strings.Cut(weburl.Path(u), "?")
	return p
}

// headings returns the texts of the headings, without their levels.
func headings(r *Row) any {
	list := make([]string, len(r.Headings))
	for i := range r.Headings {
		list[i] = r.Headings[i].Text
	}
	return list
}

// flags returns the names of the robots flags that are set.
func flags(p *dowse.Page) []string {
	list := []string{}
	for _, f := range []struct {
		name string
		set  bool
	}{{"nofollow", p.NoFollow}, {"noindex", p.NoIndex}, {"noarchive", p.NoArchive}} {
		if f.set {
			list = append(list, f.name)
		}
	}
	return list
}

// openGraph returns the properties of Open Graph, without their prefix.
func openGraph(r *Row) any {
	list := []dowse.Meta{}
	for _, m := range r.Meta {
		if name, ok := strings.CutPrefix(m.Name, "og:"); ok {
			list = append(list, dowse.Meta{Name: name, Content: m.Content})
		}
	}
	return list
}
