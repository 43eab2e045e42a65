//go:build !unix

package target

import (
	"io/fs"
	"os"
)

// umask is empty where the system has none.
func umask() fs.FileMode { return 0 }

// duplicate opens name; descriptors have no names of this kind here.
func duplicate(_ int, name string) (*os.File, error) { return os.OpenFile(name, os.O_WRONLY, 0) }
