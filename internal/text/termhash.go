package text

// Hash returns a hash of a term that is the same in every run, in every version
// and on every machine, for tables of fixed size that are stored in files: 64
// bits by Fowler, Noll and Vo (FNV-1a), with the high half mixed into the low
// one.
func Hash(term string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(term); i++ {
		h = (h ^ uint64(term[i])) * 0x100000001b3
	}
	return h ^ h>>32
}
