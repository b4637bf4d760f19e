package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// writeTxtar writes the messages and lines of a selection as files of a txtar
// archive.
func writeTxtar(ctx context.Context, to io.Writer, s Selection) error {
	w := bufio.NewWriterSize(to, 64<<10)
	header, err := json.MarshalIndent(s.Source.Header(), "", "  ")
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	fmt.Fprintf(w, "A recording made by mcpdbg. File names contain entry, microseconds and direction.\n-- header.json --\n%s\n", header)
	for it, err := range s.items(ctx, 0) {
		if err != nil {
			return err
		}
		if direction(it.row.Kind) == "" {
			continue
		}
		all := lines(&it.entry)
		for i, text := range all {
			if err := writeFile(w, s, it, i, text, i == len(all)-1 && continues(&it.entry)); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// writeFile writes one line of an entry as a file.
func writeFile(w *bufio.Writer, s Selection, it item, part int, text []byte, more bool) error {
	name := fmt.Sprintf("%06d-t%d-%s", it.entry.N, it.row.T, direction(it.row.Kind))
	if method := fileWord(s.Source.Method(it.row.Method)); method != "" {
		name += "-" + method
	}
	if part > 0 {
		name += fmt.Sprintf("-%d", part+1)
	}
	if more {
		name += "-more"
	}
	f := formOf(&it.entry, text)
	if more && f == formMessage {
		f = formText
	}
	switch {
	case f == formMessage:
		name += ".json"
	case f == formText && isPlain(text):
		name += ".txt"
	default:
		name, text = name+".b64", []byte(encode64(text))
	}
	_, err := fmt.Fprintf(w, "-- %s --\n%s\n", name, text)
	return err
}

// isPlain reports whether a text can be stored as it is: no line of it looks like the
// beginning of a file.
func isPlain(text []byte) bool {
	return !bytes.HasPrefix(text, []byte("-- ")) && bytes.IndexByte(text, '\n') < 0 && visible(string(text)) == string(text)
}

// fileWord converts a method to a part of a file name.
func fileWord(method string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		case r == '/':
			return '.'
		}
		return '_'
	}, method[:min(len(method), 60)])
}
