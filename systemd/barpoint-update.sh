#!/bin/sh
# barpoint-update.sh wish|night: updates the table by apt, for barpoint-update@.service, as root. "wish": somebody asked on the page;
# "night": the nightly look, which also installs what was asked for the night.
#
# The page's program is not trusted. Of it this reads one word of four, as the table's own user, and whatever else stands there is thrown
# away; what is installed, from where, and with which options, is said here and in /etc/apt alone. Nothing is written where the table writes.
# What was found and done is told in $told (a line "key=value" each) and $told.news, root's own files, which the page reads.
set -u
script=update to=''
here=$(dirname "$0")
# shellcheck source=deploy/shell.sh
. "${BARPOINT_SHELL:-$here}/shell.sh"
# shellcheck source=deploy/release.sh
. "${BARPOINT_SHELL:-$here}/release.sh"
home=${BARPOINT_HOME:-$home} state=${BARPOINT_STATE:-$state} backups=$state/before-upgrades
own=${STATE_DIRECTORY:-/var/lib/barpoint-update}
told=$own/status
wish=${BARPOINT_WISH:-/run/barpoint/update}
sources=${BARPOINT_SOURCES:-/etc/apt/sources.list.d}
archives=${BARPOINT_ARCHIVES:-/var/cache/apt/archives}
pause=${BARPOINT_PAUSE:-2}
patience=${BARPOINT_PATIENCE:-5} # seconds for reading a wish
steady=15 # looks in a row at which the new table must be up
export DEBIAN_FRONTEND=noninteractive LC_ALL=C PATH="${BARPOINT_PATH:-/usr/sbin:/usr/bin:/sbin:/bin}"
umask 022
cd /

# As the table's user, for a few seconds, with nothing of ours open but its output.
as_nobody() {
    seconds=$1
    shift
    timeout -k 1 "$seconds" setpriv --reuid=barpoint --regid=barpoint --clear-groups --no-new-privs -- "$@" 2>/dev/null </dev/null 8>&-
}
installed() { dpkg-query -W -f '${Version}' barpoint 2>/dev/null; }
# tell STEP [WHY]: where it stands. Only words of this script and versions go in.
tell() {
    {
        printf 'step=%s\nwhy=%s\ninstalled=%s\navailable=%s\nat=%s\n' "$1" "${2:-}" "$(installed)" "${new:-}" "$(date +%s)"
        if [ -e "$own/night" ]; then printf 'night=yes\n'; fi
    } >"$told.part"
    mv -f "$told.part" "$told"
    say "$1 ${2:-} ${new:-}"
}
is_version() { case $1 in '' | *[!0-9A-Za-z.+~:-]* | -*) false ;; *) true ;; esac }

# The word that was asked for, if it is one of ours; the wish is gone then.
read_wish() {
    word=$(as_nobody "$patience" head -c 16 "$wish" | tr -d '\0')
    as_nobody "$patience" rm -rf "$wish" || true
    case $word in look | now | night | cancel) ;; *) word='' ;; esac
}

# look: finds the newest version of the one repository that the owner has written down, fetches it, and takes its news out. $new is empty where there is none.
look() {
    new=''
    source=''
    for each in "$sources/barpoint.sources" "$sources/barpoint.list"; do if [ -f "$each" ]; then source=$each; fi; done
    if [ -z "$source" ]; then
        tell none repository
        return 1
    fi
    tell looking
    only="-o Dir::Etc::sourcelist=$source -o Dir::Etc::sourceparts=- -o APT::Get::List-Cleanup=0"
    # shellcheck disable=SC2086 # they are words
    if ! apt-get -qq $only -o APT::Update::Error-Mode=any update 8>&-; then
        tell failed network
        return 1
    fi
    have=$(installed)
    # shellcheck disable=SC2086
    found=$(apt-cache $only madison barpoint | head -n 1 | cut -d '|' -f 2 | tr -d ' ')
    if ! is_version "$found" || ! is_version "$have" || ! dpkg --compare-versions "$found" gt "$have"; then
        rm -f "$told.news"
        tell current
        return 1
    fi
    new=$found
    # apt checks the package by the signed list; without a signature that counts it refuses.
    if ! apt-get -qq -y --download-only --only-upgrade --no-remove install "barpoint=$new" 8>&-; then
        tell failed network
        return 1
    fi
    for each in "$archives"/barpoint_*.deb; do
        if [ "$(dpkg-deb --field "$each" Version 2>/dev/null)" != "$new" ]; then continue; fi
        dpkg-deb --fsys-tarfile "$each" | tar -xO ./usr/share/doc/barpoint/CHANGELOG.md.gz | gzip -dc |
            awk -v have="## [$have]" 'index($0, have) == 1 { exit } /^## \[/ { on = 1 } on' | head -c 20000 >"$told.news.part"
        mv -f "$told.news.part" "$told.news"
    done
    tell available
}

