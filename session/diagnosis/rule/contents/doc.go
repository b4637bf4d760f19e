// Package contents has the rules for what lists and results contain: names, schemas,
// content blocks, forms. It reads the raw bytes of a message once from the outside in
// and decodes only what a rule needs.
package contents
