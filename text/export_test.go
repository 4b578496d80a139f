package text

// Cosine returns the cosine of the angle between two vectors, 0 if either has no
// length.
//
// Equation 3 of Taylan et al. 2011 has the root of a sum below the line, which
// does not keep the value within the 1 that they state; this has the product of
// the lengths.
func Cosine(a, b Vector) float64 {
	na, nb := a.Norm(), b.Norm()
	if na == 0 || nb == 0 {
		return 0
	}
	return a.Dot(b) / (na * nb)
}

// MaxWord is maxWord, for the tests outside the package.
const MaxWord = maxWord

// ChiSquare is chiSquare, for the tests outside the package.
func (c *Census) ChiSquare(term string) float64 { return c.chiSquare(term) }

// IDF is idf, for the tests outside the package.
func (v *Vocabulary) IDF(id int32) float64 { return v.idf(id) }
