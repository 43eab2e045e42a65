//go:build !linux

package target

import "os"

func writeback(*os.File, int64, int64) {}
