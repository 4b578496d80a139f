package text

// MaxWord is maxWord, for the tests outside the package.
const MaxWord = maxWord

// ChiSquare is chiSquare, for the tests outside the package.
func (c *Census) ChiSquare(term string) float64 { return c.chiSquare(term) }

// IDF is idf, for the tests outside the package.
func (v *Vocabulary) IDF(id int32) float64 { return v.idf(id) }
