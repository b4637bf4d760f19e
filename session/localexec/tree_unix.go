//go:build unix

package localexec

// find lists the current members of the family.
func (f family) find(s *scans) ([]proc, error) {
	all, err := s.all()
	if err != nil {
		return nil, err
	}
	return f.members(all), nil
}

// members lists the processes that belong to the child.
func (c *child) members(f family, s *scans) ([]proc, error) { return f.find(s) }
