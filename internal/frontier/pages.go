package frontier

import (
	"bytes"
	"encoding/binary"
	"io"
)

// A Scratch is a file for what does not fit into memory. Nothing in it outlives the frontier. An
// error of ReadAt means that what was stored is lost; the implementation must report it to
// the owner of the frontier, because no method here returns it.
type Scratch interface {
	io.ReaderAt
	io.WriterAt

	// Ahead begins to read a part of the file that ReadAt will ask for. It does not wait, and may do nothing.
	Ahead(at, n int64)
}

const (
	pageSize   = 4096 // bytes
	grain      = 8    // bytes; places and sizes of texts are multiples of it
	pageGrains = pageSize / grain
	textHead   = 2       // bytes of the length before a text
	mostGrains = 1 << 31 // 16 GB of texts
)

// pages stores texts in pages of 4 KB. Those that were used last are in memory, up to a limit;
// the others are in a file, which is made when the limit is reached for the first time. A text is
// known by its place, which is all that its owner has to remember: the number of the grain at
// which it begins. No text crosses the end of a page.
//
// A text of a page that is only in the file is read and replaced there, without the page: in a
// large crawl such texts are asked for at random, so that a page that comes in for one of them leaves
// again before another one is asked for, and has to be written if it was changed.
//
// Freed room is used again for texts of the same size, rounded up to a grain: it is linked into
// a list of its size, in the room itself.
type pages struct {
	list []*[pageSize]byte // by number; nil for one that is in the file only
	used []pageUse         // by number
	ring []uint32          // numbers of the pages in memory
	hand int               // in ring: where to look for a page to move out

	most int                     // pages in memory; 0 for any number
	open func() (Scratch, error) // makes the file; nil for none
	file Scratch                 // nil until it is needed

	end  uint32                 // the first grain that was never used
	free [pageGrains + 1]uint32 // by size in grains: 1 + place of the first free room

	single [singleText]byte // scratch of away
	lately [256]sizeOfText  // of texts in the file that were read or written last, by the lowest bits of their places
}

// A sizeOfText is how many grains the text at a place takes; 0 if that is not known. Freed room is neither divided nor
// joined, so the size holds for whatever text comes to be there.
type sizeOfText struct{ place, grains uint32 }

// singleText is how many bytes are read from the file for one text. Few are longer.
const singleText = 128

// pageUse is what happened to a page in memory.
type pageUse uint8

const (
	wasUsed    pageUse = 1 << iota // since the hand passed it
	wasChanged                     // since it was written to the file
)

// grains returns how many grains a text takes.
func grains(text []byte) uint32 { return uint32(textHead+len(text)+grain-1) / grain }

// add stores a text. ok is false if it is longer than a page, or if there are no more places.
func (p *pages) add(text []byte) (place uint32, ok bool) {
	n := grains(text)
	if n > pageGrains {
		return 0, false
	}
	if place, ok = p.room(n); ok {
		p.write(place, text)
	}
	return place, ok
}

// replace stores a text in the place of another one, if it takes the same room.
func (p *pages) replace(place uint32, text []byte) bool {
	if p.size(place) != grains(text) {
		return false
	}
	if p.list[place/pageGrains] == nil || !bytes.Equal(textIn(p.at(place)), text) {
		p.write(place, text)
	}
	return true
}

// size returns how many grains a text takes. Of a text in the file that was read a moment ago it is known.
func (p *pages) size(place uint32) uint32 {
	if p.list[place/pageGrains] == nil {
		if l := p.late(place); l.place == place && l.grains > 0 {
			return l.grains
		}
	}
	text, away := p.away(place)
	if !away {
		text = textIn(p.at(place))
	}
	return grains(text)
}

// late returns where the size of the text at a place is remembered.
func (p *pages) late(place uint32) *sizeOfText { return &p.lately[place%uint32(len(p.lately))] }

// ahead begins to read a text that is in the file only. Reads that the disk does together take half of the
// processor time of the same reads one after the other, each of which waits.
func (p *pages) ahead(place uint32) {
	if p.list[place/pageGrains] == nil {
		p.file.Ahead(int64(place)*grain, singleText)
	}
}

// text returns a copy of the text at a place.
func (p *pages) text(place uint32) string {
	if text, ok := p.away(place); ok {
		return string(text)
	}
	return string(textIn(p.at(place)))
}

// away returns a text whose page is in the file only, until the next call. ok is false for any other, and
// for a long one, whose page is worth reading.
func (p *pages) away(place uint32) (text []byte, ok bool) {
	if p.list[place/pageGrains] != nil {
		return nil, false
	}
	b := p.single[:min(singleText, pageSize-place%pageGrains*grain)]
	if _, err := p.file.ReadAt(b, int64(place)*grain); err != nil {
		return nil, true // as in load: the text is lost
	}
	n := int(binary.LittleEndian.Uint16(b))
	if textHead+n > len(b) {
		return nil, false
	}
	text = b[textHead : textHead+n]
	*p.late(place) = sizeOfText{place, grains(text)}
	return text, true
}

