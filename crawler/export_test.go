package crawler

// Loader lets the tests load the examples of a topic without a crawl.
type Loader = loader
