package weburl

// Domain and Origin are exported for the tests outside the package.
var (
	Domain = domain
	Origin = origin
)
