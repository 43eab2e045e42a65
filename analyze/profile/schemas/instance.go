package schemas

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/warden-trace/warden/analyze/jsonrpc"
	"github.com/warden-trace/warden/analyze/secret"
)

// Steps that judging one instance may take: a base, and so many for each of
// its bytes. Ordinary schemas take one to three a byte. fullSteps is for finding
// the pointer of a failure, which keeps every failure in memory.
const (
	baseSteps = 100_000
	byteSteps = 32
	maxSteps  = 10_000_000
	fullSteps = 100_000
)

// Validate judges an instance: nil when it satisfies the schema. What can't be
// judged, within the bounds or at all, is a fault: in doubt it denies. pool is
// what the caller can spend on it; what was spent is taken from it.
func (s *Schema) Validate(raw []byte, pool *int64) *Fault {
	if s.Open {
		return &Fault{Reason: unknown}
	}
	if len(raw) > MaxInstanceBytes {
		return &Fault{Reason: fmt.Sprintf("is larger than %d bytes and can't be checked", MaxInstanceBytes)}
	}
	nodes := maxInstanceNodes
	if s.unevaluated {
		nodes = maxUnevaluated
	}
	steps := min(baseSteps+byteSteps*int64(len(raw)), maxSteps, *pool)
	if steps <= 0 {
		return &Fault{Reason: tooManySteps}
	}
	v, err := jsonrpc.Decode(raw, jsonrpc.DecodeOptions{MaxDepth: MaxDepth, MaxNodes: nodes, Lenient: true})
	if err != nil {
		return &Fault{Reason: strings.Replace(boundWords(err), "is not checked", "can't be checked", 1)}
	}
	doc := Any(v)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps.asked, s.steps.answer = false, true
	err, over := s.run(s.quick, doc, steps)
	left := max(0, s.steps.left)
	if s.steps.asked && !over {
		// What is unknown said yes; does the verdict hang on that?
		yes := err
		s.steps.answer = false
		err, over = s.run(s.quick, doc, left)
		left = max(0, s.steps.left)
		s.steps.answer = true
		if !over && (yes == nil) != (err == nil) {
			*pool -= steps - left
			return &Fault{Reason: unknown}
		}
	}
	*pool -= steps - left
	switch {
	case over:
		return &Fault{Reason: tooManySteps}
	case err == nil:
		return nil
	}
	err, over = s.run(s.full, doc, fullSteps)
	*pool -= fullSteps - max(0, s.steps.left)
	if over || err == nil {
		return &Fault{Reason: "does not satisfy the schema"}
	}
	return first(err)
}

// unknown is the reason where a part of the schema that can't be evaluated decides.
const unknown = "can't be checked: a pattern or a reference that is not evaluated here decides about it"

const tooManySteps = "can't be checked against this schema in a bounded number of steps"

// run judges with so many steps; over says that they did not suffice.
func (s *Schema) run(sch *jsonschema.Schema, doc any, steps int64) (err error, over bool) {
	defer func() {
		if r := recover(); r != nil {
			if r != errBudget {
				panic(r)
			}
			over = true
		}
	}()
	s.steps.left = steps
	return sch.Validate(doc), false
}

// Check runs one of our own schemas, which needs no budget.
func Check(sch *jsonschema.Schema, doc any) *Fault {
	if err := sch.Validate(doc); err != nil {
		return first(err)
	}
	return nil
}

// CheckAll is Check with every failure, ordered.
func CheckAll(sch *jsonschema.Schema, doc any) []Fault {
	err := sch.Validate(doc)
	if err == nil {
		return nil
	}
	return faults(err)
}

// first is the failure that stands first by pointer, then keyword: the
// library's own order follows Go's maps and is not stable.
func first(err error) *Fault { f := faults(err)[0]; return &f }

func faults(err error) []Fault {
	ve, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return []Fault{{Reason: "does not satisfy the schema"}}
	}
	var out []Fault
	work := []*jsonschema.ValidationError{ve}
	for len(work) > 0 {
		e := work[len(work)-1]
		work = work[:len(work)-1]
		if len(e.Causes) > 0 {
			work = append(work, e.Causes...)
			continue
		}
		out = append(out, leaf(e))
	}
	slices.SortFunc(out, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Keyword, b.Keyword), cmp.Compare(a.Reason, b.Reason))
	})
	return slices.Compact(out)
}

