package crawler

// defaultIdle is how many connections a crawl keeps open.
const defaultIdle = 1024

const (
	ownFiles      = 24 // files that a crawl has open beside connections: journal, archive, snapshot, ...
	filesPerVisit = 3  // a connection, an idle one, and a question to the name server
)

// visitRoom returns how many visits may be made at once with the files that this
// process may open.
func visitRoom() int {
	return max(1, (openFiles()-ownFiles)/filesPerVisit)
}
