// Package cluster lets several machines work on one crawl. One coordinator owns the collection
// and decides, exactly as a crawl on one machine does; workers without state make its visits; a
// standby holds a copy of the collection and takes over. NATS JetStream connects them.
//
// The one idea: what was decided is in the journal of the coordinator, and what came back is on a
// stream before anyone relies on it. So every process may be killed at any moment, and the rest
// can work out from journal and streams where it was.
//
// How the parts fit: a [Conn] is a connection to the servers with the names of streams and
// subjects. A [Coordinator] sends visits to workers that have room, and delivers what they
// publish. [Work] is the loop of a worker. The [Shipper] of the coordinator publishes the bytes
// that it has appended to files, and a [Mirror] writes them to the directory of a standby. The
// coordinator holds a [Lease]; the fence is the expected last sequence of the stream of commits,
// so that one that has lost its lease without noticing can no longer commit.
//
// Invariants: an arrival is removed from its stream only when the commit that contains it is
// published. Every message on the stream of commits names how far the journal and the arrivals
// are covered, so the last message alone is enough to go on. Everything that comes from another
// process is checked before it is used: lengths are bounded, and what does not fit is counted and
// dropped.
//
// What it must never do: change what a crawl decides. It moves visits, pages and bytes.
package cluster
