package archive

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzip"

	"dowse"
	"dowse/internal/durable"
	"dowse/weburl"
)

// A foreignFile finds the answers of one WARC file of another program. It reads the file from its beginning
// to its end, whatever is in it. A gzip member with several records is unpacked, because these can't be
// read by their places; what can't be read is passed over and reported with its place.
type foreignFile struct {
	f       *Foreign
	part    recording
	file    int // index of part in the files of f
	reader  *Reader
	scan    partScanner
	left    int64 // bytes of content that may still be read
	records int
	last    int64 // the date of the last record, for records that have none
	ours    bool  // this program wrote it
	agents  int   // how often it named the program that asked
	torn    bool  // its end is damage that is reported with the file that it was unpacked from
}

// survey finds the answers of a WARC file and returns the number of its records.
func (f *Foreign) survey(part recording) (records int, err error) {
	v := f.newFile(part)
	err = v.run()
	return v.records, err
}

// newFile returns the state of reading a file. Its search for sound records in what is damaged is bounded.
func (f *Foreign) newFile(part recording) *foreignFile {
	most := f.most(part.Size())
	f.x.files = append(f.x.files, part)
	return &foreignFile{
		f: f, part: part, file: len(f.x.files) - 1, reader: NewReader(nil), left: most,
		scan: partScanner{f: part, size: part.Size(), reader: NewReader(nil), bounded: true, left: maxSearch*part.Size() + freeContent, most: most},
	}
}

// run reads the file to its end.
func (v *foreignFile) run() error {
	for at := int64(0); at < v.part.Size(); {
		next, err := v.from(at)
		if err != nil {
			return err
		}
		at = next
	}
	return nil
}

// from reads records from an offset on, until one can't be read in place. It returns where to go on.
func (v *foreignFile) from(at int64) (next int64, err error) {
	size := v.part.Size()
	v.reader.reset(io.NewSectionReader(v.part, at, size-at), at)
	length := int64(0) // of the last record, which is known to be there when the next one is found
	for {
		rec, err := v.reader.Next()
		if err == io.EOF {
			return size, nil
		}
		if err != nil {
			return v.damaged(max(at, damageOffset(err)), cause(err))
		}
		if v.left -= length; v.left < 0 {
			v.lose(rec.Offset, size-rec.Offset, errExpands)
			return size, nil
		}
		if rec.Length > v.scan.most || !v.reader.zipped && rec.Length > size-rec.Offset {
			return v.damaged(rec.Offset, errLarge)
		}
		if rec.inner > 0 {
			v.drop(rec.Offset)
			return v.unpack(rec.Offset, true)
		}
		length = rec.Length
		v.records++
		v.last = v.note(rec)
	}
}

// drop removes the answer at an offset, which was noted before it was known that it can't be read.
func (v *foreignFile) drop(offset int64) {
	if n := len(v.f.found); n > 0 && v.f.found[n-1].offset == offset && int(v.f.found[n-1].file) == v.file {
		v.f.found = v.f.found[:n-1]
		v.records--
	}
}

// lose reports what can't be read.
func (v *foreignFile) lose(offset, length int64, err error) {
	if v.torn && offset+length == v.part.Size() {
		return
	}
	v.f.lose(v.part.name, offset, length, err)
}

// damaged passes over the damage at an offset and returns where to go on. The records that follow a
// damaged one in its gzip member are found if they can be unpacked.
func (v *foreignFile) damaged(offset int64, err error) (next int64, _ error) {
	v.drop(offset)
	if v.scan.left > 0 && v.isGzip(offset) {
		if next, err := v.unpack(offset, false); err != nil || next > offset {
			return next, err
		}
	}
	return v.skip(offset, err), nil
}

// skip reports what can't be read at an offset, and returns where the next sound record begins.
func (v *foreignFile) skip(offset int64, err error) (next int64) {
	p := v.scan.part(offset)
	v.lose(offset, p.Length, err)
	return offset + p.Length
}

// isGzip reports whether a gzip member begins at an offset.
func (v *foreignFile) isGzip(offset int64) bool {
	magic := make([]byte, len(zippedStart))
	_, err := v.part.ReadAt(magic, offset)
	return err == nil && bytes.Equal(magic, zippedStart)
}

