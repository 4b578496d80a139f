package archive

import (
	"crypto/sha1"
	"hash"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"dowse"
	"dowse/weburl"
)

// An Exchange is one request and its answer, as they are to be stored.
type Exchange struct {
	URL     dowse.URL
	At      time.Time  // when the request was sent
	Address netip.Addr // of the server; the zero Addr if unknown

	RequestHead  []byte // request line and fields, as sent; nil omits the request record
	ResponseHead []byte // status line and fields, as received
	Payload      []byte // the body, without transfer coding, with its content coding
	Size         int    // bytes of the payload, for EncodeRevisit without a Payload
	Decoded      bool   // Payload is without content coding, too

	Truncated string  // why the payload ends early: length, time, disconnect, unspecified; "" if it does not
	Metadata  []Field // facts about the page; nil omits the metadata record

	id ID // of the response record; zero to derive it from the content
}

// An Original identifies an earlier capture that a later one with the same
// payload can refer to.
type Original struct {
	URL    dowse.URL
	At     time.Time
	ID     ID
	Digest Digest
	Place  dowse.Place // as [Writer.Append] returned it; lets readers find the payload
}

// Encoded holds the records of one exchange, compressed. The response record is
// the last one, so whatever follows it in a file belongs to a later exchange.
type Encoded struct {
	Bytes  []byte
	Offset int // of the response record in Bytes
	Length int // of the response record
	Status int
	MIME   string // for the index, see [Capture]
	Original
}

// capture returns the index line for the response record, which is at the given
// place.
func (e *Encoded) capture(at dowse.Place) Capture {
	return Capture{
		Key: string(appendURL(nil, weburl.SURT(e.URL))), At: e.At, URL: string(appendURL(nil, string(e.URL))),
		Digest: e.Digest.String(), MIME: e.MIME, Status: e.Status, Place: at,
	}
}

// Encode appends the records of an exchange to dst: request, metadata,
// response, each a gzip member of its own. Bytes of the web never reach a
// record's header, and the HTTP heads are rewritten so that they fit the
// payload that is stored.
//
// It is safe for concurrent use. Compressing is nearly all of the cost of
// archiving, so callers encode in parallel, and [Writer.Append] only copies the
// bytes.
func Encode(dst []byte, ex *Exchange) Encoded {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	digest := PayloadDigest(ex.Payload)
	h := e.responseHead(ex)
	r := record{kind: "response", content: responseType, payload: digest, hasPayload: true}
	enc := e.exchange(dst, ex, r, ex.Payload)
	enc.Status, enc.MIME = h.status, mediaType(h.mime)
	return enc
}

// EncodeRevisit is Encode for a payload that was stored before: instead of the
// response it writes a revisit record that refers to the original. The caller
// vouches that the payload is the same; of.Digest is written as its digest. For an answer
// 304 (not modified) the server vouches for it, which the profile of the record shows.
func EncodeRevisit(dst []byte, ex *Exchange, of Original) Encoded {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	h := e.responseHead(ex)
	r := record{kind: "revisit", content: responseType, payload: of.Digest, hasPayload: true, revisits: &of, profile: IdenticalPayload}
	if h.status == http.StatusNotModified {
		r.profile = NotModified
	}
	enc := e.exchange(dst, ex, r, nil)
	enc.Status, enc.MIME = h.status, revisitType
	return enc
}

// responseHead sets e.block to the rewritten head of the response.
func (e *encoder) responseHead(ex *Exchange) headRewriter {
	h := headRewriter{out: e.block[:0], length: max(len(ex.Payload), ex.Size), decoded: ex.Decoded}
	h.response(ex.ResponseHead)
	e.block = h.out
	return h
}

