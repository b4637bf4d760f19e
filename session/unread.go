package session

import (
	"cmp"
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session/executor"
	"mcpdbg/session/summary"
)

// An UnreadError is the error of a request whose response can't be read.
type UnreadError struct {
	ID    string // raw, of the request; "" if unknown
	Limit int64  // of a line, which the response exceeds; 0 if it is nested too deep
}

// Error names the response that can't be read, and the reason.
func (e *UnreadError) Error() string {
	to := "a request"
	if e.ID != "" {
		to = "id " + summary.ID(e.ID)
	}
	return "the response to " + to + " is " + e.why()
}

func (e *UnreadError) why() string {
	if e.Limit > 0 {
		return longerThan(e.Limit)
	}
	return fmt.Sprintf("nested too deep to be read (more than %d levels)", framing.MaxDepth)
}

// Unattributed says of a line what it is, if it is not known whether it is a response.
func (e *UnreadError) Unattributed() string {
	return "a line of stdout is " + e.why() + "; its beginning and its end show no response, so it settles no request"
}

// longerThan spells the limit as the flag does.
func longerThan(limit int64) string {
	text := fmt.Sprint(limit)
	for _, unit := range []struct {
		letter string
		size   int64
	}{{"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}} {
		if limit%unit.size == 0 {
			text = fmt.Sprint(limit/unit.size, unit.letter)
			break
		}
	}
	return "longer than --line-limit " + text
}

// unread adds a line of stdout that can't be read as a whole, or a part of it. It returns
// an error once that is known to be a response, or not to be known as one: then the error
// has no id.
func (c *collector) unread(line *framing.Line) *UnreadError {
	if !line.Part {
		c.partial = framing.Partial{}
	}
	why := new(UnreadError)
	if !line.Whole() {
		why.Limit = int64(cmp.Or(c.splitter[executor.Stdout].Limit, framing.DefaultLimit))
	}
	switch p := &c.partial; {
	case p.Add(line.Data, !line.More && line.EOL != framing.NoEOL):
		why.ID = string(p.ID)
	case line.More || p.Found:
		return nil
	}
	return why
}

// settleUnread ends the call whose response can't be read. A note reports a line that
// can't be attributed.
func (c *collector) settleUnread(why *UnreadError) {
	if why.ID != "" {
		c.s.calls.fail(why.ID, why)
		return
	}
	hint := ""
	if why.Limit > 0 {
		hint = "a larger --line-limit"
	}
	c.r.notes.add(noteUnread, why.Unattributed(), hint)
}

func (c *calls) fail(id string, err error) {
	if w := c.take([]byte(id)); w != nil {
		w.answer <- answer{to: w, err: err}
	}
}

// Unread returns why the response at a row can't be read; ok is false for other rows. It
// may read a whole part of the line.
func Unread(src Source, number int) (why *UnreadError, ok bool) {
	row, ok := RowAt(src, number)
	if !ok || row.State != ReqUnread {
		return nil, false
	}
	why = new(UnreadError)
	if row.Flags&FlagPart != 0 {
		why.Limit = limitOf(src, number)
	}
	if request, ok := PartnerOf(src, row); ok {
		if e, err := src.Entry(request, summary.Limit); err == nil {
			why.ID = string(summary.IDOf(e.Payload))
		}
	}
	return why, true
}

// maxBetween is how many rows may be between two parts of a line.
const maxBetween = 1 << 16

// limitOf returns the limit of a line in parts: the size of each but the last.
func limitOf(src Source, number int) int64 {
	for at := number; at >= max(0, number-maxBetween); at-- {
		row, _ := RowAt(src, at)
		if row.Kind != KindStdout {
			continue
		}
		e, err := src.Entry(row, 1)
		if err != nil || row.Flags&FlagPart == 0 {
			break
		}
		if !e.More {
			continue
		}
		if e, err = src.Entry(row, 0); err == nil {
			return e.FullSize
		}
		break
	}
	return framing.DefaultLimit
}
