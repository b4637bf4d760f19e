package match

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
)

// AddToFile appends the rules that a file does not have yet, and returns how many.
// The file is created if it does not exist; its content, including comments, stays
// as it is. A file that is not a valid file of rules is not changed.
func AddToFile(path string, rules []Rule) (added int, err error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	have, err := ReadRules(bytes.NewReader(text), path)
	if err != nil {
		return 0, err
	}
	before := len(have.List)
	for _, rule := range rules {
		have.Add(rule)
	}
	fresh := have.List[before:]
	var more bytes.Buffer
	switch {
	case len(text) == 0:
		more.WriteString(rulesHelp + "\n")
	case text[len(text)-1] != '\n':
		more.WriteByte('\n')
	}
	if err := writeRules(&more, fresh); err != nil {
		return 0, err
	}
	return len(fresh), appendFile(path, more.Bytes())
}

// appendFile appends to a file, which is created if it does not exist.
func appendFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