# Whether the table says that nobody plays: its own word, for what it is worth. One that does not answer for half a minute plays no match.
rests() {
    for _ in 1 2 3 4 5; do
        case $(as_nobody 20 "$home/venv/bin/barpoint" alive) in
        resting) return 0 ;;
        playing) return 1 ;;
        esac
        sleep "$pause"
    done
}
# Whether the table comes up, and stays up: systemd has heard of it (READY=1), its page answers, and it is not started again.
comes_up() {
    restarts=$(systemctl show -p NRestarts --value barpoint.service)
    seen=0
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
        sleep "$pause"
        if [ "$(systemctl show -p NRestarts --value barpoint.service)" != "$restarts" ]; then return 1; fi
        case $(as_nobody 20 "$home/venv/bin/barpoint" alive) in
        resting | playing) seen=$((seen + 1)) ;;
        *) seen=0 ;;
        esac
        if [ $seen -ge $steady ]; then return 0; fi
    done
    return 1
}

# put_in: installs $new, sees whether it comes up, and takes the release before where it does not. $own/begun says that it was begun, so
# that a power cut is no end.
put_in() {
    if ! rests; then
        tell waiting match
        return 0
    fi
    tell installing
    using=$(in_use)
    printf '%s %s\n' "$new" "$using" >"$own/begun.part" && mv -f "$own/begun.part" "$own/begun"
    sync -f "$own"
    # The package does not start the table: that is done below, watched.
    BARPOINT_NO_START=yes apt-get -y -q --only-upgrade --no-remove -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
        install "barpoint=$new" 8>&-
    judge
}
# judge: the new release is in use from the table's next start on; starts it as soon as nobody plays. Where somebody does, $own/begun stays, and
# the next run goes on here.
judge() {
    if [ "$(installed)" != "$new" ] || [ "$(in_use)" = "$using" ]; then
        rm -f "$own/begun"
        tell failed apt
        return 1
    fi
    if ! rests; then # a match that was begun while apt was at work
        tell waiting match
        return 1
    fi
    copy_again
    tell checking
    if systemctl is-enabled -q barpoint.service && { ! systemctl restart barpoint.service || ! comes_up; }; then
        tell going-back
        echo "$new" >"$own/refused"
        if go_back; then tell back; else tell failed back; fi
    else
        rm -f "$own/night" "$own/refused"
        tell 'done'
    fi
    rm -f "$own/begun"
}
# A copy in the place of the package's own, for what was played since; none of a journal that the new release, started meanwhile, has changed.
copy_again() {
    noted=$home/venv/system/journal-before
    first=$(cat "$noted" 2>/dev/null)
    if ! (check_journal "$using") 2>/dev/null; then return 0; fi
    (
        kept_backups=$((kept_backups + 1))
        back_journal_up "$using"
        printf '%s\n' "$copy" | write "$noted" 644
        if [ -n "$first" ]; then as_table rm -f "$first" "$first-wal"; fi
    ) || true # the package's own stays
}
# go_back: the release before. A journal that the new one has changed is put aside for the copy from just before: nothing was played since.
go_back() {
    if ! (check_journal "$using") 2>/dev/null; then
        folder=$(state_of "$using")
        copy=$(cat "$home/venv/system/journal-before" 2>/dev/null)
        if [ -z "$copy" ]; then return 1; fi
        systemctl stop barpoint.service
        # The copy is whole before it takes the journal's place in one step: a power cut and a full disk leave one of the two.
        # shellcheck disable=SC2016 # it is for the shell of the table's user
        as_nobody 60 sh -c 'cd "$0" || exit 1
            cp "$1" journal.db.part && sync journal.db.part || { rm -f journal.db.part; exit 1; }
            for each in journal.db-wal journal.db-shm journal.db-head journal.db-lost; do if [ -e "$each" ]; then mv -f "$each" "newer-$each"; fi; done
            ln -f journal.db newer-journal.db || cp journal.db newer-journal.db
            mv -f journal.db.part journal.db && if [ -e "$1-wal" ]; then cp "$1-wal" journal.db-wal; fi' "$folder" "$copy" || return 1
    fi
    "$home/venv/system/rollback" 8>&-
}

# What was begun when the power failed, or a match was begun: dpkg finishes it, or has not begun it, or is done.
take_up() {
    if [ ! -e "$own/begun" ]; then return 0; fi
    read -r new using <"$own/begun"
    BARPOINT_NO_START=yes dpkg --configure -a --force-confdef --force-confold 8>&-
    judge
}

mkdir -p "$own"
exec 8>"$own/lock"
flock -n 8 || exit 0
new='' word=''
take_up
if [ -e "$own/begun" ]; then # it waits for a match to end
    if [ "$1" = wish ]; then read_wish; fi
    word=''
elif [ "$1" = wish ]; then
    read_wish
    # A page gone wild costs a look every two seconds, and apt's servers one in five minutes.
    if [ "$word" = look ] && [ -n "$(find "$told" -mmin -5 2>/dev/null)" ] && ! grep -qs '^step=failed' "$told"; then word=''; fi
else
    word=look
fi
case $word in
look)
    if look && [ "$1" = night ] && [ -e "$own/night" ] && [ "$(cat "$own/refused" 2>/dev/null)" != "$new" ]; then
        # After a night without power the look comes at noon, but nothing is installed then.
        case ${BARPOINT_HOUR:-$(date +%H)} in 0[2-6]) put_in ;; esac
    fi
    ;;
now) if look; then put_in; fi ;;
night)
    touch "$own/night"
    look || true
    ;;
cancel)
    rm -f "$own/night"
    look || true
    ;;
esac
if [ "$1" = wish ]; then sleep "$pause"; fi # systemd starts this again at once where a wish comes or stays
exit 0
