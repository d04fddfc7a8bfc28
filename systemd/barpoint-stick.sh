#!/bin/sh
# /usr/local/lib/barpoint-stick DEVICE: writes the day's matches to a USB stick. barpoint-stick@.service calls it as root in a mount
# namespace of its own: nobody else sees the stick, and it is always unmounted at the end. The table's user does the writing.
set -u
device=$1
state=${BARPOINT_STATE:-/var/lib/barpoint}
program=${BARPOINT_PROGRAM:-/opt/barpoint/venv/bin/barpoint}
at=${RUNTIME_DIRECTORY:?}/stick
as_table() { HOME=$state setpriv --reuid=barpoint --regid=barpoint --clear-groups -- "$@"; }
# The page shows this for a minute.
say() {
    echo "$1"
    printf '%s\n' "stick: $1" | as_table tee "$state/stick" >/dev/null
}

mkdir -p "$at"
options=nosuid,nodev,noexec,noatime
case $(blkid -p -o value -s TYPE "$device" 2>/dev/null) in
vfat | exfat | ntfs) options=$options,uid=barpoint,gid=barpoint,umask=0022 ;;
esac
if ! mount -o "$options" "$device" "$at"; then
    say "nothing was written: the stick cannot be read; format it as FAT or exFAT"
    exit 0
fi
say "writing the matches of today and yesterday; leave the stick in"
if ! mkdir -p "$at/barpoint" 2>/dev/null || ! { as_table test -w "$at/barpoint" || chown barpoint: "$at/barpoint" 2>/dev/null; }; then
    umount "$at" || umount --lazy "$at"
    say "nothing was written: the stick is write-protected, full or broken"
    exit 0
fi
told=$(as_table "$program" stick "$at/barpoint" --state "$state" 2>&1 | tail -n 1)
if umount "$at"; then
    say "${told:-nothing was written}; it can be pulled out"
else
    umount --lazy "$at"
    say "${told:-nothing was written}; but it could not be unmounted: was it pulled out too early?"
fi
