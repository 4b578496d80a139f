package archive

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"slices"
)

// terseMax is the size in bytes up to which a record is compressed with a
// prebuilt Huffman code and without back-references. Searching such a small
// text for repetitions and computing a code for it takes several times as long
// and saves a sixth of the bytes. Request and metadata records are this small,
// and there are two of them per page.
const terseMax = 1500

// terseSample is text of the kind that the code is made for: small records,
// field names and requests. It may change without harm: every reader of gzip
// decodes any code.
const terseSample = "WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: <urn:uuid:0a1b2c3d-4e5f-5678-9a0b-c1d2e3f40516>\r\n" +
	"WARC-Date: 2024-05-06T07:18:29.301Z\r\nWARC-Target-URI: https://www.example.org/articles/2023/some-page.html?id=4718\r\n" +
	"WARC-IP-Address: 93.184.216.34\r\nWARC-Concurrent-To: <urn:uuid:1f2e3d4c-5b6a-5798-8091-a2b3c4d5e6f7>\r\n" +
	"WARC-Block-Digest: sha1:ABCDEFGHIJKLMNOPQRSTUVWXYZ234567\r\nContent-Type: application/http;msgtype=request\r\nContent-Length: 191\r\n\r\n" +
	"GET /articles/2023/some-page.html HTTP/1.1\r\nHost: www.example.org\r\nUser-Agent: crawler/1.0 (+https://example.org/bot)\r\n" +
	"Accept: text/html,application/xhtml+xml,*/*;q=0.1\r\nAccept-Encoding: gzip, deflate, br, zstd\r\nFrom: someone@example.org\r\n\r\n\r\n\r\n" +
	"WARC-Type: metadata\r\nContent-Type: application/warc-fields\r\nContent-Length: 208\r\n\r\nfetchTimeMs: 120\r\nhopsFromSeed: 3\r\n" +
	"dowse-relevance: 0.047426\r\ndowse-outlinks: 40\r\ndowse-because: +1.3250 \"coral reef\"\r\ndowse-because: -3.0000 bias\r\n\r\n\r\n"

// A terseCode encodes bytes of ASCII text as a dynamic Huffman block of deflate
// (RFC 1951 3.2.7). A byte of length 0 has no code.
type terseCode struct {
	code   [257]uint16 // the first bit is the lowest; 256 ends the block
	length [257]uint8  // bits of the code
	start  bitSink     // the header of the block, which describes the code
}

// terse is the code for all small records. It is computed when the program
// starts, in less than a millisecond.
var terse = newTerseCode(terseSample)

// newTerseCode assigns the canonical codes for the lengths of the sample's
// Huffman code.
func newTerseCode(sample string) *terseCode {
	t := &terseCode{length: codeLengths(sample)}
	// Deflate sends codes with their first bit first, so they are reversed.
	next := uint16(0)
	for n := uint8(1); n < 16; n++ { // codes in order of length, then of value (3.2.2)
		for i, l := range t.length {
			if l == n {
				t.code[i] = bits.Reverse16(next << (16 - n))
				next++
			}
		}
		next <<= 1
	}
	t.begin()
	return t
}

// codeLengths returns the lengths of a Huffman code for text like the sample.
// All printable characters and line ends have a code, so that it fits any ASCII
// text. For each merge of the two lightest trees, the length of every symbol in
// them grows by one.
func codeLengths(sample string) (lengths [257]uint8) {
	type node struct {
		weight  int
		symbols []int
	}
	count := [257]int{'\r': 1, '\n': 1, 256: 1}
	for c := ' '; c <= '~'; c++ {
		count[c] = 1
	}
	for i := range len(sample) {
		count[sample[i]]++
	}
	var nodes []node
	for i, n := range count {
		if n > 0 {
			nodes = append(nodes, node{n, []int{i}})
		}
	}
	for len(nodes) > 1 { // join the two lightest
		slices.SortStableFunc(nodes, func(a, b node) int { return b.weight - a.weight })
		n := len(nodes)
		a, b := nodes[n-2], nodes[n-1]
		joined := node{a.weight + b.weight, slices.Concat(a.symbols, b.symbols)}
		for _, s := range joined.symbols {
			lengths[s]++
		}
		nodes = append(nodes[:n-2], joined)
	}
	return lengths
}

