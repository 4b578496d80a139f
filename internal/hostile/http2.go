package hostile

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2/hpack"
)

// The frames of HTTP/2 of which floods consist (RFC 9113, section 6).
const (
	frameData         = 0x0
	frameHeaders      = 0x1
	frameReset        = 0x3
	frameSettings     = 0x4
	framePing         = 0x6
	frameWindow       = 0x8
	frameContinuation = 0x9

	flagAck        = 0x1
	flagEndStream  = 0x1
	flagEndHeaders = 0x4
	flagPadded     = 0x8
)

// frame encodes a frame: its length in 24 bits, kind, flags, stream, payload.
func frame(kind, flags byte, stream uint32, payload ...byte) []byte {
	n := len(payload)
	f := []byte{byte(n >> 16), byte(n >> 8), byte(n), kind, flags, 0, 0, 0, 0}
	binary.BigEndian.PutUint32(f[5:], stream)
	return append(f, payload...)
}

// An h2Flood answers a request with a beginning and then frames without end, as fast as the
// connection takes them.
type h2Flood struct {
	name   string
	header bool // the answer has begun: the frames come in place of its body
	frames func(stream uint32) []byte
}

// h2Floods are frames that cost the sender little and the receiver more: acknowledgements
// to write, queues that grow, headers to decompress, or only attention. The attacks of 2019
// (CVE-2019-9512 and its siblings) and the CONTINUATION flood of 2024 aimed at servers; a
// client has the same code.
func h2Floods() []h2Flood {
	return []h2Flood{
		// Each SETTINGS frame must be acknowledged (RFC 9113, section 6.5.3): one write for
		// nine bytes.
		{"settings", false, func(uint32) []byte { return frame(frameSettings, 0, 0) }},
		// The same in the middle of an answer, where some clients no longer count.
		{"settings-body", true, func(uint32) []byte { return frame(frameSettings, 0, 0, 0, 3, 0, 0, 0, 100) }},
		// Each PING must be answered with its payload (section 6.7).
		{"ping", false, func(uint32) []byte { return frame(framePing, 0, 0, make([]byte, 8)...) }},
		{"ping-body", true, func(uint32) []byte { return frame(framePing, 0, 0, make([]byte, 8)...) }},
		// DATA without bytes: legal, without effect on any window, and without end.
		{"empty-data", true, func(stream uint32) []byte { return frame(frameData, 0, stream) }},
		// Padding counts against the flow-control window and not as content, so that a
		// bound on the body's size never sees it.
		{"padding", true, func(stream uint32) []byte {
			return frame(frameData, flagPadded, stream, append([]byte{255}, make([]byte, 255)...)...)
		}},
		// One letter and 255 bytes of padding: the body grows, slowly enough for any bound
		// on its size.
		{"padded-letters", true, func(stream uint32) []byte {
			return frame(frameData, flagPadded, stream, append([]byte{255, 'a'}, make([]byte, 255)...)...)
		}},
		// Each WINDOW_UPDATE raises what the client may send, which it does not want to.
		{"window", true, func(stream uint32) []byte { return frame(frameWindow, 0, 0, 0, 0, 0, 1) }},
		// RST_STREAM for a stream that does not exist: to be ignored, again and again.
		{"reset-others", true, func(uint32) []byte { return frame(frameReset, 0, 1<<30+1, 0, 0, 0, 8) }},
		// Frames of unknown types are to be ignored, too (section 4.1).
		{"unknown", true, func(uint32) []byte { return frame(0xfe, 0, 0) }},
		// A header block that never ends. Nothing of the answer can be seen before its end,
		// also by code that logs or counts answers.
		{"continuation", false, func(stream uint32) []byte { return frame(frameContinuation, 0, stream) }},
		// The same as H09, compressed.
		{"early-hints", false, func(stream uint32) []byte {
			return frame(frameHeaders, flagEndHeaders, stream, header(":status", "103", "link", "</style.css>")...)
		}},
	}
}

// header encodes header fields with HPACK, without the dynamic table.
func header(pairs ...string) []byte {
	var b writer
	e := hpack.NewEncoder(&b)
	e.SetMaxDynamicTableSize(0)
	for i := 0; i < len(pairs); i += 2 {
		e.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return b
}

// A writer collects what an encoder writes.
type writer []byte

func (w *writer) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}

// http2Rows are about HTTP/2, which is spoken over TLS only. Each flood has a host of its
// own, since a crawler may give up a host.
func http2Rows() []Row {
	return []Row{{
		ID: "H28", Does: "HTTP/2 floods: SETTINGS, PING, empty DATA, padding, WINDOW_UPDATE, RST_STREAM, CONTINUATION, early hints, unknown frames", Wants: "each attempt ended after a bounded number of frames; ordinary pages fetched",
		checks: []check{boundedFloods, settledOn("/flood")},
		open: func(s *Site) {
			for _, f := range h2Floods() {
				o := s.other(f.name)
				config := &tls.Config{Certificates: []tls.Certificate{s.server.certificate(o.Host)}, NextProtos: []string{"h2"}}
				port := s.listen(func(c net.Conn) { serveHTTP2(tls.Server(c, config), o, f) })
				s.link(origin("https", o.Host, port) + "/flood")
			}
		},
	}}
}

