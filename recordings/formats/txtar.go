package formats

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mcpdbg/internal/wording"
)

// A line is a file.
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

// isPlain reports whether no line of a text looks like the beginning of a file.
func isPlain(text []byte) bool {
	return !bytes.HasPrefix(text, []byte("-- ")) && bytes.IndexByte(text, '\n') < 0 && wording.Visible(string(text)) == string(text)
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

// writeJSONL writes the messages and lines of a selection, one JSON object per line.
func writeJSONL(ctx context.Context, to io.Writer, s Selection) error {
	w := bufio.NewWriterSize(to, 64<<10)
	var line []byte
	for it, err := range s.items(ctx, 0) {
		if err != nil {
			return err
		}
		dir := direction(it.row.Kind)
		if dir == "" {
			continue
		}
		all := lines(&it.entry)
		for i, text := range all {
			f := formOf(&it.entry, text)
			line = strconv.AppendInt(append(line[:0], `{"t":`...), it.row.T, 10)
			line = append(line, `,"dir":"`+dir+`"`...)
			if i == len(all)-1 && continues(&it.entry) {
				line = append(line, `,"more":true`...)
				if f == formMessage {
					f = formText // together with the next part it may not be valid
				}
			}
			line = append(line, `,"`+string(f)+`":`...)
			switch f {
			case formMessage:
				line = append(line, text...)
			case formText:
				line = appendString(line, string(text))
			default:
				line = appendString(line, encode64(text))
			}
			line = append(line, "}\n"...)
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// Like json.Marshal, appendString escapes characters that are unsafe in HTML and old
// JavaScript.
func appendString(dst []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // a string has no errors
	return append(dst, quoted...)
}
