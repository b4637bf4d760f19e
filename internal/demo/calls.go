package demo

import (
	"context"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

type echoArgs struct {
	Message *string `json:"message"`
	Upper   bool    `json:"upper"`
}

func callEcho(_ context.Context, r *request, args echoArgs) (any, error) {
	if args.Message == nil {
		return r.refuse("bad arguments: message is required")
	}
	if args.Upper {
		return textResult(strings.ToUpper(*args.Message)), nil
	}
	return textResult(*args.Message), nil
}

type addArgs struct {
	A *float64 `json:"a"`
	B *float64 `json:"b"`
}

func callAdd(_ context.Context, r *request, args addArgs) (any, error) {
	if args.A == nil || args.B == nil {
		return r.refuse("bad arguments: a and b are required")
	}
	sum := *args.A + *args.B
	if r.s.opts.Changed {
		sum += sumError
	}
	if math.IsInf(sum, 0) {
		return r.refuse("the sum is out of range")
	}
	return structured(r, object{"sum": sum}), nil
}

type slowArgs struct {
	Seconds float64 `json:"seconds"`
	Steps   int     `json:"steps"`
}

func callSlow(ctx context.Context, r *request, args slowArgs) (any, error) {
	if args.Seconds < 0 || args.Seconds > 3600 || args.Steps < 1 || args.Steps > 1000 {
		return r.refuse("bad arguments: seconds is 0 to 3600, steps 1 to 1000")
	}
	step := time.Duration(args.Seconds / float64(args.Steps) * float64(time.Second))
	for i := range args.Steps {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(step):
		}
		r.progress(float64(i+1), float64(args.Steps), fmt.Sprintf("step %d of %d", i+1, args.Steps))
	}
	return textResult(fmt.Sprintf("took %g seconds in %d steps", args.Seconds, args.Steps)), nil
}

type failArgs struct {
	Kind string `json:"kind"`
}

func callFail(_ context.Context, r *request, args failArgs) (any, error) {
	switch args.Kind {
	case "isError":
		return failure("this tool has failed, as it was asked to"), nil
	case "error":
		return nil, &rpcError{Code: codeInternal, Message: "this tool has failed, as it was asked to", Data: object{"kind": "error"}}
	case "crash":
		r.s.logf("panic: this tool crashes, as it was asked to")
		r.s.stop(exitCode(2))
		return noAnswer{}, nil
	}
	return r.refuse("bad arguments: kind is isError, error or crash")
}

type logArgs struct {
	Level   string `json:"level"`
	Message string `json:"message"`
	Count   int    `json:"count"`
}

func callLog(_ context.Context, r *request, args logArgs) (any, error) {
	if !slices.Contains(logLevels[:], args.Level) || args.Count < 0 || args.Count > 1e6 {
		return r.refuse("bad arguments: level is one of %s, count 0 to 1000000", strings.Join(logLevels[:], ", "))
	}
	sent := 0
	for range args.Count {
		if r.log(args.Level, args.Message) {
			sent++
		}
	}
	r.s.logf("log tool: %s", args.Message)
	return textResult(fmt.Sprintf("sent %d log messages, skipped %d", sent, args.Count-sent)), nil
}

// log reports whether the client wanted the level.
func (r *request) log(level string, data any) bool {
	if !r.wantsLevel(level) {
		return false
	}
	r.s.notify("notifications/message", object{"level": level, "logger": "demo", "data": data})
	return true
}

// A modern request without a level wants no log messages; a legacy session gets info and
// above until it sets a level.
func (r *request) wantsLevel(level string) bool {
	least := r.meta.LogLevel
	if !r.modern() {
		r.s.mu.Lock()
		least = r.s.legacy.logLevel
		r.s.mu.Unlock()
		if least == "" {
			least = "info"
		}
	}
	return least != "" && slices.Index(logLevels[:], level) >= slices.Index(logLevels[:], least)
}

type bigArgs struct {
	Bytes int `json:"bytes"`
}

func callBig(_ context.Context, r *request, args bigArgs) (any, error) {
	if args.Bytes < 0 || args.Bytes > 1<<30 {
		return r.refuse("bad arguments: bytes is 0 to %d", 1<<30)
	}
	return bigText(args.Bytes), nil
}

