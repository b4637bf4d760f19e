package recordings

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// errStale is the error for a file that its server does not have any more.
const errStale = windows.ERROR_FILE_INVALID

// links is not known: a file that is open can't be deleted.
func links(fs.FileInfo) (n uint64, known bool) { return 0, false }

// currentPath is not known: a file that is open can't be renamed.
func currentPath(*os.File, fs.FileInfo) string { return "" }
