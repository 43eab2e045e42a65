package ruleset

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// set reads the top of a file.
func (l *loader) set(n *yaml.Node, s *Set) {
	l.each(n, "file", func(key string, k, v *yaml.Node) {
		s.note(key, k)
		switch key {
		case "version":
			if v.Kind != yaml.ScalarNode || v.Value != "1" {
				l.fail(v, key, "only version 1 is known")
			}
		case "extends":
			switch {
			case v.Kind == yaml.ScalarNode && v.Value == "builtin":
			case v.Kind == yaml.ScalarNode && v.Value == "none":
				s.standalone = true
			default:
				l.fail(v, key, "must be builtin (the default: the file adds to the built-in rules) or none")
			}
		case "secrets":
			l.secrets(v, s)
		case "hosts":
			for i, h := range l.texts(v, key, maxHostBytes) {
				if why := badHost(h); why != "" {
					l.fail(v.Content[min(i, len(v.Content)-1)], key, "an entry %s", why)
					continue
				}
				s.Hosts = append(s.Hosts, h)
			}
		case "networks":
			l.networks(v, s)
		case "phrases":
			s.Phrases = l.texts(v, key, maxPhraseBytes)
		case "entropy":
			l.entropy(v, s)
		case "remove":
			l.removals(v, &s.remove)
		case "rules":
			if !l.embedded {
				l.fail(k, key, "rule texts belong to the built-in files; a ruleset adds secrets, hosts, networks and phrases")
				return
			}
			l.rules(v, s)
		default:
			l.fail(k, join("", key), "unknown key; known are version, extends, secrets, hosts, networks, phrases, entropy, remove")
		}
	})
}

// badHost says what is wrong with a denylist entry, "" for nothing
// (catalog.md, "WRD-RES-EXFIL-DOMAIN": literal entries, never a pattern).
func badHost(h string) string {
	host, _, _ := strings.Cut(h, "/")
	switch {
	case strings.ContainsAny(h, " \t\r\n\v\f"):
		return "holds white space"
	case host == "":
		return "has no host"
	case strings.Contains(h, "://"):
		return "is a URL; write host or host/path"
	case strings.ContainsAny(host, "*?:@[]"):
		return "holds a character that no host has; entries are literal host names"
	}
	return ""
}

var secretID = regexp.MustCompile(`^[A-Z][A-Z0-9]*(-[A-Z0-9]+)*$`)

func (l *loader) secrets(n *yaml.Node, s *Set) {
	seen := map[string]bool{}
	l.list(n, "secrets", func(at string, e *yaml.Node) {
		var sec Secret
		have := map[string]bool{}
		l.each(e, at, func(key string, k, v *yaml.Node) {
			have[key] = true
			switch key {
			case "id":
				sec.ID = l.text(v, at+".id", 64)
				s.note(sec.ID, v)
				if sec.ID != "" && !secretID.MatchString(sec.ID) {
					l.fail(v, at+".id", "must be capital letters, digits and single hyphens, such as ACME-TOKEN")
				} else if sec.ID != "" && seen[sec.ID] {
					l.fail(v, at+".id", "the id is there twice")
				}
				seen[sec.ID] = true
			case "pattern":
				sec.Pattern = l.text(v, at+".pattern", maxPatternBytes)
				if sec.Pattern == "" {
					return
				}
				re, err := regexp.Compile(sec.Pattern)
				if err != nil {
					l.fail(v, at+".pattern", "is no RE2 expression")
				} else if re.MatchString("") {
					l.fail(v, at+".pattern", "matches the empty string")
				}
			case "keywords":
				sec.Keywords = l.texts(v, at+".keywords", 100)
				if len(sec.Keywords) == 0 {
					l.fail(v, at+".keywords", "needs at least one keyword")
				}
				for _, w := range sec.Keywords {
					if len(w) < minKeyword {
						l.fail(v, at+".keywords", "a keyword needs %d bytes at least", minKeyword)
					}
				}
			case "severity":
				sec.Severity = l.severity(v, at+".severity")
			default:
				l.fail(k, join(at, key), "unknown key; known are id, pattern, keywords, severity")
			}
		})
		if e.Kind == yaml.MappingNode {
			for _, key := range []string{"id", "pattern", "keywords", "severity"} {
				if !have[key] {
					l.fail(e, at+"."+key, "is missing")
				}
			}
		}
		s.Secrets = append(s.Secrets, sec)
	})
}