// begin writes the header of a block: the lengths of the codes, as numbers of
// four bits, and runs of zeros. The order of the numbers in it is fixed by the
// format.
func (t *terseCode) begin() {
	const zeros = 18 // the symbol for a run of 11 to 138 zeros
	order := [...]int{16, 17, zeros, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1}
	w := &t.start
	w.put(1|2<<1, 3) // the last block, with a code of its own
	w.put(0, 5)      // 257 literals
	w.put(0, 5)      // one distance, which is not used
	w.put(uint64(len(order)-4), 4)
	for i := range order {
		if order[i] == 16 || order[i] == 17 {
			w.put(0, 3)
		} else {
			w.put(4, 3)
		}
	}
	number := func(n uint64) { // 0 to 14 are their own codes, zeros is the last
		w.put(uint64(bits.Reverse8(uint8(min(n, 15)))>>4), 4)
	}
	lengths := append(slices.Clone(t.length[:]), 1)
	for i := 0; i < len(lengths); {
		run := 0
		for i+run < len(lengths) && lengths[i+run] == 0 && run < 138 {
			run++
		}
		if run >= 11 {
			number(zeros)
			w.put(uint64(run-11), 7)
			i += run
			continue
		}
		number(uint64(lengths[i]))
		i++
	}
}

// appendTerse appends the parts as one gzip member. ok is false, and nothing is
// appended, if they contain a byte that has no code.
func appendTerse(dst []byte, parts ...[]byte) (out []byte, ok bool) {
	w := terse.start
	sum, size := uint32(0), 0
	for _, part := range parts {
		size += len(part)
	}
	w.b = slices.Grow(dst, 64+len(w.b)+2*size) // no code is longer than two bytes
	w.b = append(append(w.b, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff), terse.start.b...)
	for _, part := range parts {
		if !w.putAll(part) {
			return dst, false
		}
		sum = crc32.Update(sum, crc32.IEEETable, part)
	}
	w.put(uint64(terse.code[256]), uint(terse.length[256]))
	w.put(0, 7) // fill the last byte
	out = binary.LittleEndian.AppendUint32(w.b, sum)
	return binary.LittleEndian.AppendUint32(out, uint32(size)), true
}

// putAll appends the codes of some bytes, four bytes at a time, because it runs for every byte of small records. It
// reports whether all of them have one.
func (s *bitSink) putAll(part []byte) bool {
	b, bits, n := s.b, s.bits, s.n
	for _, c := range part {
		length := uint(terse.length[c])
		if length == 0 {
			return false
		}
		bits |= uint64(terse.code[c]) << (n & 63)
		if n += length; n >= 32 {
			b = binary.LittleEndian.AppendUint32(b, uint32(bits))
			bits >>= 32
			n -= 32
		}
	}
	for ; n >= 8; n -= 8 {
		b = append(b, byte(bits))
		bits >>= 8
	}
	s.b, s.bits, s.n = b, bits, n
	return true
}

// A bitSink is a byte slice that grows by bits, from the lowest bit of a byte
// to the highest.
type bitSink struct {
	b    []byte
	bits uint64 // the bits that do not fill a byte yet
	n    uint   // how many they are, below 8
}

// put appends the n lowest bits of v; n is at most 56.
func (s *bitSink) put(v uint64, n uint) {
	s.bits |= v << s.n
	s.n += n
	for s.n >= 8 {
		s.b = append(s.b, byte(s.bits))
		s.bits >>= 8
		s.n -= 8
	}
}
