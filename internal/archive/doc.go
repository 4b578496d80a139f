// Package archive stores what the web answered, in the formats that web
// archives share: WARC for records, CDXJ for indexes and WACZ for a whole
// collection in one file.
//
// Each record is a gzip member of its own, so that a [dowse.Place] (file,
// offset, length) is enough to read it, and files can be copied, cut and
// blanked out record by record.
//
// Writing:
//
//   - [Encode] turns one exchange with a server into WARC 1.1 records; this is the expensive
//     part and needs no lock
//   - a [Writer] appends encoded records to the files of a folder, all or none per exchange
//   - [Recover] cuts off what a crash left behind the last commit
//   - [Erase] replaces records by blanks of the same length, for takedowns
//   - a [Recorder] does all of this as an http.RoundTripper
//
// Reading:
//
//   - [Records] and [Reader] read WARC files front to back, also those of other writers
//   - [Parts], [ReadableRecords] and [Exchanges] also read damaged files and report what is lost
//   - [At] reads one record at a place
//   - [Web] replays files as an http.RoundTripper
//   - [Verify] and [VerifyWACZ] check everything that can be checked
//
// [Index] lists captures as CDXJ, and [WriteWACZ] packs a collection for replay
// software.
//
// Three invariants hold for what this package writes. The response is the last
// record of an exchange, so the end of a response is the end of everything that
// belongs to it. Encoding is deterministic: the same exchange gives the same
// bytes, record IDs included. And what comes from outside, heads, bodies and
// whole files, is hostile: nothing in it can end a record early or begin
// another one, and reading takes bounded memory.
//
// A record is a header, an empty line, a block and two more line breaks:
//
//	WARC/1.1
//	WARC-Type: response
//	WARC-Record-ID: <urn:uuid:…>
//	WARC-Date: 2026-11-15T12:00:00.000Z
//	WARC-Target-URI: https://example.org/
//	WARC-Payload-Digest: sha1:…
//	Content-Type: application/http;msgtype=response
//	Content-Length: 1234
//
//	HTTP/1.1 200 OK
//	…
//
// The block of a response is the HTTP message; its payload is the body of that
// message. A request record and a metadata record (facts about the page, such
// as its relevance) precede the response and name it in WARC-Concurrent-To. A
// page whose payload is already stored gets a revisit record instead, which has
// the head and refers to the earlier response. The first record of a file,
// warcinfo, describes who wrote it.
//
// The WARC 1.1 specification is ISO 28500:2017.
package archive
