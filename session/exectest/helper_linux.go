package exectest

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// overwriteEnvironment overwrites the memory behind /proc/self/environ, as
// setproctitle and an assignment to $0 in Perl do.
func overwriteEnvironment([]string) error {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return err
	}
	const first, envStart, envEnd = 3, 50, 51 // proc(5); the fields after the name begin with number 3
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= envEnd-first {
		return fmt.Errorf("read /proc/self/stat: %d fields", len(fields))
	}
	start, err := strconv.ParseInt(fields[envStart-first], 10, 64)
	if err != nil {
		return err
	}
	end, err := strconv.ParseInt(fields[envEnd-first], 10, 64)
	if err != nil {
		return err
	}
	memory, err := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer memory.Close()
	_, err = memory.WriteAt(bytes.Repeat([]byte("x"), int(end-start)), start)
	return err
}
