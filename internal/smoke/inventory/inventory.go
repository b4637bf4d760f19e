package inventory

// An Inventory is what a server offers.
type Inventory struct{}
