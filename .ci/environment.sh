# shellcheck shell=sh
# Sourced by ./demo and ./check, from the project's root: one virtual environment in .venv, made once and reused.
# Works with Debian 12's pip, as root or not, and without the network once everything is installed.

. deploy/shell.sh

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

cut_off=.venv/cut-off
# fill_venv [OPTION]: makes .venv; says what is wrong where it cannot.
fill_venv() { rm -rf .venv && mkdir .venv 2>&1 && touch $cut_off && "$base_python" -m venv "$@" .venv 2>&1; }

# Makes .venv unless a working one is there. One that was cut off while it was made is none: its pip may be half a pip.
make_venv() {
    if [ ! -e $cut_off ] && [ -x .venv/bin/python ] && .venv/bin/python -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then return 0; fi
    find_python
    say "making a virtual environment in .venv"
    rm -rf .venv || die "the old .venv cannot be removed." "Where it is another user's, as after sudo ./demo:  sudo rm -r .venv"
    message=$(fill_venv) && rm $cut_off && return 0
    # Debian splits ensurepip off into python3-venv. Get it, or let a pip that is there fill the environment from outside.
    if "$base_python" -c 'import ensurepip' 2>/dev/null; then
        rm -rf .venv
        die "Python cannot make a virtual environment in this folder: $(printf '%s' "$message" | tail -n 1)" "It needs 450 MB here, and the right to write:  df -h ."
    fi
    if can_apt && apt_install python3-venv && fill_venv >/dev/null && rm $cut_off; then return 0; fi
    if "$base_python" -m pip --version >/dev/null 2>&1 && fill_venv --without-pip >/dev/null &&
        "$base_python" -m pip --python .venv/bin/python install -q pip && rm $cut_off; then return 0; fi
    rm -rf .venv
    die "Python cannot make a virtual environment here: its module ensurepip is missing." "On Debian 12 or Raspberry Pi OS:  sudo apt-get install python3-venv"
}

# What an installation of LIST depends on. Another Python has other wheels, and what lies in .venv/bin names this folder.
wanted() {
    .venv/bin/python -V
    pwd
    sed '/^\[tool\./,$d' pyproject.toml
    cat "deploy/locked/$1.txt"
}

# Where .venv finds the program: from itself. A Python of 3.11 reads that in the locale's encoding, and one that cannot
# read a folder's name in it (LC_ALL=C, and an umlaut in the path) does not start at all.
point_here() { for each in .venv/lib/python3*/site-packages/_editable_impl_barpoint.pth; do echo ../../../.. >"$each"; done; }

# install [LIST]: the locked versions of deploy/locked/LIST.txt and the program, unless this very list was installed before. One at a time.
install() {
    exec 9<.
    flock -n 9 || { say "another ./demo or ./check sets .venv up; this one waits for it" && flock 9 || true; }
    set_up "${1:-program}"
    exec 9<&-
}
set_up() {
    make_venv
    if wanted "$1" | cmp -s - ".venv/barpoint-$1.txt"; then return 0; fi
    [ -w .venv ] || die ".venv cannot be written, and has to be set up anew." "Where it is another user's, as after sudo ./demo:  sudo rm -r .venv"
    say "installing $(grep -c == "deploy/locked/$1.txt") packages into .venv (once; takes a minute or two)"
    # Their hashes are checked; nothing of theirs is compiled here, and only what is locked is fetched. Not into /tmp, which is often memory.
    rm -rf .venv/tmp
    mkdir .venv/tmp
    if ! TMPDIR=$PWD/.venv/tmp .venv/bin/python -m pip install -qq --only-binary :all: --require-hashes --no-deps -r "deploy/locked/$1.txt" ||
        ! TMPDIR=$PWD/.venv/tmp .venv/bin/python -m pip install -qq --no-build-isolation --no-deps -e .; then
        die "pip could not install the requirements; its own message stands above." \
            "The first start needs the package index, and 450 MB of disk; later ones do not. Put that right and run $0 again."
    fi
    rm -rf .venv/tmp
    point_here
    if ! message=$(.venv/bin/python -c 'import cv2, numpy' 2>&1); then
        die "OpenCV is installed but does not load: $(printf '%s' "$message" | tail -n 1)" "On Debian 12 or Raspberry Pi OS:  sudo apt-get install libstdc++6 zlib1g"
    fi
    wanted "$1" >".venv/barpoint-$1.txt"
    # Whatever else was installed, the program now is: ./demo after ./check has nothing to fetch.
    wanted program >.venv/barpoint-program.txt
}
