package admission

import (
	"maps"
	"slices"

	"dowse/internal/frontier"
	"dowse/internal/wire"
)

type stateReader = wire.Reader[[]byte]

// Write appends what the gate has learnt to a snapshot, its scope left aside.
func (g *Gate) Write(w *wire.Writer) {
	g.chains.write(w)
	g.shapes.write(w)
	g.farms.write(w)
	g.domains.write(w)
	g.near.write(w)
}

// Read adds to a new gate what [Gate.Write] wrote. Faults are those of the reader.
func (g *Gate) Read(r *wire.Reader[[]byte]) {
	g.chains.read(r)
	g.shapes.read(r)
	g.farms.read(&g.traps, r)
	g.domains.read(&g.traps, r)
	g.near.read(r)
}

// WriteHomes appends what the scope has learnt from seeds.
func (g *Gate) WriteHomes(w *wire.Writer) {
	w.Uint(uint64(len(g.scope.homes)))
	for _, h := range slices.Sorted(maps.Keys(g.scope.homes)) {
		w.Text(h)
	}
}

// ReadHomes reads what [Gate.WriteHomes] wrote.
func (g *Gate) ReadHomes(r *wire.Reader[[]byte]) {
	for range r.Items(1) {
		g.scope.homes[r.Text()] = true
	}
}

// Fits reports whether all URLs and hosts in the gate are among the first ids URLs and the
// first hosts hosts. A snapshot for which that is false is damaged.
func (g *Gate) Fits(ids frontier.ID, hosts frontier.HostID) bool {
	for id := range g.chains {
		if id >= ids {
			return false
		}
	}
	return g.near.fits(ids, hosts)
}

// The fewest bytes that an item of a list takes.
const (
	chainSize  = 2
	shapeSize  = 12
	farmSize   = 10
	domainSize = 14
)

func (c chains) write(w *wire.Writer) {
	w.Uint(uint64(len(c)))
	for _, id := range slices.Sorted(maps.Keys(c)) {
		w.Uint(uint64(id))
		w.Byte(c[id])
	}
}

func (c chains) read(r *stateReader) {
	for range r.Items(chainSize) {
		id := frontier.ID(r.Uint())
		c[id] = r.Byte()
	}
}

func (s shapes) write(w *wire.Writer) {
	w.Uint(uint64(len(s)))
	for _, k := range slices.Sorted(maps.Keys(s)) {
		x := s[k]
		w.Uint64(k)
		writeCounts(w, x.visited, x.novel, x.onTopic)
		w.Uint(uint64(x.errors)<<32 | uint64(x.sets)) // snapshots of earlier versions have the sets only
	}
}

func (s shapes) read(r *stateReader) {
	for range r.Items(shapeSize) {
		x := &shape{}
		s[r.Uint64()] = x
		readCounts(r, &x.visited, &x.novel, &x.onTopic)
		both := r.Uint()
		x.sets, x.errors = uint32(both), uint32(both>>32)
	}
}

func (f *farms) write(w *wire.Writer) {
	w.Uint(uint64(len(f.lands)))
	for _, k := range slices.Sorted(maps.Keys(f.lands)) {
		w.Uint64(k)
		x := f.lands[k]
		w.Uint(uint64(x.crossed)<<32 | uint64(x.visited)) // snapshots of earlier versions have the visits only
		writeCounts(w, x.strays)
	}
}

func (f *farms) read(t *Traps, r *stateReader) {
	for range r.Items(farmSize) {
		x := &farm{}
		f.lands[r.Uint64()] = x
		both := r.Uint()
		x.visited, x.crossed = uint32(both), uint32(both>>32)
		readCounts(r, &x.strays)
		f.found += count(x.isFarm(t))
	}
}

func (d *domains) write(w *wire.Writer) {
	w.Uint(uint64(len(d.owners)))
	for _, k := range slices.Sorted(maps.Keys(d.owners)) {
		x := d.owners[k]
		w.Uint64(k)
		writeCounts(w, x.hosts, x.granted, x.novel, x.onTopic, x.farm.visited, x.farm.strays)
	}
}

func (d *domains) read(t *Traps, r *stateReader) {
	for range r.Items(domainSize) {
		k := r.Uint64()
		var x domain
		readCounts(r, &x.hosts, &x.granted, &x.novel, &x.onTopic, &x.farm.visited, &x.farm.strays)
		d.owners[k] = x
		d.farms += count(x.farm.isFarm(t))
	}
}

func writeCounts(w *wire.Writer, counts ...uint32) {
	for _, n := range counts {
		w.Uint(uint64(n))
	}
}

func readCounts(r *stateReader, counts ...*uint32) {
	for _, n := range counts {
		*n = uint32(r.Uint())
	}
}
