package topic

// MaxFile is maxFile, for the tests outside the package.
const MaxFile = maxFile

// Sum is textSum, for the tests outside the package.
var Sum = textSum
