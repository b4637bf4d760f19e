//go:build unix

package localexec

import "time"

func (f family) find(s *scans) ([]proc, error) {
	all, err := s.all()
	if err != nil {
		return nil, err
	}
	return f.members(all), nil
}

// emptySoon is how long a look at the remains of a group waits for the watchdog's report
// that no descendant is left, which follows the leader's exit at once.
const emptySoon = 2 * time.Millisecond

// members lists the processes that descend from the watchdog, which also knows when none
// is left; without one, or if it was lost, the list of all processes of the machine shows
// them.
func (c *child) members(f family, s *scans) ([]proc, error) {
	if c.watcher == nil {
		return f.find(s)
	}
	limit := time.Duration(0)
	if f.leader == 0 {
		limit = emptySoon
	}
	if c.watcher.none(limit) {
		return nil, nil
	}
	if found, ok := below(c.parent()); ok {
		return f.members(found), nil
	}
	return f.find(s)
}