// leaf words a failure without the values that failed: they may be secrets.
func leaf(e *jsonschema.ValidationError) Fault {
	var b strings.Builder
	for _, tok := range e.InstanceLocation {
		if b.Len() > 4096 {
			break
		}
		b.WriteByte('/')
		b.WriteString(pointerToken.Replace(tok))
	}
	f := Fault{Pointer: b.String(), Keyword: strings.Join(e.ErrorKind.KeywordPath(), "/")}
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		f.Reason = "is " + article(k.Got) + " where " + strings.Join(k.Want, " or ") + " is due"
	case *kind.Required:
		f.Reason = "lacks a required member"
		if len(k.Missing) == 1 && len(k.Missing[0]) <= 64 {
			f.Reason += " " + strconv.Quote(secret.ScrubAll(k.Missing[0]))
		}
	case *kind.AdditionalProperties:
		f.Reason = "has a member that is not provided for"
	case *kind.FalseSchema:
		f.Keyword, f.Reason = "false", "is not provided for"
	case *kind.RefCycle:
		f.Keyword, f.Reason = "$ref", "meets a schema that refers to itself without end"
	default:
		f.Reason = "does not satisfy " + strconv.Quote(f.Keyword)
	}
	return f
}

var pointerToken = strings.NewReplacer("~", "~0", "/", "~1")

func article(kind string) string {
	switch kind {
	case "array", "object", "integer":
		return "an " + kind
	case "null":
		return kind
	}
	return "a " + kind
}

// Any turns a decoded value, whose depth the caller has bounded, into the
// library's form. Of repeated keys the last counts.
func Any(v *jsonrpc.Value) any {
	switch v.Kind {
	case jsonrpc.Bool:
		return v.True
	case jsonrpc.Number:
		return number(v.Raw)
	case jsonrpc.String:
		return v.Str
	case jsonrpc.Array:
		a := make([]any, len(v.Elems))
		for i, e := range v.Elems {
			a[i] = Any(e)
		}
		return a
	case jsonrpc.Object:
		m := make(map[string]any, len(v.Members))
		for _, p := range v.Members {
			m[p.Key] = Any(p.Value)
		}
		return m
	}
	return nil
}

// maxDigits bounds a number before it is read exactly: beyond it digits and
// exponent are cut, which keeps its order and sign.
const maxDigits = 350

func number(raw []byte) json.Number {
	if len(raw) <= 15 {
		if e := slices.IndexFunc(raw, func(c byte) bool { return c|0x20 == 'e' }); e < 0 {
			if raw[0] == 'N' || raw[0] == 'I' || len(raw) > 1 && raw[1] == 'I' {
				return "1e400" // NaN, Infinity: no JSON numbers; larger than any limit
			}
			return json.Number(raw)
		}
	}
	sign, digits, exp := parts(raw)
	if digits == "" {
		return "0"
	}
	if n := len(digits); n > maxDigits {
		exp += n - maxDigits
		digits = digits[:maxDigits]
	}
	exp = max(-maxDigits, min(maxDigits, exp))
	return json.Number(sign + digits + "e" + strconv.Itoa(exp))
}

// parts reads a number as sign, significant digits without leading or
// trailing zeros, and a decimal exponent that saturates.
func parts(raw []byte) (sign, digits string, exp int) {
	const far = 1 << 40
	i := 0
	if i < len(raw) && raw[i] == '-' {
		sign, i = "-", 1
	}
	d := make([]byte, 0, min(len(raw), 64))
	point := false
	for ; i < len(raw); i++ {
		c := raw[i]
		if c == '.' {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		d = append(d, c)
		if point {
			exp--
		}
	}
	if i < len(raw) && raw[i]|0x20 == 'e' {
		i++
		neg := false
		if i < len(raw) && (raw[i] == '+' || raw[i] == '-') {
			neg = raw[i] == '-'
			i++
		}
		e := 0
		for ; i < len(raw) && raw[i] >= '0' && raw[i] <= '9'; i++ {
			e = min(e*10+int(raw[i]-'0'), far)
		}
		if neg {
			e = -e
		}
		exp += e
	}
	for len(d) > 0 && d[0] == '0' {
		d = d[1:]
	}
	for len(d) > 0 && d[len(d)-1] == '0' {
		d = d[:len(d)-1]
		exp++
	}
	return sign, string(d), exp
}

// Integer reads a raw JSON number as an integer: its plain decimal form, where
// that has at most 40 digits, and whether it is one at all.
func Integer(raw []byte) (plain string, ok bool) {
	if len(raw) == 0 || raw[len(raw)-1] < '0' || raw[len(raw)-1] > '9' {
		return "", false
	}
	sign, digits, exp := parts(raw)
	if digits == "" {
		return "0", true
	}
	if exp < 0 {
		return "", false
	}
	if len(digits)+exp > 40 {
		return "", true
	}
	return sign + digits + strings.Repeat("0", exp), true
}
