package freshness

import (
	"math"
	"slices"
	"time"

	"dowse/internal/demo"
)

// An ahead is the best policy for a weighted sum of the measures. It knows all rates and when the measurement ends, and plans ahead: how the first
// requests are best used, when all pages have just been fetched, and the last ones, after which nothing counts.
//
// Every request has a price, which depends on the time alone. What is best for a page then does not depend on other pages, and is
// computed backwards from the end, for every time since the page was asked last (dynamic programming). Prices are such that
// as many requests are worth their price as can be made. At each moment the page is asked for which a
// request is worth most.
//
// The values of all pages and the price of all requests add up to a bound: no policy that knows the rates and not the
// moments of changes has a greater weighted sum on average, whatever the prices (Lagrangian duality). So the distance
// between the policy and its bound shows how far from the best possible it can be.
type ahead struct {
	days, step   float64 // how long, and how long a step is
	fresh, found float64 // the weights: of a day on which a page is up to date, and of a change that is found
	perDay       float64 // requests per page
	classes      []class
	prices       []float64 // at each of the ticks
	ticks        []float64 // in days
	worth        [][][]float32
	bound        float64 // per page
}

// A class is pages with about the same rate.
type class struct {
	rate  float64
	share float64 // of all pages
}

// The steps of computing ahead. More of them change the results by less than one in a hundred.
const (
	aheadSteps   = 300
	aheadClasses = 40
	aheadRounds  = 40 // in which prices are found
)

// planAhead returns the best policy for a weight of pages that are up to date, in the unit of [Point.Weight].
func planAhead(w *Web, weight float64) *ahead {
	days := float64(w.setup.Days)
	p := &ahead{days: days, step: days / aheadSteps, fresh: weight * w.setup.PerDay, found: 1, perDay: w.setup.PerDay, classes: classesOf(w.pages)}
	if math.IsInf(weight, 1) {
		p.fresh, p.found = 1, 0
	}
	for _, at := range []float64{0, 0.02, 0.04, 0.07, 0.12, 0.2, 0.35, 0.5, 0.65, 0.8, 0.88, 0.93, 0.97, 0.985, 1} {
		p.ticks = append(p.ticks, at*days)
	}
	p.prices = slices.Repeat([]float64{0.3 * (p.found + 10*p.fresh)}, len(p.ticks))
	p.findPrices()
	p.worth = make([][][]float32, len(p.classes))
	for i, c := range p.classes {
		p.worth[i] = make([][]float32, aheadSteps)
		p.value(c.rate, p.priceOfSteps(), p.worth[i], nil)
	}
	return p
}

// classesOf divides pages into classes at equal ratios of their rates. A page between two of them counts in both, by its distance.
func classesOf(pages []subject) []class {
	least, most := math.Inf(1), 0.0
	for i := range pages {
		least, most = min(least, pages[i].rate), max(most, pages[i].rate)
	}
	most = max(most, 1.001*least)
	list := make([]class, aheadClasses)
	for i := range list {
		list[i].rate = least * math.Pow(most/least, float64(i)/(aheadClasses-1))
	}
	for i := range pages {
		k, part := place(list, pages[i].rate)
		list[k].share += (1 - part) / float64(len(pages))
		list[k+1].share += part / float64(len(pages))
	}
	return list
}

// place returns the class below a rate, and how far the rate is from it to the next, from 0 to 1.
func place(list []class, rate float64) (k int, part float64) {
	ratio := math.Log(list[1].rate / list[0].rate)
	at := math.Log(rate/list[0].rate) / ratio
	k = min(max(int(at), 0), len(list)-2)
	return k, min(max(at-float64(k), 0), 1)
}

