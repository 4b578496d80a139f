package collection

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"

	"dowse/internal/facts"
	"dowse/internal/site"
)

// siteFields returns the columns of a site, which are the names of its JSON
// fields.
func siteFields() (names []string) {
	row := reflect.TypeFor[site.Site]()
	for i := range row.NumField() {
		name, _, _ := strings.Cut(row.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// sites returns the sites to export: those on topic, or with All every site of
// which a page was read.
func (x *exporter) sites() (list []site.Site, err error) {
	all, err := x.c.Sites()
	for _, s := range all {
		if s.Verdict == site.Relevant || x.opt.All && s.Order > 0 {
			list = append(list, s)
		}
	}
	return list, err
}

// sitesJSONL writes one JSON object per site and line.
func (x *exporter) sitesJSONL(w io.Writer) error {
	list, err := x.sites()
	if err != nil {
		return err
	}
	for _, s := range list {
		line, err := facts.Encode(s)
		if err != nil {
			return err
		}
		x.n++
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// sitesCSV writes a header and one row per site.
func (x *exporter) sitesCSV(w io.Writer) error {
	list, err := x.sites()
	if err != nil {
		return err
	}
	fields := siteFields()
	out := csv.NewWriter(w)
	err = out.Write(fields)
	for _, s := range list {
		line, enc := facts.Encode(s)
		var all map[string]json.RawMessage
		if err = errors.Join(err, enc, json.Unmarshal(line, &all)); err != nil {
			return err
		}
		cells := make([]string, len(fields))
		for i, f := range fields {
			cells[i] = cell(all[f])
		}
		x.n++
		err = out.Write(cells)
	}
	out.Flush()
	return errors.Join(err, out.Error())
}

// graph calls write with the site graph: all known sites with All, otherwise
// only those of which a page was read. The number of nodes is the count of the
// export.
func (x *exporter) graph(write func(g *site.Graph) error) error {
	g, err := x.c.SiteGraph()
	if err != nil {
		return err
	}
	if !x.opt.All {
		read := 0
		for i := range g.Nodes {
			if g.Nodes[i].Order > 0 {
				read++
			}
		}
		g = g.Reduced(read)
	}
	x.n = len(g.Nodes)
	return write(g)
}

// svg draws the graph of sites.
func (x *exporter) svg(w io.Writer) error {
	return x.graph(func(g *site.Graph) error { return g.SVG(w, "Sites of "+x.c.Settings.Name) })
}
