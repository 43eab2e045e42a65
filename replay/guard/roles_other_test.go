//go:build !unix

package guard

var roles = map[string]func(args []string){}
