package crawler

// Loader lets the tests load the examples of a topic without a crawl.
type Loader = loader

// ContrastSeen is contrastSeen, for the tests outside the package.
const ContrastSeen = contrastSeen
