package facts

// IsFeed reports whether a media type, in lower case and without parameters, is that of a feed: RSS, Atom or JSON Feed.
func IsFeed(mediaType string) bool {
	switch mediaType {
	case "application/rss+xml", "application/atom+xml", "application/feed+json":
		return true
	}
	return false
}
