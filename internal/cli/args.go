package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// parseArgs makes a JSON object of arguments: k=v is a string, k:=JSON any
// JSON value, k=@FILE a file's text and k:=@FILE the JSON in a file. Members keep
// their order.
func (a *app) parseArgs(ctx context.Context, args []string) (json.RawMessage, error) {
	out := []byte{'{'}
	seen := map[string]bool{}
	for _, arg := range args {
		key, value, err := a.parseArg(ctx, arg)
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

func (a *app) parseArg(ctx context.Context, arg string) (key string, value []byte, err error) {
	key, text, ok := strings.Cut(arg, "=")
	if !ok || key == "" || key == ":" {
		return "", nil, usagef("argument %q: must be NAME=TEXT, NAME:=JSON, NAME=@FILE or NAME:=@FILE", arg)
	}
	key, isJSON := strings.CutSuffix(key, ":")
	file, isFile := strings.CutPrefix(text, "@")
	if isFile {
		data, err := a.readFile(ctx, "argument "+key, file)
		if err != nil {
			return "", nil, err
		}
		text = string(data)
	}
	switch {
	case !isJSON:
		value, err = json.Marshal(text)
		if err != nil {
			return "", nil, usagef("argument %s: %v", key, err)
		}
		return key, value, nil
	case isFile:
		value, err = compactJSON(text)
		if err != nil {
			return "", nil, usagef("argument %s: %s is not valid JSON: %v", key, file, err)
		}
	default:
		value, err = compactJSON(text)
		if err != nil {
			return "", nil, usagef("argument %s: %q is not valid JSON: %v (NAME=TEXT is always a string)", key, text, err)
		}
	}
	return key, value, nil
}

// compactJSON is JSON without its white space.
func compactJSON(text string) ([]byte, error) {
	var compact bytes.Buffer
	err := json.Compact(&compact, []byte(text))
	return compact.Bytes(), err
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
