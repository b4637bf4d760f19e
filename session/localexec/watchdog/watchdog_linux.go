package watchdog

import (
	"os"
	"syscall"
	"unsafe"
)

// Program is the executable of a watchdog: this program, even if its file was
// replaced meanwhile.
const Program = "/proc/self/exe"

func init() {
	if len(os.Args) == 1 && os.Args[0] == Name && os.Getenv(variable) == version {
		// Skip exit hooks: those of the race detector take a second.
		syscall.Exit(run())
	}
}

// run returns the exit code. It stays on the main thread, to which Go locks the
// initialisation: the parent-death signal is sent when the forking thread ends.
func run() int {
	name(Name)
	for fd := fdOrders; fd <= fdStderr; fd++ {
		syscall.CloseOnExec(fd)
	}
	if errno := prctl(prSetChildSubreaper, 1); errno != 0 {
		return 1
	}
	report(Ready, 0)
	server, ok := readServer()
	if !ok {
		return 1
	}
	pid, err := start(server)
	for fd := fdStdin; fd <= fdStderr; fd++ {
		_ = syscall.Close(fd) // otherwise the end of the server's output is never seen
	}
	if err != nil {
		errno, _ := err.(syscall.Errno) //nolint:errorlint // package errors is not to be imported, and nothing wraps it
		report(Refused, uint32(errno))
		return 1
	}
	ignoreSignals()
	_ = os.Chdir("/") // keep no directory busy
	report(Started, uint32(pid))
	w := &watchdog{leader: pid, lock: make(chan struct{}, 1)}
	go w.reap()
	w.serve()
	w.killDescendants(server.Leave)
	return 0
}

type watchdog struct {
	leader    int
	lock      chan struct{} // held while the leader is reaped or signalled
	reaped    bool
	groupGone bool // its number may be reused
}

func readServer() (Server, bool) {
	var length [4]byte
	if !readFull(length[:]) || number(length[:]) > maxOrder {
		return Server{}, false
	}
	b := make([]byte, number(length[:]))
	if !readFull(b) {
		return Server{}, false
	}
	return decode(b)
}

// readFull returns false at the end of the order pipe.
func readFull(b []byte) bool {
	for len(b) > 0 {
		n, err := syscall.Read(fdOrders, b)
		switch {
		case err == syscall.EINTR:
		case err != nil || n <= 0:
			return false
		default:
			b = b[n:]
		}
	}
	return true
}

// report ignores a lost reader, because then the order pipe ends too.
func report(kind ReportKind, value uint32) {
	b := Report{Kind: kind, Value: value}.encode()
	for {
		if _, err := syscall.Write(fdReports, b); err != syscall.EINTR {
			return
		}
	}
}

// start makes the server the leader of its own session and group.
func start(s Server) (int, error) {
	attr := &syscall.ProcAttr{
		Dir:   s.Dir,
		Env:   s.Env,
		Files: []uintptr{fdStdin, fdStdout, fdStderr},
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	}
	pid, err := syscall.ForkExec(s.Path, s.Argv, attr)
	if err == syscall.EPERM { // refused, by a sandbox for example
		attr.Sys = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
		pid, err = syscall.ForkExec(s.Path, s.Argv, attr)
	}
	return pid, err
}

func (w *watchdog) serve() {
	var order [signalSize]byte
	for readFull(order[:]) {
		if order[0] == 0 {
			syscall.Exit(0)
		}
		report(Answered, uint32(w.signal(syscall.Signal(order[0]), order[1] != 0)))
	}
}

// signal returns 0 if there is no such process.
func (w *watchdog) signal(sig syscall.Signal, group bool) syscall.Errno {
	w.lock <- struct{}{}
	defer func() { <-w.lock }()
	var errno syscall.Errno
	switch {
	case group && !w.groupGone:
		errno = kill(-w.leader, sig)
	case !group && !w.reaped:
		errno = kill(w.leader, sig)
	}
	if errno == syscall.ESRCH {
		return 0
	}
	return errno
}

