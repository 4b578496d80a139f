package experiment

import "fmt"

// A shortage is something that an experiment asks for a number of, and that some topics of a
// web have fewer of.
type shortage struct {
	what        string
	asked       int
	least, most int // that these topics have
	topics      int
}

// shortages are those of a web, in the order in which they were met.
type shortages []shortage

// add compares what was drawn for a topic with what the experiment asks for. Where no page of the web
// is listed, training pages take the place of listed ones, and that is no shortage.
func (s *shortages) add(t *task) {
	x, d := t.x, t.draw
	s.count("training pages on topic", x.Training.Positives, len(d.positives))
	s.count("training pages off topic", x.Training.Negatives, len(d.negatives))
	s.count("labelled links", x.Training.Links, len(d.links))
	listed := 0
	for _, i := range d.positives {
		if d.listed[i] {
			listed++
		}
	}
	if t.source.labels.AnyListed() {
		s.count("listed training pages", x.Training.Listed, listed)
		if x.Seeds.From == "listed" {
			s.count("listed seeds", x.Seeds.PerTopic, min(listed, x.Seeds.PerTopic))
			return
		}
	}
	s.count("seeds", x.Seeds.PerTopic, len(t.seeds(0, ""))-len(t.source.portal))
}

// count adds a topic that has fewer than were asked for.
func (s *shortages) count(what string, asked, has int) {
	if has >= asked {
		return
	}
	for i := range *s {
		if one := &(*s)[i]; one.what == what {
			one.least, one.most, one.topics = min(one.least, has), max(one.most, has), one.topics+1
			return
		}
	}
	*s = append(*s, shortage{what, asked, has, has, 1})
}

// sentences describes the shortages of a web, given its number of topics.
func (s shortages) sentences(topics int) (list []string) {
	for _, one := range s {
		has := fmt.Sprint(one.least)
		if one.most > one.least {
			has = fmt.Sprintf("%d to %d", one.least, one.most)
		}
		list = append(list, fmt.Sprintf("%s: %s instead of %d on %d of %d topics", one.what, has, one.asked, one.topics, topics))
	}
	return list
}
