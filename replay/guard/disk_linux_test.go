package guard

import (
	"syscall"
	"testing"
)

// smallDisk puts a file system of 64 KiB at dir for the test, where that may be
// done.
func smallDisk(t *testing.T, dir string) bool {
	if syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k") != nil {
		return false
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
	return true
}
