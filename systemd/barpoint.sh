#!/bin/sh
# barpoint, on the PATH: the installed program.
# With sudo, and as the table's own user, it is the table's: its user, its groups, its matches and its hub, so that what the doctor finds is true of the service. Else yours.
program=/opt/barpoint/venv/bin/barpoint
if [ "${1:-}" = rollback ]; then exec /opt/barpoint/venv/system/rollback; fi
export OMP_NUM_THREADS="${OMP_NUM_THREADS-2}" OPENCV_LOG_LEVEL="${OPENCV_LOG_LEVEL-ERROR}"
who=$(id -un)
case $who in root | barpoint)
    if own=$(readlink /opt/barpoint/venv/system/state); then export BARPOINT_STATE="$own"; fi # ./install has made the link
    export HOME=/var/lib/barpoint XDG_STATE_HOME=/var/lib LG_WD=/var/lib/barpoint
    ;;
esac
if [ "$who" = root ]; then exec setpriv --reuid=barpoint --regid=barpoint --init-groups -- "$program" "$@"; fi
exec "$program" "$@"
