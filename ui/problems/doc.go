// Package problems shows what is wrong with a session: the list of its problems
// by rule, and their likely causes, in the lines below the header and on a card.
// The problems themselves and the causes are in the Workspace; Check checks new
// rows of the log for problems in steps.
//
// list.go has the list of problems, count.go their number in the header, check.go
// the steps; causes.go has the actions on likely causes, causespanel.go the panel,
// card.go the card with choices.go and evidence.go, words.go the texts.
package problems
