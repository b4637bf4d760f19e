package session

import (
	"cmp"
	"slices"
	"strings"

	"mcpdbg/session/executor"
)

// shortestSecret is the shortest value that is concealed, in bytes: shorter ones
// stand in texts that have nothing to do with them.
const shortestSecret = 4

// Conceal writes ${NAME} for the values of variables in texts, where one value
// holds another for the longer one. Values under 4 bytes are left.
func Conceal(texts []string, secrets []executor.EnvVar) []string {
	hide := concealer(secrets)
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = hide.Replace(text)
	}
	return out
}

func concealer(secrets []executor.EnvVar) *strings.Replacer {
	longest := slices.Clone(secrets)
	slices.SortStableFunc(longest, func(a, b executor.EnvVar) int { return cmp.Compare(len(b.Value), len(a.Value)) })
	var pairs []string
	for _, v := range longest {
		if len(v.Value) >= shortestSecret {
			pairs = append(pairs, v.Value, "${"+v.Name+"}")
		}
	}
	return strings.NewReplacer(pairs...)
}

// conceal hides the session's secrets in the command lines of processes: the
// system tells them to everybody here, but a log travels.
func (s *Session) conceal(procs []executor.Descendant) []executor.Descendant {
	procs = slices.Clone(procs)
	for i := range procs {
		procs[i].Command = s.hide.Replace(procs[i].Command)
	}
	return procs
}
