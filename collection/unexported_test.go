package collection

// For the tests outside the package.
var (
	ParseLabels = parseLabels
	Sorts       = sorts
)
