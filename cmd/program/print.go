package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/warden-trace/warden/formats/report/safe"
)

// advisor is an error that knows what its reader can do about it, as those of
// package target do.
type advisor interface{ Advice() string }

// Hint returns what err's reader can do about it, or "".
func Hint(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Hint != "" {
		return e.Hint
	}
	var a advisor
	if errors.As(err, &a) {
		return a.Advice()
	}
	return ""
}

// maxErrors bounds how many errors of a joined one are printed.
const maxErrors = 20

// PrintError writes err as "name: what: where" on one line, and what to do
// about it on another. Errors that were joined come one after the other. What
// an error quotes of a trace is escaped; it is never trusted to be one line.
// An interrupt alone says nothing: the user knows.
func PrintError(w io.Writer, name string, err error) {
	all := flatten(err, nil)
	for i, err := range all {
		if i == maxErrors {
			fmt.Fprintf(w, "%s: ... and %s\n", name, Count(len(all)-i, "more error", "more errors"))
			return
		}
		if errors.Is(err, context.Canceled) {
			continue
		}
		msg := strings.TrimSpace(safe.Limit(message(err), 4096))
		if msg == "" {
			continue
		}
		fmt.Fprintf(w, "%s: %s\n", name, safe.String(msg))
		if hint := Hint(err); hint != "" {
			fmt.Fprintf(w, "  hint: %s\n", safe.String(safe.Limit(hint, 1024)))
		}
	}
}

// message is what err says, without the name of a system call: which one found
// that a file is missing is nothing to its reader.
func message(err error) string {
	msg := err.Error()
	var p *fs.PathError
	if errors.As(err, &p) && (p.Op == "open" || p.Op == "stat" || p.Op == "lstat" || p.Op == "read") {
		msg = strings.Replace(msg, p.Error(), p.Path+": "+p.Err.Error(), 1)
	}
	return msg
}

// flatten lists the errors that errors.Join put together, in order.
func flatten(err error, list []error) []error {
	if err == nil {
		return list
	}
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return append(list, wrapped(err)...)
	}
	// A wrapping with several %w is one sentence; only a plain join is a list.
	if _, isErrorf := err.(interface{ Unwrap() error }); isErrorf || !isJoin(err, many.Unwrap()) {
		return append(list, err)
	}
	for _, e := range many.Unwrap() {
		list = flatten(e, list)
	}
	return list
}

// wrapped lists the errors of a joined one below err, each with what err says
// in front of it; the hint is given once, after the last. Any other error is
// itself.
func wrapped(err error) []error {
	for e := errors.Unwrap(err); e != nil; e = errors.Unwrap(e) {
		many, ok := e.(interface{ Unwrap() []error })
		if !ok || !isJoin(e, many.Unwrap()) {
			continue
		}
		front, ok := strings.CutSuffix(err.Error(), e.Error())
		if !ok {
			break
		}
		var list []error
		for _, part := range flatten(e, nil) {
			list = append(list, &Error{Code: Code(err), Err: fmt.Errorf("%s%w", front, part)})
		}
		if hint := Hint(err); hint != "" && len(list) > 0 {
			list[len(list)-1].(*Error).Hint = hint
		}
		return list
	}
	return []error{err}
}

// isJoin reports whether err says just what its parts say, a line each.
func isJoin(err error, parts []error) bool {
	lines := make([]string, len(parts))
	for i, e := range parts {
		lines[i] = e.Error()
	}
	return err.Error() == strings.Join(lines, "\n")
}
