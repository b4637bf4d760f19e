package sshexec

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
)

// bootstrap is the only command a login shell ever gets: it means the same in every
// shell, and what it reads next appears in no process list. POSIX read takes one byte at
// a time, so that the input after the line is left for the next reader.
const bootstrap = `exec /bin/sh -c '` + readLine + `'`

const readLine = `IFS= read -r _m; eval "$(printf %b "$_m")"`

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
[ -x $_mg/setsid ] && _ml=$$ && export _ml && exec $_mg/setsid /bin/sh -c '` + readLine + `'
done
` + readLine

const noStamp = "0"

// The stamp is a number that no program would choose, and that a shell's ulimit can hold.
func stampOf(mark string) string {
	n, _ := strconv.ParseUint(mark[:14], 16, 64) // digits of executor.NewMark
	return strconv.FormatUint(n|1<<57, 10)
}

// leave names the programs to spare.
func guardScript(mark string, lease int, leave []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "unset _m _ml\nMARK=%s LEASE=%d LEAVE=%s\n", mark, lease, wording.ShellQuote(strings.Join(leave, "\n")))
	for line := range strings.Lines(guardText) {
		if line = strings.TrimLeft(line, "\t"); line != "\n" && !strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Before the run script waits for GO, it reports on the program.
const (
	runOK       = "0"
	runNotFound = "1"
	runNoExec   = "2"
	runNoDir    = "3"
)

// The environment of a running shell does not show what it exports: the next line runs in
// one that has the mark.
func showMark(mark string) string {
	return "_mw=" + mark + "; export _mw; exec /bin/sh -c '" + readLine + "'"
}

// stampScript sets _mk to the stamp, or to 0 if that fails. The stamp is the
// soft limit on file locks, which Linux has not used since 2.4: descendants
// inherit it, a process that clears its environment keeps it, and every user
// can read it in /proc. Each shell has its own letter for it, and one only
// counts in 32 bits, so the script reads the limit back.
const stampScript = `_mk=%s
_mlim() { while IFS= read -r _mr; do case $_mr in "Max file locks "*) set -- "$1" $_mr; [ "$5" = "$1" ]; return ;; esac; done </proc/$$/limits; return 1; }
_mset() { ulimit -S -w $1 || ulimit -S -x $1 || ulimit -S -L $1; }
{ _mlim unlimited && _mset $_mk && _mlim $_mk || { _mlim $_mk || _mlim 0 && _mset unlimited; _mk=0; }; } 2>/dev/null
`

// runScript prints RUN-mark, its pid, its group, whether it can be executed and its
// stamp, on both streams; it then waits for GO-mark and becomes the program. It waits
// even if it cannot, until its input ends: dropbear can lose the last output of a command
// that ends by itself. After the named variables are set it must not use a variable that
// could be one of them, so its own begin with _m.
func runScript(mark string, c launchCommand) string {
	var b strings.Builder
	fmt.Fprintf(&b, groupOf+"unset _m _ml _mw\n"+stampScript, stampOf(mark))
	fmt.Fprintf(&b, `_mend() { echo; echo "RUN-%[1]s $$ ${_mg:-0} $1 $_mk $PATH"; echo >&2; echo "RUN-%[1]s" >&2; }
`, mark)
	if c.dir != "" {
		fmt.Fprintf(&b, "cd -- %s 2>/dev/null || { _mend %s; IFS= read -r _mr; exit 111; }\nunset OLDPWD\n", wording.ShellQuote(c.dir), runNoDir)
	}
	fmt.Fprintf(&b, "%[1]s=${%[1]s:+$%[1]s,}%[2]s\nexport %[1]s\n", executor.MarkName, mark)
	if c.path != "" {
		fmt.Fprintf(&b, "PATH=%s\nexport PATH\n", wording.ShellQuote(c.path))
	}
	for _, v := range c.env {
		fmt.Fprintf(&b, "%[1]s=%[2]s\nexport %[1]s\n", v.Name, wording.ShellQuote(v.Value))
	}
	b.WriteString("set --")
	for _, arg := range c.argv {
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
IFS= read -r _mr
[ $_ms = %[1]s ] || exit 127
[ "$_mr" = GO-%[4]s ] || exit 112
unset _ms _mr _md _mg _mk
unset -f _mend _mtry _mlim _mset
exec "$@"`, runOK, runNotFound, runNoExec, mark)
	if c.noStdin {
		b.WriteString(" </dev/null")
	}
	b.WriteString("\n")
	return b.String()
}

// encode makes a script one line for the bootstrap: it escapes the backslash and every
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
