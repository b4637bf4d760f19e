package sshexec

import (
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// markName is the variable that marks a process and its descendants, as the
// local executor does.
const markName = "MCPDBG_MARK"

// bootstrap is all that a login shell ever sees, whatever is to be started: it
// means the same in every shell, and what it reads next appears in no list of
// processes. POSIX read takes one byte at a time, so that what follows the line
// is left for whoever comes next.
const bootstrap = `exec /bin/sh -c '` + readLine + `'`

const readLine = `IFS= read -r _m; eval "$(printf %b "$_m")"`

//go:embed guard.sh
var guardText string

// groupOf sets _mg to the process group of the shell, without a fork where there
// is a /proc, or where leadScript has made it the leader of one.
const groupOf = `_mg=
{ IFS= read -r _mg </proc/$$/stat; } 2>/dev/null
if [ -n "$_mg" ]; then set -- ${_mg##*)}; _mg=$3; elif [ "${_ml-}" = $$ ]; then _mg=$_ml; else _mg=$(PATH=/usr/bin:/bin:$PATH ps -o pgid= -p $$ 2>/dev/null); _mg=${_mg##* }; fi
`

// leadScript makes the shell the leader of a group of its own, so that the
// group can be signalled without hitting anybody else: dropbear starts commands
// in the group of the connection. Then it goes on with the next line. Startup
// files may have broken PATH.
const leadScript = groupOf + `[ "$_mg" = $$ ] || for _mg in /usr/bin /bin /usr/local/bin /run/current-system/sw/bin; do
[ -x $_mg/setsid ] && _ml=$$ && export _ml && exec $_mg/setsid /bin/sh -c '` + readLine + `'
done
` + readLine

// newMark returns 128 random bits: nobody else's process carries them.
func newMark() string {
	var b [16]byte
	// Read never fails: it would have ended the program.
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// noStamp is the stamp of a run whose processes have none.
const noStamp = "0"

// stampOf is the stamp of a run, which belongs to its mark: a number that no
// program would choose, and that a shell's ulimit can hold.
func stampOf(mark string) string {
	n, _ := strconv.ParseUint(mark[:14], 16, 64) // of newMark's digits
	return strconv.FormatUint(n|1<<57, 10)
}

// guardScript is guard.sh for one run. leave names the programs to spare.
func guardScript(mark string, lease int, leave []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "unset _m _ml\nMARK=%s LEASE=%d LEAVE=%s\n", mark, lease, quote(strings.Join(leave, "\n")))
	for line := range strings.Lines(guardText) {
		if line = strings.TrimLeft(line, "\t"); line != "\n" && !strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// What the run script says about the program before it waits to be let go.
const (
	runOK       = "0"
	runNotFound = "1"
	runNoExec   = "2"
	runNoDir    = "3"
)

// showMark has the next line run in a shell whose environment has the mark: that of
// a running shell does not show what it exports.
func showMark(mark string) string {
	return "_mw=" + mark + "; export _mw; exec /bin/sh -c '" + readLine + "'"
}

// stampScript sets _mk to the stamp, or to 0 where that fails. The stamp is the
// soft limit on file locks, which Linux has not used since 2.4: descendants
// inherit it, a process that clears its environment keeps it, and /proc shows it
// to everybody. Each shell has its own letter for it, and one only counts in 32
// bits, so the script reads the limit back.
const stampScript = `_mk=%s
_mlim() { while IFS= read -r _mr; do case $_mr in "Max file locks "*) set -- "$1" $_mr; [ "$5" = "$1" ]; return ;; esac; done </proc/$$/limits; return 1; }
_mset() { ulimit -S -w $1 || ulimit -S -x $1 || ulimit -S -L $1; }
{ _mlim unlimited && _mset $_mk && _mlim $_mk || { _mlim $_mk || _mlim 0 && _mset unlimited; _mk=0; }; } 2>/dev/null
`

// runScript prepares a process and says RUN-mark, its pid, its group, how it
// looks and its stamp, on both streams; it then waits for GO-mark and becomes
// the program. It must not use a variable after the named ones are set that one
// of them might be, except for those that begin with _m.
func runScript(mark string, c launchCommand) string {
	var b strings.Builder
	fmt.Fprintf(&b, groupOf+"unset _m _ml _mw\n"+stampScript, stampOf(mark))
	fmt.Fprintf(&b, `_mend() { echo; echo "RUN-%[1]s $$ ${_mg:-0} $1 $_mk $PATH"; echo >&2; echo "RUN-%[1]s" >&2; }
`, mark)
	if c.dir != "" {
		fmt.Fprintf(&b, "cd -- %s 2>/dev/null || { _mend %s; exit 111; }\nunset OLDPWD\n", quote(c.dir), runNoDir)
	}
	fmt.Fprintf(&b, "%[1]s=${%[1]s:+$%[1]s,}%[2]s\nexport %[1]s\n", markName, mark)
	if c.path != "" {
		fmt.Fprintf(&b, "PATH=%s\nexport PATH\n", quote(c.path))
	}
	for _, v := range c.env {
		fmt.Fprintf(&b, "%[1]s=%[2]s\nexport %[1]s\n", v.Name, quote(v.Value))
	}
	b.WriteString("set --")
	for _, arg := range c.argv {
		b.WriteString(" " + quote(arg))
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
[ $_ms = %[1]s ] || exit 127
IFS= read -r _mr
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

// quote is text as one word of a POSIX shell.
func quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// encode makes a script one line for the bootstrap: every byte that is not
// printable ASCII, and the backslash, as printf's %b writes it.
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
