package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// parseArgs makes a JSON object of arguments: k=v is a string, k:=JSON any
// JSON value, k=@FILE a file's text. Members keep their order.
func parseArgs(args []string) (json.RawMessage, error) {
	out := []byte{'{'}
	seen := map[string]bool{}
	for _, arg := range args {
		key, value, err := parseArg(arg)
		if err != nil {
			return nil, err
		}
		if seen[key] {
			return nil, usagef("argument %q is given twice", key)
		}
		seen[key] = true
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, usagef("argument %q: %v", arg, err)
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

func parseArg(arg string) (key string, value []byte, err error) {
	key, text, ok := strings.Cut(arg, "=")
	if !ok || key == "" || key == ":" {
		return "", nil, usagef("argument %q: must be NAME=TEXT, NAME:=JSON or NAME=@FILE", arg)
	}
	if name, isJSON := strings.CutSuffix(key, ":"); isJSON {
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(text)); err != nil {
			return "", nil, usagef("argument %s: %q is no JSON: %v (NAME=TEXT is always a string)", name, text, err)
		}
		return name, compact.Bytes(), nil
	}
	if file, isFile := strings.CutPrefix(text, "@"); isFile {
		data, err := readFile(file)
		if err != nil {
			return "", nil, usagef("argument %s: %v", key, err)
		}
		text = string(data)
	}
	value, err = json.Marshal(text)
	if err != nil {
		return "", nil, usagef("argument %s: %v", key, err)
	}
	return key, value, nil
}

// maxFile is the largest file that is read whole.
const maxFile = 256 << 20

// readFile is os.ReadFile with a limit.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLimited(name, f)
}

// readLimited reads all of r, which errors call name.
func readLimited(name string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxFile)
	}
	return data, err
}

// mayRead says why a file can't be read, nil if it can. What is no file, such as
// the pipe of a shell's <(...), is not touched.
func mayRead(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder", name)
	case !info.Mode().IsRegular():
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return f.Close()
}
