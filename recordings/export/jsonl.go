package export

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strconv"
)

// JSONL writes the messages and lines of a selection, one JSON object per line.
func JSONL(ctx context.Context, to io.Writer, s Selection) error {
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

// appendString appends a JSON string. Like json.Marshal it escapes characters that
// are unsafe in HTML and old JavaScript.
func appendString(dst []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // a string has no errors
	return append(dst, quoted...)
}
