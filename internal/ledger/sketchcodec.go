package ledger

import "dowse"

// sketch writes a sketch; a page without one takes 8 bytes.
func (e *enc) sketch(s *dowse.Sketch) {
	if e.u64(s.Text); s.Text == 0 {
		return
	}
	for _, v := range s.Bins {
		e.Uint16(v)
	}
}

// sketch reads what enc.sketch wrote.
func (d *dec) sketch(s *dowse.Sketch) {
	if s.Text = d.u64(); s.Text == 0 {
		return
	}
	for i := range s.Bins {
		s.Bins[i] = d.Uint16()
	}
}
