# Completes the command line of gabion in bash: commands, options and their values, files, and keys of
# case files. The lists above come from the tables of the program.

# Offers words that begin with what is typed.
_gabion_words() {
    COMPREPLY=($(compgen -W "$1" -- "$2"))
}

# Offers keys as --set takes them, KEY=; the lists have entry 0, and the entry typed stands for it.
_gabion_assign() {
    local keys=$_gabion_assignable
    if [[ $1 =~ ^[a-z_]+\.([0-9]+)(\.|$) ]]; then
        keys=${keys//.0./.${BASH_REMATCH[1]}.}
    fi
    COMPREPLY=($(compgen -S = -W "$keys" -- "$1"))
    compopt -o nospace
}

# Offers values: a list of words, keys, folders or files.
_gabion_values() {
    case $1 in
    words:*) _gabion_words "${1#words:}" "$2" ;;
    explained) _gabion_words "$_gabion_explained" "$2" ;;
    assigned) _gabion_assign "$2" ;;
    folders) COMPREPLY=($(compgen -d -- "$2")); compopt -o filenames ;;
    files) COMPREPLY=($(compgen -f -- "$2")); compopt -o filenames ;;
    *) COMPREPLY=() ;;
    esac
}

_gabion() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _gabion_words "$_gabion_verbs $(_gabion_options '')" "$word"
        return
    fi
    # bash parts words at "=": --output=DIR has three, and what follows --set KEY= is any value.
    if [ "$word" = = ]; then
        word=
    elif [ "$before" = = ]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
        [[ $before == -* ]] || return
    fi
    local kind
    kind=$(_gabion_takes "$verb" "$before")
    if [ -n "$kind" ]; then
        _gabion_values "$kind" "$word"
    elif [[ $word == -* ]]; then
        _gabion_words "$(_gabion_options "$verb")" "$word"
    else
        _gabion_values "$(_gabion_target "$verb")" "$word"
    fi
}

complete -F _gabion gabion