// writeAway stores a text of at most singleText bytes, its head included, whose page is in the file only. It
// reports false if the file can't be written.
func (p *pages) writeAway(place uint32, text []byte) bool {
	b := binary.LittleEndian.AppendUint16(p.single[:0], uint16(len(text)))
	_, err := p.file.WriteAt(append(b, text...), int64(place)*grain)
	return err == nil
}

// remove frees the room of a text.
func (p *pages) remove(place uint32) {
	p.release(place, p.size(place))
}

// textIn returns the text at the beginning of a part of a page. Of a page that could not be read
// it is empty.
func textIn(b []byte) []byte {
	n := int(binary.LittleEndian.Uint16(b))
	return b[textHead : textHead+min(n, len(b)-textHead)]
}

// write stores a text. It does not bring a page into memory for a short one.
func (p *pages) write(place uint32, text []byte) {
	*p.late(place) = sizeOfText{place, grains(text)}
	if p.list[place/pageGrains] == nil && textHead+len(text) <= singleText && p.writeAway(place, text) {
		return
	}
	b := p.at(place)
	binary.LittleEndian.PutUint16(b, uint16(len(text)))
	copy(b[textHead:], text)
	p.used[place/pageGrains] |= wasChanged
}

// room returns a place for n grains, at most those of a page.
func (p *pages) room(n uint32) (place uint32, ok bool) {
	if first := p.free[n]; first != 0 {
		place = first - 1
		p.free[n] = p.following(place)
		return place, true
	}
	if left := pageGrains - p.end%pageGrains; left < n {
		p.release(p.end, left)
		p.end += left
	}
	if p.end > mostGrains-pageGrains {
		return 0, false
	}
	if p.end%pageGrains == 0 {
		p.grow()
	}
	place = p.end
	p.end += n
	return place, true
}

// following returns what the free room at a place is linked to.
func (p *pages) following(place uint32) uint32 {
	if p.list[place/pageGrains] != nil {
		return binary.LittleEndian.Uint32(p.at(place))
	}
	link := p.single[:4]
	if _, err := p.file.ReadAt(link, int64(place)*grain); err != nil {
		return 0 // the rest of the list is lost, and its room with it
	}
	return binary.LittleEndian.Uint32(link)
}

// release links n grains into the list of free room of their size.
func (p *pages) release(place, n uint32) {
	link := binary.LittleEndian.AppendUint32(p.single[:0], p.free[n])
	p.free[n] = place + 1
	if p.list[place/pageGrains] == nil {
		if _, err := p.file.WriteAt(link, int64(place)*grain); err == nil {
			return
		}
	}
	copy(p.at(place), link)
	p.used[place/pageGrains] |= wasChanged
}

// at returns the part of a page that begins at a place. It is valid until the next call.
func (p *pages) at(place uint32) []byte {
	number := place / pageGrains
	page := p.list[number]
	if page == nil {
		page = p.load(number)
	}
	p.used[number] |= wasUsed
	return page[place%pageGrains*grain:]
}

// grow adds an empty page.
func (p *pages) grow() {
	number := uint32(len(p.list))
	p.list, p.used = append(p.list, nil), append(p.used, 0)
	clear(p.hold(number)[:])
}

// load reads a page from the file. If that fails its texts are lost and count as empty.
func (p *pages) load(number uint32) *[pageSize]byte {
	page := p.hold(number)
	if n, err := p.file.ReadAt(page[:], int64(number)*pageSize); n < pageSize && err != nil {
		clear(page[:])
	}
	return page
}

// hold gives a page memory, that of another page if the limit is reached. What it holds is
// up to the caller.
func (p *pages) hold(number uint32) *[pageSize]byte {
	if at, ok := p.moveOut(); ok {
		page := p.list[p.ring[at]]
		p.list[p.ring[at]], p.list[number] = nil, page
		p.ring[at] = number
		return page
	}
	page := new([pageSize]byte)
	p.list[number] = page
	p.ring = append(p.ring, number)
	return page
}

// moveOut makes sure that a page in memory, which was not used for a while, is in the file as
// well, and returns where it is in ring. ok is false below the limit, and if the file can't be written:
// pages then stay in memory beyond the limit, so that nothing is lost.
func (p *pages) moveOut() (at int, ok bool) {
	if p.most == 0 || p.open == nil || len(p.ring) < p.most {
		return 0, false
	}
	for {
		at, p.hand = p.hand, (p.hand+1)%len(p.ring)
		number := p.ring[at]
		if p.used[number]&wasUsed == 0 {
			return at, p.save(number)
		}
		p.used[number] &^= wasUsed
	}
}

// save writes a page to the file if it has changed, and reports whether it is there.
func (p *pages) save(number uint32) bool {
	if p.used[number]&wasChanged == 0 {
		return true
	}
	if p.file == nil {
		file, err := p.open()
		if err != nil {
			return false
		}
		p.file = file
	}
	if _, err := p.file.WriteAt(p.list[number][:], int64(number)*pageSize); err != nil {
		return false
	}
	p.used[number] &^= wasChanged
	return true
}
