package vectors

import "math"

// The words from which mean and covariance are computed: each third of the first 50,000.
const (
	centreWords = 50_000
	centreStep  = 3
	// ridge is added to the covariance, whose mean variance is 1, so that directions in which words
	// hardly differ are not blown up.
	ridge = 0.1
)

// centre computes the mean of the vectors, and the matrix that makes all directions vary alike:
// the inverse of the Cholesky factor of their covariance.
func (t *Table) centre() {
	n := t.dims
	words := min(len(t.index), centreWords)
	mean := make([]float64, n)
	for row := range words {
		for i, x := range t.rows[row*n : (row+1)*n] {
			mean[i] += float64(x) / float64(words)
		}
	}
	t.mean = make([]float32, n)
	for i, x := range mean {
		t.mean[i] = float32(x)
	}
	t.unmix = inverse(factor(t.covariance(mean, words), n), n)
}

// covariance returns the lower half of the covariance matrix, scaled to a mean variance of 1 and
// with the ridge.
func (t *Table) covariance(mean []float64, words int) []float64 {
	n := t.dims
	c, v := make([]float64, n*n), make([]float64, n)
	for row := 0; row < words; row += centreStep {
		for i, x := range t.rows[row*n : (row+1)*n] {
			v[i] = float64(x) - mean[i]
		}
		for i, x := range v {
			for k, y := range v[:i+1] {
				c[i*n+k] += x * y
			}
		}
	}
	total := 0.0
	for i := range n {
		total += c[i*n+i] / float64(n)
	}
	for i := range n {
		for k := range i + 1 {
			if total > 0 {
				c[i*n+k] /= total
			}
		}
		c[i*n+i] += ridge
	}
	return c
}

// factor returns the Cholesky factor of a positive definite matrix of n rows.
func factor(c []float64, n int) []float64 {
	l := make([]float64, n*n)
	for i := range n {
		for k := range i + 1 {
			x := c[i*n+k]
			for j := range k {
				x -= l[i*n+j] * l[k*n+j]
			}
			if i == k {
				l[i*n+i] = math.Sqrt(x)
			} else {
				l[i*n+k] = x / l[k*n+k]
			}
		}
	}
	return l
}

// inverse returns the inverse of a lower triangular matrix of n rows.
func inverse(l []float64, n int) []float32 {
	out, x := make([]float32, n*n), make([]float64, n)
	for k := range n {
		for i := k; i < n; i++ {
			y := 0.0
			if i == k {
				y = 1
			}
			for j := k; j < i; j++ {
				y -= l[i*n+j] * x[j]
			}
			x[i] = y / l[i*n+i]
			out[i*n+k] = float32(x[i])
		}
	}
	return out
}
