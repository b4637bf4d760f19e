// Package tasks has the rules for the tasks extension of the modern era,
// io.modelcontextprotocol/tasks (TSK04 to TSK06). The life of a task, which both eras
// have in common, is TSK01 in package lifecycle.
package tasks
