// Package arguments generates arguments for a tool from its input schema: the
// smallest ones that the schema accepts, and the same ones for the same seed. The
// result was checked against the schema; without one, the error explains why.
package arguments
