package logistic

import (
	"errors"
	"math"
	"strings"

	"dowse"
	"dowse/internal/wordnet"
	"dowse/strategy/internal/state"
)

// A kinds learns what the pages on topic are, by a taxonomy of names: mammals, physicists, musical instruments. Most
// links lead to pages whose names no page of the crawl has had yet; what they are names of is known nevertheless. The name of a page is the
// text of a link to it, or the end of its URL.
//
// Kinds are rated as words are, in two ways: each has a weight, by the outcomes of links, and a count of the pages of
// this kind with the sum of their relevance, from which follows how much it belongs to the topic.
//
// It has 20 bytes for each kind, 1.6 MB for WordNet, and the kinds of the names that were met last. Without a taxonomy there is none: its methods do nothing
// if it is nil.
type kinds struct {
	taxonomy *wordnet.Taxonomy
	known    []kindKnown // by number
	recent   map[wordnet.Name][]wordnet.Kind
	texts    lookedUp // of links
	ends     lookedUp // of paths
	words    []string
	spans    []dowse.Span
}

// A kindKnown is what is known of a kind.
type kindKnown struct {
	W, G  float32 // its weight, and the sum of the squared gradients of it
	N, C  float32 // pages of this kind, and the sum of their relevance
	Topic float32 // how much it belongs to the topic, by its pages
}

const (
	mostNameWords = 8      // a longer text is no name
	mostNameBytes = 96     // nor is this
	recentNames   = 16_384 // names whose kinds are remembered, and texts whose names are
)

// newKinds returns kinds of which nothing is known; nil without a taxonomy.
func newKinds(t *wordnet.Taxonomy) *kinds {
	if t == nil {
		return nil
	}
	return &kinds{taxonomy: t, known: make([]kindKnown, t.Kinds()), recent: map[wordnet.Name][]wordnet.Kind{}, texts: lookedUp{}, ends: lookedUp{}}
}

// name returns the name that the text of a link is; 0 for none.
func (k *kinds) name(phrase string) wordnet.Name {
	if k == nil || len(phrase) > mostNameBytes {
		return 0
	}
	n, ok := k.texts[phrase]
	if !ok {
		n = k.texts.keep(phrase, k.find(phrase))
	}
	return n
}

// lookedUp are the names of the texts that were looked up last.
type lookedUp map[string]wordnet.Name

// keep keeps and returns the name of a text.
func (l lookedUp) keep(text string, n wordnet.Name) wordnet.Name {
	if len(l) == recentNames {
		clear(l)
	}
	l[strings.Clone(text)] = n
	return n
}

// find looks a text up. What follows a comma or a bracket explains the name.
func (k *kinds) find(phrase string) wordnet.Name {
	if i := strings.IndexAny(phrase, "(,"); i >= 0 {
		phrase = phrase[:i]
	}
	k.spans = dowse.AppendWords(k.spans[:0], phrase, 0)
	if n := len(k.spans); n == 0 || n > mostNameWords {
		return 0
	}
	k.words = k.words[:0]
	for _, w := range k.spans {
		k.words = append(k.words, strings.ToLower(phrase[w.Start:w.End]))
	}
	return k.taxonomy.Find(k.words)
}

// nameOfURL returns the name that the end of a URL's path is, without its suffix; 0 for none.
func (k *kinds) nameOfURL(u dowse.URL) wordnet.Name {
	if k == nil {
		return 0
	}
	path, _, _ := strings.Cut(strings.TrimSuffix(pathOf(u), "/"), "?")
	path = path[strings.LastIndexByte(path, '/')+1:]
	if len(path) > mostNameBytes {
		return 0
	}
	n, ok := k.ends[path]
	if !ok {
		n = k.ends.keep(path, k.find(nameIn(path)))
	}
	return n
}

// nameIn returns the end of a path as a text.
func nameIn(path string) string {
	if dot := strings.LastIndexByte(path, '.'); dot > 0 {
		path = path[:dot]
	}
	return inPaths.Replace(path)
}

