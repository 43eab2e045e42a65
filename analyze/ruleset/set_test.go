package ruleset

import (
	"regexp"
	"strings"
	"testing"

	"github.com/warden-trace/warden/analyze"
)

func TestBuiltinRules(t *testing.T) {
	s, err := loadEmbedded()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Secrets) != 6 || len(s.Hosts) != 32 || len(s.Networks) != 8 || len(s.Phrases) != 20 {
		t.Errorf("%d secrets, %d hosts, %d networks, %d phrases", len(s.Secrets), len(s.Hosts), len(s.Networks), len(s.Phrases))
	}
	if s.Entropy != (Entropy{24, 4, 0.8}) {
		t.Errorf("entropy %+v", s.Entropy)
	}
	for _, want := range []struct {
		id       string
		tier     analyze.Tier
		severity analyze.Severity
		wider    bool
	}{
		{"WRD-RES-ANSI", analyze.Block, analyze.High, false},
		{"WRD-RES-SECRET-ECHO", analyze.Block, analyze.Critical, false},
		{"WRD-RES-EXFIL-DOMAIN", analyze.Block, analyze.High, false},
		{"WRD-RES-EXFIL-IP-LITERAL", analyze.Block, analyze.High, false},
		{"WRD-RES-INJECT-PHRASE", analyze.Monitor, analyze.Medium, false},
		{"WRD-RES-URL", analyze.Note, analyze.Low, false},
		{"WRD-RES-UNINSPECTABLE", analyze.Note, analyze.Low, false},
		{"WRD-RES-FRAME-ERROR", analyze.Note, analyze.Low, false},
		{"WRD-RES-LOCK-INVALID", analyze.Note, analyze.Low, false},
		{"WRD-RES-INVISIBLE", analyze.Monitor, analyze.Medium, true},
		{"WRD-RES-AMBIGUOUS", analyze.Monitor, analyze.Medium, true},
		{"WRD-SEC-OPENAI", analyze.Block, analyze.Critical, false},
		{"WRD-SEC-JWT", analyze.Block, analyze.High, false},
		{"WRD-SEC-ENTROPY", analyze.Block, analyze.High, false},
	} {
		r := s.Rule(want.id)
		if r == nil {
			t.Errorf("no rule %s", want.id)
			continue
		}
		if r.Tier != want.tier || r.Severity != want.severity || r.Wider != want.wider {
			t.Errorf("%s: %v %v wider %v", want.id, r.Tier, r.Severity, r.Wider)
		}
	}
	for _, r := range s.Rules {
		for field, text := range map[string]string{"title": r.Title, "what": r.What, "why": r.Why, "example": r.Example, "relax": r.Relax, "source": r.Source} {
			if strings.TrimSpace(text) == "" || strings.Contains(text, "TODO") {
				t.Errorf("%s: %s says nothing", r.ID, field)
			}
		}
		for _, sec := range s.Secrets {
			if regexp.MustCompile(sec.Pattern).MatchString(r.Example) {
				t.Errorf("%s: the example holds a whole secret", r.ID)
			}
		}
	}
	for _, sec := range s.Secrets {
		if r := s.Rule(sec.ID); r == nil || r.Severity != sec.Severity {
			t.Errorf("%s: rule and pattern disagree", sec.ID)
		}
	}
	if s.Rules[0].ID != "WRD-RES-ANSI" || s.Rule("WRD-NONE") != nil {
		t.Error("rules are not in catalog order, or an unknown one is found")
	}
}

