package collection_test

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"strconv"
	"strings"
	"testing"

	"dowse/collection"
)

// Graphs of a crawl for pages: hosts or pages with relevance, and the links between them.
func TestExportGraphs(t *testing.T) {
	c := open(t, madeDir(t), true)
	st := c.Crawl.Status()
	for _, kind := range []string{"hosts", "pages"} {
		path, n := export(t, c, "a.gexf", collection.ExportOptions{Graph: kind})
		var doc struct {
			Graph struct {
				Nodes []struct {
					Label  string `xml:"label,attr"`
					ID     string `xml:"id,attr"`
					Colour struct {
						Red   int `xml:"r,attr"`
						Green int `xml:"g,attr"`
					} `xml:"http://gexf.net/1.3/viz color"`
					Size struct {
						Value float64 `xml:"value,attr"`
					} `xml:"http://gexf.net/1.3/viz size"`
					Values []struct {
						Value string `xml:"value,attr"`
					} `xml:"attvalues>attvalue"`
				} `xml:"nodes>node"`
				Edges []struct {
					Source string `xml:"source,attr"`
					Target string `xml:"target,attr"`
				} `xml:"edges>edge"`
			} `xml:"graph"`
		}
		if err := xml.Unmarshal(readAll(t, path), &doc); err != nil {
			t.Fatal(err)
		}
		known, relevant := map[string]bool{}, 0
		for _, v := range doc.Graph.Nodes {
			known[v.ID] = true
			relevance, err := strconv.ParseFloat(v.Values[0].Value, 64)
			if green := v.Colour.Green > v.Colour.Red; err != nil || relevance > 0.1 && !green || v.Size.Value < 6 {
				t.Errorf("%s: a node of relevance %g has the colour %+v and the size %g", kind, relevance, v.Colour, v.Size.Value)
			}
			if v.Label == "" || kind == "pages" && (len([]rune(v.Label)) > 60 || !strings.HasPrefix(v.Values[3].Value, "http")) {
				t.Errorf("%s: the label %q, the URL %q", kind, v.Label, v.Values[3].Value)
			}
			if len(v.Values) > 1 && v.Values[1].Value != "0" {
				relevant++
			}
		}
		for _, e := range doc.Graph.Edges {
			if !known[e.Source] || !known[e.Target] || e.Source == e.Target {
				t.Errorf("%s: an edge from %s to %s", kind, e.Source, e.Target)
			}
		}
		if len(doc.Graph.Nodes) != n || relevant == 0 || len(doc.Graph.Edges) < n/2 {
			t.Errorf("%s: %d nodes of %d, %d on topic, %d edges", kind, len(doc.Graph.Nodes), n, relevant, len(doc.Graph.Edges))
		}
		if kind == "pages" && (n != st.Fetched || relevant != st.OnTopic) {
			t.Errorf("%d pages of %d, %d on topic of %d", n, st.Fetched, relevant, st.OnTopic)
		}
		table, _ := export(t, c, "a.edges.csv", collection.ExportOptions{Graph: kind})
		rows, err := csv.NewReader(bytes.NewReader(readAll(t, table))).ReadAll()
		if err != nil || len(rows) != len(doc.Graph.Edges)+1 || rows[0][0] != "source" {
			t.Errorf("%s: %d rows for %d edges, %v", kind, len(rows), len(doc.Graph.Edges), err)
		}
		ml, m := export(t, c, "a.graphml", collection.ExportOptions{Graph: kind})
		if err := xml.Unmarshal(readAll(t, ml), &struct{}{}); err != nil || m != n {
			t.Errorf("%s: %d nodes of %d, %v", kind, m, n, err)
		}
		dot, m := export(t, c, "a.dot", collection.ExportOptions{Graph: kind})
		if b := string(readAll(t, dot)); m != n || !strings.HasPrefix(b, "digraph "+kind+" {") || strings.Count(b, "->") != len(doc.Graph.Edges) {
			t.Errorf("%s: %d nodes of %d", kind, m, n)
		}
		_, on := export(t, c, "on.gexf", collection.ExportOptions{Graph: kind, On: true})
		_, every := export(t, c, "all.gexf", collection.ExportOptions{Graph: kind, All: true})
		if on != relevant || every <= n {
			t.Errorf("%s: %d on topic, want %d; %d known of %d", kind, on, relevant, every, n)
		}
	}
}
