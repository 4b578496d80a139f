package collection

// ForgetPartly begins a takedown and breaks it off after some steps, as a crash does. It
// reports whether there were more.
func ForgetPartly(dir string, x Takedown, steps int) (more bool, err error) {
	c, err := Open(dir, nil, false)
	if err != nil {
		return false, err
	}
	defer c.Close()
	t := &takedown{c: c, out: &Forgotten{}}
	if err := t.plan(x); err != nil {
		return false, err
	}
	if err := t.save(); err != nil {
		return false, err
	}
	t.index()
	all := t.steps()
	for _, step := range all[:min(steps, len(all))] {
		if err := step(); err != nil {
			return false, err
		}
	}
	return steps < len(all), nil
}
