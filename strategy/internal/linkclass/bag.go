package linkclass

// A bag holds the terms of a link, and whether the link led to a relevant page.
type bag struct {
	Relevant bool
	Terms    []string
}

// kind returns the index of a class: 1 for relevant.
func kind(relevant bool) int {
	if relevant {
		return 1
	}
	return 0
}

// balanced returns equally many bags of both classes, by repeating those of the rarer class
// in turn. Most links of seeds lead to irrelevant pages; without balance the model would
// learn mostly this prior, and refuse nearly all links. If there is one class only, the
// list is returned as it is.
func balanced(list []bag) []bag {
	var kinds [2][]bag
	for _, b := range list {
		kinds[kind(b.Relevant)] = append(kinds[kind(b.Relevant)], b)
	}
	rare, common := kinds[0], kinds[1]
	if len(rare) > len(common) {
		rare, common = common, rare
	}
	if len(rare) == 0 {
		return list
	}
	for i := len(rare); i < len(common); i++ {
		list = append(list, rare[i%len(rare)])
	}
	return list
}
