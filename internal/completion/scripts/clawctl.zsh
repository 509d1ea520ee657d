#compdef clawctl
_clawctl() {
  local kind line value about tail cur=$words[CURRENT]
  local -a lines values shown
  local -i head=0
  lines=("${(@f)$(clawctl __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  kind=$lines[1]
  shift lines
  if (( $#lines )) || [[ $cur == --*=* ]]; then
    tail=${cur##*[#=,]}
    head=$(( $#cur - $#tail ))
  fi
  for line in $lines; do
    value=${line%%$'\t'*}
    value=$value[head+1,-1]
    about=${line#*$'\t'}
    values+=("$value")
    if [[ $line == *$'\t'* ]]; then shown+=("$value -- $about"); else shown+=("$value"); fi
  done
  if (( head )); then compset -p $head; fi
  if (( $#values )); then compadd -V clawctl -d shown -a values; fi
  if [[ $kind == files ]]; then _files; fi
}
if [[ $funcstack[1] == _clawctl ]]; then
  _clawctl "$@"
else
  compdef _clawctl clawctl
fi
