package crawler

// defaultIdle is how many connections a crawl keeps open.
const defaultIdle = 1024

const (
	// ownFiles is how many files a crawl has open in addition to
	// connections, such as journal, archive and snapshot.
	ownFiles = 24
	// filesPerVisit counts a connection, an idle one, and a query to the
	// name server.
	filesPerVisit = 3
)

// maxVisits returns how many visits can be in flight with the number of
// files that this process may open. It is at least 1.
func maxVisits() int {
	return max(1, (openFiles()-ownFiles)/filesPerVisit)
}
