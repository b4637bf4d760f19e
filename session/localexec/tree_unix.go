//go:build unix

package localexec

// find lists the family as the machine is now.
func (f family) find(s *scans) ([]proc, error) {
	all, err := s.all()
	if err != nil {
		return nil, err
	}
	return f.members(all), nil
}

// members lists who belongs to the child.
func (c *child) members(f family, s *scans) ([]proc, error) { return f.find(s) }
