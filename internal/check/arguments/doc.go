// Package arguments generates arguments for a tool from its input schema: the
// smallest ones that the schema accepts, and the same ones for the same seed. What
// it returns was checked against the schema; where it finds nothing it says why.
package arguments
