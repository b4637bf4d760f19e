//go:build unix

package localexec

// find scans the machine for the family.
func (f family) find() ([]proc, error) {
	all, err := scan()
	if err != nil {
		return nil, err
	}
	return f.members(all, func(pid int) bool { return f.mark != "" && hasMark(pid, f.mark) }), nil
}

// members lists who belongs to the child.
func (c *child) members(f family) ([]proc, error) { return f.find() }
