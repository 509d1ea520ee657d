# bash completion for clawctl
_clawctl() {
  local line=$COMP_LINE cur breaks head= word rest kind= candidate about i
  local -a words=()
  COMPREPLY=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i == 0)) || [[ $line == [[:space:]]* ]]; then
      words+=("$word")
    else
      words[${#words[@]}-1]+=$word
    fi
    line=${line#"${line%%[![:space:]]*}"}
    line=${line#"$word"}
  done
  cur=${words[${#words[@]}-1]}
  breaks=${COMP_WORDBREAKS//[^:=@]/}
  if [[ $breaks ]]; then head=${cur%"${cur##*[$breaks]}"}; fi
  {
    IFS= read -r kind
    while IFS=$'\t' read -r candidate about; do
      rest=${candidate#"$cur"}
      if [[ $rest ]]; then printf -v rest %q "$rest"; fi
      COMPREPLY+=("${cur#"$head"}$rest")
    done
  } < <(clawctl __complete -- "${words[@]:1}" 2>/dev/null)
  compopt -o nosort 2>/dev/null
  if [[ $kind != files ]]; then
    compopt +o default 2>/dev/null
  elif ((${#COMPREPLY[@]})) && [[ ! $head ]]; then
    while IFS= read -r word; do
      printf -v rest %q "$word"
      if [[ -d $word ]]; then rest+=/; fi
      COMPREPLY+=("$rest")
    done < <(compgen -f -- "$cur")
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]]; then compopt -o nospace 2>/dev/null; fi
  fi
}
complete -o default -F _clawctl clawctl