// The content types of records, the media type of revisits in an index, and the
// profile of revisits.
const (
	responseType = "application/http;msgtype=response"
	requestType  = "application/http;msgtype=request"
	fieldsType   = "application/warc-fields"
	revisitType  = "warc/revisit" // the media type of revisits in an index

	// IdenticalPayload is the profile of a revisit record whose payload equals
	// that of the record it refers to.
	IdenticalPayload = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

	// NotModified is the profile of a revisit record for an answer 304: the server said that the
	// payload is still that of the record it refers to.
	NotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

// compression is the fastest level of gzip: on pages of 20 KB it takes half of
// the time of the usual level 6 and gives 4 % more bytes, and its table of 128
// KB leaves room in the CPU cache.
const compression = 1

// record is the header of a record to write. Fields with a zero value are
// omitted.
type record struct {
	kind, content string
	id            ID
	url           dowse.URL
	at            time.Time
	address       netip.Addr
	concurrent    ID
	filename      string
	truncated     string
	payload       Digest
	hasPayload    bool
	revisits      *Original
	profile       string // of a revisit
}

// encoder holds the buffers of one encoding, which are reused through a pool.
type encoder struct {
	gz      *gzip.Writer
	sha     hash.Hash
	out     sink
	head    []byte // the record's header
	block   []byte // the head of the response, which begins its block
	side    []byte // the block of a request, metadata or warcinfo record
	scratch []byte
}

var encoders = sync.Pool{New: func() any {
	e := &encoder{sha: sha1.New()}
	e.gz, _ = gzip.NewWriterLevel(&e.out, compression) // the level is valid
	return e
}}

// sink is an io.Writer that appends to a byte slice and doubles it when it is
// full: append alone grows large slices by a quarter and would leave several
// times their size as garbage.
type sink struct{ b []byte }

func (s *sink) Write(p []byte) (int, error) {
	if len(s.b)+len(p) > cap(s.b) {
		s.b = slices.Grow(s.b, max(len(p), cap(s.b)))
	}
	s.b = append(s.b, p...)
	return len(p), nil
}

// exchange writes the response last but computes its ID first, because the
// other records refer to it. e.block holds the response's head.
func (e *encoder) exchange(dst []byte, ex *Exchange, r record, payload []byte) Encoded {
	r.url, r.at, r.address, r.truncated = ex.URL, ex.At, ex.Address, truncation(ex.Truncated)
	block := e.digest(e.block, payload)
	if r.id = ex.id; r.id == (ID{}) {
		r.id, e.scratch = recordID(e.scratch, r.kind, string(ex.URL), ex.At, block)
	}

	e.out.b = dst
	e.companions(ex, r.id)
	start := len(e.out.b)
	e.write(&r, block, e.block, payload)

	out := Encoded{Bytes: e.out.b, Offset: start, Length: len(e.out.b) - start}
	out.Original = Original{URL: ex.URL, At: ex.At, ID: r.id, Digest: r.payload}
	e.out.b = nil
	return out
}

// companions writes the request and metadata records of the response with ID
// of.
func (e *encoder) companions(ex *Exchange, of ID) {
	if len(ex.RequestHead) > 0 {
		e.side = appendRequestHead(e.side[:0], ex.RequestHead)
		e.companion(record{kind: "request", content: requestType, address: ex.Address}, ex, of)
	}
	if len(ex.Metadata) > 0 {
		e.side = appendFields(e.side[:0], ex.Metadata)
		e.companion(record{kind: "metadata", content: fieldsType}, ex, of)
	}
}

// companion writes one record whose block is e.side.
func (e *encoder) companion(r record, ex *Exchange, of ID) {
	r.url, r.at, r.concurrent = ex.URL, ex.At, of
	sum := e.digest(e.side, nil)
	r.id, e.scratch = recordID(e.scratch, r.kind, string(ex.URL), ex.At, sum)
	e.write(&r, sum, e.side, nil)
}

// maxFields bounds a block of fields, in bytes.
const maxFields = 1 << 20

// appendFields appends fields until maxFields is reached; the rest is omitted.
func appendFields(dst []byte, fields []Field) []byte {
	start := len(dst)
	for _, f := range fields {
		if len(dst)-start+len(f.Name)+min(len(f.Value), maxValue) > maxFields {
			break
		}
		dst = appendField(dst, f.Name, f.Value)
	}
	return dst
}

// truncation returns a value that WARC-Truncated may have.
func truncation(why string) string {
	switch why {
	case "", "length", "time", "disconnect":
		return why
	}
	return "unspecified"
}

// digest returns the SHA-1 of block followed by rest.
func (e *encoder) digest(block, rest []byte) (d Digest) {
	e.sha.Reset()
	e.sha.Write(block)
	e.sha.Write(rest)
	e.sha.Sum(d[:0])
	return d
}

// write appends one record to e.out; its block consists of block and rest.
// Small records are written with a prebuilt code, see appendTerse.
func (e *encoder) write(r *record, sum Digest, block, rest []byte) {
	e.head = r.appendTo(e.head[:0], sum, len(block)+len(rest))
	parts := [...][]byte{e.head, block, rest, []byte("\r\n\r\n")}
	if len(e.head)+len(block)+len(rest) <= terseMax {
		var ok bool
		if e.out.b, ok = appendTerse(e.out.b, parts[:]...); ok {
			return
		}
	}
	e.gz.Reset(&e.out)
	for _, part := range parts {
		e.gz.Write(part) // writing to a sink never fails
	}
	e.gz.Close()
}

// appendTo appends the header of the record, whose block has the given digest
// and length. The order of the fields is fixed, so that encoding is
// deterministic.
func (r *record) appendTo(dst []byte, block Digest, length int) []byte {
	dst = append(dst, "WARC/1.1\r\nWARC-Type: "...)
	dst = append(dst, r.kind...)
	dst = appendID(dst, "WARC-Record-ID", r.id)
	dst = append(dst, "\r\nWARC-Date: "...)
	dst = appendDate(dst, r.at)
	if r.url != "" {
		dst = append(dst, "\r\nWARC-Target-URI: "...)
		dst = appendURL(dst, string(r.url))
	}
	if r.filename != "" {
		dst = append(dst, "\r\nWARC-Filename: "...)
		dst = appendText(dst, r.filename, maxValue)
	}
	if r.address.IsValid() {
		dst = append(dst, "\r\nWARC-IP-Address: "...)
		dst = r.address.Unmap().WithZone("").AppendTo(dst)
	}
	if r.concurrent != (ID{}) {
		dst = appendID(dst, "WARC-Concurrent-To", r.concurrent)
	}
	dst = r.appendPayload(dst)
	dst = append(dst, "\r\nWARC-Block-Digest: "...)
	dst = block.append(dst)
	dst = append(dst, "\r\nContent-Type: "...)
	dst = append(dst, r.content...)
	dst = append(dst, "\r\nContent-Length: "...)
	dst = strconv.AppendInt(dst, int64(length), 10)
	return append(dst, "\r\n\r\n"...)
}

// appendPayload appends the fields about the payload: its digest, its original
// and whether it was cut.
func (r *record) appendPayload(dst []byte) []byte {
	if r.hasPayload {
		dst = append(dst, "\r\nWARC-Payload-Digest: "...)
		dst = r.payload.append(dst)
	}
	if of := r.revisits; of != nil {
		dst = append(dst, "\r\nWARC-Profile: "+r.profile...)
		if of.ID != (ID{}) {
			dst = appendID(dst, "WARC-Refers-To", of.ID)
		}
		dst = append(dst, "\r\nWARC-Refers-To-Target-URI: "...)
		dst = appendURL(dst, string(of.URL))
		dst = append(dst, "\r\nWARC-Refers-To-Date: "...)
		dst = appendDate(dst, of.At)
		dst = appendReference(dst, of.Place)
	}
	if r.truncated != "" {
		dst = append(dst, "\r\nWARC-Truncated: "...)
		dst = append(dst, r.truncated...)
	}
	return dst
}

// appendReference appends the place of an original, in the fields that Heritrix
// uses.
func appendReference(dst []byte, p dowse.Place) []byte {
	if p.File == "" {
		return dst
	}
	dst = append(dst, "\r\n"+referenceFile+": "...)
	dst = appendText(dst, p.File, maxValue)
	dst = append(dst, "\r\n"+referenceOffset+": "...)
	return strconv.AppendInt(dst, p.Offset, 10)
}

// The fields of a revisit record that name the place of its original. They are not
// part of WARC 1.1; Heritrix writes them and readers that do not know them ignore
// them.
const (
	referenceFile   = "WARC-Refers-To-Filename"
	referenceOffset = "WARC-Refers-To-File-Offset"
)

func appendID(dst []byte, name string, id ID) []byte {
	dst = append(dst, "\r\n"...)
	dst = append(dst, name...)
	dst = append(dst, ": <"...)
	dst = id.append(dst)
	return append(dst, '>')
}

// appendDate appends a time with milliseconds, which WARC 1.1 allows and 1.0
// did not.
func appendDate(dst []byte, at time.Time) []byte {
	return at.UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
}
