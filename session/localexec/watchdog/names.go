package watchdog

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
