// Package match says which requests of two sessions are the same, and what
// belongs to a request.
//
// [Walk] goes over a session.Source message by message and tells of each one
// which request it belongs to; [Exchanges] puts requests, answers and
// notifications together. Both hold in memory only what is open; bytes are read
// again with [Read].
//
// Ids say nothing across sessions. A request is known by its key ([AppendKey]):
// the method and the params, spelled in the one way that all equal values share
// ([AppendCanonical]). [Rules], which people keep in a file beside their code,
// say what else does not count, and [TypeOf] knows values that are another one
// in each run. [Diff] and [Differ] say where two values differ.
//
// All of it is untrusted: nothing here panics, and texts have to be made safe
// before a terminal sees them.
package match
