package diagnosis

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// ruleOf returns a rule with an id.
func ruleOf(id string) *Rule { return &Rule{ID: id} }

// atEnd returns a problem that was found because its process had ended.
func atEnd(id string, run uint16, severity Severity) Problem {
	return Problem{Rule: ruleOf(id), Severity: severity, Run: run, Count: 1, AtEnd: true}
}

// endOf returns the end of a process for a missing variable.
func endOf(run uint16, attempt int, how, advice string) End {
	return End{Run: run, Attempt: attempt, How: how, Cause: Cause{ID: "variable", Advice: advice}}
}

// TestOneCauseIsOneProblem checks that what follows from the end of a process counts once,
// for the probe and the start that had the same cause.
func TestOneCauseIsOneProblem(t *testing.T) {
	found := []Problem{
		atEnd("PRC03", 1, Warning), atEnd("RPC19", 1, Info),
		atEnd("PRC03", 2, Error), atEnd("PRC04", 2, Error), atEnd("RPC19", 2, Error), atEnd("PRC06", 2, Warning), atEnd("PRC08", 2, Info),
	}
	ends := []End{endOf(1, 0, "exited with code 3", "add -e KEY"), endOf(2, 0, "exited with code 3", "add -e KEY")}
	groups := Groups(found, ends)
	require.Len(t, groups, 1)
	require.Equal(t, &ends[1], groups[0].End, "the last one")
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6}, groups[0].Items)
	require.Equal(t, "1 problem (1 error)", CountGroups(groups).String())
	require.Equal(t, "5 problems (3 errors, 2 warnings), 2 remarks", CountOf(found).String(), "occurrences stay as they are")
}

// TestCausesThatDiffer checks which ends are not the same cause.
func TestCausesThatDiffer(t *testing.T) {
	found := []Problem{atEnd("PRC03", 1, Error), atEnd("PRC03", 2, Error)}
	first := endOf(1, 0, "exited with code 3", "add -e KEY")
	for name, second := range map[string]End{
		"attempt": endOf(2, 1, "exited with code 3", "add -e KEY"),
		"exit":    endOf(2, 0, "exited with code 4", "add -e KEY"),
		"advice":  endOf(2, 0, "exited with code 3", "add -e OTHER"),
	} {
		require.Equal(t, 2, CountGroups(Groups(found, []End{first, second})).Errors, name)
	}
}

// TestNothingFoldsWithoutCause checks that problems count by themselves if no cause is
// known, if they were found before the end, or if other rules found them.
func TestNothingFoldsWithoutCause(t *testing.T) {
	ends := []End{endOf(1, 0, "exited with code 3", "")}
	late := atEnd("RPC19", 1, Warning)
	late.AtEnd = false
	for name, found := range map[string][]Problem{
		"no cause":       {atEnd("PRC03", 2, Error), atEnd("PRC04", 2, Error)},
		"before the end": {late, atEnd("PRC03", 1, Error)},
		"another rule":   {atEnd("PRC09", 1, Warning), atEnd("PRC03", 1, Error)},
	} {
		require.Equal(t, 2, CountGroups(Groups(found, ends)).Problems(), name)
	}
}

// TestOneFloodIsOneProblem checks that occurrences count once, and that many problems of a
// rule about whole lines are one problem.
func TestOneFloodIsOneProblem(t *testing.T) {
	stray := Problem{Rule: ruleOf("FRM01"), Severity: Error, Count: 1}
	var found []Problem
	for range maxAlike {
		found = append(found, stray)
	}
	require.Equal(t, maxAlike, CountGroups(Groups(found, nil)).Errors)
	found = append(found, stray)
	found[maxAlike].Count = 550_876
	groups := Groups(found, nil)
	require.Len(t, groups, 1)
	require.Equal(t, 550_886, groups[0].Count)
	require.False(t, groups[0].Various, "all say the same")
	found[3].Detail = "another text"
	require.True(t, Groups(found, nil)[0].Various)
	require.Equal(t, "1 problem (1 error)", CountGroups(groups).String())

	for i := range found {
		found[i].Where = Location{Method: "tools/list", Name: string(rune('a' + i))}
	}
	require.Len(t, Groups(found, nil), maxAlike+1, "places in contents are faults of their own")
}
