// Package report writes the result of mcpdbg check: as text for a person, and as JUnit
// XML and Markdown for CI. All text is safe for a terminal.
package report
