package program

import "strings"

// fish takes values of flags by itself; what is left are commands and operands.
func (s *script) fish() {
	at := "_" + s.fn + "_at"
	s.f("# completion of %s for fish", s.name)
	s.f("# the command before the cursor and how many operands it has; -- behind that,")
	s.f("# rest behind the name of a program")
	s.f("function %s_state", at)
	s.f("  set -l cmd ''")
	s.f("  set -l n 0")
	s.f("  set -l skip 0")
	s.f("  for w in (commandline -opc)[2..-1]")
	s.f("    if test $skip = 1")
	s.f("      set skip 0")
	s.f("      continue")
	s.f("    end")
	s.f("    if test \"$n\" = --")
	s.f("      set n rest")
	s.f("      break")
	s.f("    end")
	s.f("    switch \"$cmd $w\"")
	for i := range s.all {
		c := &s.all[i]
		var valued []string
		for _, f := range c.flags {
			if takesValue(f) {
				for _, w := range spellings(f) {
					valued = append(valued, fishQuote(c.path+" "+w))
				}
			}
		}
		if valued != nil {
			s.f("      case %s", strings.Join(valued, " "))
			s.f("        set skip 1")
			s.f("        continue")
		}
	}
	var behind, commands []string
	for i := range s.all {
		for _, o := range operands(s.all, &s.all[i]) {
			switch at := fishQuote(s.all[i].path + " " + o.at); {
			case o.at == "--":
				behind = append(behind, at)
			case o.kind == "command":
				commands = append(commands, at)
			}
		}
	}
	if behind != nil {
		s.f("      case %s", strings.Join(behind, " "))
		s.f("        set n --")
		s.f("        continue")
	}
	s.f("      case '* -*'")
	s.f("        continue")
	s.f("    end")
	s.f("    if test $n = 0")
	s.f("      switch \"$cmd/$w\"")
	s.f("        case %s", strings.ReplaceAll(s.paths(), "|", " "))
	s.f("          set cmd \"$cmd/$w\"")
	s.f("          continue")
	s.f("      end")
	s.f("    end")
	if commands != nil {
		s.f("    switch \"$cmd $n\"")
		s.f("      case %s", strings.Join(commands, " "))
		s.f("        set n rest")
		s.f("        break")
		s.f("    end")
	}
	s.f("    set n (math $n + 1)")
	s.f("  end")
	s.f("  echo \"$cmd $n\"")
	s.f("end")
	s.f("function %s", at)
	s.f("  set -l state (%s_state)", at)
	s.f("  string match -q -- \"$argv[1] *\" $state; and not string match -q -r -- ' (--|rest)$' $state")
	s.f("end")
	s.f("function %s_operand", at)
	s.f("  string match -q -- \"$argv[1] $argv[2]\" (%s_state)", at)
	s.f("end")
	for i := range s.all {
		c := &s.all[i]
		when := func(test string) string { return "complete -c " + s.name + " -n " + fishQuote(test) }
		head := when(at + ` "` + c.path + `"`)
		for _, n := range c.subs {
			s.f("%s -a %s -d %s", when(at+`_operand "`+c.path+`" 0`), n.Name, fishQuote(oneLine(n.Help)))
		}
		for _, f := range c.flags {
			for _, w := range spellings(f) {
				line := head
				if strings.HasPrefix(w, "--") {
					line += " -l " + w[2:]
				} else {
					line += " -s " + w[1:]
				}
				if takesValue(f) {
					line += fishOffer(flagOffer(f), " -x", " -r -F")
				}
				s.f("%s -d %s", line, fishQuote(oneLine(f.Help)))
			}
		}
		list := operands(s.all, c)
		if len(list) == 0 {
			s.f("%s -f", head)
		}
		for _, o := range list {
			n := o.at
			if o.more {
				n = "*"
			}
			if text := fishOffer(o.offer, " -f", ""); text != "" {
				s.f("%s%s", when(at+`_operand "`+c.path+`" `+fishQuoteIn(n)), text)
			}
		}
	}
}

// fishQuoteIn quotes what would be a pattern within a condition.
func fishQuoteIn(w string) string { return `"` + w + `"` }

// fishOffer are the options of complete for an offer: alone where no files go
// with it.
func fishOffer(o offer, alone, files string) string {
	words := ""
	if len(o.words) > 0 {
		words = " -a " + fishQuote(strings.Join(o.words, " "))
	}
	switch o.kind {
	case "dir":
		return alone + " -a '(__fish_complete_directories)'"
	case "command":
		return alone + " -a '(__fish_complete_command)'"
	case "file":
		return files + words
	}
	return alone + words
}

func fishQuote(w string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(w) + "'"
}
