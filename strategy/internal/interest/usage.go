package interest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"dowse"
	"dowse/strategy/input"
)

// Usage are the parameters of learning from a trace (Aggarwal 2002), which records which
// people accessed which pages in which order. A zero field means its default.
type Usage struct {
	Near      int    `param:"near" default:"5" help:"accesses before and after one to a page on topic that count as near it; ours, Aggarwal 2004 gives no number"`
	Expand    string `param:"expand" default:"on-topic" help:"whose readers are followed: those of pages on topic (on-topic), or of all (always); ours"`
	Users     int    `param:"users" default:"30" help:"people of a page that are looked at; ours"`
	Signature int    `param:"signature" default:"30" help:"words of a page that are remembered of those who read it; Aggarwal 2002"`
	Tastes    int    `param:"tastes" default:"30" help:"words that are remembered of a person; ours"`
	Weights   string `param:"user-factors" default:"users+signatures+near" help:"what is learnt from the trace: people, the words they read, what is accessed near pages on topic; users*2+near weighs (Aggarwal 2004, eq. 14: all alike)"`

	Trace input.Trace // who went where; required
}

// The pages whose readers are followed.
const (
	expandOnTopic = "on-topic"
	expandAlways  = "always"
)

// errNoTrace is returned by strategies that need a trace and were given none.
var errNoTrace = errors.New("it needs a trace of who visited which page, such as a proxy's access log")

// check returns an error for a value of expand, a factor or a weight that does not exist.
func (u *Usage) check() error {
	if u.Expand != "" && u.Expand != expandOnTopic && u.Expand != expandAlways {
		return fmt.Errorf("expand=%s: want %s or %s", u.Expand, expandOnTopic, expandAlways)
	}
	_, err := u.weights()
	return err
}

// weights parses the parameter user-factors. It returns the weight of each factor, 0 for
// one that is left out.
func (u *Usage) weights() (w habits, err error) {
	if u.Weights == "" {
		return habits{1, 1, 1}, nil
	}
	err = parseWeights(w[:], "user-factors", u.Weights, habitNames[:])
	return w, err
}

// follow sets the trace to learn from.
func (u *Usage) follow(t input.Trace) error {
	if t == nil {
		return errNoTrace
	}
	u.Trace = t
	return nil
}

// The factors of a trace, in the order in which they are written in reasons.
const (
	byUsers = iota
	bySignature
	byNearness
	habitCount
)

var habitNames = [habitCount]string{"users", "signatures", "near"}

var habitText = [habitCount]string{"people who went there", "words those people read", "accessed near pages on topic"}

// habits are the logarithms of the ratios of an accessed page. Their sum is the logarithm
// of eq. 14.
type habits [habitCount]float64

func (h *habits) sum() float64 { return h[byUsers] + h[bySignature] + h[byNearness] }

func (h *habits) because(dst []dowse.Because) []dowse.Because {
	for i, x := range h {
		dst = append(dst, dowse.Because{What: habitText[i], Weight: x})
	}
	return dst
}

// usage learns from a trace. People and pages are known by their numbers in the trace, so
// that all state is arrays and bit sets of the trace's size.
type usage struct {
	state usageState

	ratios *Ratios
	params *Usage
	trace  input.Trace
	words  ratioCache
	now    ratioModel
	weigh  habits // weights of the factors; 0 leaves one out

	union  []word
	shared [][]word
	people [][]uint32
	pages  []uint32
	order  []uint32 // pages by how often they were accessed
	rounds []uint32 // by page: in which it was last gathered
	round  uint32
}

// usageState is what was learnt from the trace, and which of its pages wait. It is saved as
// it is; its fields are a file format.
type usageState struct {
	Pages, People int // of the trace
	Base          ratioCell
	Pace          pace
	Users         []ratioCell
	Absent        map[string]input.Tally // users that this trace does not have
	Local         [2]ratioCell           // far from and near pages on topic
	Tastes        [][]word               // by user
	Near          bitset                 // pages
	Queued        bitset                 // pages that are or were candidates
	Done          bitset                 // pages that were visited, or can't be
	Expanded      bitset                 // users whose path is queued, or about to be
	Pending       []uint32               // users whose path is to be queued
	At            int                    // where in the first of them
	Aliases       map[dowse.URL]uint32
	Asked         int  // pages of order that were looked at
	Idle          uint // times in a row that there was nothing to visit
}

