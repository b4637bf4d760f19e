package guard

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcpdbg/internal/wording"
)

// Bootstrap is the only command a login shell ever gets: it means the same in every
// shell, and what it reads next appears in no process list. POSIX read takes one byte at
// a time, so that the input after the line is left for the next reader.
const Bootstrap = `exec /bin/sh -c '` + ReadLine + `'`

// ReadLine makes a shell read one line, as Input writes it, and evaluate it.
const ReadLine = "IFS= read -r _m; " + evaluate

const evaluate = `eval "$(printf %b "$_m")"`

// TimedLine is ReadLine for a shell that ends if no line comes in time: see
// Command.Timeout.
func TimedLine(timeout time.Duration) string {
	if timeout <= 0 {
		return ReadLine
	}
	return fmt.Sprintf(timeoutScript, seconds(timeout)) + "_mgo; _m=$_mr; " + evaluate
}

//go:embed guard.sh
var guardText string

// groupOf sets _mg to the process group of the shell, without a fork if there is a /proc,
// or if leadScript has made the shell the leader of one.
const groupOf = `_mg=
{ IFS= read -r _mg </proc/$$/stat; } 2>/dev/null
if [ -n "$_mg" ]; then set -- ${_mg##*)}; _mg=$3; elif [ "${_ml-}" = $$ ]; then _mg=$_ml; else _mg=$(PATH=/usr/bin:/bin:$PATH ps -o pgid= -p $$ 2>/dev/null); _mg=${_mg##* }; fi
`

// leadScript makes the shell the leader of its own group, so that the group can be
// signalled without hitting other processes: dropbear starts commands in the group of the
// connection. Startup files may have broken PATH.
const leadScript = groupOf + `[ "$_mg" = $$ ] || for _mg in /usr/bin /bin /usr/local/bin /run/current-system/sw/bin; do
[ -x $_mg/setsid ] && _ml=$$ && export _ml && exec $_mg/setsid /bin/sh -c '` + ReadLine + `'
done
` + ReadLine

const noStamp = "0"

// stampOf returns the stamp of a run. It is a number that no program would choose, and that a shell's ulimit can hold.
func stampOf(mark string) string {
	n, _ := strconv.ParseUint(mark[:14], 16, 64) // digits of executor.NewMark
	return strconv.FormatUint(n|1<<57, 10)
}

// ArmedMarker begins the first line that a guard writes.
func ArmedMarker(mark string) string { return "ARMED-" + mark }

// Orders are what a guard does on its own. Times are rounded up to whole seconds.
type Orders struct {
	// Lease is how long it hears nothing before it ends the run; 0 means forever.
	Lease time.Duration
	Leave []string // the programs that it spares
	// Timeout is how long it waits for its run before it ends; 0 means forever.
	Timeout time.Duration
	// Meet makes it wait a moment for the run before its first line: see Guard.Met.
	Meet bool
}

// Script returns the script of a guard for the run with a mark.
func Script(mark string, o Orders) string {
	var b strings.Builder
	meet := ""
	if o.Meet {
		meet = "1"
	}
	fmt.Fprintf(&b, "unset _m _ml\nMARK=%s LEASE=%d LEAVE=%s TIMEOUT=%d MEET=%s\n",
		mark, seconds(o.Lease), wording.ShellQuote(strings.Join(o.Leave, "\n")), seconds(o.Timeout), meet)
	for line := range strings.Lines(guardText) {
		if line = strings.TrimLeft(line, "\t"); line != "\n" && !strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// ShowMark returns a script that makes the shell read the next line in an environment
// with the mark: that of a running shell does not show what it exports. The line, which holds
// the variables, may be long: timeout limits how long it takes, 0 means until the input ends.
func ShowMark(mark string, timeout time.Duration) string {
	return "_mw=" + mark + "; export _mw; exec /bin/sh -c " + wording.ShellQuote(TimedLine(timeout))
}

// Input returns the lines for Bootstrap that make the shell the leader of its own group,
// and run the scripts: each but the last one reads the next.
func Input(scripts ...string) []byte {
	lines := encode(leadScript)
	for _, script := range scripts {
		lines = append(lines, encode(script)...)
	}
	return lines
}

// encode makes a script one line for Bootstrap: it escapes the backslash and every
// byte that is not printable ASCII, as printf's %b reads them.
func encode(script string) []byte {
	line := make([]byte, 0, len(script)+len(script)/8+1)
	for i := range len(script) {
		switch c := script[i]; {
		case c < ' ' || c > '~' || c == '\\':
			line = append(line, '\\', '0', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			line = append(line, c)
		}
	}
	return append(line, '\n')
}

// ExitMarker begins the report of the exit status by Wrapped, which ends with the status
// and a newline. No program writes its first byte by chance.
func ExitMarker(mark string) string { return "\x1eEXIT-" + mark + " " }

// Wrapped is Input for a shell that waits for what the scripts become, and then reports
// the exit status on standard error. Signals do not end it earlier.
func Wrapped(mark string, scripts ...string) []byte {
	return append(encode(fmt.Sprintf(`trap : INT TERM HUP QUIT
/bin/sh -c '%s'
_ms=$?
printf '\036EXIT-%s %%s\n' $_ms >&2
exit $_ms`, ReadLine, mark)), Input(scripts...)...)
}

// Plain is Input for a shell that stays in the group where it is.
func Plain(script string) []byte { return encode(script) }

func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