func TestLoadRefuses(t *testing.T) {
	const key = "hunter2hunter2"
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "f.yaml: the file is empty"},
		{"no mapping", "- a", "f.yaml:1: file: expected a mapping, got a list"},
		{"bad yaml", "hosts: [a\nb: {", "f.yaml: not valid YAML (line"},
		{"unknown key", "hosts: [a.b]\nhost: [c.d]", "f.yaml:2: host: unknown key"},
		{"key twice", "hosts: [a.b]\nhosts: [c.d]", "f.yaml:2: hosts: the key is there twice"},
		{"wrong type", "hosts: a.b", "f.yaml:1: hosts: expected a list, got a string"},
		{"number", "hosts:\n  - a.b\n  - 7", "f.yaml:3: hosts[1]: expected a string, got a number"},
		{"entry twice", "phrases: [x y, X y]", "f.yaml:1: phrases[1]: the entry is there twice"},
		{"alias", "hosts: &a [x.y]\nphrases: *a", "f.yaml:2: phrases: expected a list, got an alias"},
		{"host with space", "hosts: ['a b']", "f.yaml:1: hosts: an entry holds white space"},
		{"host pattern", "hosts: ['*.x']", "f.yaml:1: hosts: an entry holds a character that no host has"},
		{"no host", "hosts: ['/x']", "f.yaml:1: hosts: an entry has no host"},
		{"url", "hosts: ['https://x/']", "f.yaml:1: hosts: an entry is a URL"},
		{"cidr", "networks: [{cidr: 10.0.0.0, label: x}]", "f.yaml:1: networks[0].cidr: is no network"},
		{"cidr bits", "networks: [{cidr: 10.0.0.1/8, label: x}]", "networks[0].cidr: has bits set"},
		{"no label", "networks: [{cidr: 10.0.0.0/8}]", "networks[0]: needs cidr and label"},
		{"pattern", "secrets:\n  - id: A\n    pattern: '" + key + "('\n    keywords: [abc]\n    severity: low", "f.yaml:3: secrets[0].pattern: is no RE2 expression"},
		{"backreference", "secrets: [{id: A, pattern: '(a)\\1', keywords: [abc], severity: low}]", "secrets[0].pattern: is no RE2"},
		{"empty match", "secrets: [{id: A, pattern: 'a*', keywords: [abc], severity: low}]", "matches the empty string"},
		{"no keywords", "secrets: [{id: A, pattern: 'abc', severity: low}]", "secrets[0].keywords: is missing"},
		{"short keyword", "secrets: [{id: A, pattern: 'abc', keywords: [ab], severity: low}]", "a keyword needs 3 bytes"},
		{"severity", "secrets: [{id: A, pattern: 'abc', keywords: [abc], severity: huge}]", "must be low, medium, high or critical"},
		{"id", "secrets: [{id: a b, pattern: 'abc', keywords: [abc], severity: low}]", "secrets[0].id: must be capital letters"},
		{"id twice", "secrets: [{id: A, pattern: 'abc', keywords: [abc], severity: low}, {id: A, pattern: 'abd', keywords: [abd], severity: low}]", "secrets[1].id: the id is there twice"},
		{"rules", "rules: []", "f.yaml:1: rules: rule texts belong to the built-in files"},
		{"version", "version: 2", "f.yaml:1: version: only version 1"},
		{"extends", "extends: all", "extends: must be builtin"},
		{"entropy part", "entropy: {min_bits: 4}", "entropy: needs min_length"},
		{"entropy range", "entropy: {min_length: 2, min_bits: 4, min_alnum: 0.8}", "entropy.min_length: must be between"},
		{"two documents", "hosts: [a.b]\n---\nhosts: [c.d]", "more than one YAML document"},
		{"bad bytes", "hosts: [a\xff.b]", "f.yaml: not valid UTF-8"},
		{"huge", strings.Repeat("#", MaxFileBytes+1), "at most"},
	} {
		_, err := Load("f.yaml", []byte(c.file))
		if err == nil {
			t.Errorf("%s: loaded", c.name)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %q, want %q in it", c.name, err, c.want)
		}
		if strings.Contains(err.Error(), key) {
			t.Errorf("%s: the error repeats a value of the file", c.name)
		}
	}
}

