package recordings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"mcpdbg/session"
)

// whole is the last member of an end entry: the sums of the recording as one file, from
// its second line to this member, followed by its first line without the digests of
// secrets.
const whole = `,"whole":`

// CutWhole splits the line of an end entry before its member whole; found is false if it
// has none, as in recordings of older versions.
func CutWhole(line []byte) (before []byte, found bool) {
	i := bytes.LastIndex(line, []byte(whole))
	if i < 0 {
		return line, false
	}
	return line[:i], true
}

// AppendWhole completes the line of an end entry, which ends before its member whole. sum
// has the lines between header and this one.
func AppendWhole(line []byte, sum session.Checksum, header []byte) []byte {
	sum.Add(line)
	sum.Add(WithoutSecrets(header))
	text, _ := json.Marshal(sum.Sums()) // texts and a number have no errors
	line = append(line, whole...)
	return append(append(line, text...), "}\n"...)
}

// seal adds the member whole to the body of an end entry with its number and time.
func seal(e *session.Entry, sum session.Checksum, header []byte) {
	line := AppendEntry(nil, e)
	from := len(line) - len("}\n")
	line = AppendWhole(line[:from], sum, header)
	e.Body = append(bytes.Clone(e.Body[:len(e.Body)-1]), line[from:len(line)-1]...)
}

// whole checks the member whole of an end entry.
func (v *verifier) whole(e *session.Entry) {
	c := v.current
	if v.report.Warnings.LongLines > 0 { // not read completely
		return
	}
	before := make([]byte, c.off-v.block.off)
	line := make([]byte, c.size)
	_, err := v.f.ReadAt(before, v.block.off)
	if err == nil {
		_, err = v.f.ReadAt(line, c.off)
	}
	if err != nil {
		v.problem(e.N, "cannot be read again: %v", err)
		return
	}
	begin, found := CutWhole(line)
	if !found {
		for _, m := range c.shape.members {
			switch string(m.name) {
			case "n", "t", "k", "entries", "counts":
			default:
				v.problem(e.N, "has a member %.20q, but no whole", m.name)
			}
		}
		return
	}
	sum := v.block.before
	sum.Add(before)
	v.report.Whole = bytes.Equal(AppendWhole(bytes.Clone(begin), sum, v.headerLine), line)
	if !v.report.Whole {
		v.problem(e.N, "the recording is not as its recorder wrote it: an entry or the header was changed")
	}
}

// partHeaders checks the first lines of later parts.
func (v *verifier) partHeaders(f file) error {
	parts, ok := f.(*partFiles)
	if !ok {
		return nil
	}
	for _, l := range parts.all()[1:] {
		header, _, err := readHeader(l.f.Name(), l.f)
		if err != nil {
			return err
		}
		line, err := headerLine(l.f, l.skip)
		if err != nil {
			return err
		}
		v.firsts[l.begin] = header.First
		added := fmt.Appendf(nil, `,"part":%d,"first":%d`, header.Part, header.First)
		if !bytes.Equal(bytes.Replace(line, added, nil, 1), v.headerLine) {
			v.problem(0, "the header of part %d is not that of the first file", header.Part)
		}
	}
	return nil
}

func headerLine(f io.ReaderAt, begin int64) ([]byte, error) {
	line := make([]byte, begin)
	if n, err := f.ReadAt(line, 0); n < len(line) {
		return nil, fmt.Errorf("read the header: %w", shortRead(err))
	}
	return line, nil
}
