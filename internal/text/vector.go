package text

import "math"

// An Entry is the weight of one term in a vector.
type Entry struct {
	Term   int32 // its number in a vocabulary
	Weight float64
}

// A Vector is a sparse vector: its entries in ascending order of their terms,
// at most one entry per term. Sums over it are computed in that order, so that
// the same vector always gives the same bits.
type Vector []Entry

// Dot returns the product of two vectors.
func (v Vector) Dot(w Vector) float64 {
	sum := 0.0
	for i, k := 0, 0; i < len(v) && k < len(w); {
		switch {
		case v[i].Term < w[k].Term:
			i++
		case v[i].Term > w[k].Term:
			k++
		default:
			sum += float64(v[i].Weight * w[k].Weight)
			i++
			k++
		}
	}
	return sum
}

// DotDense returns the product with a dense vector, w[i] being the weight of
// term i. Terms beyond its end count as zero.
func (v Vector) DotDense(w []float64) float64 {
	sum := 0.0
	for _, e := range v {
		if int(e.Term) >= len(w) {
			break
		}
		sum += float64(e.Weight * w[e.Term])
	}
	return sum
}

// Norm returns the length of the vector.
func (v Vector) Norm() float64 {
	sum := 0.0
	for _, e := range v {
		sum += float64(e.Weight * e.Weight)
	}
	return math.Sqrt(sum)
}

// Normalize scales the vector, in place, to length 1. A vector of zeros is not
// changed.
func (v Vector) Normalize() {
	norm := v.Norm()
	if norm == 0 {
		return
	}
	for i := range v {
		v[i].Weight /= norm
	}
}

// Weight returns the weight of a term, 0 if the vector lacks it. It searches by
// bisection.
func (v Vector) Weight(term int32) float64 {
	for low, high := 0, len(v); low < high; {
		switch mid := int(uint(low+high) / 2); {
		case v[mid].Term == term:
			return v[mid].Weight
		case v[mid].Term < term:
			low = mid + 1
		default:
			high = mid
		}
	}
	return 0
}
