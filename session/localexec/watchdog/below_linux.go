package watchdog

import "os"

// Below lists the descendants of a process, without looking at other processes. Like any
// list, it can miss one that is started meanwhile, and the next sibling of one that ends
// meanwhile. It fails for a process that has ended, and on a kernel that does not list
// children.
func Below(root int) ([]Stat, bool) {
	children, ok := childrenOf(root, 0)
	if !ok {
		return nil, false
	}
	var found []Stat
	seen := map[int]bool{root: true} // numbers are reused
	for len(children) > 0 {
		pid := children[len(children)-1]
		children = children[:len(children)-1]
		if seen[pid] {
			continue
		}
		seen[pid] = true
		s, ok := ReadStat(decimal(pid))
		if !ok {
			continue // it has ended, and the subreaper has its children
		}
		found = append(found, s)
		if !s.Dead() {
			more, _ := childrenOf(pid, s.Threads) // the same
			children = append(children, more...)
		}
	}
	return found, true
}

// childrenOf lists the children of each of the threads; 0 means an unknown number.
func childrenOf(pid, threads int) ([]int, bool) {
	tasks := "/proc/" + decimal(pid) + "/task"
	names := []string{decimal(pid)}
	if threads != 1 {
		dir, err := os.Open(tasks)
		if err != nil {
			return nil, false
		}
		names, err = dir.Readdirnames(-1)
		_ = dir.Close() // nothing was written to it
		if err != nil {
			return nil, false
		}
	}
	var all []int
	listed := false
	for _, name := range names {
		text, ok := readProc(decimal(pid) + "/task/" + name + "/children")
		listed = listed || ok // a thread may have ended
		all = appendNumbers(all, string(text))
	}
	return all, listed
}

func appendNumbers(all []int, text string) []int {
	for word, rest := nextWord(text); word != ""; word, rest = nextWord(rest) {
		if n, ok := parse(word); ok {
			all = append(all, int(n))
		}
	}
	return all
}
