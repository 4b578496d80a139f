// Package archive keeps what the web said, in the formats that web archives share.
//
// [Encode] turns one exchange with a server into WARC 1.1 records, and a
// [Writer] appends them to files that survive a crash. [Records] reads WARC
// files, also those of other writers; [Web] replays them and a [Recorder] makes
// them, both as an http.RoundTripper. [Index] lists captures as CDXJ, [WriteWACZ]
// packs a collection into one file that replay software opens.
//
// Each record is a gzip member of its own, so that a [dowse.Place] is enough to
// read it. What comes from outside, heads, bodies and whole files, is hostile:
// nothing in it can end a record early or begin another one, and reading needs
// bounded memory.
package archive
