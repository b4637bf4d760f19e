package match

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
)

// AddToFile appends the rules to a file that it does not have yet, and returns
// how many. The file is made if it is not there; what it has stays as it is,
// comments too. A file that is no file of rules is not changed.
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
		more.WriteString(RulesHelp + "\n")
	case text[len(text)-1] != '\n':
		more.WriteByte('\n')
	}
	if err := WriteRules(&more, fresh); err != nil {
		return 0, err
	}
	return len(fresh), appendFile(path, more.Bytes())
}

// appendFile adds to the end of a file, which is made if it is not there.
func appendFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
