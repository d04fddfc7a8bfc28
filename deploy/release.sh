# shellcheck shell=sh disable=SC2154
# Sourced by ./install and deploy/rollback, which set $to (DESTDIR, or nothing) and, before the first change, $work, a folder: what is done to the installed table.
#
# A release is one folder, /opt/barpoint/venv-DATE: the program's environment, and in system/ the units, device rules and whatever else the
# system reads of Barpoint. The link /opt/barpoint/venv names the release in use, and all places in the system are links through it. So one
# rename changes all at once: whenever the power fails, the table that comes up is wholly the old one or wholly the new one.

home=/opt/barpoint
state=/var/lib/barpoint
config=/etc/barpoint/barpoint.toml
backups=$state/before-upgrades
kept_backups=3
copies='[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]-[0-9][0-9][0-9][0-9][0-9][0-9].db' # an owner's own files beside them stay

# What the system finds where, below $prefix: one "file-of-system/ place" a line; the doctor and the build guide rely on these places.
# systemctl enable would follow a link to a unit to its end and remember that release: so the unit itself is a file that never changes, and what
# it does is a drop-in.
stub=lib/systemd/system/barpoint.service
wants="lib/systemd/system/paths.target.wants lib/systemd/system/sockets.target.wants lib/systemd/system/timers.target.wants"
# The hub and the screen are switched on by a link of its own here, to the unit by its name: that stays true in every release.
# shellcheck disable=SC2034 # ./install reads it
switched_on=lib/systemd/system/multi-user.target.wants
places="barpoint.service lib/systemd/system/barpoint.service.d/10-release.conf
configured.conf lib/systemd/system/barpoint.service.d/configured.conf
barpoint-stick@.service lib/systemd/system/barpoint-stick@.service
barpoint-hub.service lib/systemd/system/barpoint-hub.service
barpoint-update@.service lib/systemd/system/barpoint-update@.service
barpoint-update.path lib/systemd/system/barpoint-update.path
barpoint-update.path lib/systemd/system/paths.target.wants/barpoint-update.path
barpoint-update.timer lib/systemd/system/barpoint-update.timer
barpoint-update.timer lib/systemd/system/timers.target.wants/barpoint-update.timer
barpoint-network.service lib/systemd/system/barpoint-network.service
barpoint-network.service lib/systemd/system/multi-user.target.wants/barpoint-network.service
barpoint-network.socket lib/systemd/system/barpoint-network.socket
barpoint-network.socket lib/systemd/system/sockets.target.wants/barpoint-network.socket
barpoint-screen.service lib/systemd/system/barpoint-screen.service
barpoint.sysusers lib/sysusers.d/barpoint.conf
barpoint.tmpfiles lib/tmpfiles.d/barpoint.conf
60-barpoint.rules lib/udev/rules.d/60-barpoint.rules
61-barpoint-stick.rules lib/udev/rules.d/61-barpoint-stick.rules
journald.conf lib/systemd/journald.conf.d/barpoint.conf
barpoint.sh bin/barpoint"

# Where releases up to 0.2 laid copies, which would come before our links; the unit, by which they are known, last.
earlier="/etc/systemd/system/barpoint.service.d/configured.conf
/etc/sysusers.d/barpoint.conf
/etc/tmpfiles.d/barpoint.conf
/etc/udev/rules.d/60-barpoint.rules
/etc/udev/rules.d/61-barpoint-stick.rules
/etc/systemd/system/barpoint-stick@.service
/etc/systemd/journald.conf.d/barpoint.conf
/etc/systemd/system/barpoint.service"

dry=${dry:-}
# Every change goes through act, so that a dry run lists all of them.
act() { if [ -n "$dry" ]; then printf '  %s\n' "$*"; else "$@"; fi; }
# And what changes the running system through this one.
live() { if [ -z "$to" ]; then act "$@"; fi; }
systemd_runs() { [ -z "$to" ] && [ -d /run/systemd/system ]; }
# write PATH MODE: writes standard input to PATH in one step: what is named is on the disk.
write() {
    if [ -n "$dry" ]; then
        printf '  write %s\n' "$1"
        return 0
    fi
    mkdir -p "$(dirname "$to$1")"
    cat >"$to$1.part"
    chmod "$2" "$to$1.part"
    sync "$to$1.part"
    mv -f "$to$1.part" "$to$1"
}
# The machine is locked, not a checkout: there may be two of them.
lock_machine() {
    exec 9<"$to/etc"
    flock -n 9 || die "another ./install is running; wait for it."
}
# Runs the rest as the table's own user, at whose files root should not look.
as_table() {
    if [ -z "$to" ]; then setpriv --reuid=barpoint --regid=barpoint --init-groups -- env HOME="$state" "$@"; else "$@"; fi
}