// reap reaps the leader and all adopted processes. When no child is left, no descendant
// is left either, and the watchdog ends.
func (w *watchdog) reap() {
	for {
		switch awaitChild() {
		case 0:
			w.reapAll()
		case syscall.EINTR:
		default:
			report(Empty, 0)
			syscall.Exit(0)
		}
	}
}

func awaitChild() syscall.Errno {
	const allChildren, exited, peek = 0, 4, 0x01000000 // P_ALL, WEXITED, WNOWAIT
	var info [128]byte
	_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, allChildren, 0, uintptr(unsafe.Pointer(&info)), exited|peek, 0, 0)
	return errno
}

func (w *watchdog) reapAll() {
	w.lock <- struct{}{}
	defer func() { <-w.lock }()
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil || pid <= 0:
			return
		case pid == w.leader:
			w.reaped, w.groupGone = true, kill(-pid, 0) == syscall.ESRCH
			report(Exited, uint32(status))
		}
	}
}

// Limits of ending the descendants.
const (
	firstPause = 1_000_000  // nanoseconds between two rounds, doubled each time
	maxPause   = 50_000_000 // nanoseconds
	maxRounds  = 3000       // some two minutes
	quietLooks = 3          // consecutive looks that find only spared processes
)

// killDescendants kills round after round. If no program is spared, it does not return
// before the last process is gone, when reap ends the watchdog. It gives up on processes
// that no signal ends.
func (w *watchdog) killDescendants(leave []string) {
	pause := int64(firstPause)
	for round, quiet := 0, 0; round < maxRounds && quiet < quietLooks; round++ {
		found, err := w.descendants(leave)
		quiet++
		if err != nil || len(found) > 0 || len(leave) == 0 {
			quiet = 0
		}
		if err != nil {
			_ = w.signal(syscall.SIGKILL, true) // all that is possible without a list
		}
		for _, s := range found {
			// A process that cannot be killed is found again.
			_ = Kill(s.PID, s.Start, syscall.SIGKILL)
		}
		sleep := syscall.NsecToTimespec(pause)
		_ = syscall.Nanosleep(&sleep, nil) // an interrupted sleep is fine
		pause = min(2*pause, maxPause)
	}
}

// descendants lists the live ones without those that leave names and the processes that
// they have started. The leader is never spared.
func (w *watchdog) descendants(leave []string) ([]Stat, error) {
	all, err := Processes()
	if err != nil {
		return nil, err
	}
	below := map[int]bool{os.Getpid(): true}
	var found []Stat
	for grown := true; grown; {
		grown = false
		for _, s := range all {
			if below[s.PID] || !below[s.PPID] || s.PID != w.leader && Spares(leave, argv0(s.PID), s.Comm) {
				continue
			}
			below[s.PID], grown = true, true
			if !s.Dead() {
				found = append(found, s)
			}
		}
	}
	return found, nil
}

func argv0(pid int) string {
	line, err := os.ReadFile("/proc/" + decimal(pid) + "/cmdline")
	if err != nil {
		return ""
	}
	for i, c := range line {
		if c == 0 {
			return string(line[:i])
		}
	}
	return string(line)
}

const (
	prSetName           = 15
	prSetChildSubreaper = 36
)

func prctl(option, value uintptr) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, option, value, 0, 0, 0, 0)
	return errno
}

// name sets the name that ps and killall show.
func name(s string) {
	b := append([]byte(s), 0)
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PRCTL, prSetName, uintptr(unsafe.Pointer(&b[0])), 0, 0, 0, 0)
}

// ignoreSignals ignores what a terminal or a person sends to end a program. It runs after
// the start, as the server would inherit it. It has no effect if the kernel's argument
// has another layout (MIPS).
func ignoreSignals() {
	const ignore, maskSize = 1, 8 // SIG_IGN, sizeof(kernel_sigset_t)
	action := [8]uintptr{ignore}  // struct kernel_sigaction begins with the handler
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&action)), 0, maskSize, 0, 0)
	}
}