// unpack unpacks gzip members from an offset on, finds the answers in their content, and returns where to
// go on. It unpacks all members that follow each other, or only one: then it returns the offset
// unless there is a sound record in it that can't be read in place.
func (v *foreignFile) unpack(offset int64, all bool) (next int64, err error) {
	m, err := v.f.unpackMembers(v.part, offset, v.left, all)
	if err != nil {
		return offset, err
	}
	if !all && !v.holdsMore(m.content) {
		v.f.stored -= m.content.Size() // it is overwritten
		return offset, nil
	}
	v.left -= m.content.Size()
	name := v.part.name + ", unpacked"
	if offset > 0 {
		name += fmt.Sprintf(" from offset %d", offset)
	}
	child := v.f.newFile(recording{name, m.content})
	child.last, child.ours, child.torn = v.last, v.ours, m.damage != nil
	err = child.run()
	v.records += child.records
	v.last = child.last
	switch {
	case err != nil:
		return offset, err
	case m.damage == errExpands:
		v.lose(m.end, v.part.Size()-m.end, errExpands)
		return v.part.Size(), nil
	case m.damage != nil:
		return v.skip(m.end, m.damage), nil
	}
	return m.end, nil
}

// holdsMore reports whether there is a sound record after the first one, or after damage.
func (v *foreignFile) holdsMore(content *io.SectionReader) bool {
	s := &partScanner{f: content, size: content.Size(), reader: NewReader(nil), bounded: true, left: v.scan.left, most: v.scan.most}
	more := s.part(0).Length < content.Size()
	v.scan.left = s.left - content.Size()
	return more
}

// members are the content of gzip members that follow each other.
type members struct {
	content *io.SectionReader
	end     int64 // where the next one would begin, or where the damaged one begins
	damage  error // why the last one could not be read to its end; nil if it could
}

// unpackMembers unpacks gzip members from an offset on, up to what is none, or only one of them.
// The content of a damaged one is unpacked as far as it can be read.
func (f *Foreign) unpackMembers(part recording, offset, most int64, all bool) (m members, err error) {
	input := &counter{r: io.NewSectionReader(part, offset, part.Size()-offset)}
	raw := bufio.NewReaderSize(input, 64<<10)
	var z *gzip.Reader
	m.end = offset
	total := int64(0)
	for first := true; m.damage == nil && (first || all); first = false {
		if magic, _ := raw.Peek(len(zippedStart)); !bytes.Equal(magic, zippedStart) {
			break
		}
		if z == nil {
			z, m.damage = gzip.NewReader(raw)
		} else {
			m.damage = z.Reset(raw)
		}
		if m.damage != nil {
			break
		}
		z.Multistream(false)
		var n int64
		if n, m.damage, err = f.store(z, most-total); err != nil {
			return m, err
		}
		if total += n; m.damage == nil {
			m.end = offset + input.n - int64(raw.Buffered())
		}
	}
	m.damage = noEOFOrNil(m.damage)
	m.content = io.NewSectionReader(f.temp, f.stored-total, total)
	return m, nil
}

// noEOFOrNil is noEOF for an error that may be nil.
func noEOFOrNil(err error) error {
	if err == nil {
		return nil
	}
	return noEOF(err)
}

// store appends content to the temporary file, at most most bytes. damage is why it could not be read
// to its end; err is an error of the temporary file.
func (f *Foreign) store(content io.Reader, most int64) (n int64, damage, err error) {
	if f.temp == nil {
		if f.temp, err = durable.In(f.Temp).Create("unpacked"); err != nil {
			return 0, nil, err
		}
		f.opened = append(f.opened, f.temp)
	}
	r := &readUntil{r: io.LimitReader(content, most+1)}
	n, err = io.Copy(io.NewOffsetWriter(f.temp, f.stored), r)
	f.stored += n
	if err == nil && n > most {
		return n, errExpands, nil
	}
	return n, r.err, err
}

// note notes a record if it is an answer, or what is known of one. A record without a
// valid date gets the last one before it, and is marked as undated. note returns the
// date, for the next record.
func (v *foreignFile) note(rec *Record) int64 {
	f, kind, last := v.f, rec.Type(), v.last
	if !rec.Date().IsZero() {
		last = rec.Date().UnixNano()
	}
	switch {
	case kind == "request":
		v.noteRequest(rec)
		return last
	case kind == "warcinfo":
		fields := fieldsOf(rec)
		v.ours = strings.HasPrefix(fieldIn(fields, "software"), "dowse")
		v.noteAgent(fieldIn(fields, "http-header-user-agent"))
		return last
	case kind == "metadata":
		v.noteMetadata(rec)
		return last
	case !isAnswer(rec):
		f.Passed[passedOther]++
		return last
	}
	a := foundAnswer{capture: capture{at: last, offset: rec.Offset, file: int32(v.file)}, undated: rec.Date().IsZero()}
	a.id, a.request = f.x.hash("id", rec.ID()), f.x.hash("id", bare(rec.Header.Value("WARC-Concurrent-To")))
	if kind == "revisit" {
		refer := f.x.references(rec)
		a.refer = &refer
	} else {
		u := key(rec.Target())
		for _, h := range f.x.names(rec, u) {
			f.x.originals[h] = a.capture
		}
		f.noteKind(rec, u)
	}
	f.found = append(f.found, a)
	return last
}

