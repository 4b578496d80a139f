package experiment

import (
	"slices"
	"strings"
)

// A work is a publication to cite.
type work struct{ Text, BibTeX string }

// works returns the publications by the keys that experiments use in "cite".
// They are a function, not a variable, because nothing may change them.
func works() map[string]work {
	works := map[string]work{}
	for _, w := range []struct{ key, text, fields string }{
		{"wang2009", "Wang, Guan, Chen, Bu, Wang and Lin: On-line topical importance estimation: an effective focused crawling algorithm combining link and content analysis. Journal of Zhejiang University SCIENCE A, 2009.",
			`@article{wang2009,
  author  = {Wang, Can and Guan, Zi-yu and Chen, Chun and Bu, Jia-jun and Wang, Jun-feng and Lin, Huai-zhong},
  title   = {On-line topical importance estimation: an effective focused crawling algorithm combining link and content analysis},
  journal = {Journal of Zhejiang University SCIENCE A},
  year    = {2009}
}`},
		{"taylan2011", "Taylan, Poyraz, Akyokuş and Ganiz: Intelligent focused crawler: learning which links to crawl. INISTA 2011.",
			`@inproceedings{taylan2011,
  author    = {Taylan, Duygu and Poyraz, Mitat and Akyoku{\c{s}}, Selim and Ganiz, Murat Can},
  title     = {Intelligent focused crawler: learning which links to crawl},
  booktitle = {International Symposium on Innovations in Intelligent Systems and Applications (INISTA)},
  year      = {2011}
}`},
		{"seyfi2015", "Seyfi and Patel: Empirical evaluation of the link and content-based focused Treasure-Crawler. Computer Standards & Interfaces, 2015.",
			`@article{seyfi2015,
  author  = {Seyfi, Ali and Patel, Ahmed},
  title   = {Empirical evaluation of the link and content-based focused {Treasure-Crawler}},
  journal = {Computer Standards \& Interfaces},
  year    = {2015},
  doi     = {10.1016/j.csi.2015.09.007}
}`},
		{"ester2004", "Ester, Kriegel and Schubert: Accurate and efficient crawling for relevant websites. VLDB 2004.",
			`@inproceedings{ester2004,
  author    = {Ester, Martin and Kriegel, Hans-Peter and Schubert, Matthias},
  title     = {Accurate and efficient crawling for relevant websites},
  booktitle = {Proceedings of the 30th International Conference on Very Large Data Bases (VLDB)},
  year      = {2004}
}`},
		{"aggarwal2004", "Aggarwal: On learning strategies for topic specific web crawling. 2004.",
			`@misc{aggarwal2004,
  author = {Aggarwal, Charu C.},
  title  = {On learning strategies for topic specific web crawling},
  year   = {2004}
}`},
		{"west2009", "West, Pineau and Precup: Wikispeedia: an online game for inferring semantic distances between concepts. IJCAI 2009.",
			`@inproceedings{west2009,
  author    = {West, Robert and Pineau, Joelle and Precup, Doina},
  title     = {Wikispeedia: an online game for inferring semantic distances between concepts},
  booktitle = {Proceedings of the 21st International Joint Conference on Artificial Intelligence (IJCAI)},
  year      = {2009}
}`},
		{"west2012", "West and Leskovec: Human wayfinding in information networks. WWW 2012.",
			`@inproceedings{west2012,
  author    = {West, Robert and Leskovec, Jure},
  title     = {Human wayfinding in information networks},
  booktitle = {Proceedings of the 21st International Conference on World Wide Web (WWW)},
  year      = {2012}
}`},
	} {
		works[w.key] = work{w.text, w.fields}
	}
	return works
}

// sources maps strategies to the work that introduced them, or that compared them
// under the conditions used here.
var sources = map[string]string{
	"link-context": "wang2009", "opic": "wang2009", "otie": "wang2009",
	"lsfc": "taylan2011", "lsfc-optimised": "taylan2011", "nb": "taylan2011", "nb-threshold": "taylan2011", "nb-updateable": "taylan2011",
	"treasure": "seyfi2015", "context-graph": "seyfi2015",
	"site": "ester2004", "site-pages": "ester2004", "homepages": "ester2004",
	"intelligent": "aggarwal2004", "collaborative": "aggarwal2004", "combined": "aggarwal2004",
}

// Cited returns the works to cite for an experiment, each once: those that it
// names, those of its strategies, and those of the webs that it ran on.
func (x *Experiment) Cited(webs []WebFacts) (list []work) {
	keys := slices.Clone(x.Cite)
	for _, s := range x.Strategies {
		if key, ok := sources[s.Name]; ok {
			keys = append(keys, key)
		}
	}
	if slices.ContainsFunc(webs, func(w WebFacts) bool { return strings.Contains(strings.ToLower(w.Name), "wikispeedia") }) {
		keys = append(keys, "west2012", "west2009")
	}
	all, listed := works(), map[string]bool{}
	for _, key := range keys {
		if !listed[key] {
			listed[key] = true
			list = append(list, all[key])
		}
	}
	return list
}
