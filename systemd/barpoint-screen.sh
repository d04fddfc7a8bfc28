#!/bin/sh
# barpoint-screen.sh address|show: the two steps of barpoint-screen.service.
set -u
program=${BARPOINT_PROGRAM:-/opt/barpoint/venv/bin/barpoint}
state=${BARPOINT_STATE:-/var/lib/barpoint}
folder=${RUNTIME_DIRECTORY:?}

case $1 in
address) # as root: asks, as the table's user, for the page's address with the screen's token, by which it shows the PIN
    said=$(HOME=$state XDG_STATE_HOME=${state%/*} setpriv --reuid=barpoint --regid=barpoint --init-groups --no-new-privs -- "$program" pin --json) || exit 1
    screen=$(printf '%s' "$said" | sed -n 's/.*"screen": "\(https\{0,1\}:[^" ]*\)".*/\1/p')
    if [ -z "$screen" ]; then
        echo "barpoint-screen: the table does not say its address: sudo barpoint pin"
        exit 1
    fi
    umask 077
    printf '%s\n' "$screen" >"$folder/address"
    chown barpoint-screen: "$folder/address"
    ;;
show)
    read -r screen <"$folder/address"
    browser=$(command -v chromium || command -v chromium-browser) || {
        echo "barpoint-screen: there is no chromium: sudo apt install chromium"
        exit 1
    }
    # The page's certificate names another address than 127.0.0.1.
    case $screen in https:*) set -- --ignore-certificate-errors ;; *) set -- ;; esac
    exec cage -- "$browser" --kiosk --ozone-platform=wayland --no-first-run --noerrdialogs --disable-infobars --disable-sync \
        --disable-component-update --user-data-dir="$folder/chromium" --disk-cache-dir="$folder/cache" "$@" "$screen"
    ;;
esac