// newUsage returns a usage without knowledge. It counts words in the given table, in the
// column asSignature.
func newUsage(r *Ratios, u *Usage, words *termTable) *usage {
	k := &usage{ratios: r, params: u, trace: u.Trace}
	k.weigh, _ = u.weights() // Check reports what is wrong with them
	words.addCache(&k.words, asSignature)
	pages, people := u.Trace.Pages(), u.Trace.Users()
	k.state = usageState{
		Pages: pages, People: people, Users: make([]ratioCell, people), Tastes: make([][]word, people), Absent: map[string]input.Tally{},
		Near: newBitset(pages), Queued: newBitset(pages), Done: newBitset(pages), Expanded: newBitset(people), Aliases: map[dowse.URL]uint32{},
	}
	k.rounds = make([]uint32, pages)
	k.rebase()
	return k
}

// fits returns an error if a saved state belongs to a trace of another size.
func (k *usage) fits(s *usageState) error {
	if s.Pages != k.trace.Pages() || s.People != k.trace.Users() {
		return fmt.Errorf("strategy: load: the trace is another: %d pages and %d people, not %d and %d", k.trace.Pages(), k.trace.Users(), s.Pages, s.People)
	}
	return nil
}

// restore continues from a saved state that fits.
func (k *usage) restore(s usageState, words *termTable) {
	if s.Aliases == nil {
		s.Aliases = map[dowse.URL]uint32{}
	}
	if s.Absent == nil {
		s.Absent = map[string]input.Tally{}
	}
	k.state = s
	words.addCache(&k.words, asSignature)
	k.rebase()
}

// update makes the ratios follow the counts. It is called once after each page that changed
// them.
func (k *usage) update() {
	if k.state.Pace.due(k.state.Base, k.ratios.Exact) {
		k.rebase()
	}
	k.words.grow()
}

// rebase computes with the share of pages on topic that was recorded last.
func (k *usage) rebase() {
	base := k.state.Pace.Base
	k.now = k.ratios.at(base, base.N)
	k.words.setModel(k.now)
	k.words.grow()
}

// page returns the number in the trace of a URL, or of a page that redirects to it.
func (k *usage) page(u dowse.URL) (page uint32, ok bool) {
	if page, ok = k.trace.Page(u); !ok && len(k.state.Aliases) > 0 {
		page, ok = k.state.Aliases[u]
	}
	return page, ok
}

// pageOf is page for a target, in which the number is cached.
func (k *usage) pageOf(t *target) (page uint32, ok bool) {
	if t.page == 0 {
		t.page = noPlace
		if page, ok := k.trace.Page(t.url); ok {
			t.page = page + 1
		}
	}
	if t.page != noPlace {
		return t.page - 1, true
	}
	if len(k.state.Aliases) > 0 {
		page, ok = k.state.Aliases[t.url]
	}
	return page, ok
}

// waits reports whether a page of the trace is a candidate that was not visited.
func (k *usage) waits(page uint32) bool { return k.state.Queued.has(page) && !k.state.Done.has(page) }

func (k *usage) users() int { return cmp.Or(k.params.Users, 30) }

// visitors returns the people who accessed a page, the first Users of them. A page that
// thousands accessed costs no more than others, and its ratio rests on a sample.
func (k *usage) visitors(page uint32) []uint32 {
	who := k.trace.Visitors(page)
	return who[:min(len(who), k.users())]
}

// rate returns the weighted factors of an accessed page: of the people (eqs 8 to 10), of the words
// these people read, and of whether it was accessed near pages on topic (eqs 12 and 13). A
// page without people gets none. The cost is Users times Tastes lookups at most.
func (k *usage) rate(page uint32) (h habits) {
	who := k.visitors(page)
	if k.now.flat || len(who) == 0 {
		return h
	}
	for _, u := range who {
		h[byUsers] += k.words.significant(k.state.Users[u])
	}
	k.words.begin()
	for _, taste := range k.tastes(who) {
		h[bySignature] += k.words.sum(taste)
	}
	if c := k.state.Local[k.side(page)]; c.N > 0 {
		h[byNearness] = k.now.ln(c)
	}
	for i := range h {
		h[i] *= k.weigh[i]
	}
	return h
}