func (l *loader) networks(n *yaml.Node, s *Set) {
	seen := map[string]bool{}
	l.list(n, "networks", func(at string, e *yaml.Node) {
		var w Network
		ok := false
		l.each(e, at, func(key string, k, v *yaml.Node) {
			switch key {
			case "cidr":
				w.CIDR, ok = l.prefix(v, at+".cidr")
				if ok && seen[w.CIDR.String()] {
					l.fail(v, at+".cidr", "the network is there twice")
				}
				seen[w.CIDR.String()] = true
			case "label":
				w.Label = l.text(v, at+".label", 100)
			default:
				l.fail(k, join(at, key), "unknown key; known are cidr, label")
			}
		})
		if e.Kind == yaml.MappingNode && (!ok || w.Label == "") && len(l.errs) == 0 {
			l.fail(e, at, "needs cidr and label")
		}
		s.Networks = append(s.Networks, w)
	})
}

func (l *loader) entropy(n *yaml.Node, s *Set) {
	s.hasEntropy = true
	have := 0
	l.each(n, "entropy", func(key string, k, v *yaml.Node) {
		have++
		switch key {
		case "min_length":
			s.Entropy.MinLength = int(l.number(v, "entropy.min_length", 16, 10_000))
		case "min_bits":
			s.Entropy.MinBits = l.number(v, "entropy.min_bits", 1, 8)
		case "min_alnum":
			s.Entropy.MinAlnum = l.number(v, "entropy.min_alnum", 0, 1)
		default:
			l.fail(k, join("entropy", key), "unknown key; known are min_length, min_bits, min_alnum")
		}
	})
	if have != 3 && len(l.errs) == 0 {
		l.fail(n, "entropy", "needs min_length, min_bits and min_alnum")
	}
}

func (l *loader) removals(n *yaml.Node, r *Removals) {
	l.each(n, "remove", func(key string, k, v *yaml.Node) {
		at := "remove." + key
		switch key {
		case "secrets":
			r.Secrets = l.texts(v, at, 64)
		case "hosts":
			r.Hosts = l.texts(v, at, maxHostBytes)
		case "phrases":
			r.Phrases = l.texts(v, at, maxPhraseBytes)
		case "networks":
			l.list(v, at, func(at string, e *yaml.Node) {
				if p, ok := l.prefix(e, at); ok {
					r.Networks = append(r.Networks, p.String())
				}
			})
		default:
			l.fail(k, join("remove", key), "unknown key; known are secrets, hosts, networks, phrases")
		}
	})
}

func (l *loader) rules(n *yaml.Node, s *Set) {
	l.list(n, "rules", func(at string, e *yaml.Node) {
		var r Rule
		have := map[string]bool{}
		l.each(e, at, func(key string, k, v *yaml.Node) {
			have[key] = true
			field := map[string]*string{"id": &r.ID, "family": &r.Family, "title": &r.Title, "what": &r.What,
				"why": &r.Why, "example": &r.Example, "relax": &r.Relax, "source": &r.Source}[key]
			switch {
			case field != nil:
				*field = l.text(v, join(at, key), 4_000)
			case key == "tier":
				r.Tier = l.tier(v, at+".tier")
			case key == "severity":
				r.Severity = l.severity(v, at+".severity")
			case key == "wider":
				r.Wider = v.Kind == yaml.ScalarNode && v.Tag == "!!bool" && v.Value == "true"
				if v.Tag != "!!bool" {
					l.fail(v, at+".wider", "expected a boolean, got %s", kind(v))
				}
			default:
				l.fail(k, join(at, key), "unknown key")
			}
		})
		for _, key := range []string{"id", "family", "title", "tier", "severity", "what", "why", "example", "relax", "source"} {
			if !have[key] {
				l.fail(e, at+"."+key, "is missing")
			}
		}
		known := false
		for _, f := range families {
			known = known || r.Family == f
		}
		if !known {
			l.fail(e, at+".family", "must be one of %s", strings.Join(families, ", "))
		}
		s.Rules = append(s.Rules, r)
	})
}
