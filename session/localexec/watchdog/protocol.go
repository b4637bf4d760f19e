package watchdog

// Name is the first argument of a watchdog and the name of its main thread. It
// differs from the name of the program, so that killing all processes of that
// name does not kill the watchdogs too.
const Name = "mcp-watchdog"

const (
	variable = "MCPDBG_WATCHDOG"
	version  = "1" // of the protocol over the two pipes
)

// Environ returns the environment of a watchdog, which is not passed to the
// server. It marks the process as a watchdog and keeps the Go runtime small.
func Environ() []string {
	return []string{variable + "=" + version, "GOMAXPROCS=2"}
}

// The descriptors that a watchdog is started with, besides closed standard
// streams.
const (
	fdOrders  = 3 + iota // to read orders from
	fdReports            // to write reports to
	fdStdin              // the server's
	fdStdout
	fdStderr
)

// A Server is the first order: the server to start.
type Server struct {
	Path  string // the file to execute
	Dir   string // empty: the watchdog's own
	Argv  []string
	Env   []string
	Leave []string // programs to spare at the end of the order pipe
}

// maxOrder is larger than any command that a system can execute.
const maxOrder = 1 << 30

// Encode returns the encoded order: its length, then the fields, each preceded
// by its own length.
func (s Server) Encode() []byte {
	b := make([]byte, 4)
	b = appendString(appendString(b, s.Path), s.Dir)
	for _, list := range [][]string{s.Argv, s.Env, s.Leave} {
		b = appendNumber(b, uint32(len(list)))
		for _, item := range list {
			b = appendString(b, item)
		}
	}
	appendNumber(b[:0], uint32(len(b)-4))
	return b
}

func appendNumber(b []byte, n uint32) []byte {
	return append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
}

func appendString(b []byte, s string) []byte { return append(appendNumber(b, uint32(len(s))), s...) }

type decoder struct {
	rest   []byte
	failed bool
}

func decode(b []byte) (Server, bool) {
	d := decoder{rest: b}
	s := Server{Path: d.string(), Dir: d.string(), Argv: d.list(), Env: d.list(), Leave: d.list()}
	return s, !d.failed && len(d.rest) == 0
}

func (d *decoder) number() uint32 {
	if len(d.rest) < 4 {
		d.failed = true
		return 0
	}
	n := number(d.rest)
	d.rest = d.rest[4:]
	return n
}

func number(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func (d *decoder) string() string {
	n := d.number()
	if d.failed || uint64(n) > uint64(len(d.rest)) {
		d.failed = true
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) list() []string {
	var list []string
	for n := d.number(); n > 0 && !d.failed; n-- {
		list = append(list, d.string())
	}
	return list
}

// A Signal is any order after the first: a signal for the leader or for its
// group. Number 0 dismisses the watchdog: it exits at once and kills no
// process.
type Signal struct {
	Number byte
	Group  bool
}

// signalSize is the length of an encoded Signal.
const signalSize = 2

// Encode returns the encoded order.
func (s Signal) Encode() []byte {
	b := []byte{s.Number, 0}
	if s.Group {
		b[1] = 1
	}
	return b
}

// A ReportKind is the kind of a Report.
type ReportKind byte

// The kinds of reports, with the meaning of Value.
const (
	Ready    ReportKind = 'r' // it waits for the first order
	Started  ReportKind = 's' // the leader's pid
	Refused  ReportKind = 'f' // the errno of the start; the watchdog exits
	Answered ReportKind = 'a' // the errno of a signal, 0 for none
	Exited   ReportKind = 'x' // the leader's wait status
	Empty    ReportKind = 'e' // no descendant is left; the watchdog exits
)

// A Report is one message of a watchdog.
type Report struct {
	Kind  ReportKind
	Value uint32
}

// ReportSize is the length of an encoded Report.
const ReportSize = 5

func (r Report) encode() []byte { return appendNumber([]byte{byte(r.Kind)}, r.Value) }

// DecodeReport decodes a report that a watchdog wrote.
func DecodeReport(b [ReportSize]byte) Report {
	return Report{Kind: ReportKind(b[0]), Value: number(b[1:])}
}

// maxComm is how many bytes of a program's name the Linux kernel keeps.
const maxComm = 15

// Spares reports whether leave contains the base name of argv0 or the kernel's
// name comm.
func Spares(leave []string, argv0, comm string) bool {
	for i := len(argv0) - 1; i >= 0; i-- {
		if argv0[i] == '/' {
			argv0 = argv0[i+1:]
			break
		}
	}
	for _, name := range leave {
		if name == "" {
			continue
		}
		if name == argv0 || name == comm || len(name) > maxComm && name[:maxComm] == comm {
			return true
		}
	}
	return false
}
