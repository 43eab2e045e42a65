//go:build !amd64 || purego

package catalog

func vectors() []backend { return nil }
