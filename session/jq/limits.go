package jq

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/itchyny/gojq"
)

const (
	// growthEvery is how often memory is measured, which briefly stops all goroutines.
	// Most programs finish before the first time.
	growthEvery = 20 * time.Millisecond
	// MaxLevels is how deep a result may be nested: writing an endlessly nested one
	// would exhaust the stack.
	MaxLevels = 10_000
)

// ErrMemory is why a program was ended whose values take too much memory.
var ErrMemory = errors.New("too much memory")

// bounded returns a context that also ends when memory grows by more than limit;
// release must be called. A single jq operation is not interrupted.
func bounded(ctx context.Context, limit uint64) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(growthEvery)
		defer tick.Stop()
		for begin := uint64(0); ; {
			select {
			case <-tick.C:
				now := heap()
				if begin == 0 {
					begin = now
				}
				if now > begin+limit {
					runtime.GC() // garbage does not count
					now = heap()
				}
				if now > begin+limit {
					cancel(ErrMemory)
				}
			case <-ctx.Done():
				return
			}
		}
	})
	return ctx, func() {
		cancel(nil)
		watching.Wait()
	}
}

// heap returns the bytes of all objects that are not yet collected.
func heap() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// Fits reports whether a result can be written in about limit bytes and within
// MaxLevels levels.
func Fits(result any, limit int) bool { return room(result, limit, MaxLevels) >= 0 }

// room returns how many of left bytes remain after a value; negative if it is too
// large.
func room(value any, left, levels int) int {
	if left < 0 || levels == 0 {
		return -1
	}
	switch v := value.(type) {
	case string:
		left -= len(v)
	case json.Number:
		left -= len(v)
	case *big.Int:
		left -= v.BitLen() / 4
	case []any:
		for _, item := range v {
			if left = room(item, left-1, levels-1); left < 0 {
				break
			}
		}
	case map[string]any:
		for name, item := range v {
			if left = room(item, left-1-len(name), levels-1); left < 0 {
				break
			}
		}
	}
	return left - 1
}

// MaxDigits is the longest number for calculations, in characters: with a million
// digits a multiplication takes seconds, with ten million it takes hours.
const MaxDigits = 1000

// longNumber returns a number in a decoded value that is too long, or "".
func longNumber(value any) string {
	switch v := value.(type) {
	case json.Number:
		if len(v) > MaxDigits {
			return v.String()
		}
	case map[string]any:
		for _, part := range v {
			if number := longNumber(part); number != "" {
				return number
			}
		}
	case []any:
		for _, part := range v {
			if number := longNumber(part); number != "" {
				return number
			}
		}
	}
	return ""
}

// CheckNumbers returns an error if a decoded value has a number with more than
// MaxDigits characters. Numbers must be decoded as json.Number.
func CheckNumbers(value any) error {
	if number := longNumber(value); number != "" {
		return tooManyDigits(number)
	}
	return nil
}

// guards replace the jq functions that convert text to numbers.
var guards = sync.OnceValue(func() []*gojq.FuncDef {
	query, err := gojq.Parse(`def _tonumber: tonumber; def tonumber: _fewdigits | _tonumber;
		def _fromjson: fromjson; def fromjson: _fromjson | _fewdigits; .`)
	if err != nil {
		panic(err) // the program is constant
	}
	return query.FuncDefs
})

// fewDigits is a jq function that returns its input, or an error if it contains a
// number with too many digits, or is such a number as text.
func fewDigits(value any, _ []any) any {
	if text, ok := value.(string); ok && len(text) > MaxDigits && strings.Trim(text, "-+.eE0123456789") == "" {
		return tooManyDigits(text)
	}
	if err := CheckNumbers(value); err != nil {
		return err
	}
	return value
}

func tooManyDigits(number string) error {
	return fmt.Errorf("the number %.20s… has %d digits, the limit is %d", number, len(number), MaxDigits)
}