// side returns the index in Local of a page: 1 if it was accessed near a page on topic.
func (k *usage) side(page uint32) int {
	if k.state.Near.has(page) {
		return 1
	}
	return 0
}

// learn counts the outcome of a page by what was known before the visit. Page is its
// number, if it was accessed.
func (k *usage) learn(page uint32, accessed, on bool) {
	s := &k.state
	s.Base.count(on)
	s.Idle = 0
	if !accessed {
		return
	}
	k.touchPeople([]uint32{page})
	k.words.begin()
	k.union = k.union[:0]
	who := k.visitors(page)
	for _, u := range who {
		s.Users[u].count(on)
	}
	for _, taste := range k.tastes(who) {
		k.union = k.words.fresh(k.union, taste)
	}
	for _, w := range k.union {
		k.words.learn(w, on)
	}
	s.Local[k.side(page)].count(on)
}

// spread adds the words of a visited page to those that its people are known by. Around a
// page on topic, pages accessed shortly before and after are marked as near (eq. 11). What
// the people accessed is to be queued if the page is on topic, or always if Expand demands
// it.
func (k *usage) spread(page uint32, words []word, on bool) {
	s := &k.state
	words = words[:min(len(words), cmp.Or(k.params.Signature, 30))]
	who := k.visitors(page)
	for _, u := range who {
		k.taste(u, words)
	}
	if on {
		k.pages = k.trace.Around(k.pages[:0], page, k.users(), cmp.Or(k.params.Near, 5))
		for _, p := range k.pages {
			s.Near.set(p)
		}
	}
	if on || k.params.Expand == expandAlways {
		k.follow(who)
	}
}

// tastes returns the lists of words that users are known by. A list that several users
// share is returned once: many people have read the same page only.
func (k *usage) tastes(users []uint32) [][]word {
	k.shared = k.shared[:0]
	for _, u := range users {
		if t := k.state.Tastes[u]; len(t) > 0 && !slices.ContainsFunc(k.shared, func(s []word) bool { return &s[0] == &t[0] && len(s) == len(t) }) {
			k.shared = append(k.shared, t)
		}
	}
	return k.shared
}

// taste adds words to those that a user is known by, up to Tastes. Users may share a list,
// which is therefore never changed but replaced.
func (k *usage) taste(user uint32, words []word) {
	had, most := k.state.Tastes[user], cmp.Or(k.params.Tastes, 30)
	if len(had) == 0 {
		k.state.Tastes[user] = words[:min(len(words), most)]
		return
	}
	k.words.begin()
	k.union = k.words.fresh(k.union[:0], had)
	if len(k.union) == len(had) && len(had) >= most {
		return
	}
	k.union = k.words.fresh(k.union, words)
	k.state.Tastes[user] = slices.Clone(k.union[:min(len(k.union), most)])
}

// follow marks users whose accesses are to be queued, each once.
func (k *usage) follow(users []uint32) {
	for _, u := range users {
		if !k.state.Expanded.has(u) {
			k.state.Expanded.set(u)
			k.state.Pending = append(k.state.Pending, u)
		}
	}
}

// candidates returns at most so many pages, accessed by users whose accesses are to be
// queued, and makes them candidates. The rest is left for the next calls, so that a popular
// page does not hold up the crawl.
func (k *usage) candidates(most int) []uint32 {
	s := &k.state
	k.pages = k.pages[:0]
	for len(s.Pending) > 0 {
		path := k.trace.Path(s.Pending[0])
		for s.At < len(path) {
			if len(k.pages) == most {
				return k.pages
			}
			p := path[s.At]
			s.At++
			k.candidate(p)
		}
		s.Pending, s.At = s.Pending[1:], 0
	}
	return k.pages
}

