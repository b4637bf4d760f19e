package localexec

import "os"

// pipes collects the files of a spawn, so that none is left open: theirs after
// it, ours too when it failed.
type pipes struct {
	ours, theirs []*os.File
	err          error
}

// stdin makes the standard input of c and returns the child's end.
func (p *pipes) stdin(c *child, none bool) *os.File {
	if none {
		null, err := os.Open(os.DevNull)
		p.add(nil, null, err)
		return null
	}
	r, w, err := os.Pipe()
	p.add(w, r, err)
	c.stdin = w
	return r
}

// output makes an output pipe and returns the child's end.
func (p *pipes) output(ours **os.File) *os.File {
	r, w, err := os.Pipe()
	p.add(r, w, err)
	*ours = r
	return w
}

func (p *pipes) add(ours, theirs *os.File, err error) {
	if err != nil {
		p.err = err
		return
	}
	p.theirs = append(p.theirs, theirs)
	if ours != nil {
		p.ours = append(p.ours, ours)
	}
}

func (p *pipes) closeTheirs() { closeAll(p.theirs) }
func (p *pipes) closeOurs()   { closeAll(p.ours) }

// closeAll closes files that nothing was written to.
func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
