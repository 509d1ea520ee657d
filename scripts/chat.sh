#!/bin/sh
# Talk to a model whose memory survives restarts: every message is in clawctl's store before the next step begins.
#
#   scripts/chat.sh 'What should I sow in May?'   say something, and print the answer
#   scripts/chat.sh                               go on with a turn that was interrupted
#
#   CHAT_KEY         the session (default: me)
#   CHAT_MODEL       the model (default: claude-sonnet-4-5)
#   CHAT_URL         where the Messages API is (default: https://api.anthropic.com/v1/messages)
#   CHAT_SYSTEM      a file with the system prompt
#   CHAT_TOOLS       a folder with tools: tools.json declares them, and the program NAME runs the tool NAME. It reads the
#                    input on stdin. What it prints is the result, and an exit status other than 0 means an error.
#   CHAT_SUMMARIZER  a command that writes summaries, for checkpoints and compactions (default: clawctl's own extract)
#   CHAT_WINDOW      the size of the context window in tokens (default: that of the model)
#   ANTHROPIC_API_KEY
#
# It needs curl and jq.
set -eu

clawctl=${CLAWCTL:-clawctl}
key=${CHAT_KEY:-me}
model=${CHAT_MODEL:-claude-sonnet-4-5}
url=${CHAT_URL:-https://api.anthropic.com/v1/messages}
tools=${CHAT_TOOLS:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
session=$("$clawctl" env --json | jq -r 'select(.name == "store").value')#$key

# say TEXT: a message of the user.
say() { printf '%s' "$1" | "$clawctl" append "$key" --role user - > "$work/said"; }

# ask: send the session to the model, and keep its answer.
ask() {
    set -- "$session" --quiet --request --model "$model"
    [ ! -s "$work/system" ] || set -- "$@" --system "$work/system"
    [ -z "$tools" ] || set -- "$@" --tools "$tools/tools.json"
    "$clawctl" rebuild "$@" > "$work/whole"
    "$clawctl" guard --offline "$work/whole" > "$work/request"
    printf 'header = "x-api-key: %s"\n' "${ANTHROPIC_API_KEY:-}" |
        curl -sS -K - --retry 3 -H 'anthropic-version: 2023-06-01' -H 'content-type: application/json' \
            --data-binary "@$work/request" -o "$work/response" "$url"
    "$clawctl" append "$key" --input anthropic < "$work/response" > "$work/said"
    jq -r '.content[] | select(.type == "text").text' "$work/response"
}

# run_tools: run the tools that the answer calls, and keep their results.
run_tools() {
    jq -c '.content[] | select(.type == "tool_use")' "$work/response" > "$work/calls"
    while IFS= read -r call <&3; do
        name=$(printf '%s' "$call" | jq -r .name)
        printf '%s' "$call" | jq -c .input > "$work/input"
        set -- "$key" --role tool --call "$(printf '%s' "$call" | jq -r .id)"
        case $name in
        *[!A-Za-z0-9_-]*) echo "no such tool" > "$work/output" && set -- "$@" --error ;;
        *) "$tools/$name" < "$work/input" > "$work/output" 2>&1 || set -- "$@" --error ;;
        esac
        "$clawctl" append "$@" - < "$work/output" > "$work/said"
    done 3< "$work/calls"
}

# turn: ask until the model calls no more tools.
turn() {
    while :; do
        prepare_system
        ask
        jq -e 'any(.content[]; .type == "tool_use")' "$work/response" > "$work/said" || return 0
        run_tools
    done
}

# window COMMAND...: run a command for the context window.
window() {
    [ -z "${CHAT_WINDOW:-}" ] || set -- "$@" --window "$CHAT_WINDOW"
    "$clawctl" "$@"
}

# prepare_system: the system prompt, with what a full context adds to it.
prepare_system() {
    window flush "$session" --quiet --json > "$work/flush" 2> "$work/said" || echo '{}' > "$work/flush" # unknown window
    { [ -z "${CHAT_SYSTEM:-}" ] || cat "$CHAT_SYSTEM"; } > "$work/system"
    jq -r '.context // empty, .system // empty' "$work/flush" >> "$work/system"
}

# keep_room: ask the model to save its memories if that is due, and make checkpoints and compactions.
keep_room() {
    prepare_system
    prompt=$(jq -r '.user // empty' "$work/flush")
    if [ -n "$prompt" ]; then
        say "$prompt"
        window flush "$session" --quiet --append > "$work/said"
        turn
    fi
    for command in checkpoint compact; do
        set -- "$command" "$session" --quiet --append --if-needed --offline
        [ -z "${CHAT_SUMMARIZER:-}" ] || set -- "$@" --summarizer "$CHAT_SUMMARIZER"
        window "$@" > "$work/said"
    done
}

[ $# -eq 0 ] || say "$*"
turn
keep_room
