#!/bin/sh
# barpoint, on the PATH: the installed program.
# With sudo it is the table's own: its user, its groups, its matches, so that what the doctor finds is true of the service. Without, yours.
program=/opt/barpoint/venv/bin/barpoint
if [ "${1:-}" = rollback ]; then exec /opt/barpoint/venv/system/rollback; fi
export OMP_NUM_THREADS="${OMP_NUM_THREADS-2}" OPENCV_LOG_LEVEL="${OPENCV_LOG_LEVEL-ERROR}"
if [ "$(id -u)" = 0 ]; then
    if own=$(readlink /opt/barpoint/venv/system/state); then export BARPOINT_STATE="$own"; fi # ./install has made the link
    export HOME=/var/lib/barpoint XDG_STATE_HOME=/var/lib LG_WD=/var/lib/barpoint
    exec setpriv --reuid=barpoint --regid=barpoint --init-groups -- "$program" "$@"
fi
exec "$program" "$@"
