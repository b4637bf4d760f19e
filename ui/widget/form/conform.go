package form

// maxValue is the largest value that Check checks, in bytes.
const maxValue = 1 << 20

// Check checks a value against a schema that both come from a server. unchecked are
// the patterns of the schema that cannot be matched; the value is checked for
// everything else. The error is the reason why it cannot be checked. It takes a tenth
// of a second at most, and is for a command.
func Check(schema, value []byte) (problems []Problem, unchecked []string, err error) {
	c := newChecker(schema, nil)
	c.longest = maxValue
	problems, err = c.Check(value)
	return problems, c.Unchecked(), err
}
