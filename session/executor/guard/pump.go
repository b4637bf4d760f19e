package guard

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// A Pump passes the standard input of a run on, so that the guard can end it where nothing else
// can. It is known by its count of written bytes that all of them have passed.
type Pump struct {
	PID  int
	head uint64 // bytes that it has written by itself
}

func pumpMarker(mark string) string { return "PUMP-" + mark + " " }

// pumpScript runs a line through the pump. Its own standard error is closed: some shells
// report there that a process was killed. It kills only a child of its own: the guard may have
// ended the pump long ago.
const pumpScript = `trap : INT TERM HUP QUIT
exec 3>&2 2>/dev/null
/bin/sh -c 'echo $$; exec dd bs=65536' 3>&- | {
trap : INT TERM HUP QUIT
read -r _mp
echo "%s$_mp"
/bin/sh -c '%s' 2>&3 3>&-
_ms=$? _mr="x) S $$ "
[ ! -r /proc/$$/stat ] || { _mr=; read -r _mr </proc/$_mp/stat; }
case ${_mr##*) } in ?" $$ "*) kill -KILL $_mp ;; esac
exit $_ms
}`

// Pumped is Input for a shell that reads the scripts, and then the input of what they become,
// through a pump. It exits with the status of that. The first line is for the shell itself, and
// does not pass the pump.
func Pumped(mark string, scripts ...string) (first, rest []byte) {
	return encode(fmt.Sprintf(pumpScript, pumpMarker(mark), ReadLine)), Input(scripts...)
}

// FindPump removes the report of the pump from what came before that of the run. It reports
// whether there was one.
func FindPump(mark string, r *Reading) (Pump, bool) {
	before, after, ok := strings.Cut(string(r.Noise), pumpMarker(mark))
	if !ok {
		return Pump{}, false
	}
	number, rest, _ := strings.Cut(after, "\n")
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 1 {
		return Pump{}, false
	}
	r.Noise = []byte(before + rest)
	return Pump{PID: pid, head: uint64(len(number) + 1)}, true
}

// Pumped returns how many bytes the pump has passed. If those are all, it is ended, and with it
// standard input. known is false if the place does not count them.
func (c *Charge) Pumped(ctx context.Context, p Pump, all uint64, end bool) (passed uint64, known bool, err error) {
	last := "-"
	if end {
		last = strconv.FormatUint(p.head+all, 10)
	}
	procs, err := c.Ask(ctx, "I", fmt.Sprintf("%d %s", p.PID, last))
	if err != nil || len(procs) == 0 {
		return 0, false, err
	}
	count, err := strconv.ParseUint(procs[0].born, 10, 64)
	if err != nil || count < p.head {
		return 0, false, err
	}
	return count - p.head, true, nil
}