// What may be read of a flood.
const (
	maxFloodBytes = 32 << 20 // a few MiB are taken, and the buffers of two sockets hold some more
	maxFloodAcks  = 4000     // of SETTINGS and PING
)

// boundedFloods checks that floods were requested, how much of them was read, and how many
// frames were acknowledged. A flood that was never requested would pass unnoticed
// otherwise.
func boundedFloods(o *outcome) {
	for _, other := range o.site.others {
		tries := 0
		for _, r := range other.book.requests() {
			if r.Path() != "/flood" {
				continue
			}
			if tries++; r.Sent > maxFloodBytes || r.Acks > maxFloodAcks {
				o.problem("%s: %d KiB were taken and %d frames acknowledged", other.Host, r.Sent>>10, r.Acks)
			}
		}
		if tries == 0 || tries > 10 {
			o.problem("%s: %d tries", other.Host, tries)
		}
	}
}

// serveHTTP2 answers robots.txt as usual, and everything else with a flood. It speaks as
// little HTTP/2 as that needs: no library would send such frames.
func serveHTTP2(c *tls.Conn, s *Site, f h2Flood) {
	if c.Handshake() != nil || c.ConnectionState().NegotiatedProtocol != "h2" {
		return
	}
	preface := make([]byte, len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
	if _, err := io.ReadFull(c, preface); err != nil {
		return
	}
	x := &h2Conn{Conn: c, site: s, flood: f, hpack: hpack.NewDecoder(4096, nil)}
	defer x.running.Wait()
	defer c.Close()
	x.send(frame(frameSettings, 0, 0))
	for x.readFrame() == nil {
	}
}

// An h2Conn is a connection of HTTP/2, as far as a flood needs it.
type h2Conn struct {
	*tls.Conn
	site    *Site
	flood   h2Flood
	hpack   *hpack.Decoder
	acks    atomic.Int64
	running sync.WaitGroup
	mu      sync.Mutex // of writing
}

// send writes frames; the flood and the answers to other frames share the connection.
func (x *h2Conn) send(b []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.Write(b)
}

// readFrame reads one frame of the crawler, counts acknowledgements, and answers requests
// and settings. Everything else is ignored, as a minimal server may.
func (x *h2Conn) readFrame() error {
	var head [9]byte
	if _, err := io.ReadFull(x, head[:]); err != nil {
		return err
	}
	payload := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
	if _, err := io.ReadFull(x, payload); err != nil {
		return err
	}
	stream := binary.BigEndian.Uint32(head[5:])
	switch kind, flags := head[3], head[4]; {
	case (kind == frameSettings || kind == framePing) && flags&flagAck != 0:
		x.acks.Add(1)
	case kind == frameSettings:
		x.send(frame(frameSettings, flagAck, 0))
	case kind == frameHeaders:
		return x.request(stream, payload)
	}
	return nil
}

// request answers the request with the given header block.
func (x *h2Conn) request(stream uint32, block []byte) error {
	fields, err := x.hpack.DecodeFull(block)
	if err != nil {
		return err
	}
	r := &http.Request{Header: http.Header{}}
	for _, f := range fields {
		switch f.Name {
		case ":method":
			r.Method = f.Value
		case ":path":
			r.RequestURI = f.Value
		case ":authority":
			r.Host = f.Value
		default:
			r.Header.Add(f.Name, f.Value)
		}
	}
	q := x.site.book.begin(r)
	if r.RequestURI == "/robots.txt" {
		defer x.site.book.note(func() { q.End = time.Now() })
		x.send(frame(frameHeaders, flagEndHeaders, stream, header(":status", "200", "content-type", "text/plain")...))
		_, err := x.send(frame(frameData, flagEndStream, stream, []byte("User-agent: *\nDisallow: /never-mentioned/\n")...))
		return err
	}
	x.running.Go(func() { x.run(stream, q) })
	return nil
}

// run sends the flood until the other side closes the connection.
func (x *h2Conn) run(stream uint32, q *Request) {
	x.site.book.note(func() { q.Loose = true })
	acks := x.acks.Load()
	switch {
	case x.flood.header:
		x.send(frame(frameHeaders, flagEndHeaders, stream, header(":status", "200", "content-type", "text/html")...))
	case x.flood.name == "continuation":
		x.send(frame(frameHeaders, 0, stream, header(":status", "200", "content-type", "text/html")...))
	}
	one := x.flood.frames(stream)
	many := make([]byte, 0, 16<<10)
	for len(many)+len(one) < cap(many) {
		many = append(many, one...)
	}
	sent, err := 0, error(nil)
	for n := 0; err == nil; sent += n {
		n, err = x.send(many)
	}
	x.site.book.note(func() { q.End, q.Sent, q.Acks = time.Now(), int64(sent), x.acks.Load()-acks })
}