// reject takes a page that was just made a candidate out again. It can become one again
// when another person accessed it whose accesses are to be queued.
func (k *usage) reject(page uint32) { k.state.Queued.unset(page) }

// candidate makes a page a candidate unless it is or was one.
func (k *usage) candidate(p uint32) {
	if !k.state.Queued.has(p) && !k.state.Done.has(p) {
		k.state.Queued.set(p)
		k.pages = append(k.pages, p)
	}
}

// burst returns how many new candidates one page may bring.
func (k *usage) burst() int {
	if k.ratios.Exact {
		return k.state.Pages + 1
	}
	return max(1, k.ratios.rescored()/2)
}

// most returns how many waiting pages are rated again after one page: a quarter of what
// links get, since a page has more people than linking pages, and people have more words.
func (k *usage) most() int { return max(1, k.ratios.rescored()/4) }

// kin appends waiting pages that the people of a page accessed: first those accessed
// shortly before or after it, then the beginnings of these people's paths.
func (k *usage) kin(dst []uint32, page uint32) []uint32 {
	most := k.most()
	k.gather()
	k.rounds[page] = k.round
	k.pages = k.trace.Around(k.pages[:0], page, k.users(), cmp.Or(k.params.Near, 5))
	dst = k.waiting(dst, k.pages, most)
	k.touchPaths(page)
	for _, u := range k.visitors(page) {
		path := k.trace.Path(u)
		if dst = k.waiting(dst, path[:min(len(path), most)], most); len(dst) == most {
			break
		}
	}
	return dst
}

// waiting appends those of some pages that wait and were not collected in this round.
func (k *usage) waiting(dst, pages []uint32, most int) []uint32 {
	for _, p := range pages {
		if len(dst) < most && k.waits(p) && k.rounds[p] != k.round {
			k.rounds[p] = k.round
			dst = append(dst, p)
		}
	}
	return dst
}

// everything appends all pages that wait, for the parameter exact.
func (k *usage) everything(dst []uint32) []uint32 {
	for p := range uint32(k.state.Pages) {
		if k.waits(p) {
			dst = append(dst, p)
		}
	}
	return dst
}

// gather begins a new round of collecting pages.
func (k *usage) gather() {
	if k.round++; k.round == 0 {
		clear(k.rounds)
		k.round = 1
	}
}

// settle records that a URL was visited, or cannot be.
func (k *usage) settle(u dowse.URL) {
	if page, ok := k.page(u); ok {
		k.state.Done.set(page)
	}
	delete(k.state.Aliases, u)
}

// redirect lets the people of an accessed page count for the page that it redirects to,
// unless that page was accessed itself or was visited.
func (k *usage) redirect(u dowse.URL, to *dowse.Link) {
	page, ok := k.page(u)
	_, own := k.trace.Page(to.URL)
	k.settle(u)
	if !ok || own || to.Target.State == dowse.Visited {
		return
	}
	k.state.Done.unset(page)
	k.state.Queued.set(page)
	k.state.Aliases[to.URL] = page
}

// restart returns pages to continue with when nothing waits: those of users whose accesses
// are to be queued, else the page that was accessed most often (the paper begins with
// random pages). If the crawl visits none of them, for instance because they are out of its
// scope, it gets twice as many the next time, up to 65,536.
func (k *usage) restart() []uint32 {
	if pages := k.candidates(k.burst()); len(pages) > 0 {
		return pages
	}
	s := &k.state
	most := 1 << min(s.Idle, 16)
	s.Idle++
	for order := k.byVisits(); s.Asked < len(order) && len(k.pages) < most; s.Asked++ {
		k.candidate(order[s.Asked])
	}
	return k.pages
}

// byVisits returns all pages, those accessed most often first, equal ones by URL. They are
// sorted once.
func (k *usage) byVisits() []uint32 {
	if k.order == nil {
		k.order = make([]uint32, k.state.Pages)
		for i := range k.order {
			k.order[i] = uint32(i)
		}
		slices.SortFunc(k.order, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(k.trace.Visits(b), k.trace.Visits(a)), cmp.Compare(k.trace.URL(a), k.trace.URL(b)))
		})
	}
	return k.order
}

