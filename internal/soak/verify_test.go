//go:build soak && linux

package soak

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"mcpdbg/recordings"
)

// verify checks a recording: its hashes and its format, and that the numbers of
// busy servers have no gap, which a reader of its own finds. It returns whether
// the recording was finished. One is checked at a time: each takes a processor,
// and memory that would be taken for growth.
func (l *lab) verify(path string) (finished bool, err error) {
	l.verifying.Lock()
	defer l.verifying.Unlock()
	report, err := recordings.Verify(path)
	if err != nil {
		return false, err
	}
	if !report.OK() {
		return false, fmt.Errorf("the recording %s has problems: %v", path, report.Problems)
	}
	return report.Finished, verifyNumbers(path)
}

// verifyNumbers checks that the notifications of each busy server are there from
// the first on, each once and in order.
func verifyNumbers(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	last := 0
	for {
		line, err := in.ReadSlice('\n')
		for long := err; errors.Is(long, bufio.ErrBufferFull); { // no notification is that long
			_, long = in.ReadSlice('\n')
			line = nil
		}
		if bytes.Contains(line, []byte(`"k":"start"`)) {
			last = 0
		}
		if n, ok := number(line); ok {
			if n != last+1 {
				return fmt.Errorf("in %s, notification %d follows %d", path, n, last)
			}
			last = n
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// number returns the number of a busy server's notification.
func number(line []byte) (int, bool) {
	_, after, found := bytes.Cut(line, []byte(numbered))
	digits, _, ended := bytes.Cut(after, []byte(" "))
	if !found || !ended || !bytes.Contains(line, []byte(`"k":"stdout"`)) || !bytes.HasSuffix(line, []byte("}\n")) {
		return 0, false
	}
	n, err := strconv.Atoi(string(digits))
	return n, err == nil
}
