package ruleset

// Named returns the built-in rule set of that name. Only these may loosen what
// another one finds, since their names say so wherever they are used; a file
// only adds (product.md, "rulesets"). A file of the same name is reached as
// ./NAME.
func Named(name string) (*Set, bool) {
	switch name {
	case "builtin":
		return Builtin(), true
	case "calibrated":
		return Calibrated(), true
	}
	return nil, false
}

// Names are the names that Named knows.
func Names() []string { return []string{"builtin", "calibrated"} }