// learnt returns the counts without the state of the crawl. Users are named by their keys,
// which are the same in other traces.
func (k *usage) learnt() *input.UsageLearnt {
	s := &k.state
	l := &input.UsageLearnt{
		Pages: input.Tally{s.Base.N, s.Base.C}, Users: map[string]input.Tally{}, Signatures: k.words.lex.counts(asSignature),
		Near: input.Tally{s.Local[1].N, s.Local[1].C}, Far: input.Tally{s.Local[0].N, s.Local[0].C},
	}
	for key, t := range s.Absent {
		l.Users[key] = t
	}
	for u, c := range s.Users {
		if c.N > 0 {
			l.Users[k.trace.Key(uint32(u))] = input.Tally{c.N, c.C}
		}
	}
	return l
}

// reuse adds the counts of another crawl, times a weight (SPEC C.13). Users whose ratio is
// significant and above 1 are followed from the start.
func (k *usage) reuse(l *input.UsageLearnt, weight float64) {
	s := &k.state
	s.Base.add(cellOf(l.Pages), weight)
	s.Local[1].add(cellOf(l.Near), weight)
	s.Local[0].add(cellOf(l.Far), weight)
	k.words.lex.reuse(l.Signatures, asSignature, weight)
	k.words.recount()
	k.reuseUsers(l.Users, weight)
	s.Pace.due(s.Base, true)
	k.rebase()
	for u := range s.Users {
		if k.now.significant(s.Users[u]) > 0 {
			k.follow([]uint32{uint32(u)})
		}
	}
}

// reuseUsers adds the counts of users. Those of users who are not in this trace are kept,
// so that they are not lost for a crawl that starts from this one.
func (k *usage) reuseUsers(users map[string]input.Tally, weight float64) {
	here := map[string]bool{}
	for u := range k.state.Users {
		key := k.trace.Key(uint32(u))
		if t, ok := users[key]; ok {
			k.state.Users[u].add(cellOf(t), weight)
			here[key] = true
		}
	}
	for key, t := range users {
		if !here[key] {
			k.state.Absent[key] = input.Tally{t[0] * weight, t[1] * weight}
		}
	}
}

// touch loads the URLs of pages into the cache, see lead.TouchNotes.
//
//go:noinline
func (k *usage) touch(pages []uint32) (sum int) {
	for _, p := range pages {
		sum += len(k.trace.URL(p))
	}
	for _, p := range pages {
		if u := k.trace.URL(p); u != "" {
			sum += int(u[0])
		}
	}
	return sum
}

// touchPeople loads what is known of the people of pages into the cache, see
// lead.TouchNotes: who they are, then their counts, then the words that they are known by.
//
//go:noinline
func (k *usage) touchPeople(pages []uint32) (sum float64) {
	k.people = k.people[:0]
	for _, p := range pages {
		k.people = append(k.people, k.visitors(p))
	}
	for _, who := range k.people {
		for i := 0; i < len(who); i += 16 {
			sum += float64(who[i])
		}
	}
	for _, who := range k.people {
		for _, u := range who {
			sum += k.state.Users[u].N + float64(len(k.state.Tastes[u]))
		}
	}
	for _, who := range k.people {
		for _, u := range who {
			list := k.state.Tastes[u]
			for i := 0; i < len(list); i += 16 {
				sum += float64(list[i])
			}
		}
	}
	return sum
}

// touchPaths loads the paths of a page's people into the cache, see lead.TouchNotes.
//
//go:noinline
func (k *usage) touchPaths(page uint32) (sum uint32) {
	who := k.visitors(page)
	for _, u := range who {
		sum += uint32(len(k.trace.Path(u)))
	}
	for _, u := range who {
		if path := k.trace.Path(u); len(path) > 0 {
			sum += path[0]
		}
	}
	return sum
}

// A bitset is a set of small numbers. It does not grow: a number must be below the size
// that it was made for.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i uint32) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b bitset) set(i uint32)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) unset(i uint32)    { b[i>>6] &^= 1 << (i & 63) }
