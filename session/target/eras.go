package target

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"mcpdbg/framing"
	"mcpdbg/session/executor"
)

const (
	// fileName is the name of the file.
	fileName = "eras.json"
	// maxCommands is how many commands are remembered; the oldest ones are dropped.
	maxCommands = 500
	// maxErasFile is the size of the largest file that is read, in bytes.
	maxErasFile = 1 << 20
)

// An EraMemory remembers in a file which commands speak the modern era of the protocol, so
// that sessions give them more time to say so. It is a list that several programs may share; of two
// that write at once, one may be in vain. It has digests only: a command line may
// hold a secret.
type EraMemory struct {
	file string
	mu   sync.Mutex
}

// contents is the file.
type contents struct {
	Modern []string `json:"modern"` // the oldest first
}

// ErasIn returns the memory in a folder, which is created when something is to be
// remembered. Where that is not possible, nothing is.
func ErasIn(folder string) *EraMemory { return &EraMemory{file: filepath.Join(folder, fileName)} }

// SpeaksModern implements session.EraMemory.
func (m *EraMemory) SpeaksModern(process executor.Info) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, err := m.read()
	return slices.Contains(known.Modern, digest(process)), err
}

// Remember implements session.EraMemory. A file that cannot be read is replaced,
// and one that cannot be written is left alone: a start then takes longer.
func (m *EraMemory) Remember(process executor.Info, modern bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, err := m.read()
	command := digest(process)
	if err == nil && slices.Contains(known.Modern, command) == modern {
		return
	}
	known.Modern = slices.DeleteFunc(known.Modern, func(one string) bool { return one == command })
	if modern {
		known.Modern = append(known.Modern, command)
	}
	known.Modern = known.Modern[max(0, len(known.Modern)-maxCommands):]
	_ = m.write(known)
}

// digest identifies a command: where it runs, the program, and its arguments.
func digest(process executor.Info) string {
	program := process.Program
	if program == "" && len(process.Argv) > 0 {
		program = process.Argv[0]
	}
	id := []any{process.Placement, process.Link != nil, process.Dir, program, process.Argv[min(1, len(process.Argv)):]}
	text, _ := json.Marshal(id) // strings always encode
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// read returns what the file has; nothing without one.
func (m *EraMemory) read() (contents, error) {
	f, err := os.Open(m.file)
	if errors.Is(err, fs.ErrNotExist) {
		return contents{}, nil
	}
	if err != nil {
		return contents{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxErasFile+1))
	if err != nil {
		return contents{}, err
	}
	if len(data) > maxErasFile {
		return contents{}, fmt.Errorf("%s: larger than %d bytes", m.file, maxErasFile)
	}
	var known contents
	if err := framing.Unmarshal(data, &known); err != nil {
		return contents{}, fmt.Errorf("%s: %w", m.file, err)
	}
	return known, nil
}

// write replaces the file at once, so that another program reads all of it or none.
func (m *EraMemory) write(known contents) error {
	data, err := json.Marshal(known)
	if err != nil {
		return err
	}
	folder := filepath.Dir(m.file)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, fileName+".*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), m.file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error that matters is the first
	}
	return err
}
