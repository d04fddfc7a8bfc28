# shellcheck shell=sh disable=SC2154
# Sourced by every shell script here, which has set $script to its own name: what is said, and how pip is asked.

say() { printf '%s: %s\n' "$script" "$*"; }
die() {
    printf '%s: %s\n' "$script" "$1" >&2
    shift
    for line in "$@"; do printf '%s  %s\n' "$(printf '%s' "$script" | sed 's/./ /g')" "$line" >&2; done
    exit 1
}

export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore
