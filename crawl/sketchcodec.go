package crawl

import (
	"encoding/binary"

	"dowse"
)

// sketch writes a sketch; a page without one takes 8 bytes.
func (e *enc) sketch(s *dowse.Sketch) {
	if e.u64(s.Text); s.IsZero() {
		return
	}
	for _, v := range s.Bins {
		e.b = binary.LittleEndian.AppendUint16(e.b, v)
	}
}

func (d *dec) sketch(s *dowse.Sketch) {
	if s.Text = d.u64(); s.IsZero() {
		return
	}
	for i := range s.Bins {
		s.Bins[i] = d.u16()
	}
}

func (d *dec) u16() uint16 { return uint16(d.byte()) | uint16(d.byte())<<8 }