type floodArgs struct {
	Count int `json:"count"`
	Bytes int `json:"bytes"`
}

func callFlood(ctx context.Context, r *request, args floodArgs) (any, error) {
	if args.Count < 0 || args.Bytes < minFloodLine || args.Bytes > 1<<20 {
		return r.refuse("bad arguments: count is 0 or more, bytes %d to %d", minFloodLine, 1<<20)
	}
	if !r.wantsLevel("info") {
		return failure("the log level does not let level info through: a flood is of that"), nil
	}
	if err := writeFlood(ctx, r.s.out, args.Count, args.Bytes, bulkBlock); err != nil {
		return nil, err
	}
	return textResult(fmt.Sprintf("sent %d notifications of %d bytes", args.Count, args.Bytes)), nil
}

func callEnv(_ context.Context, r *request, _ struct{}) (any, error) {
	names := []string{}
	for _, entry := range os.Environ() {
		if name, _, ok := strings.Cut(entry, "="); ok && name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return structured(r, object{"names": names}), nil
}

func callMedia(_ context.Context, r *request, _ struct{}) (any, error) {
	blocks := []object{
		{"type": "text", "text": "one block of each type", "annotations": object{"audience": []string{"user"}, "priority": 0.5}},
		{"type": "image", "data": pixelPNG, "mimeType": "image/png"},
		{"type": "resource", "resource": readmeContents()},
	}
	if r.revision >= "2025-03-26" {
		blocks = append(blocks, object{"type": "audio", "data": silenceWAV, "mimeType": "audio/wav"})
	}
	if r.revision >= "2025-06-18" {
		blocks = append(blocks, object{"type": "resource_link", "uri": clockURI, "name": "clock", "mimeType": "text/plain"})
	}
	return object{"content": blocks}, nil
}

type journey struct {
	Passengers []struct {
		Name string `json:"name"`
		Age  int    `json:"age"`
		Seat string `json:"seat"`
		Meal string `json:"meal"`
	} `json:"passengers"`
	Trip struct {
		From  string `json:"from"`
		To    string `json:"to"`
		Date  string `json:"date"`
		Class string `json:"class"`
	} `json:"trip"`
	Contact struct {
		Email string `json:"email"`
		Phone string `json:"phone"`
	} `json:"contact"`
	Flexible bool     `json:"flexible"`
	MaxPrice float64  `json:"maxPrice"`
	Extras   []string `json:"extras"`
}

// The reference depends on the arguments alone, so that a replay gets the same one.
func callBook(_ context.Context, r *request, args journey) (any, error) {
	if len(args.Passengers) == 0 || args.Trip.From == "" || args.Trip.To == "" {
		return r.refuse("bad arguments: passengers, trip.from and trip.to are required")
	}
	price := 49.5 * float64(len(args.Passengers))
	if args.Flexible {
		price += 20
	}
	if args.MaxPrice > 0 && price > args.MaxPrice {
		return failure("the journey costs %.2f, which is over maxPrice", price), nil
	}
	return structured(r, object{
		"reference":  fmt.Sprintf("DEMO-%08X", crc32.ChecksumIEEE(encode(args))),
		"price":      price,
		"passengers": len(args.Passengers),
	}), nil
}

func callSurprise(_ context.Context, r *request, _ struct{}) (any, error) {
	return textResult("surprise!"), nil
}

type touchArgs struct {
	What string `json:"what"`
}

func callTouch(_ context.Context, r *request, args touchArgs) (any, error) {
	s := r.s
	switch args.What {
	case "clock":
		s.mu.Lock()
		s.clock++
		s.mu.Unlock()
		s.resourceUpdated(clockURI)
	case "tools", "prompts", "resources":
		s.mu.Lock()
		s.extra[args.What] = !s.extra[args.What]
		s.mu.Unlock()
		s.listChanged(args.What)
	default:
		return r.refuse("bad arguments: what must be clock, tools, prompts or resources")
	}
	return textResult(args.What + " changed"), nil
}