// findPrices raises prices where more requests are worth their price than can be made and lowers them where fewer are, and keeps those with the
// lowest bound.
func (p *ahead) findPrices() {
	p.bound = math.Inf(1)
	best, pace := p.prices, 0.3
	for range aheadRounds {
		asks := make([]float64, aheadSteps)
		bound, steps := 0.0, p.priceOfSteps()
		for _, c := range p.classes {
			of := make([]float64, aheadSteps)
			bound += c.share * p.value(c.rate, steps, nil, of)
			for t, n := range of {
				asks[t] += c.share * n
			}
		}
		for _, price := range steps {
			bound += price * p.perDay * p.step
		}
		if bound < p.bound {
			p.bound, best = bound, slices.Clone(p.prices)
		}
		used, possible := make([]float64, len(p.prices)), make([]float64, len(p.prices))
		for t, n := range asks {
			k, part := p.tickOf(t)
			used[k] += (1 - part) * n
			used[k+1] += part * n
			possible[k] += (1 - part) * p.perDay * p.step
			possible[k+1] += part * p.perDay * p.step
		}
		for k := range p.prices {
			p.prices[k] *= math.Exp(pace * min(max(used[k]/possible[k]-1, -1), 1))
		}
		pace *= 0.95
	}
	p.prices = best
}

// tickOf returns the tick before the middle of a step, and how far it is from there to the next, from 0 to 1.
func (p *ahead) tickOf(t int) (k int, part float64) {
	at := (float64(t) + 0.5) * p.step
	for k < len(p.ticks)-2 && at > p.ticks[k+1] {
		k++
	}
	return k, (at - p.ticks[k]) / (p.ticks[k+1] - p.ticks[k])
}

// priceOfSteps returns the price of a request at each step.
func (p *ahead) priceOfSteps() []float64 {
	list := make([]float64, aheadSteps)
	for t := range list {
		k, part := p.tickOf(t)
		list[t] = (1-part)*p.prices[k] + part*p.prices[k+1]
	}
	return list
}

// value returns what a page is worth until the end if it is asked as is best for it at these prices. If asked for, it sets what a request is
// worth at each step, by the number of steps since the one before, and how many requests are expected at each step.
//
// A page that is found to have vanished is up to date from then on, and is not asked any more.
func (p *ahead) value(rate float64, prices []float64, worth [][]float32, asks []float64) float64 {
	lost := rate + demo.VanishRate // the rate at which what is known is out of date
	same, alive, day := powers(lost, p.step), powers(demo.VanishRate, p.step), -math.Expm1(-lost*p.step)/lost
	v := make([]float64, aheadSteps+2)
	doAsk := make([][]bool, aheadSteps)
	for t := aheadSteps - 1; t >= 0; t-- {
		fresh, left := p.fresh*day+v[1], p.fresh*(p.days-float64(t)*p.step)
		doAsk[t] = make([]bool, t+1)
		if worth != nil {
			worth[t] = make([]float32, t+1)
		}
		for age := range t + 1 {
			stay := p.fresh*day*same[age] + v[age+1]
			gain := p.found*(1-same[age]) + (1-alive[age])*left + alive[age]*fresh - stay
			if worth != nil {
				worth[t][age] = float32(gain)
			}
			if v[age] = stay; age > 0 && gain > prices[t] {
				v[age] += gain - prices[t]
				doAsk[t][age] = true
			}
		}
	}
	age, still := 0, 1.0
	for t := range asks {
		if doAsk[t][age] {
			asks[t] = still
			still *= alive[age]
			age = 0
		}
		age++
	}
	return v[0]
}

// powers returns the probability that nothing has happened at a rate, after each number of steps.
func powers(rate, step float64) (list [aheadSteps + 1]float64) {
	for i := range list {
		list[i] = math.Exp(-rate * float64(i) * step)
	}
	return list
}

// policy makes the policy.
func (p *ahead) policy(pages []subject) policy {
	return byWorth{pages, func(x *subject, now time.Time) float64 {
		if x.missing > 0 {
			return neverBack
		}
		t := min(int(now.Sub(epoch).Hours()/24/p.step), aheadSteps-1)
		k, part := place(p.classes, x.rate)
		age := now.Sub(x.asked).Hours() / 24 / p.step
		return (1-part)*between(p.worth[k][t], age) + part*between(p.worth[k+1][t], age)
	}}
}

// between returns the value of a list at a place between two of its numbers.
func between(list []float32, at float64) float64 {
	k := min(int(at), len(list)-1)
	part := at - float64(k)
	return (1-part)*float64(list[k]) + part*float64(list[min(k+1, len(list)-1)])
}
