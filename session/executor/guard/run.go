package guard

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
)

// A Command is what a run script becomes.
type Command struct {
	Argv    []string
	Dir     string
	Path    string // empty keeps that of the host
	Env     []executor.EnvVar
	NoStdin bool
	// Timeout is how long the script waits for GO before it kills itself, rounded up to
	// whole seconds; 0 means until its input ends.
	Timeout time.Duration
}

// A Run is the report of a run script that waits for GO.
type Run struct {
	PID    int
	Group  int    // that it leads; 0 if it leads none
	Stamp  string // empty if it could not be set
	Status Status
	Path   string // in which the program was searched
}

// A Status reports whether a run script can become its program.
type Status string

// The statuses. Only a Ready one may be let go.
const (
	Ready         Status = "0"
	NotFound      Status = "1"
	NotExecutable Status = "2"
	NoDir         Status = "3"
)

// RunMarker begins the line in which a run script reports, on both streams.
func RunMarker(mark string) string { return "RUN-" + mark }

// Go returns the line that lets a Ready run script become its program.
func Go(mark string) string { return "GO-" + mark + "\n" }

// ParseRun parses what follows RunMarker: pid, group, status, stamp, PATH.
func ParseRun(mark, line string) (Run, error) {
	f := strings.SplitN(line, " ", 5)
	if len(f) < 5 {
		return Run{}, fmt.Errorf("unexpected reply of the start script: %q", cut(line))
	}
	pid, err := strconv.Atoi(f[0])
	if err != nil || pid < 1 { // 1 in a namespace of its own
		return Run{}, fmt.Errorf("unexpected reply of the start script: %q", cut(line))
	}
	r := Run{PID: pid, Status: Status(f[2]), Path: f[4]}
	if group, _ := strconv.Atoi(f[1]); group == pid { // 0: unknown
		r.Group = group
	}
	if f[3] == stampOf(mark) {
		r.Stamp = f[3]
	}
	return r, nil
}

// stamp returns the stamp as the guard's commands spell it.
func (r Run) stamp() string {
	if r.Stamp == "" {
		return noStamp
	}
	return r.Stamp
}

// stampScript sets _mk to the stamp, or to 0 if that fails. The stamp is the
// soft limit on file locks, which Linux has not used since 2.4: descendants
// inherit it, a process that clears its environment keeps it, and every user
// can read it in /proc. Each shell has its own letter for it, and one only
// counts in 32 bits, so the script reads the limit back: not by its pid, which in a pid
// namespace with the /proc of the host is that of another process. A run inside another
// one keeps that one's stamp.
const stampScript = `_mk=%s
_mlim() { while IFS= read -r _mr; do case $_mr in "Max file locks "*) set -- "$1" $_mr; [ "$5" = "$1" ]; return ;; esac; done </proc/self/limits; return 1; }
_mset() { ulimit -S -w $1 || ulimit -S -x $1 || ulimit -S -L $1; }
{ _mlim unlimited && _mset $_mk && _mlim $_mk || { _mlim $_mk || _mlim 0 && _mset unlimited; _mk=0; }; } 2>/dev/null
`

// timeoutScript defines _mgo, which sets _mr to the next line, or to nothing if none comes
// in time. Where read has no time limit, as in dash, a clock kills the shell. The clock is a
// child that has ended before the shell becomes another program; if it outlives the shell, it
// ends within a second, and kills no other process of that pid. A shell that has just been forked may lose any other
// signal than KILL.
const timeoutScript = `_mgo() { IFS= read -r -t %[1]d _mr; }
_mborn() {
_mb=
{ IFS= read -r _mb </proc/$$/stat; } 2>/dev/null
set -- ${_mb##*)}
_mb=${20-}
}
_mnap() {
_mq= _mp= _mt=0
trap '_mq=1; kill -KILL $_mp' TERM
_mborn
_mv=$_mb
while [ $_mt -lt %[1]d ]; do
PATH=/usr/bin:/bin:$PATH sleep 1 &
_mp=$!
[ -z "$_mq" ] || kill -KILL $_mp
wait $_mp || { wait $_mp; exit; }
kill -0 $$ || exit
_mt=$((_mt + 1))
done
_mborn
[ "$_mb" = "$_mv" ] && kill -KILL $$
}
{ IFS= read -r -t 1 _mr </dev/null; } 2>/dev/null
if [ $? != 1 ]; then
_mnap </dev/null >/dev/null 2>&1 &
_mz=$!
_mgo() {
IFS= read -r _mr
{ kill $_mz; wait $_mz; } 2>/dev/null
}
fi
`

// RunScript returns a script that prints RUN-mark, its pid, its group, whether it can be
// executed and its stamp, on both streams; it then waits for GO-mark and becomes the
// program. It waits even if it cannot, until its input ends: dropbear can lose the last output of a command
// that ends by itself. After the named variables are set it must not use a variable that
// could be one of them, so its own begin with _m.
func RunScript(mark string, c Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, groupOf+"unset _m _ml _mw\n"+stampScript, stampOf(mark))
	if c.Timeout > 0 {
		fmt.Fprintf(&b, timeoutScript, seconds(c.Timeout))
	} else {
		b.WriteString("_mgo() { IFS= read -r _mr; }\n")
	}
	fmt.Fprintf(&b, `_mend() { echo; echo "RUN-%[1]s $$ ${_mg:-0} $1 $_mk $PATH"; echo >&2; echo "RUN-%[1]s" >&2; }
`, mark)
	if c.Dir != "" {
		fmt.Fprintf(&b, "cd -- %s 2>/dev/null || { _mend %s; _mgo; exit 111; }\nunset OLDPWD\n", wording.ShellQuote(c.Dir), NoDir)
	}
	fmt.Fprintf(&b, "%[1]s=${%[1]s:+$%[1]s,}%[2]s\nexport %[1]s\n", executor.MarkName, mark)
	if c.Path != "" {
		fmt.Fprintf(&b, "PATH=%s\nexport PATH\n", wording.ShellQuote(c.Path))
	}
	for _, v := range c.Env {
		fmt.Fprintf(&b, "%[1]s=%[2]s\nexport %[1]s\n", v.Name, wording.ShellQuote(v.Value))
	}
	b.WriteString("set --")
	for _, arg := range c.Argv {
		b.WriteString(" " + wording.ShellQuote(arg))
	}
	fmt.Fprintf(&b, `
_ms=%[2]s
_mtry() {
if [ -d "$1" ]; then _ms=%[3]s
elif [ -x "$1" ]; then _ms=%[1]s
elif [ -e "$1" ]; then _ms=%[3]s
fi
}
case $1 in
*/*) _mtry "$1" ;;
*) _mr=$PATH:
while [ -n "$_mr" ]; do
_md=${_mr%%%%:*} _mr=${_mr#*:}
[ -d "${_md:-.}/$1" ] || _mtry "${_md:-.}/$1"
[ $_ms = %[1]s ] && break
done ;;
esac
_mend $_ms
_mgo
[ $_ms = %[1]s ] || exit 127
[ "$_mr" = GO-%[4]s ] || exit 112
unset _ms _mr _md _mg _mk _mz
unset -f _mend _mtry _mlim _mset _mgo _mnap _mborn
exec "$@"`, Ready, NotFound, NotExecutable, mark)
	if c.NoStdin {
		b.WriteString(" </dev/null")
	}
	b.WriteString("\n")
	return b.String()
}
