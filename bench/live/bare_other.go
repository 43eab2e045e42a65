//go:build !linux

package main

func bare() { serve("echo") }