// inPaths replaces what stands for spaces and brackets in paths.
var inPaths = strings.NewReplacer("_", " ", "-", " ", "+", " ", "%20", " ", "%28", "(", "%2C", ",")

// of returns the kinds of a name.
func (k *kinds) of(n wordnet.Name) []wordnet.Kind {
	if k == nil || n == 0 {
		return nil
	}
	list, ok := k.recent[n]
	if !ok {
		if len(k.recent) == recentNames {
			clear(k.recent)
		}
		list = k.taxonomy.Of(n)
		k.recent[n] = list
	}
	return list
}

// sums returns the sum of the weights of the kinds of a name, and of how much they belong to the topic. The kinds of a name together have
// about length 1, as the words of a place do.
func (k *kinds) sums(n wordnet.Name) (own, topic float64) {
	list := k.of(n)
	for _, x := range list {
		w := &k.known[x.Number]
		own += float64(w.W * x.Share)
		topic += float64(w.Topic * x.Share)
	}
	by := lengthOf(list)
	return float64(own * by), float64(topic * by)
}

// lengthOf returns the value of a kind that is one of a list.
func lengthOf(list []wordnet.Kind) float64 { return 1 / math.Sqrt(float64(max(1, len(list)))) }

// step makes a gradient step for the kinds of a name, see [autoModel.step].
func (k *kinds) step(n wordnet.Name, miss, rate float64) {
	list := k.of(n)
	miss *= lengthOf(list)
	for _, x := range list {
		w := &k.known[x.Number]
		g := miss * float64(x.Share)
		w.G += float32(g * g)
		w.W = float32(bounded(float64(w.W) + float64(rate*g/math.Sqrt(firstSum+float64(w.G)))))
	}
}

// take counts a page of relevance r with this name; usual is the mean relevance of all pages.
func (k *kinds) take(n wordnet.Name, r, usual float64) {
	on, off, odds := topicPrior*usual, topicPrior*(1-usual), (1-usual)/usual
	for _, x := range k.of(n) {
		w := &k.known[x.Number]
		w.N += x.Share
		w.C += x.Share * float32(r)
		w.Topic = float32(math.Log((float64(w.C)+on)/(float64(w.N-w.C)+off)*odds) / topicScale)
	}
}

// decisive returns the kind of a name that is the reason for its rating, and what it adds or takes away; weight is that of belonging to
// the topic. It is the nearest one that adds at least half of what the strongest does: "mammal", not "entity".
func (k *kinds) decisive(n wordnet.Name, weight float64) (word string, most float64) {
	list := k.of(n)
	adds := func(x wordnet.Kind) float64 {
		w := &k.known[x.Number]
		return lengthOf(list) * float64(x.Share) * (float64(w.W) + float64(float64(w.Topic)*weight))
	}
	for _, x := range list {
		most = max(most, math.Abs(adds(x)))
	}
	for _, x := range list {
		if z := adds(x); z != 0 && math.Abs(z) >= most/2 {
			return k.taxonomy.Word(x.Number), z
		}
	}
	return "", 0
}

// kindsState is what was learnt of kinds, in the form in which it is saved.
type kindsState struct {
	Taxonomy uint64 // whose kinds they are
	Known    []byte // packed
}

// saved returns what was learnt; nil without a taxonomy.
func (k *kinds) saved() (*kindsState, error) {
	if k == nil {
		return nil, nil
	}
	b, err := state.Pack(k.known)
	return &kindsState{k.taxonomy.Sum(), b}, err
}

// restore goes on with what was saved, if that is of the same taxonomy. Otherwise it begins afresh.
func (k *kinds) restore(s *kindsState) error {
	if k == nil || s == nil || s.Taxonomy != k.taxonomy.Sum() {
		return nil
	}
	if err := state.Unpack(s.Known, k.known); err != nil {
		return errors.New("strategy: load: what was learnt of kinds is damaged")
	}
	return nil
}
