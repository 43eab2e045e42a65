//go:build !amd64 || purego

package jsonrpc

func vectors() []backend { return nil }
