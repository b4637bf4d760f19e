package localexec

import "os"

// pipes are the files between a child and this program. theirs are closed once
// the child runs, ours by the process or if the start fails.
type pipes struct {
	stdin          *os.File // nil without
	stdout, stderr *os.File
	theirs         []*os.File // the child's standard input, output and error
}

func newPipes(noStdin bool) (*pipes, error) {
	p := new(pipes)
	var err error
	if noStdin {
		err = p.null()
	} else {
		err = p.input()
	}
	for _, ours := range []**os.File{&p.stdout, &p.stderr} {
		if err == nil {
			err = p.output(ours)
		}
	}
	if err != nil {
		p.closeAll()
		return nil, err
	}
	return p, nil
}

func (p *pipes) null() error {
	null, err := os.Open(os.DevNull)
	if err == nil {
		p.theirs = append(p.theirs, null)
	}
	return err
}

func (p *pipes) input() error {
	r, w, err := os.Pipe()
	if err == nil {
		p.stdin, p.theirs = w, append(p.theirs, r)
	}
	return err
}

func (p *pipes) output(ours **os.File) error {
	r, w, err := os.Pipe()
	if err == nil {
		*ours, p.theirs = r, append(p.theirs, w)
	}
	return err
}

func (p *pipes) closeTheirs() {
	closeAll(p.theirs)
	p.theirs = nil
}

func (p *pipes) closeAll() {
	p.closeTheirs()
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if f != nil {
			closeAll([]*os.File{f})
		}
	}
}

// closeAll closes files without unwritten data.
func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