// noteRequest notes who asked, and which answer a request of another method than GET belongs to. Either of
// both records names the other.
func (v *foreignFile) noteRequest(rec *Record) {
	line := make([]byte, 4)
	n, _ := io.ReadFull(rec, line)
	if v.agents < maxAgents {
		v.noteAgent(fieldIn(fieldsOf(rec), "User-Agent"))
	}
	if n < 4 || string(line) == "GET " {
		return
	}
	for _, id := range []string{rec.ID(), bare(rec.Header.Value("WARC-Concurrent-To"))} {
		if h := v.f.x.hash("id", id); h != 0 {
			v.f.refused[h] = true
		}
	}
}

// maxAgents is how many times a file is asked for the name of the program that wrote it, and how many names are kept.
const maxAgents = 8

// noteAgent notes the product token of a User-Agent.
func (v *foreignFile) noteAgent(userAgent string) {
	if userAgent == "" {
		return
	}
	v.agents++
	if name := productToken(userAgent); name != "" && len(v.f.agents) < maxAgents*maxAgents {
		v.f.agents[name] = true
	}
}

// productToken returns the name by which a crawler is addressed, in lower case: the first product of its User-Agent, or
// what follows "compatible;" in one that begins as those of browsers do; "" if there is none.
func productToken(userAgent string) string {
	if _, after, ok := strings.Cut(userAgent, "compatible;"); ok && strings.HasPrefix(userAgent, "Mozilla/") {
		userAgent = after
	}
	name := strings.ToLower(strings.TrimSpace(userAgent))
	if i := strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	}); i >= 0 {
		name = name[:i]
	}
	if len(name) > 64 {
		return ""
	}
	return name
}

// maxFieldBlock is how many bytes of a record of fields are read.
const maxFieldBlock = 64 << 10

// fieldsOf returns the block of a record of fields.
func fieldsOf(rec *Record) string {
	block, _ := io.ReadAll(io.LimitReader(rec, maxFieldBlock))
	return string(block)
}

// fieldIn returns a field of a block of fields, "" if there is none.
func fieldIn(block, name string) string {
	for line := range strings.Lines(block) {
		if n, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(strings.TrimSpace(n), name) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// noteMetadata notes the answer that a metadata record belongs to if it was asked for because a page
// embeds it. Heritrix writes one letter per step from a seed: E for what is embedded, R for a redirect.
func (v *foreignFile) noteMetadata(rec *Record) {
	hops := fieldIn(fieldsOf(rec), "hopsFromSeed")
	if !strings.HasSuffix(strings.TrimRight(hops, "R"), "E") {
		return
	}
	for _, id := range []string{bare(rec.Header.Value("WARC-Concurrent-To")), bare(rec.Header.Value("WARC-Refers-To"))} {
		if h := v.f.x.hash("id", id); h != 0 {
			v.f.embedded[h] = v.ours && hops == "E"
		}
	}
}

// noteKind notes where a redirect leads to, and the URLs of answers that are no pages.
func (f *Foreign) noteKind(rec *Record, u dowse.URL) {
	if f.IsPage == nil {
		return
	}
	resp, err := rec.Response()
	if err != nil {
		return
	}
	switch {
	case resp.StatusCode == http.StatusOK && !f.IsPage(u, resp):
		f.files[f.x.hash("at", string(u))] = true
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		if to, err := weburl.Href(resp.Header.Get("Location"), string(u)); err == nil {
			f.leads[f.x.hash("at", string(u))] = f.x.hash("at", string(key(to)))
		}
	}
}

// maxLeads is how many redirects are followed to find out what they lead to.
const maxLeads = 10

// isRequisite reports whether an answer was asked for because a page embeds it: its metadata says
// so, or it is a redirect to what is no page. An answer of another program that is a page itself is none,
// since frames are embedded, too.
func (f *Foreign) isRequisite(a foundAnswer, x *ForeignAnswer) bool {
	ours, embedded := f.embedded[a.id]
	code, _ := statusCode(firstLine(x.ResponseHead))
	if ours || embedded && code != http.StatusOK {
		return true
	}
	h := f.x.hash("at", string(key(string(x.URL))))
	for range maxLeads {
		next, ok := f.leads[h]
		if !ok {
			return false
		}
		if f.files[next] {
			return true
		}
		h = next
	}
	return false
}
