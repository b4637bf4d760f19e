package recordings

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrLive is the error for a recording that is being written.
var ErrLive = errors.New("it is being recorded")

// ErrPart is the error for a file that is only a part of a recording.
var ErrPart = errors.New("it is a part of another recording")

// Remove removes the recording at path, all its parts, and its stored index. The
// error is ErrPart for a later part of a recording that is there. With force also
// one that is being written, whose recorder goes on without a file that anybody
// can find; else the error is ErrLive. The error is a *FormatError for a file
// that is no recording: it is left alone.
func Remove(path string, force bool) error {
	f, err := openFile(path)
	if err != nil {
		return err
	}
	if _, part := FirstPart(path); part {
		_ = f.Close()
		return ErrPart
	}
	live, files := f.locked(), f.paths()
	_, _, err = readHeader(path, f)
	_ = f.Close() // it was only read
	if format, foreign := errors.AsType[*FormatError](err); foreign && format.Major == 0 {
		return err
	}
	if live && !force {
		return ErrLive
	}
	index, indexErr := storedPath(path)           // before the file that it belongs to is gone
	for _, file := range slices.Backward(files) { // what is left if one can't be is still a recording
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	if indexErr == nil {
		_ = os.Remove(index) // most have none; one that stays is never used again
	}
	return nil
}

// A Retention says which recordings of a folder are kept. Zero members say
// nothing.
type Retention struct {
	Keep  int           // at most so many
	Older time.Duration // none that was last written longer ago
	Over  int64         // no more bytes than these, all together
}

// A Kept is a recording of a folder, as a Retention looks at it.
type Kept struct {
	Start    time.Time // the oldest ones go first
	Modified time.Time
	Size     int64
	Held     bool // it counts, but is not to be removed
}

// Excess returns which of all recordings are to be removed for every limit to
// hold: their places in all, the oldest first.
func (r Retention) Excess(all []Kept, now time.Time) []int {
	order := make([]int, len(all))
	total := int64(0)
	for i := range all {
		order[i] = i
		total += all[i].Size
	}
	slices.SortStableFunc(order, func(a, b int) int { return all[a].Start.Compare(all[b].Start) })
	var excess []int
	left := len(all)
	for _, i := range order {
		k := &all[i]
		tooMany := r.Keep > 0 && left > r.Keep
		tooLarge := r.Over > 0 && total > r.Over
		tooOld := r.Older > 0 && now.Sub(k.Modified) > r.Older
		if !k.Held && (tooMany || tooLarge || tooOld) {
			excess = append(excess, i)
			left--
			total -= k.Size
		}
	}
	return excess
}

// ownName is what recordings are called that Create names: when, what, and six
// letters of its own.
var ownName = pattern(`^\d{8}-\d{6}-(.+)-([0-9a-z]{6})\.jsonl$`)

// OwnName tells whether a file is called as Create calls recordings, and takes
// its name apart: the server, and the six letters by which it is known.
func OwnName(base string) (server, letters string, ok bool) {
	parts := ownName().FindStringSubmatch(base)
	if parts == nil {
		return "", "", false
	}
	return parts[1], parts[2], true
}

// ParseAge parses a time such as 30d, 2w, 12h or 90m.
func ParseAge(text string) (time.Duration, error) {
	unit := map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	if n := len(text); n > 1 && unit[text[n-1]] > 0 {
		days, err := strconv.ParseUint(text[:n-1], 10, 64)
		if each := unit[text[n-1]]; err == nil && days > 0 && days <= uint64(math.MaxInt64/each) {
			return time.Duration(days) * each, nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d, nil
	}
	return 0, fmt.Errorf("%q is no time: write 30d, 2w or 12h", text)
}

// ParseSize parses a number of bytes such as 2GiB, 500M or 65536. Units are
// powers of 1024, with or without B or iB.
func ParseSize(text string) (int64, error) {
	digits := strings.TrimRight(strings.ToUpper(text), "B")
	unit := int64(1)
	for i, suffix := range []string{"K", "M", "G", "T"} {
		for _, suffix := range []string{suffix, suffix + "I"} {
			if rest, ok := strings.CutSuffix(digits, suffix); ok {
				digits, unit = rest, 1<<(10*(i+1))
			}
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is no size: write 2GiB, 500M or 65536", text)
	}
	return n * unit, nil
}

// smallestPart is the least that --max-part and its setting take: each part costs
// a file descriptor while it is recorded, and while it is read.
const smallestPart = 64 << 10

// ParsePartSize is ParseSize for Options.MaxPart.
func ParsePartSize(text string) (int64, error) {
	size, err := ParseSize(text)
	if err == nil && size < smallestPart {
		return 0, fmt.Errorf("%q is too little for a file: 64K is the least", text)
	}
	return size, err
}

// Zero tells whether r says nothing.
func (r Retention) Zero() bool { return r == Retention{} }
