package localexec

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// Limits of what is read of one process; longer is cut.
const (
	maxEnviron = 4 << 20
	maxCommand = 4 << 10
)

// scan lists the processes of the machine from /proc.
func scan() ([]proc, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	all := make([]proc, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // it has ended meanwhile
		}
		if p, ok := parseStat(pid, string(stat)); ok {
			all = append(all, p)
		}
	}
	return all, nil
}

// parseStat reads the fields of /proc/PID/stat (proc(5)): 2 the name in
// parentheses, which may hold anything, 3 state, 4 parent, 5 group, 6 session,
// 24 resident pages.
func parseStat(pid int, stat string) (proc, bool) {
	open, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return proc{}, false
	}
	const first, rss = 3, 24 // fields[0] is number 3
	fields := strings.Fields(stat[end+1:])
	if len(fields) <= rss-first {
		return proc{}, false
	}
	p := proc{pid: pid, command: "[" + stat[open+1:end] + "]"}
	p.zombie = fields[0] == "Z" || fields[0] == "X"
	numbers := []*int{&p.ppid, &p.group, &p.session}
	for i, n := range numbers {
		v, err := strconv.Atoi(fields[1+i])
		if err != nil {
			return proc{}, false
		}
		*n = v
	}
	pages, err := strconv.ParseInt(fields[rss-first], 10, 64)
	if err != nil {
		return proc{}, false
	}
	p.rss = pages * int64(os.Getpagesize())
	return p, true
}

// hasMark reports whether the environment that pid was started with holds mark.
func hasMark(pid int, mark string) bool {
	env, err := readSome(pid, "environ", maxEnviron)
	return err == nil && bytes.Contains(env, []byte(mark))
}

// describe is the command line of m, or its name when it has none.
func describe(m proc) string {
	line, err := readSome(m.pid, "cmdline", maxCommand)
	if err != nil || len(line) == 0 {
		return m.command
	}
	return string(bytes.ReplaceAll(bytes.TrimRight(line, "\x00"), []byte{0}, []byte(" ")))
}

func readSome(pid int, file string, limit int64) ([]byte, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/" + file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}