func load(t *testing.T, file string) *Set {
	t.Helper()
	s, err := Load("add.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const addition = `
version: 1
secrets: [{id: ACME-KEY, pattern: '\bacme_[a-z]{8}\b', keywords: [acme_], severity: medium}]
hosts: [drop.example, webhook.site]
networks: [{cidr: 100.64.0.0/10, label: shared}, {cidr: 10.0.0.0/8, label: again}]
phrases: [obey me, 'You Are Now']
`

func TestMergeAdds(t *testing.T) {
	base := Builtin()
	hash := base.Hash()
	s, err := base.Merge(load(t, addition))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Secrets) != 7 || s.Secrets[6].ID != "ACME-KEY" || len(s.Hosts) != 33 || len(s.Networks) != 9 || len(s.Phrases) != 21 {
		t.Errorf("%d secrets, %d hosts, %d networks, %d phrases", len(s.Secrets), len(s.Hosts), len(s.Networks), len(s.Phrases))
	}
	if s.Hash() == hash || base.Hash() != hash || len(base.Hosts) != 32 {
		t.Error("the hash must change for the merged set, and the base must not")
	}
	if same, err := s.Merge(load(t, addition)); err != nil || same.Hash() != s.Hash() {
		t.Errorf("merging the same again: %v", err)
	}
}

func TestMergeRefusesWhatLoosens(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"remove: {hosts: [webhook.site]}", "remove: takes rules away"},
		{"version: 1\n\nremove: {hosts: [webhook.site]}", "add.yaml:3: remove: takes rules away"},
		{"version: 1\nsecrets:\n  - pattern: 'never'\n    id: WRD-SEC-OPENAI\n    keywords: [never]\n    severity: low\n", "add.yaml:4: secrets: WRD-SEC-OPENAI would replace"},
		{"extends: none\nhosts: [a.b]", "extends: none drops"},
		{"entropy: {min_length: 24, min_bits: 4.5, min_alnum: 0.8}", "entropy: changes"},
		{"secrets: [{id: WRD-SEC-OPENAI, pattern: 'never', keywords: [never], severity: low}]", "WRD-SEC-OPENAI would replace"},
		{"secrets: [{id: WRD-RES-ANSI, pattern: 'never', keywords: [never], severity: low}]", "WRD-RES-ANSI is the id of a rule"},
	} {
		_, err := Builtin().Merge(load(t, c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "add.yaml:") {
			t.Errorf("%s: error %v, want %q", c.file, err, c.want)
		}
	}
	if _, err := Builtin().Merge(load(t, "entropy: {min_length: 24, min_bits: 4, min_alnum: 0.8}")); err != nil {
		t.Errorf("the same entropy parameters loosen nothing: %v", err)
	}
}

func TestAmendTakesWhatMergeRefuses(t *testing.T) {
	s := Builtin().Amend(load(t, `
remove: {hosts: [Webhook.site], phrases: [you are now], networks: [10.0.0.0/8], secrets: [WRD-SEC-JWT]}
entropy: {min_length: 32, min_bits: 4.5, min_alnum: 0.9}
secrets: [{id: WRD-SEC-OPENAI, pattern: 'sk-never', keywords: [sk-], severity: low}]
hosts: [new.example]
`))
	if len(s.Hosts) != 32 || len(s.Phrases) != 19 || len(s.Networks) != 7 || s.Secret("WRD-SEC-JWT") != nil ||
		s.Secret("WRD-SEC-OPENAI").Pattern != "sk-never" || s.Entropy.MinLength != 32 {
		t.Errorf("amended: %+v", s)
	}
	alone := Builtin().Amend(load(t, "extends: none\nhosts: [only.example]"))
	if len(alone.Hosts) != 1 || len(alone.Secrets) != 0 || len(alone.Phrases) != 0 || alone.Rule("WRD-RES-ANSI") == nil {
		t.Errorf("alone: %+v", alone)
	}
}

func TestHashCountsWhatChangesVerdicts(t *testing.T) {
	base := Builtin()
	seen := map[string]string{base.Hash(): "base"}
	change := func(name string, f func(s *Set)) {
		s := *base
		s.Secrets = append([]Secret(nil), s.Secrets...)
		s.Rules = append([]Rule(nil), s.Rules...)
		s.Hosts = append([]string(nil), s.Hosts...)
		f(&s)
		h := s.Hash()
		if other, dup := seen[h]; dup {
			t.Errorf("%s hashes like %s", name, other)
		}
		seen[h] = name
	}
	change("severity", func(s *Set) { s.Secrets[0].Severity = analyze.Low })
	change("pattern", func(s *Set) { s.Secrets[0].Pattern += "x" })
	change("host", func(s *Set) { s.Hosts[0] = "x.y" })
	change("entropy", func(s *Set) { s.Entropy.MinBits = 3.5 })
	change("tier", func(s *Set) { s.Rules[0].Tier = analyze.Note })
	s := *base
	s.Rules = append([]Rule(nil), s.Rules...)
	s.Name, s.Rules[0].Why = "other", "another reason"
	if s.Hash() != base.Hash() {
		t.Error("names and texts change no verdict")
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(addition))
	f.Add([]byte("remove: {hosts: [a]}\nentropy: {min_length: 24, min_bits: 4.0, min_alnum: 0.8}"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Load("f.yaml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.yaml") {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		Builtin().Amend(s).Hash()
		if m, err := Builtin().Merge(s); err == nil && len(m.Hosts) < len(Builtin().Hosts) {
			t.Fatal("a merge took something away")
		}
	})
}
