# shellcheck shell=sh
# Sourced by ./demo and ./check, from the project's root: one virtual environment in .venv, made once and reused.
# Works with Debian 12's pip, as root or not, and without the network once everything is installed.

say() { printf '%s: %s\n' "$script" "$*"; }
die() {
    printf '%s: %s\n' "$script" "$1" >&2
    shift
    for line in "$@"; do printf '%s  %s\n' "$(printf '%s' "$script" | sed 's/./ /g')" "$line" >&2; done
    exit 1
}

export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore

# Whether this machine lets us install Debian packages, and doing so.
can_apt() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }
apt_install() {
    say "installing the Debian package(s) $*"
    apt-get update -qq >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Sets $base_python to a Python of 3.11 or later.
find_python() {
    for base_python in python3 python3.14 python3.13 python3.12 python3.11; do
        command -v "$base_python" >/dev/null 2>&1 || continue
        "$base_python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && return 0
    done
    if can_apt && apt_install python3 python3-venv; then
        base_python=python3
        "$base_python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' && return 0
    fi
    die "Barpoint needs Python 3.11 or later, and none is on the PATH." "On Debian 12 or Raspberry Pi OS:  sudo apt-get install python3 python3-venv"
}

# Makes .venv unless a working one is there.
make_venv() {
    if [ -x .venv/bin/python ] && .venv/bin/python -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then return 0; fi
    find_python
    say "making a virtual environment in .venv"
    rm -rf .venv
    "$base_python" -m venv .venv >/dev/null 2>&1 && return 0
    # Debian splits ensurepip off into python3-venv. Get it, or let a pip that is there fill the environment from outside.
    if can_apt && apt_install python3-venv; then
        rm -rf .venv
        "$base_python" -m venv .venv >/dev/null 2>&1 && return 0
    fi
    rm -rf .venv
    if "$base_python" -m pip --version >/dev/null 2>&1 && "$base_python" -m venv --without-pip .venv 2>/dev/null &&
        "$base_python" -m pip --python .venv/bin/python install -q pip; then return 0; fi
    rm -rf .venv
    die "Python cannot make a virtual environment here: its module ensurepip is missing." "On Debian 12 or Raspberry Pi OS:  sudo apt-get install python3-venv"
}

# install [GROUP]: the program's requirements, and those of a dependency group, unless this very list was installed before.
install() {
    make_venv
    stamp=.venv/barpoint-${1:-program}.txt
    .venv/bin/python .ci/requirements.py "$@" >.venv/wanted.txt
    if cmp -s .venv/wanted.txt "$stamp"; then return 0; fi
    say "installing $(grep -vc '^#' .venv/wanted.txt) requirements into .venv (once; takes a minute or two)"
    if ! .venv/bin/python -m pip install -qq --prefer-binary -r .venv/wanted.txt || ! .venv/bin/python -m pip install -qq --no-deps -e .; then
        die "pip could not install the requirements; its own message stands above." "The first start needs the package index; later ones do not. Check the connection and run $0 again."
    fi
    if ! message=$(.venv/bin/python -c 'import cv2, numpy' 2>&1); then
        die "OpenCV is installed but does not load: $(printf '%s' "$message" | tail -n 1)" "On Debian 12 or Raspberry Pi OS:  sudo apt-get install libstdc++6 zlib1g"
    fi
    cp .venv/wanted.txt "$stamp"
    # Whatever else was installed, the program now is: ./demo after ./check has nothing to fetch.
    .venv/bin/python .ci/requirements.py >.venv/barpoint-program.txt
}
