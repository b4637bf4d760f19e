package hosts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"mcpdbg/internal/verify"
)

// engines have the variables of CI engines that start several jobs.
var engines = []struct {
	index, of string
	from      int // number of the first job
}{
	{"CI_NODE_INDEX", "CI_NODE_TOTAL", 1}, // GitLab
	{"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0},
	{"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0},
}

// kubernetes has the index of a pod in an Indexed Job, from 0; no variable has the total.
const kubernetes = "JOB_COMPLETION_INDEX"

// ParseShard parses I/N, auto or auto/N; auto takes the variables of the engine. From
// names them.
func ParseShard(text string, getenv func(string) string) (s verify.Shard, from string, err error) {
	first, of, slash := strings.Cut(text, "/")
	switch {
	case text == "auto":
		return autoShard(getenv)
	case first == "auto":
		value := getenv(kubernetes)
		if value == "" {
			return s, "", fmt.Errorf("%s: %s is not set", text, kubernetes)
		}
		s, err = shardOf(value, of, 0)
		return s, kubernetes, err
	case !slash:
		return s, "", fmt.Errorf("%q: must be I/N, such as 2/5, auto or auto/N", text)
	}
	s, err = shardOf(first, of, 1)
	return s, "", err
}

func autoShard(getenv func(string) string) (s verify.Shard, from string, err error) {
	var names []string
	for _, e := range engines {
		index, of := getenv(e.index), getenv(e.of)
		if index != "" && of != "" {
			s, err = shardOf(index, of, e.from)
			return s, e.index + " and " + e.of, err
		}
		names = append(names, e.index)
	}
	if getenv(kubernetes) != "" {
		return s, "", fmt.Errorf("auto: %s is set, but no variable has the number of shards: write auto/N", kubernetes)
	}
	return s, "", errors.New("auto: none of " + strings.Join(names, ", ") + " is set with its total: write I/N")
}

func shardOf(index, of string, from int) (verify.Shard, error) {
	i, err := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if i += 1 - from; err != nil || err2 != nil || i < 1 || i > n || n > maxHosts {
		return verify.Shard{}, fmt.Errorf("shard %q of %q: the first must be from %d to %s", index, of, from, lastShard(n, from))
	}
	return verify.Shard{Index: i, Of: n}, nil
}

func lastShard(n, from int) string {
	if n < 1 {
		return "the number of shards"
	}
	return strconv.Itoa(n - 1 + from)
}

// Part returns the members of one shard, in their order: hosts are dealt out by sorted
// name, so that all servers of a host are together; on this machine, targets are.
func Part(members []Member, s verify.Shard) []Member {
	unit := func(m Member) string {
		if m.Host.Name == verify.Local {
			return m.ID
		}
		return m.Host.Name
	}
	units := make([]string, len(members))
	for i, m := range members {
		units[i] = unit(m)
	}
	sort.Strings(units)
	units = slices.Compact(units)
	in := make(map[string]bool, len(units)/s.Of+1)
	for k := s.Index - 1; k < len(units); k += s.Of {
		in[units[k]] = true
	}
	var part []Member
	for _, m := range members {
		if in[unit(m)] {
			part = append(part, m)
		}
	}
	return part
}

// PlanOf describes the whole plan: its hash is the same for all shards, and for hosts in
// another order.
func PlanOf(members []Member, s *verify.Shard) verify.Plan {
	ids := make([]string, len(members))
	for i, m := range members {
		ids[i] = m.ID
	}
	sort.Strings(ids)
	p := verify.Plan{Targets: len(members), Shard: s}
	of := 1
	if s != nil {
		p.IDs, of = ids, s.Of
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(of) + "\n" + strings.Join(ids, "\n")))
	p.Hash = hex.EncodeToString(sum[:16])
	return p
}
