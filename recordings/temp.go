package recordings

import (
	"os"

	"mcpdbg/session/index"
)

// A temp is a temporary file. It is unlinked at once, so that nothing remains even
// if the program is killed; where the system can't unlink an open file, close
// removes it. The zero temp is not open.
type temp struct {
	f     *os.File
	named bool
}

func (t *temp) open() error {
	f, err := os.CreateTemp("", "mcpdbg-*")
	if err != nil {
		return err
	}
	t.f, t.named = f, os.Remove(f.Name()) != nil
	return nil
}

// create opens the file for rows that do not fit into memory.
func (t *temp) create() (index.File, error) {
	if err := t.open(); err != nil {
		return nil, err
	}
	return t.f, nil
}

func (t *temp) close() error {
	if t.f == nil {
		return nil
	}
	err := t.f.Close()
	if t.named && err == nil {
		err = os.Remove(t.f.Name())
	}
	return err
}
