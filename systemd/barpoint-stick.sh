#!/bin/sh
# barpoint-stick.sh mount|write|release NAME: the three steps of barpoint-stick@NAME.service, for the USB stick /dev/NAME.
# Root mounts the stick and lets go of it; what is on it is read and written by the table's user only, in a sandbox, by the program.
set -u
name=$2
state=${BARPOINT_STATE:-$(readlink "$(dirname "$0")/state" || echo /var/lib/barpoint)} # ./install has made the link
program=${BARPOINT_PROGRAM:-/opt/barpoint/venv/bin/barpoint}
root=${BARPOINT_STICKS:-/run/barpoint-sticks} # root's own: nobody else can put a link there
at=$root/$name
told=${RUNTIME_DIRECTORY:?}/told # the program's last words
disk_of() { lsblk -nro PKNAME "$1" 2>/dev/null | head -n 1; }
as_table() { HOME=$state setpriv --reuid=barpoint --regid=barpoint --clear-groups --no-new-privs -- "$@"; }
# The page shows this for a minute.
say() {
    echo "$1"
    printf '%s\n' "stick: $1" | as_table tee "$state/stick" >/dev/null
}

case $1 in
mount)
    # A Pi may have started from a USB disk: none of its parts is a stick. And what a desktop has mounted, with owners of its own, is not
    # ours to write to, nor to call free to be pulled out.
    system=$(disk_of "$(findmnt -nro SOURCE /)")
    if [ -n "$system" ] && [ "$(disk_of "/dev/$name")" = "$system" ]; then exit 1; fi
    for where in $(findmnt -nro TARGET -S "/dev/$name"); do
        case $where in /media/* | /run/media/*) say "nothing was written: this machine's desktop has the stick in $where; switch off there that it mounts sticks" ;; esac
        exit 1
    done
    # File systems without owners and links, by the kernel's own drivers. On any other, a stranger's links lie in wait.
    kind=$(blkid -p -o value -s TYPE "/dev/$name" 2>/dev/null)
    case $kind in
    vfat | exfat) ;;
    ntfs) kind=ntfs3 ;;
    *)
        say "nothing was written: the stick is neither FAT nor exFAT nor NTFS; format it as FAT or exFAT"
        exit 1
        ;;
    esac
    install -d -m 0711 "$root" && install -d -m 0700 "$at" || exit 255
    options=nosymfollow,nosuid,nodev,noexec,noatime,uid=barpoint,gid=barpoint,umask=0077
    if ! mount -i -t "$kind" -o "$options" "/dev/$name" "$at"; then
        rmdir "$at"
        say "nothing was written: the stick cannot be read; format it as FAT or exFAT"
        exit 1
    fi
    say "writing the matches of today and yesterday; leave the stick in"
    ;;
write)
    "$program" stick "$at/barpoint" --state "$state" >"$told" 2>&1 || exit 0 # why not stands in there
    ;;
release)
    mountpoint -q "$at" || exit 0 # it was never mounted, and that was told
    case ${SERVICE_RESULT:-success} in
    success) words=$(as_table tail -n 1 "$told" 2>/dev/null | cut -c 1-150) ;;
    timeout) words="the stick is too slow, and not everything is on it" ;;
    *) words="not everything was written ($SERVICE_RESULT)" ;;
    esac
    if umount "$at"; then
        say "${words:-nothing was written}; it can be pulled out"
    else
        umount --lazy "$at"
        say "${words:-nothing was written}; but it could not be unmounted: was it pulled out too early?"
    fi
    rmdir "$at" 2>/dev/null
    exit 0
    ;;
esac
