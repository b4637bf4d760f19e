package edit

import (
	"io/fs"
	"os"
)

// isForeign is always false: who may write a file is a matter of its access list.
func isForeign(fs.FileInfo) bool { return false }

func keepGroup(*os.File, fs.FileInfo) {}