# -- links -----------------------------------------------------------------------------------------------------------------------------
# lay_links PREFIX
lay_links() {
    write "$1/$stub" 644 <<'END'
# For systemctl enable. What the service is, the release in use says: barpoint.service.d/10-release.conf.
[Unit]
Description=Barpoint, a backgammon table that referees itself

[Install]
WantedBy=multi-user.target
END
    printf '%s\n' "$places" >"$work/places"
    while read -r file place; do
        target=$1/$place
        if [ -n "$dry" ]; then
            printf '  link %s\n' "$target"
            continue
        fi
        mkdir -p "$to${target%/*}"
        ln -sfn "$home/venv/system/$file" "$to$target.part"
        mv -fT "$to$target.part" "$to$target"
    done <"$work/places"
}
# remove_links PREFIX: and the copies that earlier releases laid.
remove_links() {
    printf '%s\n' "$places" >"$work/places"
    for place in $(cut -d ' ' -f 2 "$work/places") $stub; do
        if [ -e "$to$1/$place" ] || [ -L "$to$1/$place" ]; then act rm -f "$to$1/$place"; fi
    done
    if [ -e "$to/usr/local/lib/barpoint-stick" ]; then act rm -f "$to/usr/local/lib/barpoint-stick"; fi # of 0.2, which can be gone back to
    for folder in $stub.d $wants; do
        if [ -d "$to$1/$folder" ]; then act rmdir --ignore-fail-on-non-empty "$to$1/$folder"; fi
    done
    remove_earlier
}
# adopt NAME, by NEW: a release up to 0.2 gets what it laid, so that it can be gone back to.
adopt() {
    if [ -n "$dry" ] || [ -z "$1" ] || [ -d "$to$home/$1/system" ] || [ ! -d "$to$home/$1" ]; then return 0; fi
    mkdir -p "$to$home/$1/system.part"
    cp -a "$to$home/$2/system"/* "$to$home/$1/system.part"
    rm -f "$to$home/$1/system.part/before" "$to$home/$1/system.part/journal-before"
    for each in systemd/system/barpoint.service systemd/system/barpoint.service.d/configured.conf systemd/system/barpoint-stick@.service \
        udev/rules.d/60-barpoint.rules udev/rules.d/61-barpoint-stick.rules; do
        if [ -f "$to/etc/$each" ]; then cp -p "$to/etc/$each" "$to$home/$1/system.part"; fi
    done
    mv "$to$home/$1/system.part" "$to$home/$1/system"
}
# A unit of the owner's own, as "systemctl edit" makes it, stays.
remove_earlier() {
    if ! grep -qs '^ExecStart=/opt/barpoint/venv/bin/barpoint run' "$to/etc/systemd/system/barpoint.service"; then return 0; fi
    for each in $earlier; do if [ -e "$to$each" ]; then act rm -f "$to$each"; fi; done
    act rmdir --ignore-fail-on-non-empty "$to/etc/systemd/system/barpoint.service.d" 2>/dev/null || true
}

# -- a release -------------------------------------------------------------------------------------------------------------------------
in_use() { readlink "$to$home/venv" 2>/dev/null || true; }
# take_into_use NAME: the one step.
take_into_use() {
    act ln -sfn "$1" "$to$home/venv.part"
    if [ -z "$dry" ]; then sync -f "$to$home"; fi # all of the new one is on the disk before it is named
    act mv -fT "$to$home/venv.part" "$to$home/venv"
    if [ -z "$dry" ]; then sync -f "$to$home"; fi
}
# The one that was in use before NAME, where it is still there.
before() {
    found=$(cat "$to$home/$1/system/before" 2>/dev/null || true)
    if [ -n "$found" ] && [ -d "$to$home/$found/system" ]; then printf '%s' "$found"; fi
}
# Keeps the release in use and the one before it.
remove_old_releases() {
    using=$(in_use)
    last=$(cat "$to$home/$using/system/before" 2>/dev/null || true)
    for old in "$to$home"/venv-*; do
        case ${old##*/} in "$using" | "$last") ;; *) if [ -d "$old" ]; then act rm -rf "$old"; fi ;; esac
    done
}
# configure NAME: the part of its unit that depends on the configuration, above all the page's port, and a link to where the matches are, which
# "sudo barpoint" and USB sticks follow. A bad configuration is refused, with the line.
configure() {
    "$to$home/$1/bin/barpoint" config --check "$to$config" --unit >"$work/configured.conf" ||
        die "fix $config and run this again; the program installed before is still in use."
    write "$home/$1/system/configured.conf" 644 <"$work/configured.conf"
    folder=$(state_of "$1")
    ln -sfn "${folder#"$to"}" "$to$home/$1/system/state"
}

