package logistic

// Tests know strategies by these names; programs make them by their names in the list.
type (
	Auto   = auto
	Online = online
)

// WordsAt is wordsAt, for the tests outside the package.
var WordsAt = wordsAt
