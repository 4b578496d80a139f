package crawler

// defaultIdle is how many connections a crawl keeps open.
const defaultIdle = 1024

const (
	ownFiles      = 24 // files that a crawl has open beside connections: journal, archive, snapshot, ...
	filesPerVisit = 3  // a connection, an idle one, and a question to the name server
)

// visitRoom returns how many visits can be in flight with the number of
// files that this process may open. It is at least 1.
func visitRoom() int {
	return max(1, (openFiles()-ownFiles)/filesPerVisit)
}
