package program

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// given checks the flags of the command line that were given without a value:
// an unset variable of a script must not pass for a flag that is not there. A
// flag that can tell the two apart (a pointer) means what it gets, and one that
// only chooses among what is there by an id chooses nothing.
func given(ctx *kong.Context) error {
	for _, p := range ctx.Path {
		if p.Flag == nil || p.Flag.PlaceHolder == "ID" || !empty(p.Flag.Target) {
			continue
		}
		name := "--" + p.Flag.Name
		if p.Flag.Short != 0 {
			name = fmt.Sprintf("-%c, %s", p.Flag.Short, name)
		}
		return Fail("give it a value or leave the flag out; an unset variable may be behind it", "%s: the value is empty", name)
	}
	return nil
}

func empty(v reflect.Value) bool {
	switch {
	case v.Kind() == reflect.String:
		return v.String() == ""
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String:
		for i := range v.Len() {
			if v.Index(i).String() == "" {
				return true
			}
		}
	}
	return false
}

// negative explains kong's error about a value that begins with a dash.
func negative(err error) error {
	flag, rest, ok := strings.Cut(err.Error(), ": expected ")
	if !ok || !strings.HasPrefix(flag, "--") {
		return err
	}
	_, value, ok := strings.Cut(rest, `but got "`)
	if !ok {
		return err
	}
	value, _, _ = strings.Cut(value, `"`)
	if len(value) < 2 || value[0] != '-' || strings.Trim(value[1:], "0123456789.") != "" {
		return err
	}
	return fmt.Errorf("%s: %s is negative, and no value that it takes is", flag, value)
}
