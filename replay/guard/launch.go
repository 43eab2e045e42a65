package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warden-trace/warden/analyze/secret"
)

// launch is a server's command as a recording may hold it, for `lock pin`: what a
// flag, a URL or the secret rules mark as a secret is redacted. The program is a
// name and stays one.
func launch(command []string) []string {
	out := make([]string, len(command))
	secretNext := false
	for i, arg := range command {
		flag, value, assigned := strings.Cut(arg, "=")
		switch {
		case i == 0:
			out[i] = secret.Scrub(arg)
			continue
		case secretNext && !strings.HasPrefix(arg, "-"):
			out[i] = withheld(arg)
		case assigned && namesSecret(flag):
			out[i] = secret.Scrub(flag) + "=" + withheld(value)
		default:
			out[i] = argument(arg)
		}
		secretNext = !assigned && strings.HasPrefix(arg, "-") && namesSecret(arg)
	}
	return out
}

// argument redacts what the rules know. A path is not searched for random
// strings: a temporary folder or a store's digest is no secret, and a lock is to
// pin the path as it is.
func argument(arg string) string {
	scheme, rest, isURL := strings.Cut(arg, "://")
	if isURL {
		host, _, _ := strings.Cut(rest, "/")
		if at := strings.LastIndexByte(host, '@'); at >= 0 {
			if user, password, ok := strings.Cut(host[:at], ":"); ok {
				arg = scheme + "://" + user + ":" + withheld(password) + rest[at:]
			}
		}
	} else if strings.ContainsAny(arg, `/\`) {
		return secret.Scrub(arg)
	}
	return secret.ScrubAll(arg)
}

// withheld stands for a text of which nothing may be shown.
func withheld(s string) string { return fmt.Sprintf("…(len=%d)", len(s)) }

var secretNames = []string{"secret", "token", "passw", "pwd", "apikey", "api-key", "api_key", "access-key", "access_key", "credential", "bearer", "authorization"}

// namesSecret reports a flag or variable whose value is likely to be a secret.
func namesSecret(flag string) bool {
	flag = strings.ToLower(flag)
	for _, n := range secretNames {
		if strings.Contains(flag, n) {
			return true
		}
	}
	words := strings.FieldsFunc(flag, func(r rune) bool { return r == '-' || r == '_' })
	return slices.Contains(words, "auth") // no part of a word: an author is no secret
}
