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

// clearer words kong's errors about the value of a flag for people: there is
// none, it begins with a dash, it is no number.
func clearer(err error) error {
	flag, rest, ok := strings.Cut(err.Error(), ": expected ")
	if !ok || !strings.HasPrefix(flag, "-") {
		return err
	}
	kind, value, ok := strings.Cut(rest, ` but got "`)
	if !ok {
		return err
	}
	if strings.HasSuffix(value, "(<EOL>)") {
		return fmt.Errorf("%s needs a value", flag)
	}
	value, rest, _ = strings.Cut(value, `"`)
	switch kind, isNext := strings.CutSuffix(kind, " value"); { // the next argument, which looks like a flag
	case strings.HasSuffix(kind, "int"):
		err = fmt.Errorf("%s needs a whole number, not %q", flag, value)
	case isNext:
		_, try, _ := strings.Cut(rest, "; ")
		err = fmt.Errorf("%s needs a value, and %q looks like a flag; %s", flag, value, try)
	}
	if len(value) < 2 || value[0] != '-' || strings.Trim(value[1:], "0123456789.") != "" {
		return err
	}
	return fmt.Errorf("%s: %s is negative, and no value that it takes is", flag, value)
}
