package run

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/cli/console"
	"mcpdbg/ui/widget/termsafe"
)

// How often progress is printed, and how wide without a terminal.
const (
	progressLine  = 100 * time.Millisecond // on a terminal, which shows one line
	progressLines = time.Second
	progressWidth = 200
)

// On a terminal as one line that changes, else as lines.
type progressPrinter struct {
	out    io.Writer
	width  func() int // of the terminal; nil without one
	every  time.Duration
	latest chan json.RawMessage
	stop   chan struct{}
	done   chan struct{}
}

// update sets the progress, until end is called.
func showProgress(env *console.Env, quiet bool) (update func(json.RawMessage), end func()) {
	if quiet {
		return func(json.RawMessage) {}, func() {}
	}
	p := &progressPrinter{out: env.Stderr, width: env.StderrWidth, every: progressLines}
	if p.width != nil {
		p.every = progressLine
	}
	p.start()
	return p.update, p.end
}

func (p *progressPrinter) start() {
	p.latest, p.stop, p.done = make(chan json.RawMessage, 1), make(chan struct{}), make(chan struct{})
	go p.run()
}

// It does not block: stderr may be a pipe that is not read.
func (p *progressPrinter) update(params json.RawMessage) {
	for {
		select {
		case p.latest <- params:
			return
		default:
		}
		select {
		case <-p.latest:
		default:
		}
	}
}

// end prints what was never printed, or clears the line of a terminal.
func (p *progressPrinter) end() {
	close(p.stop)
	<-p.done
}

func (p *progressPrinter) run() {
	defer close(p.done)
	shown := false
	for {
		select {
		case params := <-p.latest:
			p.print(params)
			shown = true
		case <-p.stop:
			p.finish(shown)
			return
		}
		select {
		case <-time.After(p.every):
		case <-p.stop:
			p.finish(shown)
			return
		}
	}
}

const clearLine = "\r\x1b[K"

func (p *progressPrinter) finish(shown bool) {
	switch {
	case p.width != nil && shown:
		fmt.Fprint(p.out, clearLine)
	case p.width == nil && !shown:
		select {
		case params := <-p.latest:
			p.print(params)
		default:
		}
	}
}

func (p *progressPrinter) print(params json.RawMessage) {
	text := "mcpdbg: " + progressText(params)
	if p.width == nil {
		fmt.Fprintln(p.out, termsafe.Truncate(text, progressWidth, "…"))
		return
	}
	fmt.Fprint(p.out, clearLine+termsafe.Truncate(text, p.width()-1, "…")) // the last column would wrap
}

// progressText describes the params of a progress notification.
func progressText(params json.RawMessage) string {
	var p struct {
		Progress *float64 `json:"progress"`
		Total    *float64 `json:"total"`
		Message  string   `json:"message"`
	}
	text := "progress"
	if err := framing.Unmarshal(params, &p); err != nil || p.Progress == nil {
		return text
	}
	text += " " + number(*p.Progress)
	if p.Total != nil {
		text += " of " + number(*p.Total)
		if *p.Total > 0 && *p.Progress >= 0 && *p.Progress <= *p.Total {
			text += fmt.Sprintf(" (%.0f%%)", math.Floor(100**p.Progress/(*p.Total)))
		}
	}
	if p.Message != "" {
		text += ": " + p.Message
	}
	return text
}

// At most three decimals.
func number(f float64) string {
	if math.Abs(f) >= 1e15 {
		return strconv.FormatFloat(f, 'g', 6, 64)
	}
	return strconv.FormatFloat(math.Round(f*1000)/1000, 'f', -1, 64)
}
