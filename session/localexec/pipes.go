package localexec

import "os"

// pipes are the files between a child and this program. theirs are closed once
// the child runs, ours by the process or if the start fails.
type pipes struct {
	stdin          *os.File // nil without
	stdout, stderr outputReader
	theirs         []*os.File // the child's standard input, output and error
}

func newPipes(noStdin, thread bool) (*pipes, error) {
	p := new(pipes)
	var err error
	if noStdin {
		err = p.null()
	} else {
		err = p.input()
	}
	if err == nil {
		p.stdout, err = p.output(thread)
	}
	if err == nil {
		p.stderr, err = p.output(false)
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

func (p *pipes) output(thread bool) (outputReader, error) {
	if thread {
		if ours, w, err := newUnpolled(); err == nil {
			p.theirs = append(p.theirs, w)
			return ours, nil
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.theirs = append(p.theirs, w)
	return newPipeReader(r), nil
}

func (p *pipes) closeTheirs() {
	closeAll(p.theirs)
	p.theirs = nil
}

func (p *pipes) closeAll() {
	p.closeTheirs()
	if p.stdin != nil {
		closeAll([]*os.File{p.stdin})
	}
	for _, r := range []outputReader{p.stdout, p.stderr} {
		if r != nil {
			r.stop()
		}
	}
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
