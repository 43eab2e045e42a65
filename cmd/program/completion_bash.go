package program

import "strings"

// bash takes --flag=value apart into three words, or leaves it one where
// COMP_WORDBREAKS has no "=".
func (s *script) bash() {
	s.f("# completion of %s for bash", s.name)
	s.tables()
	s.f("%s_offer() {", s.fn)
	s.f("  COMPREPLY+=($(compgen -W \"$vals\" -- \"$1\"))")
	s.f("  local IFS=$'\\n'")
	s.f("  case $kind in")
	s.f("    file) COMPREPLY+=($(compgen -f -- \"$1\")); compopt -o filenames 2>/dev/null ;;")
	s.f("    dir) COMPREPLY+=($(compgen -d -- \"$1\")); compopt -o filenames 2>/dev/null ;;")
	s.f("    command) COMPREPLY+=($(compgen -c -- \"$1\")) ;;")
	s.f("  esac")
	s.f("}")
	s.f("%s() {", s.fn)
	s.f("  local cur=${COMP_WORDS[COMP_CWORD]} cmd= kind= vals= flags= subs= w i j n=0 start=0")
	s.f("  COMPREPLY=()")
	s.f("  for ((i = 1; i < COMP_CWORD; i++)); do")
	s.f("    w=${COMP_WORDS[i]}")
	s.f("    if [[ $w == -- ]]; then start=$((i + 1)); break; fi")
	s.f("    if [[ $w == -* ]]; then")
	s.f("      %s_value \"$cmd\" \"$w\"", s.fn)
	s.f("      j=$((i + 1))")
	s.f("      if [[ ${COMP_WORDS[j]} == = ]]; then j=$((j + 1)); elif [[ -z $kind ]]; then continue; fi")
	s.f("      if ((j > COMP_CWORD)); then cur=; fi")
	s.f("      if ((j >= COMP_CWORD)); then %s_offer \"$cur\"; return; fi", s.fn)
	s.f("      i=$j")
	s.f("      continue")
	s.f("    fi")
	s.operandsSoFar("${COMP_WORDS[i]}")
	s.f("  done")
	s.f("  if ((start)); then")
	s.f("    %s_operand \"$cmd\" --", s.fn)
	s.f("    if [[ $kind != command ]]; then")
	s.f("      %s_operand \"$cmd\" $((n + COMP_CWORD - start))", s.fn)
	s.f("    elif declare -F _command_offset >/dev/null; then")
	s.f("      _command_offset $start; return")
	s.f("    elif ((COMP_CWORD > start)); then")
	s.f("      kind=file")
	s.f("    fi")
	s.f("    %s_offer \"$cur\"", s.fn)
	s.f("    return")
	s.f("  fi")
	s.f("  if [[ $cur == --*=* ]]; then")
	s.f("    %s_value \"$cmd\" \"${cur%%%%=*}\"", s.fn)
	s.f("    %s_offer \"${cur#*=}\"", s.fn)
	s.f("    COMPREPLY=(\"${COMPREPLY[@]/#/${cur%%%%=*}=}\")")
	s.f("    return")
	s.f("  fi")
	s.f("  case \"$cmd\" in")
	for i := range s.all {
		flags, subs := words(&s.all[i])
		s.f("    %s) flags=%s subs=%s ;;", sh(s.all[i].path), sh(strings.Join(flags, " ")), sh(strings.Join(subs, " ")))
	}
	s.f("  esac")
	s.f("  if [[ $cur == -* ]]; then")
	s.f("    COMPREPLY=($(compgen -W \"$flags\" -- \"$cur\"))")
	s.f("    return")
	s.f("  fi")
	s.f("  if ((n == 0)); then COMPREPLY=($(compgen -W \"$subs\" -- \"$cur\")); fi")
	s.f("  %s_operand \"$cmd\" $n", s.fn)
	s.f("  %s_offer \"$cur\"", s.fn)
	s.f("}")
	s.f("complete -F %s %s", s.fn, s.name)
}

// operandsSoFar is the part of the loop over the words before the cursor that
// takes a word which is no flag: a command, or an operand. It is the same in bash
// and zsh.
func (s *script) operandsSoFar(word string) {
	s.f("    if ((n == 0)); then")
	s.f("      case \"$cmd/%s\" in", word)
	s.f("        %s) cmd=$cmd/$w; continue ;;", s.paths())
	s.f("      esac")
	s.f("    fi")
	s.f("    %s_operand \"$cmd\" $n", s.fn)
	s.f("    if [[ $kind == command ]]; then start=$i; break; fi")
	s.f("    n=$((n + 1))")
}
