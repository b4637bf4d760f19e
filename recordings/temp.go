package recordings

import (
	"os"

	"mcpdbg/session"
)

// A temp is a temporary file. Its name is taken away at once, so that nothing
// is left behind even if the program is killed; where the system does not do
// that to an open file, close does it. The zero temp is not open.
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

// create opens the file for rows that memory has no room for.
func (t *temp) create() (session.IndexFile, error) {
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
