package topic

// MaxFile is maxFile, for the tests outside the package.
const MaxFile = maxFile
