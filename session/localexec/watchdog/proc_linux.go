package watchdog

import (
	"os"
	"syscall"
)

// A Stat holds fields of /proc/PID/stat (proc(5)).
type Stat struct {
	PID, PPID, Group, Session int
	Comm                      string
	State                     byte
	Start                     uint64 // field 22: clock ticks since boot
	Ticks                     uint64 // fields 14 and 15: user and system time
	Pages                     uint64 // field 24: resident
	Threads                   int    // field 20
}

// Dead reports whether the process has exited but is not reaped yet.
func (s Stat) Dead() bool { return s.State == 'Z' || s.State == 'X' }

// ParseStat reads the text of /proc/PID/stat. The name in parentheses may hold
// anything.
func ParseStat(text string) (Stat, bool) {
	open, end := -1, -1
	for i := range len(text) {
		switch {
		case text[i] == '(' && open < 0:
			open = i
		case text[i] == ')':
			end = i
		}
	}
	if open < 1 || end < open {
		return Stat{}, false
	}
	s := Stat{Comm: text[open+1 : end]}
	pid, ok := parse(text[:open-1])
	if !ok {
		return Stat{}, false
	}
	s.PID = int(pid)
	const state, ppid, group, session, utime, stime, threads, start, rss = 3, 4, 5, 6, 14, 15, 20, 22, 24
	rest := text[end+1:]
	for field := state; field <= rss; field++ {
		var word string
		word, rest = nextWord(rest)
		if field == state {
			if len(word) != 1 {
				return Stat{}, false
			}
			s.State = word[0]
			continue
		}
		n, ok := parse(word)
		switch field {
		case ppid:
			s.PPID = int(n)
		case group:
			s.Group = int(n)
		case session:
			s.Session = int(n)
		case utime, stime:
			s.Ticks += n
		case threads:
			s.Threads = int(n)
		case start:
			s.Start = n
		case rss:
			s.Pages = n
		default:
			ok = word != "" // numbers that are not needed, some negative
		}
		if !ok {
			return Stat{}, false
		}
	}
	return s, true
}

func nextWord(s string) (word, rest string) {
	i := 0
	for i < len(s) && s[i] == ' ' {
		i++
	}
	j := i
	for j < len(s) && s[j] != ' ' && s[j] != '\n' {
		j++
	}
	return s[i:j], s[j:]
}

func parse(s string) (uint64, bool) {
	var n uint64
	for i := range len(s) {
		digit := s[i] - '0'
		if digit > 9 || n > (1<<63-1)/10 {
			return 0, false
		}
		n = 10*n + uint64(digit)
	}
	return n, s != ""
}

// ReadStat reads /proc/PID/stat. It fails for a process that no longer exists.
func ReadStat(pid string) (Stat, bool) {
	text, ok := readProc(pid + "/stat")
	if !ok {
		return Stat{}, false
	}
	return ParseStat(string(text))
}

// readProc does not ask for the size, which is 0 below /proc, or whether the file can be
// polled: a look at all processes reads hundreds of files.
func readProc(name string) ([]byte, bool) {
	fd, err := open("/proc/" + name)
	if err != nil {
		return nil, false
	}
	defer syscall.Close(fd) //nolint:errcheck // nothing was written to it
	text := make([]byte, 0, 512)
	for {
		if len(text) == cap(text) {
			text = append(make([]byte, 0, 4*cap(text)), text...)
		}
		n, err := syscall.Read(fd, text[len(text):cap(text)])
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return nil, false // the process has ended
		case n == 0:
			return text, true
		default:
			text = text[:len(text)+n]
		}
	}
}

func open(path string) (int, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != syscall.EINTR {
			return fd, err
		}
	}
}

// Processes lists the processes of the machine.
func Processes() ([]Stat, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	all := make([]Stat, 0, len(names))
	for _, name := range names {
		if _, ok := parse(name); !ok {
			continue
		}
		if s, ok := ReadStat(name); ok {
			all = append(all, s)
		}
	}
	return all, nil
}

// System calls that package syscall does not name; the numbers are the same on
// every architecture.
const (
	sysPidfdSendSignal = 424
	sysPidfdOpen       = 434
)

// Kill sends sig to the process pid that was started at start, but not to
// another one that reuses its number. It returns nil if the process has exited.
func Kill(pid int, start uint64, sig syscall.Signal) error {
	fd, _, errno := syscall.Syscall(sysPidfdOpen, uintptr(pid), 0, 0)
	if errno == syscall.ESRCH {
		return nil
	}
	// The descriptor keeps referring to the same process, so a check after
	// opening it stays valid.
	s, ok := ReadStat(decimal(pid))
	same := ok && s.Start == start
	if errno != 0 { // an old kernel, or no descriptor left
		if same {
			errno = kill(pid, sig)
		} else {
			errno = 0
		}
		return result(errno)
	}
	if same {
		_, _, errno = syscall.Syscall6(sysPidfdSendSignal, fd, uintptr(sig), 0, 0, 0, 0)
	}
	_ = syscall.Close(int(fd)) // nothing was written to it
	return result(errno)
}

func kill(pid int, sig syscall.Signal) syscall.Errno {
	_, _, errno := syscall.RawSyscall(syscall.SYS_KILL, uintptr(pid), uintptr(sig), 0)
	return errno
}

func result(errno syscall.Errno) error {
	if errno == 0 || errno == syscall.ESRCH {
		return nil
	}
	return errno
}

func decimal(n int) string {
	var b [20]byte
	i := len(b)
	for {
		i--
		b[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			return string(b[i:])
		}
	}
}