# -- the journal -----------------------------------------------------------------------------------------------------------------------
# state_of NAME: where the configuration, as that release reads it, puts the matches. Where it does not say, that is $state.
state_of() {
    ask='import json, sys; print(json.load(sys.stdin)["state"]["directory"])'
    chosen=$({ "$to$home/$1/bin/barpoint" config --check "$to$config" --json | "$to$home/$1/bin/python" -c "$ask"; } 2>/dev/null || true)
    printf '%s' "$to${chosen:-$state}"
}
# check_journal NAME [KNOWS]: refuses a release that is too old for the journal; one that is not there yet knows it up to version KNOWS.
check_journal() {
    if [ -n "$dry" ]; then return 0; fi
    journal=$(state_of "$1")/journal.db
    if [ ! -e "$journal" ]; then return 0; fi
    ask='import sqlite3, sys; print(sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute("PRAGMA user_version").fetchone()[0])'
    form=$(as_table "$to$home/$1/bin/python" -c "$ask" "$journal" 2>/dev/null || true)
    knows=${2:-}
    if [ -z "$knows" ]; then knows=$("$to$home/$1/bin/python" -c 'from firmware.record.journal import SCHEMA; print(SCHEMA)' 2>/dev/null || true); fi
    if [ "${form:-0}" -gt "${knows:-99}" ]; then
        die "that release knows journals up to version $knows; a later one has brought yours, $journal, to version $form. Nothing was changed." \
            "The journal as it was before an upgrade is in $backups; what was played since then is not in it." \
            "To go back to it all the same: stop the table, put that copy in the journal's place, and run this again."
    fi
}
# The name of the next copy: the date, or one more than the last copy's, for a clock that was set back must not bring it before that.
next_copy() {
    # shellcheck disable=SC2086 # it is a pattern
    for last in "$to$backups"/$copies; do :; done
    last=${last##*/}
    number=$(date +%Y%m%d%H%M%S)
    if [ "$last" != "$copies" ]; then
        last=$(printf '%s' "${last%.db}" | tr -d -)
        if [ "$number" -le "$last" ]; then number=$((last + 1)); fi
    fi
    printf '%s-%s' "${number%??????}" "${number#????????}"
}
# back_journal_up NAME: a copy by the program that wrote it, which has gone on playing meanwhile; it checks the copy, too. $copy is where it
# is, or nothing where there is no journal.
back_journal_up() {
    copy=''
    if [ ! -e "$to$home/$1" ]; then return 0; fi
    if [ -n "$dry" ]; then
        printf '  copy the journal into %s\n' "$backups"
        return 0
    fi
    folder=$(state_of "$1")
    if [ ! -e "$folder/journal.db" ]; then return 0; fi
    copy=$to$backups/$(next_copy).db
    as_table mkdir -p -m 700 "$to$backups" 2>/dev/null || true # where that fails, so does what follows
    if said=$(as_table "$to$home/$1/bin/barpoint" backup "$copy" --state "$folder" 2>&1) || [ -e "$copy" ]; then
        say "the journal before the upgrade: $(printf '%s' "$said" | tail -n 1)"
    elif as_table cp -p "$folder/journal.db" "$copy" 2>/dev/null && { [ ! -e "$folder/journal.db-wal" ] || as_table cp -p "$folder/journal.db-wal" "$copy-wal"; } 2>/dev/null; then
        say "the journal before the upgrade, copied as it is into $copy: $(printf '%s' "$said" | tail -n 1)"
    else
        as_table rm -f "$copy" "$copy-wal" 2>/dev/null || true
        die "the journal could not be copied before the upgrade: $(printf '%s' "$said" | tail -n 1)" \
            "Fix that and run this again; the program installed before is still in use."
    fi
    # shellcheck disable=SC2086 # it is a pattern
    set -- "$to$backups"/$copies # the oldest comes first, and the one just made last
    while [ $# -gt $kept_backups ]; do
        as_table rm -f "$1" "$1-wal"
        shift
    done
}

# -- starting --------------------------------------------------------------------------------------------------------------------------
# What systemd and udev have to hear after a change of release.
tell_system() {
    live systemctl daemon-reload 2>/dev/null || true
    if systemd_runs; then
        live udevadm control --reload 2>/dev/null || true
        live udevadm trigger --subsystem-match=gpio --subsystem-match=spidev --subsystem-match=dma_heap --subsystem-match=media || true
        live systemctl restart systemd-journald
        # What runs beside the table is of the release before, whose folder goes away with the next one.
        live systemctl try-restart --no-block barpoint-network.socket barpoint-network.service barpoint-hub.service barpoint-screen.service || true
    fi
}
# restart OTHER: starts the release in use; where it does not come up, OTHER is taken again. OTHER may be nothing.
restart() {
    if act systemctl restart barpoint.service; then return 0; fi
    journalctl -u barpoint -n 5 --no-pager -o cat >&2 || true
    if [ -n "$1" ] && [ -d "$to$home/$1" ]; then
        take_into_use "$1"
        tell_system
        systemctl restart barpoint.service || true
        die "the other program does not start; the one before is in use again. The last messages are above."
    fi
    die "the table does not start; its last messages are above." "What is wrong, and how to fix it:  sudo barpoint doctor"
}

# rollback: to the release that was in use before, with its units.
rollback() {
    using=$(in_use)
    if [ -z "$using" ]; then die "Barpoint is not installed here; nothing was changed."; fi
    last=$(before "$using")
    if [ -z "$last" ]; then die "there is no release to go back to; nothing was changed." "An older one:  from its own checkout or package"; fi
    check_journal "$last"
    back_journal_up "$using"
    configure "$last"
    take_into_use "$last"
    tell_system
    if systemd_runs; then restart "$using"; fi
    say "in use: $("$to$home/venv/bin/barpoint" --version 2>/dev/null | tail -n 1), of $last"
}
