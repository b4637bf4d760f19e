package bad

// BAD: The server is
// told twice.
var log = []string{"literals of tests are data: the server is told"}
