# fish completion for clawctl
function __clawctl_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l lines (clawctl __complete -- $words[2..-1] "$word" 2>/dev/null)
    set -q lines[2]; and printf '%s\n' $lines[2..-1]
    if test "$lines[1]" = files
        set -l head (string match -r -- '^--[^=]*=' "$word")
        for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$word"))
            printf '%s\n' "$head$path"
        end
    end
end
complete -c clawctl -f -k -a '(__clawctl_complete)'
