# The shell that ask.zsh asks: instead of showing what completes it writes that down, and ends.
fpath=($PWD $fpath)
autoload -Uz compinit && compinit -D -u
bindkey '^I' complete-word
compadd() {
    # Some calls only ask which of several words fit.
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    local -a fitting
    builtin compadd -A fitting "$@"
    print -rl -- $fitting >>$PWD/reply.txt
    builtin compadd "$@"
}
comppostfuncs=(exit)
PROMPT=READY
